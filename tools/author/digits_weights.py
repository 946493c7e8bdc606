"""The weights of a trained digits model as docs/interactive/digits_weights.js: signed bytes, one scale for each weight.

    ./course train digits --track reference --out build/digits
    python3 tools/author/digits_weights.py build/digits/checkpoint
"""

import base64
import json
import sys
from pathlib import Path

import numpy as np

TARGET = Path(__file__).resolve().parents[2] / "docs" / "interactive" / "digits_weights.js"


def main(folder: Path) -> None:
    model = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    if (model["task"], model["attention"]) != ("digits", "linear"):
        sys.exit(f"{folder} is not of ./course train digits with linear attention; train that first")
    weights, packed = [], b""
    for name in model["weights"]:
        numbers = np.load(folder / f"{name}.npy")
        scale = float(f"{np.abs(numbers).max() / 127 or 1.0:.6g}")
        weights.append([name, numbers.shape, scale])
        packed += np.clip(np.rint(numbers / scale), -127, 127).astype(np.int8).tobytes()
    made = {"heads": int(model["heads"]), "weights": weights, "bytes": base64.b64encode(packed).decode()}
    TARGET.write_text(f"// Made by tools/author/digits_weights.py.\nwindow.DIGITS = {json.dumps(made)};\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
