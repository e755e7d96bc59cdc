"""Credentials are sealed before they leave the app: a JWE that only the service can open, once, within five minutes."""

import json

from joserfc import jwe
from joserfc.jwk import OctKey

from .sign_in import as_user


async def seal(session, fields):
    """`fields`: the values for the retailer's `credentialFields`, by name."""
    totp = (await as_user(session, "GET", "/sync/auth/totp")).json()
    header = {"alg": "dir", "enc": "A256GCM", "kid": totp["currentStamp"]}
    key = OctKey.import_key({"kty": "oct", "k": totp["token"]})
    sealed = jwe.encrypt_compact(header, json.dumps(fields), key, algorithms=["dir", "A256GCM"])
    return {"connectionInfo": sealed, "currentStamp": totp["currentStamp"]}
