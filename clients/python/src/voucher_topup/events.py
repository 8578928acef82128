"""What is read page after page by a cursor, such as the log of events."""

from __future__ import annotations

from typing import Any, Generic, Iterator, Mapping, Optional, TypeVar, cast

from ._connection import Connection

Query = TypeVar("Query", bound=Mapping[str, Any])
EventPage = TypeVar("EventPage", bound=Mapping[str, Any])


class Events(Generic[Query, EventPage]):
    def __init__(self, connection: Connection, operation: str = "read_events") -> None:
        self._connection = connection
        self._operation = operation

    def read(self, query: Optional[Query] = None) -> EventPage:
        return cast(EventPage, self._connection.call(self._operation, query or None))

    def pages(self, query: Optional[Query] = None) -> Iterator[EventPage]:
        """Page after page until there is no more; keep `next` of each that you have handled."""
        page = self.read(query)
        yield page
        while page["hasMore"]:
            following = cast(Query, {**(query or {}), "after": page["next"]})
            page = self.read(following)
            yield page
