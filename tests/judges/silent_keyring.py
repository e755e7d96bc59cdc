#!/usr/bin/env python3
"""A Secret Service that never answers: it owns the name on the session bus, and reads nothing. Prints a line once it does.

Needs: python3-dbus, a session bus.
"""

import time

import dbus

if dbus.SessionBus().request_name("org.freedesktop.secrets", dbus.bus.NAME_FLAG_DO_NOT_QUEUE) != 1:
    raise SystemExit("somebody else is the Secret Service here")
print("silent", flush=True)
time.sleep(3600)
