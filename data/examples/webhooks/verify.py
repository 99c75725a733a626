# Python 3, standard library only. `body` is the raw request body, before any parsing.
import hashlib
import hmac
import re
import time


def verify(secret, headers, body, now=None):
    """True when one of the headers X-Service-Signature and X-Service-Signature-Next was made with the secret in the last five minutes."""
    now = time.time() if now is None else now
    for header in headers:
        match = re.fullmatch(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})", header or "")
        if not match or abs(now - int(match[1])) > 300:
            continue
        expected = hmac.new(secret.encode(), match[1].encode() + b"." + body, hashlib.sha256).hexdigest()
        if hmac.compare_digest(expected, match[2]):
            return True
    return False
