"""Draws the screens of a session as one animated SVG file without scripts, which works in `<img>`, too.

Each row of the terminal is a strip with all lines that the row ever holds, one below the other, in a window that shows
one of them. A CSS animation steps from line to line. Without the animation, because the user prefers reduced motion or
the viewer has none, each strip shows its last line.
"""

import html
import re

CELL, LINE, MARGIN, BAR = 8.43, 19, 18, 34
BACKGROUND, EDGE, TEXT = "#16181d", "#3a3f4b", "#d9dce3"
# Keyed by pyte's names: six digits for a colour of the palette of 256.
COLOURS = {
    "green": "#7ec77b", "00cd00": "#7ec77b", "red": "#f07a76", "cd0000": "#f07a76", "brown": "#e3b341", "cdcd00": "#e3b341",
    "cyan": "#63c5cf", "00cdcd": "#63c5cf", "blue": "#7aa7f0", "magenta": "#c792ea", "black": "#8b919d", "7f7f7f": "#8b919d",
    "default": TEXT, "white": TEXT,
}
FAINT = "#8b919d"
# Text after two spaces has its own position, because renderers collapse spaces. So do signs that are not ASCII: they may
# come from another font, with another width.
PART = re.compile(r"[!-~]+(?: [!-~]+)*|[^ -~]+")


def animation(frames, title):
    """The SVG of screens, each with the milliseconds for which it is shown."""
    times, total = [], 0
    for _, milliseconds in frames:
        times.append(total)
        total += milliseconds
    screens = [screen for screen, _ in frames]
    columns, rows = len(screens[0][0][0]), len(screens[0][0])
    width, height = round(columns * CELL + 2 * MARGIN), rows * LINE + BAR + MARGIN
    styles, drawn = Styles(), []
    moves = []
    for row in range(rows):
        strip, places = rolled([cells[row] for cells, _ in screens])
        lines = "".join(line(cells, index * LINE, styles) for index, cells in enumerate(strip))
        y = BAR + row * LINE
        if len(strip) == 1:
            drawn.append(f'<svg y="{y}" height="{LINE}">{lines}</svg>' if lines else "")
            continue
        moves.append(keyframes(f"r{row}", total, times, [f"0,{-place * LINE}px" for place in places]))
        last = -places[-1] * LINE
        drawn.append(f'<svg y="{y}" height="{LINE}"><g id="r{row}" transform="translate(0,{last})">{lines}</g></svg>')
    drawn.append(cursor([at for _, at in screens], total, times, moves))
    names = [re.match(r"@keyframes (\w+)", move).group(1) for move in moves]
    rules = "".join(f"#{name}{{animation-name:{name}}}" for name in names)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{html.escape(title)}</title>",
        "<style>",
        f"text{{fill:{TEXT}}}",
        *styles.rules(),
        f"g[id],rect[id]{{animation:{total}ms step-end infinite}}",
        rules,
        *moves,
        "@media (prefers-reduced-motion:reduce){g[id],rect[id]{animation:none!important}}",
        "</style>",
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="10" fill="{BACKGROUND}" stroke="{EDGE}"/>',
        *(f'<circle cx="{22 + 20 * index}" cy="18" r="6" fill="{EDGE}"/>' for index in range(3)),
        '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,\'DejaVu Sans Mono\',monospace" font-size="14">',
        *(element for element in drawn if element),
        "</g>",
        "</svg>",
        "",
    ])


class Styles:
    """Styles of text, each with a class of one letter."""

    def __init__(self):
        self.classes = {}

    def of(self, colour, bold, faint):
        fill = COLOURS.get(colour, f"#{colour}" if len(colour) == 6 else TEXT)
        fill = FAINT if faint and fill == TEXT else fill
        if fill == TEXT and not bold:
            return ""
        name = self.classes.setdefault((fill, bold), chr(ord("a") + len(self.classes)))
        return f' class="{name}"'

    def rules(self):
        for (fill, bold), name in self.classes.items():
            weight = ";font-weight:bold" if bold else ""
            yield f".{name}{{fill:{fill}{weight}}}"


def rolled(lines):
    """The distinct lines in order of appearance, and for each screen the index of its line among them."""
    places = {}
    at = [places.setdefault(cells, len(places)) for cells in lines]
    return list(places), at


def keyframes(name, total, times, positions):
    """The keyframes of an element: one for each change of its position."""
    steps, before = [], None
    for moment, position in zip(times, positions):
        if position != before:
            percent = f"{100 * moment / total:.3f}".rstrip("0").rstrip(".")
            steps.append(f"{percent}%{{transform:translate({position})}}")
        before = position
    return f"@keyframes {name}{{{''.join(steps)}}}"


def line(cells, top, styles):
    """The text of a row: each part has the position and the width of its cells."""
    drawn, start = [], 0
    while start < len(cells):
        look, end = cells[start][1:], start
        while end < len(cells) and cells[end][1:] == look:
            end += 1
        # The cell after a wide letter is empty.
        text = "".join(cell[0] or "\0" for cell in cells[start:end])
        for part in PART.finditer(text):
            x, length = MARGIN + (start + part.start()) * CELL, len(part.group()) * CELL
            words = html.escape(part.group().replace("\0", ""), quote=False)
            drawn.append(f'<text x="{x:.1f}" y="{top + 14}"{styles.of(*look)} textLength="{length:.1f}">{words}</text>')
        start = end
    return "".join(drawn)


def cursor(places, total, times, moves):
    """The cursor. While it is hidden, its position is outside the picture."""
    def position(place):
        column, row = place or (-9, 0)
        return MARGIN + column * CELL, BAR + row * LINE

    moves.append(keyframes("c", total, times, ["{:.1f}px,{}px".format(*position(place)) for place in places]))
    x, y = position(places[-1])
    return f'<rect id="c" y="1" width="{CELL}" height="{LINE - 2}" fill="{TEXT}" opacity=".55" transform="translate({x:.1f},{y})"/>'
