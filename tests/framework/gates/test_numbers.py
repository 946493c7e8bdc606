"""The numbers of the pages: what a page prints below `python3 docs/numbers/NAME.py` is what that script prints."""

import re
import subprocess
import sys

from conftest import ROOT

FOLDER = ROOT / "docs" / "numbers"
PAGES = [*(ROOT / "labs").glob("lab*/README.md"), *(ROOT / "docs").glob("*.md")]
SHOWN = re.compile(r"```sh\npython3 docs/numbers/(\w+)\.py[^\n]*\n```\n\n```text\n(.*?)```", re.DOTALL)


def test_pages_show_what_the_scripts_print():
    shown = {}
    for page in PAGES:
        for script, output in SHOWN.findall(page.read_text()):
            shown.setdefault(script, []).append((page, output))
    scripts = {path.stem for path in FOLDER.glob("*.py")} - {"vectors", "delta_rule"}
    assert set(shown) == scripts, "a script that no page shows, or the reverse"
    for script in sorted(scripts):
        printed = subprocess.run([sys.executable, FOLDER / f"{script}.py"], text=True, capture_output=True, check=True,
                                 timeout=600, env={"PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}).stdout
        for page, output in shown[script]:
            assert output == printed, f"{page}: print anew what docs/numbers/{script}.py prints"
