"""The client: credentials, tokens, repeats and answers. The methods of each area are in `resources`."""

from __future__ import annotations

import json
import os
import platform
import random
import threading
import time
import urllib.parse
import uuid
from datetime import date, datetime, timezone
from decimal import Decimal
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Callable, Dict, Mapping, Optional, Protocol, Tuple, Type, Union

from .download import Download
from .errors import ApiConnectionError, ApiError, error_class
from .events import EventStream
from .pages import Page
from .resources import Resources
from .transport import Answer, HttpTransport, Transport
from .version import __version__

# Source: the rules that all client libraries of the service share.
_REPEATED = frozenset((408, 429, 500, 502, 503))
_RETRY_AFTER_MAX = 60.0
_RENEW_BEFORE = 60.0
# What the answer may take beyond the time for which it is held.
_BEYOND_WAIT = 15.0
_AGENT = "sello-ecf/%s python/%s" % (__version__, platform.python_version())

Body = Union[Mapping[str, Any], bytes, str, None]
Query = Mapping[str, Any]


class Clock(Protocol):
    """Time for tokens and pauses. Tests pass one that does not sleep."""

    def now(self) -> float:
        """Unix time in seconds."""
        ...

    def sleep(self, seconds: float) -> None:
        ...


class SystemClock:
    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class Sello(Resources):
    """The service's client. Threads may share one.

    Credentials that are not passed come from SELLO_URL, SELLO_API_KEY, SELLO_CLIENT_ID and SELLO_CLIENT_SECRET. `access_token` stands for
    client id and secret, and is not renewed. `language` (`es` or `en`) is that of problems. `timeout` is for each attempt, in seconds.
    """

    def __init__(
        self,
        *,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        client_id: Optional[str] = None,
        client_secret: Optional[str] = None,
        access_token: Optional[str] = None,
        language: Optional[str] = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        transport: Optional[Transport] = None,
        clock: Optional[Clock] = None,
    ) -> None:
        url = base_url or os.environ.get("SELLO_URL") or ""
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError("base_url, or SELLO_URL, must be the service's address, such as https://ecf.example.do")
        self.base_url = url.rstrip("/")
        self._api_key = api_key or os.environ.get("SELLO_API_KEY")
        self._client_id = client_id or os.environ.get("SELLO_CLIENT_ID")
        self._client_secret = client_secret or os.environ.get("SELLO_CLIENT_SECRET")
        self._language = language
        self._timeout = timeout
        self._max_retries = max_retries
        self._transport: Transport = transport or HttpTransport()
        self.clock: Clock = clock or SystemClock()
        self._token_lock = threading.Lock()
        self._given_token = access_token
        self._token: Tuple[str, float] = ("", 0.0)
        super().__init__(self)

    def close(self) -> None:
        """Closes kept connections. The client can be used again."""
        close = getattr(self._transport, "close", None)
        if close:
            close()

    def __enter__(self) -> Sello:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], fault: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return "Sello(base_url=%r)" % self.base_url

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Query] = None,
        headers: Optional[Mapping[str, Any]] = None,
        body: Body = None,
        content_type: str = "application/json",
        accept: str = "application/json",
        sends_key: bool = True,
        sends_token: bool = True,
        is_keyed: bool = False,
        is_file: bool = False,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """Sends any request under the same rules as the methods do. Use it for operations that this version does not know.

        Returns the JSON answer, None without content, or a Download with `is_file`. `is_keyed` adds an `Idempotency-Key`. Raises ApiError,
        ApiConnectionError.
        """
        key = idempotency_key or (str(uuid.uuid4()) if is_keyed else None)
        sent = {name: _text(value) for name, value in (headers or {}).items() if value is not None}
        sent["Accept"] = accept
        if key:
            sent["Idempotency-Key"] = key
        content: Optional[bytes] = None
        if body is not None:
            sent["Content-Type"] = content_type
            content = _encode(body)
        # A lost answer to a write without a key may hide a success, and a repeat would do the work again.
        is_repeatable = key is not None or method != "POST"
        target = path + _query_text(query)

        def read(answer: Answer) -> Any:
            if is_file:
                return Download(answer)
            received = answer.read()
            if answer.status in (204, 304):
                return None
            if _is_json(answer):
                return json.loads(received)
            raise ApiError(answer.status, {"detail": "The answer is not JSON; is this the service's address?"})

        def attempt(fresh: bool) -> Any:
            once = timeout or self._timeout
            return read(self._send(method, target, sent, content, sends_key, sends_token, key, once, fresh))

        return self._repeat(attempt, key, is_repeatable)

    def timeout_for(self, timeout: Optional[float], wait: Optional[float]) -> float:
        """The time for an attempt whose answer is held for `wait` seconds."""
        return timeout or max(self._timeout, (wait or 0) + _BEYOND_WAIT)

    def page(self, items: str, path: str, query: Query, **options: Any) -> Page[Any]:
        """The first page of a list, whose items are in the member `items`."""

        def fetch(after: Optional[str]) -> Dict[str, Any]:
            asked = query if after is None else {**query, "after": after}
            found: Dict[str, Any] = self.request("GET", path, query=asked, **options)
            return found

        return Page(fetch, items, fetch(None))

    def stream(self, path: str, query: Query, sends_key: bool = True, sends_token: bool = True) -> EventStream[Any]:
        """The events of a feed as they happen."""

        def connect(cursor: Optional[str], timeout: float) -> Answer:
            headers = {"Accept": "text/event-stream"}
            if cursor is not None:
                headers["Last-Event-ID"] = cursor
            target = path + _query_text(query)
            return self._send("GET", target, headers, None, sends_key, sends_token, None, timeout, True)

        return EventStream(connect, self.clock)

    def _repeat(self, send: Callable[[bool], Any], key: Optional[str], is_repeatable: bool) -> Any:
        """What `send` returns, after repeats where they help. It gets whether the request needs a new connection."""
        for attempt in range(self._max_retries + 1):
            is_last = attempt == self._max_retries
            pause = random.random() * 0.5 * 2**attempt
            try:
                return send(not is_repeatable)
            except ApiError as fault:
                is_passing = fault.status in _REPEATED or fault.slug == "idempotency-in-progress"
                if is_last or not is_passing or not (is_repeatable or fault.status == 429):
                    raise
                if fault.retry_after is not None:
                    if fault.retry_after > _RETRY_AFTER_MAX:
                        raise
                    pause += fault.retry_after
            except ApiConnectionError as fault:
                fault.idempotency_key = key
                if is_last or not is_repeatable:
                    raise
            self.clock.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _send(
        self,
        method: str,
        target: str,
        headers: Dict[str, str],
        content: Optional[bytes],
        sends_key: bool,
        sends_token: bool,
        key: Optional[str],
        timeout: float,
        fresh: bool,
    ) -> Answer:
        """One attempt, and one more with a new token after a 401. Raises ApiError for a refusal, redirects included."""
        sent = {"User-Agent": _AGENT, **headers}
        if self._language:
            sent["Accept-Language"] = self._language
        if sends_key and self._api_key:
            sent["x-api-key"] = self._api_key
        token = self._bearer(key, timeout) if sends_token else None
        for is_second in (False, True):
            if token:
                sent["Authorization"] = "Bearer " + token
            answer = self._transport.send(method, self.base_url + target, sent, content, timeout, fresh)
            if answer.status < 300 or answer.status == 304:
                return answer
            fault = self._refusal(answer, key)
            if is_second or fault.status != 401 or not token or token == self._given_token:
                raise fault
            token = self._bearer(key, timeout, spent=token)
        raise AssertionError("the second attempt returns or raises")

    def _refusal(self, answer: Answer, key: Optional[str]) -> ApiError:
        content = answer.read()
        problem: Any = None
        if _is_json(answer):
            try:
                problem = json.loads(content)
            except ValueError:
                pass
        if not isinstance(problem, dict):
            problem = {}
        slug = str(problem.get("type", "")).rpartition("/")[2]
        return error_class(answer.status, slug)(
            answer.status,
            problem,
            request_id=answer.headers.get("x-request-id"),
            idempotency_key=key,
            retry_after=self._retry_after(answer.headers.get("retry-after")),
        )

    def _retry_after(self, value: Optional[str]) -> Optional[float]:
        """Seconds. Source: RFC 9110, section 10.2.3."""
        if not value:
            return None
        if value.strip().isdigit():
            return float(value)
        try:
            at = parsedate_to_datetime(value)
        except (TypeError, ValueError):
            return None
        return max(0.0, at.replace(tzinfo=at.tzinfo or timezone.utc).timestamp() - self.clock.now())

    def _bearer(self, key: Optional[str], timeout: float, spent: Optional[str] = None) -> Optional[str]:
        """The access token: the present one, or a new one when it ends soon or was refused. One request at a time."""
        if self._given_token or not (self._client_id and self._client_secret):
            return self._given_token
        with self._token_lock:
            token, until = self._token
            if token and token != spent and self.clock.now() < until:
                return token
            headers = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
            form = {
                "grant_type": "client_credentials",
                "client_id": self._client_id,
                "client_secret": self._client_secret,
            }
            content = urllib.parse.urlencode(form).encode()
            answer = self._send("POST", "/v1/auth/token", headers, content, True, False, key, timeout, True)
            granted = json.loads(answer.read())
            lifetime = float(granted["expires_in"])
            self._token = (granted["access_token"], self.clock.now() + lifetime - _RENEW_BEFORE)
            return self._token[0]


def _is_json(answer: Answer) -> bool:
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower().endswith("json")


def _text(value: Any) -> str:
    """A value of a query or a header."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(_text(one) for one in value)
    if isinstance(value, (Decimal, date)):
        return _plain(value)
    return str(value)


def _query_text(query: Optional[Query]) -> str:
    pairs = [(name, _text(value)) for name, value in (query or {}).items() if value is not None]
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""


def _encode(body: Body) -> bytes:
    if isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode("utf-8")
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain).encode("utf-8")


def _plain(value: Any) -> str:
    """Amounts, times and ids as the service writes them. Raises TypeError for what is no value of JSON."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, (date, uuid.UUID)):
        return str(value)
    raise TypeError("%s cannot be sent" % type(value).__name__)
