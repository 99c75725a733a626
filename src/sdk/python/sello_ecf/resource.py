"""What the classes of `resources` share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union
from urllib.parse import quote

if TYPE_CHECKING:
    from .client import Sello


class Resource:
    def __init__(self, client: Sello) -> None:
        self._client = client


def segment(value: str) -> str:
    """A value as one segment of a path. Raises ValueError for what cannot be one."""
    text = str(value)
    if text in ("", ".", ".."):
        raise ValueError("%r is no id" % text)
    return quote(text, safe="")


def prefer(wait: Optional[int], handling: Optional[str]) -> Optional[str]:
    """The header `Prefer`. Source: RFC 7240."""
    parts = [] if wait is None else ["wait=%d" % wait]
    if handling is not None:
        parts.append("handling=" + handling)
    return ", ".join(parts) or None


def scenario_text(scenario: Optional[Union[str, Mapping[str, Any]]]) -> Optional[str]:
    return scenario if scenario is None or isinstance(scenario, str) else json.dumps(scenario)
