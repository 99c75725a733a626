"""The signatures of webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import TYPE_CHECKING, Iterable, List, Mapping, Optional, Sequence, Tuple, Union, cast

from .errors import SignatureError

if TYPE_CHECKING:
    from .types import WebhookEvent

Headers = Union[Mapping[str, str], Iterable[Tuple[str, str]]]

_FORM = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})")


def verify_webhook(
    body: Union[bytes, str],
    headers: Headers,
    secrets: Union[str, Sequence[str]],
    *,
    tolerance: float = 300.0,
    now: Optional[float] = None,
) -> WebhookEvent:
    """The event of a webhook whose signature was made with one of the secrets in the last `tolerance` seconds.

    `body` is the raw body, before any parser. `headers` are those of the request, in any case; names of WSGI (`HTTP_X_…`) are understood.
    Both `X-Service-Signature` and `webhook-signature` (Standard Webhooks 1.0.0) count. Raises SignatureError.
    """
    raw = body.encode("utf-8") if isinstance(body, str) else bytes(body)
    found = _lower(headers)
    at = time.time() if now is None else now
    keys = [secrets] if isinstance(secrets, str) else list(secrets)
    ours = _own_signatures(found)
    standard = _standard_signatures(found)
    if not ours and not standard:
        raise SignatureError("no signature: pass all headers of the request")
    is_old = False
    for t, given, signed in [*ours, *standard]:
        for secret in keys:
            if not _matches(secret, t, given, signed, raw):
                continue
            if abs(at - int(t)) <= tolerance:
                return cast("WebhookEvent", json.loads(raw))
            is_old = True
    if is_old:
        raise SignatureError("the signature is older than %d seconds, or this machine's clock is wrong" % tolerance)
    raise SignatureError("no signature was made with these secrets over this body")


# Time, signature, and for Standard Webhooks the message's id.
_Signature = Tuple[str, str, Optional[str]]


def _own_signatures(headers: Mapping[str, str]) -> List[_Signature]:
    matches = [_FORM.fullmatch(headers.get("x-service-signature" + end, "")) for end in ("", "-next")]
    return [(match[1], match[2], None) for match in matches if match]


def _standard_signatures(headers: Mapping[str, str]) -> List[_Signature]:
    message, t = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not message or not re.fullmatch("[0-9]{1,12}", t):
        return []
    versions = [one.partition(",") for one in headers.get("webhook-signature", "").split()]
    return [(t, signature, message) for version, _, signature in versions if version == "v1"]


def _matches(secret: str, t: str, given: str, message: Optional[str], body: bytes) -> bool:
    if message is None:
        # The key is the whole text of the secret, its prefix included.
        made = hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).hexdigest()
    else:
        encoded = secret[6:] if secret.startswith("whsec_") else secret
        try:
            key = base64.b64decode(encoded + "=" * (-len(encoded) % 4))
        except binascii.Error:
            return False
        signed = b"%s.%s.%s" % (message.encode(), t.encode(), body)
        made = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return hmac.compare_digest(made.encode(), given.encode())


def _lower(headers: Headers) -> Mapping[str, str]:
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    lower = {}
    for name, value in pairs:
        if not isinstance(value, str):
            continue
        plain = name.lower().replace("_", "-")
        lower[plain[5:] if plain.startswith("http-") else plain] = value
    return lower
