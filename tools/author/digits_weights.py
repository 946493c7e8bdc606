"""The weights of a trained digits model as docs/interactive/digits_weights.js: signed bytes, one scale for each weight.

    ./course train digits --track reference --out build/digits
    python3 tools/author/digits_weights.py build/digits/checkpoint
"""

import ast
import base64
import json
import struct
import sys
from array import array
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "docs" / "interactive" / "digits_weights.js"


def read(file: Path) -> tuple:
    """(shape, numbers) of a .npy file, version 1, of float64 in C order."""
    data = file.read_bytes()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    return ast.literal_eval(data[10:end].decode())["shape"], array("d", data[end:])


def main(folder: Path) -> None:
    model = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    if (model["task"], model["attention"]) != ("digits", "linear"):
        sys.exit(f"{folder} is not of ./course train digits with linear attention; train that first")
    weights, packed = [], b""
    for name in model["weights"]:
        shape, numbers = read(folder / f"{name}.npy")
        scale = max(map(abs, numbers)) / 127 or 1.0
        weights.append([name, shape, float(f"{scale:.6g}")])
        packed += struct.pack(f"{len(numbers)}b", *(max(-127, min(127, round(number / weights[-1][2]))) for number in numbers))
    made = {"heads": int(model["heads"]), "weights": weights, "bytes": base64.b64encode(packed).decode()}
    TARGET.write_text(f"// Made by tools/author/digits_weights.py.\nwindow.DIGITS = {json.dumps(made)};\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
