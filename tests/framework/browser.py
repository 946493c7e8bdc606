"""A headless Chromium, one process for all pages, spoken to over a pipe: the DevTools protocol, JSON with zero bytes
between."""

import base64
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions", "--hide-scrollbars", "--mute-audio",
         "--force-device-scale-factor=1", "--remote-debugging-pipe", "about:blank")


class Browser:
    """with Browser() as browser: browser.open(url); browser.evaluate("document.title")"""

    def __init__(self, program: str = "chromium", patience: float = 60.0):
        self.patience = patience
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # its helpers may still be writing
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        # Chromium reads commands from descriptor 3 and answers on descriptor 4.
        script = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(
            ["sh", "-c", script, program, f"--user-data-dir={self.profile.name}", *FLAGS],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.answers = os.fdopen(ours_in, "rb")
        self.commands = os.fdopen(ours_out, "wb")
        self.unread = b""
        self.number = 0
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.answers.close()
        try:
            self.commands.close()
        except BrokenPipeError:
            pass
        self.profile.cleanup()

    def call(self, method: str, **parameters) -> dict:
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def _read(self) -> dict:
        while b"\0" not in self.unread:
            chunk = os.read(self.answers.fileno(), 1 << 16)
            if not chunk:
                raise RuntimeError("the browser has ended")
            self.unread += chunk
        message, _, self.unread = self.unread.partition(b"\0")
        return json.loads(message)

    def evaluate(self, expression: str):
        """The value of a JavaScript expression; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", "JavaScript failed"))
        return result["result"].get("value")

    def wait_for(self, condition: str) -> None:
        end = time.monotonic() + self.patience
        while not self.evaluate(condition):
            if time.monotonic() > end:
                raise RuntimeError(f"waited {self.patience} s in vain for {condition}")
            time.sleep(0.02)

    def open(self, url: str) -> None:
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait_for(f"document.readyState === 'complete' && location.href === {json.dumps(url)}")

    def shape(self, width: int, height: int, dark: bool) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def screenshot(self, path: Path) -> None:
        data = self.call("Page.captureScreenshot", format="png")["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def requests(self) -> list:
        """Every URL that the page asked for since it was opened."""
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def complaints(self) -> list:
        """What the console says is wrong: failed loads, exceptions."""
        found = []
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"]["exception"].get("description", "exception"))
            if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                entry = event["params"]["entry"]
                found.append(f'{entry["text"]} {entry.get("url", "")}'.strip())
        return found
