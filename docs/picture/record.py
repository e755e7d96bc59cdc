"""Records a session of the real program in a real pseudo-terminal: docs/picture/terminal.svg. Run it with `run.sh`.

No output in the picture is written by hand. The script types each command into a shell, answers each question when it
appears, and a terminal emulator draws the screen. Only the pace is set here: people read more slowly than the program
writes, so each screen is shown for as long as `record` says.
"""

import datetime
import os
import pathlib
import sys
import tempfile
import time

import pexpect
import pyte

from animate import animation

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS, ROWS = 80, 24
DOWN = "\x1b[B"
LARGEST = 200_000
# Milliseconds in the picture.
KEY, SLOW_KEY, TICK, READ, LAST = 45, 100, 140, 1000, 4500
# Seconds of the recording: the pause of the output before the next key is typed, the pause after which a screen counts as
# drawn, and the longest wait.
STILL, BRIEF, PATIENCE = 0.15, 0.03, 30


class Screen(pyte.Screen):
    """Keeps faint text, which pyte ignores, as blinking text, which the program never writes."""

    def select_graphic_rendition(self, *attributes, **more):
        super().select_graphic_rendition(*((5,) if attributes == (2,) else attributes), **more)


class Session:
    """A user at a terminal, and what they see: screens, each with the milliseconds for which it is shown."""

    def __init__(self, home, environment):
        self.home, self.environment = home, environment
        self.screen = Screen(COLUMNS, ROWS)
        self.stream = pyte.Stream(self.screen)
        self.frames = []
        self.shell = None

    def open_shell(self, time_zone):
        """Replaces the shell by one in another time zone; the new prompt is drawn over the old one."""
        if self.shell:
            self.shell.close()
            self.stream.feed("\r")
        environment = {**self.environment, "TZ": time_zone}
        size = (ROWS, COLUMNS)
        self.shell = pexpect.spawn("/bin/sh", cwd=self.home, env=environment, dimensions=size, encoding="utf-8")
        self.wait_until(self.is_at_prompt)

    def read(self, seconds):
        """Draws what the program writes within the given time. False if it writes nothing."""
        try:
            self.stream.feed(self.shell.read_nonblocking(65536, seconds))
            return True
        except pexpect.TIMEOUT:
            return False
        except pexpect.EOF:
            sys.exit("the shell has ended:\n" + self.text())

    def text(self):
        return "\n".join(self.screen.display)

    def is_at_prompt(self):
        return self.screen.display[self.screen.cursor.y].rstrip() == "$"

    def stay(self, milliseconds):
        """Shows the current screen for the given time."""
        now = seen(self.screen)
        if self.frames and self.frames[-1][0] == now:
            milliseconds += self.frames.pop()[1]
        self.frames.append((now, milliseconds))

    def wait_until(self, is_there):
        """Waits until the screen is as expected and the output pauses. The picture does not show the wait."""
        end = time.monotonic() + PATIENCE
        while not is_there() or self.read(STILL):
            if time.monotonic() > end:
                sys.exit("unexpected screen:\n" + self.text())
            self.read(STILL)

    def watch_until(self, is_there):
        """Shows every change of the screen until it is as expected."""
        end = time.monotonic() + PATIENCE
        while not is_there():
            if time.monotonic() > end:
                sys.exit("unexpected screen:\n" + self.text())
            if self.read(STILL):
                while self.read(BRIEF):
                    pass
                self.stay(TICK)

    def press(self, key, milliseconds=KEY):
        self.shell.send(key)
        while self.read(STILL):
            pass
        self.stay(milliseconds)

    def type(self, text, milliseconds=KEY):
        for key in text:
            self.press(key, milliseconds)

    def answer(self, question, text, *, pause=500, milliseconds=KEY):
        """Waits for a question, pauses to read it, and types the answer."""
        self.wait_until(lambda: question in self.screen.display[self.screen.cursor.y])
        self.stay(pause)
        self.type(text, milliseconds)
        self.stay(300)
        self.shell.send("\r")

    def choose(self, shown, downs):
        """Waits for a list, moves down in it, and chooses the current entry."""
        self.wait_until(lambda: shown in self.text())
        self.stay(READ)
        for _ in range(downs):
            self.press(DOWN, 500)
        self.shell.send("\r")

    def command(self, line):
        self.type(line)
        self.stay(300)
        self.shell.send("\r")


def seen(screen):
    """The cells of the screen with their style, and the position of the cursor unless it is hidden."""
    rows = []
    for number in range(ROWS):
        cells = [screen.buffer[number][column] for column in range(COLUMNS)]
        rows.append(tuple((cell.data, cell.fg, cell.bold, cell.blink) for cell in cells))
    cursor = None if screen.cursor.hidden else (min(screen.cursor.x, COLUMNS - 1), screen.cursor.y)
    return tuple(rows), cursor


def ten_o_clock():
    """A time zone in which it is 10:00 now, because questions show the time at which they expire."""
    now = datetime.datetime.now(datetime.timezone.utc)
    behind = (now.hour - 10) * 3600 + now.minute * 60 + now.second
    sign, behind = "-" if behind < 0 else "", abs(behind)
    return f"REC{sign}{behind // 3600}:{behind // 60 % 60:02}:{behind % 60:02}"


def record(home):
    """Types the session, and returns its screens."""
    program = pathlib.Path(os.environ.get("ORDERSYNC_BIN", ROOT / "target/release/ordersync")).resolve()
    folder = pathlib.Path(home, "bin")
    folder.mkdir()
    (folder / "ordersync").symlink_to(program)
    session = Session(home, {
        "PATH": f"{folder}:{os.environ['PATH']}", "HOME": home, "ORDERSYNC_HOME": home, "TERM": "xterm-256color",
        "PS1": "\x1b[36m$\x1b[0m ", "LANG": "C.UTF-8", "ORDERSYNC_PAGER": "cat", "ORDERSYNC_SANDBOX_SPEED": "1",
    })
    session.open_shell(ten_o_clock())
    session.stay(READ)
    session.command("ordersync connect")
    session.answer("Enter for all):", "pet", milliseconds=SLOW_KEY)
    session.choose("> Waggledown Pets", downs=0)
    session.answer("Username", "user_mfa_choose")
    session.answer("Password", "pass_good", milliseconds=SLOW_KEY)
    session.answer("Send?", "y", pause=READ)
    session.watch_until(lambda: "Authenticator app" in session.text())
    session.choose("Authenticator app", downs=1)
    session.answer("Code (until", "123 456", pause=READ, milliseconds=SLOW_KEY)
    session.watch_until(session.is_at_prompt)
    session.stay(READ)
    # The dates of the orders must not depend on the time of the recording.
    session.open_shell("UTC")
    session.command("ordersync orders list --limit 5")
    session.wait_until(session.is_at_prompt)
    session.stay(2 * READ)
    session.command("ordersync orders export --out orders.csv")
    session.watch_until(session.is_at_prompt)
    session.stay(LAST)
    session.shell.close()
    return session.frames


def main():
    with tempfile.TemporaryDirectory() as home:
        frames = record(home)
        if any("error:" in row for row in texts(frames[-1][0])):
            sys.exit("something in the session failed; the picture is not written:\n" + "\n".join(texts(frames[-1][0])))
    picture = animation(frames, "A terminal: a retailer is connected with a verification code; its orders are listed and exported")
    if len(picture.encode()) > LARGEST:
        sys.exit(f"the picture has {len(picture.encode())} bytes, more than {LARGEST}; it is not written")
    target = pathlib.Path(__file__).with_name("terminal.svg")
    target.write_text(picture, encoding="utf-8")
    seconds = sum(milliseconds for _, milliseconds in frames) / 1000
    print(f"{target.relative_to(ROOT)}: {len(frames)} screens in {seconds:.1f} s, {len(picture.encode())} bytes")


def texts(frame):
    return ["".join(cell[0] for cell in row).rstrip() for row in frame[0]]


if __name__ == "__main__":
    main()
