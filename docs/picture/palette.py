"""Reduces screenshots to a palette, which makes the files small, and draws a border, which separates them from the page."""

import pathlib
import sys

from PIL import Image, ImageDraw

COLOURS, EDGE = 96, "#c4cdc8"
LARGEST = 150_000

for name in sys.argv[1:]:
    picture = Image.open(name).convert("RGB")
    ImageDraw.Draw(picture).rectangle((0, 0, picture.width - 1, picture.height - 1), outline=EDGE, width=2)
    picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(name, optimize=True)
    size = pathlib.Path(name).stat().st_size
    print(f"{pathlib.Path(name).name}: {picture.width}x{picture.height}, {size} bytes")
    if size > LARGEST:
        sys.exit(f"{name} is larger than {LARGEST} bytes")
