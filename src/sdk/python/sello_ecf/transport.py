"""HTTP on the standard library: kept connections, proxies of the environment, no redirects."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
import urllib.parse
import urllib.request
from base64 import b64encode
from typing import Dict, Iterator, List, Mapping, Optional, Protocol, Tuple, Union

from .errors import ApiConnectionError, ApiTimeoutError

# A connection that was unused for longer may have been closed by the other side. Units: seconds.
_IDLE_MAX = 4.0
_CHUNK = 65536


class Answer:
    """An answer whose body has not been read yet. Read it to its end, or close it."""

    def __init__(self, status: int, headers: Mapping[str, str], chunks: Iterator[bytes]) -> None:
        self.status = status
        # Names in lower case.
        self.headers = headers
        self.chunks = chunks

    def read(self) -> bytes:
        return b"".join(self.chunks)

    def close(self) -> None:
        close = getattr(self.chunks, "close", None)
        if close:
            close()


class Transport(Protocol):
    """What sends requests. Another one can be passed to the client, for example in tests.

    `send` raises ApiConnectionError or ApiTimeoutError when no answer arrives, and so does reading the body.
    `fresh` asks for a new connection: the request must not be lost on one that the other side is about to close.
    """

    def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Optional[bytes],
        timeout: float,
        fresh: bool,
    ) -> Answer:
        ...


_Connection = Union[http.client.HTTPConnection, http.client.HTTPSConnection]


class HttpTransport:
    """Keeps connections of one or more origins. Threads may share it."""

    def __init__(self, context: Optional[ssl.SSLContext] = None) -> None:
        self._context = context
        self._lock = threading.Lock()
        self._idle: Dict[str, List[Tuple[_Connection, float]]] = {}

    def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Optional[bytes],
        timeout: float,
        fresh: bool,
    ) -> Answer:
        parts = urllib.parse.urlsplit(url)
        origin = "%s://%s" % (parts.scheme, parts.netloc)
        target = (parts.path or "/") + ("?" + parts.query if parts.query else "")
        sent = dict(headers)
        connection = None if fresh else self._take(origin)
        try:
            if connection is None:
                connection = self._open(parts, timeout)
            else:
                connection.timeout = timeout
                if connection.sock is not None:
                    connection.sock.settimeout(timeout)
            if parts.scheme == "http" and getattr(connection, "_sello_proxied", False):
                target = origin + target
                sent.update(getattr(connection, "_sello_proxy_headers", {}))
            connection.request(method, target, body, sent)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as fault:
            if connection is not None:
                connection.close()
            raise _translate(fault, origin) from fault
        received = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, received, self._read(origin, connection, response))

    def close(self) -> None:
        """Closes the connections that are not in use."""
        with self._lock:
            idle, self._idle = self._idle, {}
        for kept in idle.values():
            for connection, _ in kept:
                connection.close()

    def _read(self, origin: str, connection: _Connection, response: http.client.HTTPResponse) -> Iterator[bytes]:
        is_whole = False
        try:
            # read1 gives what has arrived, so that events of a stream are not held back.
            while True:
                chunk = response.read1(_CHUNK)
                if not chunk:
                    break
                yield chunk
            if response.length:
                raise http.client.IncompleteRead(b"", response.length)
            is_whole = True
        except (OSError, http.client.HTTPException, ValueError) as fault:
            raise _translate(fault, origin) from fault
        finally:
            response.close()
            if is_whole and not response.will_close:
                with self._lock:
                    self._idle.setdefault(origin, []).append((connection, time.monotonic()))
            else:
                connection.close()

    def _take(self, origin: str) -> Optional[_Connection]:
        with self._lock:
            kept = self._idle.get(origin, [])
            while kept:
                connection, since = kept.pop()
                if time.monotonic() - since < _IDLE_MAX:
                    return connection
                connection.close()
        return None

    def _open(self, parts: urllib.parse.SplitResult, timeout: float) -> _Connection:
        host = parts.hostname or ""
        proxy = None if urllib.request.proxy_bypass(parts.netloc) else urllib.request.getproxies().get(parts.scheme)
        if not proxy:
            return self._connection(parts.scheme, host, parts.port, timeout)
        via = urllib.parse.urlsplit(proxy if "://" in proxy else "http://" + proxy)
        headers: Dict[str, str] = {}
        if via.username:
            pair = "%s:%s" % (urllib.parse.unquote(via.username), urllib.parse.unquote(via.password or ""))
            headers["Proxy-Authorization"] = "Basic " + b64encode(pair.encode()).decode()
        connection = self._connection(parts.scheme, via.hostname or "", via.port or 8080, timeout)
        if parts.scheme == "https":
            connection.set_tunnel(host, parts.port or 443, headers)
        else:
            setattr(connection, "_sello_proxied", True)
            setattr(connection, "_sello_proxy_headers", headers)
        return connection

    def _connection(self, scheme: str, host: str, port: Optional[int], timeout: float) -> _Connection:
        if scheme != "https":
            return http.client.HTTPConnection(host, port, timeout=timeout)
        if self._context is None:
            self._context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=timeout, context=self._context)


def _translate(fault: BaseException, origin: str) -> ApiConnectionError:
    if isinstance(fault, (socket.timeout, TimeoutError)):
        return ApiTimeoutError("%s did not answer in time" % origin)
    return ApiConnectionError("no answer from %s: %s" % (origin, fault or type(fault).__name__))
