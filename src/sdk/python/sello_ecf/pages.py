"""Lists that come in pages."""

from __future__ import annotations

from typing import Any, Callable, Dict, Generic, Iterator, List, Optional, TypeVar

T = TypeVar("T")


class Page(Generic[T]):
    """A page of a list. Iterating over it gives its items and then those of all following pages.

    `next` continues the list later, as `after`; it is None on the last page. `data` is the whole answer.
    """

    def __init__(self, fetch: Callable[[Optional[str]], Dict[str, Any]], name: str, data: Dict[str, Any]) -> None:
        self._fetch = fetch
        self._name = name
        self.data = data
        self.items: List[T] = data[name]
        self.next: Optional[str] = data.get("next")

    def next_page(self) -> Optional[Page[T]]:
        """The following page; None after the last one. A feed, whose `next` never ends, is read up to what exists now."""
        if self.next is None or not self.data.get("partial", True):
            return None
        return Page(self._fetch, self._name, self._fetch(self.next))

    def pages(self) -> Iterator[Page[T]]:
        page: Optional[Page[T]] = self
        while page is not None:
            yield page
            page = page.next_page()

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.items

    def __repr__(self) -> str:
        return "Page(%d items, next=%r)" % (len(self.items), self.next)
