"""A sandbox for the tests: a service of its own on a free port, in a folder of its own."""

import os
import re
import subprocess
import threading

import httpx2
import pytest

COMMAND = ["serve", "--sandbox", "--listen", "127.0.0.1:0", "--rate-limit", "off", "--speed", "20"]


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory):
    environment = {**os.environ, "ORDERSYNC_HOME": str(tmp_path_factory.mktemp("sandbox"))}
    program = os.environ.get("ORDERSYNC_BIN", "ordersync")
    with subprocess.Popen([program, *COMMAND], env=environment, stderr=subprocess.PIPE, text=True) as process:
        lines = iter(process.stderr.readline, "")
        address = next(found[1] for line in lines if (found := re.search(r"listening on (http:\S+)", line)))
        # Somebody has to read the log: a full pipe would stop the service.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield address
        process.terminate()


@pytest.fixture
def token(sandbox):
    """An access token without the sign-in page, for one of the numbers +15550100 to +15550199."""
    return lambda phone: httpx2.post(f"{sandbox}/sandbox/token", json={"phone": phone}).json()["access_token"]


@pytest.fixture(autouse=True)
def settings(sandbox, monkeypatch):
    monkeypatch.setenv("ORDERSYNC_URL", sandbox)
    monkeypatch.setenv("ORDERSYNC_CLIENT_ID", "sandbox")
    monkeypatch.setenv("ORDERSYNC_CLIENT_SECRET", "unused")
    monkeypatch.setenv("APP_URL", "http://127.0.0.1:8000")
