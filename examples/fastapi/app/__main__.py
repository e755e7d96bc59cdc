"""`python -m app` starts the app, with the settings of the environment or of the file .env."""

import os

import uvicorn
from dotenv import load_dotenv

load_dotenv()
uvicorn.run("app.main:app", host="127.0.0.1", port=int(os.environ.get("PORT", "8000")), access_log=False)
