"""The stream of events, which reconnects where it was cut."""

from __future__ import annotations

import json
import random
from typing import Any, Callable, Generator, Generic, Iterator, Optional, TypeVar

from .errors import ApiConnectionError, ApiError
from .transport import Answer

T = TypeVar("T")

# The service sends a comment every 15 seconds. Units: seconds.
_SILENCE_MAX = 40.0
_PAUSE_MAX = 30.0
_REPEATED = frozenset((408, 429, 500, 502, 503, 504))


class EventStream(Generic[T]):
    """An endless iterator over events, in order and without gaps. Leave it with `break`, and close it.

    `cursor` is the place after the last event: store it with your work, and pass it as `after` to continue there.
    """

    def __init__(self, connect: Callable[[Optional[str], float], Answer], clock: Any) -> None:
        self._connect = connect
        self._clock = clock
        self._answer: Optional[Answer] = None
        self._pause = 2.0
        self._events = self._run()
        self.cursor: Optional[str] = None

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        return next(self._events)

    def close(self) -> None:
        """Ends the stream and its connection."""
        self._events.close()
        if self._answer is not None:
            self._answer.close()

    def __enter__(self) -> EventStream[T]:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _run(self) -> Generator[T, None, None]:
        failures = 0
        while True:
            pause = self._pause
            try:
                self._answer = self._connect(self.cursor, _SILENCE_MAX)
                for event in self._read(self._answer):
                    failures = 0
                    yield event
            except ApiConnectionError:
                failures += 1
            except ApiError as fault:
                if fault.status not in _REPEATED:
                    raise
                failures += 1
                pause = max(pause, fault.retry_after or 0.0)
            self._clock.sleep(pause + random.random() * min(_PAUSE_MAX, 0.5 * 2 ** min(failures, 8)))

    def _read(self, answer: Answer) -> Iterator[T]:
        """The events of one connection. Source: WHATWG HTML, section 9.2.6."""
        data, cursor = "", self.cursor
        for line in _lines(answer):
            field, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if field == "data":
                data += value + "\n"
            elif field == "id":
                cursor = value
            elif field == "retry" and value.isdigit():
                self._pause = min(_PAUSE_MAX, int(value) / 1000)
            elif not line:
                # The cursor moves with a whole message only: a cut message comes again.
                self.cursor = cursor
                if data:
                    yield json.loads(data)
                data = ""


def _lines(answer: Answer) -> Iterator[str]:
    rest = b""
    for chunk in answer.chunks:
        *whole, rest = (rest + chunk).replace(b"\r\n", b"\n").split(b"\n")
        for line in whole:
            yield line.decode("utf-8")
