"""Lists, which are read page after page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, Iterator, List, Mapping, Optional, Set, TypeVar
from urllib.parse import urlencode, urlsplit

Item = TypeVar("Item")


@dataclass(frozen=True)
class Page(Generic[Item]):
    """One page of a list."""

    items: List[Item]
    # With totalItems, totalPages, currentPage and itemsPerPage.
    meta: Dict[str, Any]
    links: Dict[str, str]


class ItemList(Generic[Item]):
    """A list: `for item in list` reads page after page, as they are needed."""

    def __init__(
        self,
        query: Mapping[str, Any],
        identifier: str,
        read_page: Callable[[str, bool], Optional[Page[Item]]],
    ) -> None:
        self._query = query_text(query)
        self._identifier = identifier
        self._read_page = read_page

    def pages(self) -> Iterator[Page[Item]]:
        """The pages, one after the other, from the page of the query on."""
        query: Optional[str] = self._query
        is_first = True
        while query is not None:
            page = self._read_page(query, is_first)
            if page is None:
                return
            yield page
            # Only the query of the link: the token goes to no other address than the client's.
            following = page.links.get("next")
            query = None if following is None else urlsplit(following).query
            is_first = False

    def first_page(self) -> Page[Item]:
        """The page of the query, with the size of the whole list in `meta`."""
        return next(self.pages())

    def __iter__(self) -> Iterator[Item]:
        """Each item once, although new ones push others to the next page in the meantime."""
        seen: Set[Any] = set()
        for page in self.pages():
            for item in page.items:
                identifier = item[self._identifier]  # type: ignore[index]
                if identifier not in seen:
                    seen.add(identifier)
                    yield item


def query_text(query: Mapping[str, Any]) -> str:
    """The text of a query; a parameter with several values is repeated, and None is absent."""
    pairs = [(name, one) for name, value in query.items() for one in _values_of(value)]
    return urlencode(pairs)


def _values_of(value: Any) -> List[Any]:
    values = value if isinstance(value, (list, tuple)) else [value]
    # As JSON writes them: the service knows no "True".
    return [str(one).lower() if isinstance(one, bool) else one for one in values if one is not None]
