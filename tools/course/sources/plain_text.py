"""Text that is safe to show: what a student's program or file holds may reach a terminal, XML, JSON or a page."""

import io
import sys

KEPT = "\t\n"
CONTROL = (*range(0x20), *range(0x7f, 0xa0))  # a terminal obeys these
DIRECTION = (0x61c, 0x200e, 0x200f, *range(0x202a, 0x202f), *range(0x2066, 0x206a))  # these show a line in another order
NO_CHARACTER = (*range(0xd800, 0xe000), 0xfffe, 0xffff)  # UTF-8 and XML refuse these
REPLACED = {code: "\ufffd" for code in (*CONTROL, *DIRECTION, *NO_CHARACTER) if chr(code) not in KEPT}


def plain(text: str) -> str:
    """`text` with every character that is no text replaced by a mark; tabs and line ends are kept."""
    return text.replace("\r\n", "\n").translate(REPLACED)


def write_utf8() -> None:
    """From now on this process prints UTF-8, whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
