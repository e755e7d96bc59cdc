"""A running shop of oscar/run.sh, and what its database says of a customer."""

import http.client
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "judges"))

from judge import clean_environment  # noqa: E402

PASSWORD = "OrderSync!2024"
INSTALL_SECONDS = 1800


def truth():
    """oscar/compare.py as a module: it has the name of the judge beside this file."""
    spec = importlib.util.spec_from_file_location("oscar_truth", HERE / "oscar/compare.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def oscar_entry(base):
    """The shop at that address, as `--retailers` has it."""
    return (f'[[retailer]]\nid = 101\ndisplay_name = "Oscar Test Shop"\nconnector = "oscar"\n'
            f'base_url = "{base}"\nallow_private_network = true\ntime_zone = "Europe/London"\n\n')


class Shop:
    """On a port of the system's choosing, which the shop's log tells."""

    def __init__(self, work, settings):
        self.base = None
        self.log = tempfile.NamedTemporaryFile(dir=work, prefix="shop.", suffix=".log", delete=False)
        self.process = subprocess.Popen(
            [HERE / "oscar/run.sh", work], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={**clean_environment(), "PORT": "0", **settings})

    def ready(self):
        deadline = time.monotonic() + INSTALL_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            said = pathlib.Path(self.log.name).read_text(errors="replace")
            if listening := re.search(r"Listening at: (http://127\.0\.0\.1:\d+)", said):
                self.base = listening[1]
                try:
                    urllib.request.urlopen(f"{self.base}/accounts/login/", timeout=60).read()
                    return
                except (OSError, http.client.HTTPException):
                    pass
            time.sleep(0.2)
        sys.exit(f"the shop did not start; see {self.log.name}")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()
