#!/usr/bin/env python3
"""Records a real session in a real terminal and draws its last screen: docs/picture/terminal.svg.

    cargo build --release
    python3 -m venv target/picture && target/picture/bin/pip install pexpect pyte
    target/picture/bin/python docs/picture/record.py

Nothing in the picture is written by hand: each command is typed into a shell, each question is answered when it appears,
and what is drawn is what the terminal held at the end.
"""

import html
import os
import pathlib
import re
import sys
import tempfile

import pexpect
import pyte

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS, ROWS = 96, 34
CELL, LINE, MARGIN, BAR = 8.43, 19, 18, 34
BACKGROUND, TEXT, DIM = "#16181d", "#d9dce3", "#8b919d"
COLOURS = {
    "green": "#7ec77b", "red": "#f07a76", "brown": "#e3b341", "yellow": "#e3b341", "cyan": "#63c5cf", "blue": "#7aa7f0",
    "magenta": "#c792ea", "black": DIM, "white": TEXT, "default": TEXT, "cdcd00": "#e3b341", "00cd00": "#7ec77b", "cd0000": "#f07a76",
}


def record():
    """Types the session, and gives the screen at its end."""
    home = tempfile.mkdtemp()
    environment = {
        "PATH": f"{ROOT / 'target/release'}:{os.environ['PATH']}", "HOME": home, "ORDERSYNC_HOME": home, "TERM": "xterm-256color",
        "PS1": "$ ", "LANG": "C.UTF-8", "ORDERSYNC_PAGER": "cat", "TZ": "UTC", "ORDERSYNC_SANDBOX_SPEED": "4",
    }
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    shell = pexpect.spawn("/bin/sh", cwd=home, env=environment, dimensions=(ROWS, COLUMNS), encoding="utf-8", timeout=30)

    class Log:
        def write(self, text):
            stream.feed(text)

        def flush(self):
            pass

    shell.logfile_read = Log()

    def answer(question, text, end="\r"):
        shell.expect(question)
        shell.send(text + end)

    shell.expect(r"\$ ")
    shell.send("ordersync connect\r")
    answer(r"Retailer[^\n]*", "merri")
    answer(r"Username[^\n]*:", "user_mfa_enter")
    answer(r"Password[^\n]*:", "pass_good")
    answer(r"Send[^\n]*\?[^\n]*", "y")
    answer(r"code[^\n]*:", "123456")
    for command in ("ordersync orders list --limit 5", "ordersync orders export --out orders.csv"):
        shell.expect(r"\n\$ $")
        shell.send(f"{command}\r")
    shell.expect(r"Wrote[^\n]*\n")
    shell.expect(r"\$ $")
    shell.close()
    return screen


def runs(line):
    """The line as runs of cells that look alike."""
    current, text, start = None, "", 0
    for column in range(COLUMNS):
        cell = line[column]
        look = (cell.fg, cell.bold)
        if look != current and text:
            yield start, text, current
            text, start = "", column
        if look != current:
            current, start = look, column
        # The second half of a wide letter holds nothing, and takes its place.
        text += cell.data or "\0"
    if text:
        yield start, text, current


def draw(screen):
    lines = [screen.buffer[row] for row in range(ROWS)]
    while lines and not "".join(lines[-1][column].data for column in range(COLUMNS)).strip(" $"):
        lines.pop()
    width, height = COLUMNS * CELL + 2 * MARGIN, len(lines) * LINE + BAR + MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" role="img">',
        "<title>A terminal: ordersync connect, with its questions; the orders; the export</title>",
        f'<rect width="100%" height="100%" rx="10" fill="{BACKGROUND}"/>',
    ]
    out += [f'<circle cx="{22 + 20 * index}" cy="18" r="6" fill="#3a3f4b"/>' for index in range(3)]
    out.append('<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14">')
    for row, line in enumerate(lines):
        y = BAR + row * LINE + 13
        for start, text, (colour, bold) in runs(line):
            fill = COLOURS.get(colour, f"#{colour}" if len(colour) == 6 else TEXT)
            weight = ' font-weight="bold"' if bold else ""
            # Renderers differ about several spaces: what stands between them is placed by itself.
            for part in re.finditer(r"\S+(?: \S+)*", text):
                x, length = MARGIN + (start + part.start()) * CELL, len(part.group()) * CELL
                words = html.escape(part.group().replace("\0", ""))
                out.append(f'<text x="{x:.1f}" y="{y}" fill="{fill}"{weight} textLength="{length:.1f}">{words}</text>')
    out += ["</g>", "</svg>", ""]
    return "\n".join(out)


def main():
    picture = draw(record())
    if "error:" in picture:
        sys.exit("something in the session failed; the picture is not written")
    target = pathlib.Path(__file__).with_name("terminal.svg")
    target.write_text(picture, encoding="utf-8")
    print(f"{target.relative_to(ROOT)}: {len(picture)} bytes")


if __name__ == "__main__":
    main()
