"""The app's settings, all from the environment. Nothing else reads it."""

import os
import sys

NAMES = ("ORDERSYNC_URL", "ORDERSYNC_CLIENT_ID", "ORDERSYNC_CLIENT_SECRET", "APP_URL")

missing = [name for name in NAMES if not os.environ.get(name)]
if missing:
    sys.exit(f"Not set: {', '.join(missing)}. See .env.example.")

# Without a slash at the end, so that paths can follow.
SERVICE = os.environ["ORDERSYNC_URL"].rstrip("/")
APP_URL = os.environ["APP_URL"].rstrip("/")
CLIENT_ID = os.environ["ORDERSYNC_CLIENT_ID"]
CLIENT_SECRET = os.environ["ORDERSYNC_CLIENT_SECRET"]

# What the app asks its users for, when they sign in.
SCOPES = "accounts:read accounts:connect accounts:sync orders:read profile:read"
