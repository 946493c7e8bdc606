"""A headless Chromium, driven by selenium: what a page complains of, at any size, light or dark."""

import shutil

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--disable-component-update",
         "--hide-scrollbars", "--force-device-scale-factor=1")
SETTLED = """const done = arguments[0];
document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(done)));"""
PATIENCE = 120  # seconds; a limit for what hangs, not for what is slow


class Browser(webdriver.Chrome):
    """with Browser() as browser: browser.get(url); browser.execute_script("return document.title")"""

    def __init__(self):
        options = webdriver.ChromeOptions()
        for flag in FLAGS:
            options.add_argument(flag)
        options.binary_location = shutil.which("chromium") or ""
        options.set_capability("goog:loggingPrefs", {"browser": "SEVERE"})
        super().__init__(service=Service(shutil.which("chromedriver") or "chromedriver"), options=options)
        self.set_page_load_timeout(PATIENCE)
        self.set_script_timeout(PATIENCE)

    def shape(self, width: int, height: int, dark: bool) -> None:
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",  # as mobile, the page would be laid out twice
                             {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.settle()

    def settle(self) -> None:
        """Waits until the fonts are there, the page is drawn with them, and what watches sizes has had its say."""
        self.execute_async_script(SETTLED)

    def complaints(self) -> list:
        """What the console has said is wrong since the last call: failed loads, exceptions."""
        return [entry["message"] for entry in self.get_log("browser")]
