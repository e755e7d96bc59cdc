"""A running shop of oscar/run.sh, and what its database says of a customer."""

import importlib.util
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "judges"))

from judge import clean_environment, free_port  # noqa: E402

PASSWORD = "OrderSync!2024"
INSTALL_SECONDS = 600


def truth():
    """oscar/compare.py as a module: it has the name of the judge beside this file."""
    spec = importlib.util.spec_from_file_location("oscar_truth", HERE / "oscar/compare.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Shop:
    def __init__(self, work, settings):
        self.work, self.port = work, free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.log = open(work / f"shop.{self.port}.log", "wb")
        self.process = subprocess.Popen(
            [HERE / "oscar/run.sh", work], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={**clean_environment(), "PORT": str(self.port), **settings})

    def ready(self):
        deadline = time.monotonic() + INSTALL_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.base}/accounts/login/", timeout=10).read()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        sys.exit(f"the shop did not start; see {self.log.name}")

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        self.log.close()
