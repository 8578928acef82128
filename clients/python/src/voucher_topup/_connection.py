from __future__ import annotations

import json
import re
import time
import uuid
from typing import Any, Dict, Mapping, Optional
from urllib.parse import quote

from cryptography.hazmat.primitives.asymmetric import ec

from ._operation import Operation
from ._repetition import Repetition, is_of_access, is_repeated, leaves_open
from ._session import Session
from ._signature import signature_header
from ._transport import make_http, send_once
from .errors import ApiError, NoAnswerError, OpenRequestError
from .lists import ItemList, Page, query_text


class Connection:
    """Makes the calls of one surface: with a token, signed, and repeated where that is safe."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        operations: Mapping[str, Operation],
        *,
        timeout_seconds: float,
        repetition: Repetition,
        private_key: Optional[ec.EllipticCurvePrivateKey] = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._operations = operations
        self._timeout_seconds = timeout_seconds
        self._repetition = repetition
        self._private_key = private_key
        self._http = make_http()
        # In a closure: no view of the object shows the key.
        self.session = Session(lambda: self._log_in(api_key))

    def call(
        self,
        name: str,
        request: Optional[Mapping[str, Any]] = None,
        *,
        parameter: object = "",
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """Calls an operation and returns its result."""
        operation = self._operations[name]
        is_asked = operation.method == "GET"
        search = query_text(request or {}) if is_asked else ""
        fields = None if is_asked else request
        key = None
        if operation.key == "body":
            # The reference has the key of a merchant among the fields of the body.
            key = _key_of(idempotency_key, (request or {}).get("idempotencyKey"))
            fields = {**(request or {}), "idempotencyKey": key}
        elif operation.key == "header":
            key = _key_of(idempotency_key)
        body = None
        if fields is not None:
            body = json.dumps(fields, ensure_ascii=False, allow_nan=False).encode()
        path = re.sub(r"\{\w+\}", lambda _: quote(str(parameter), safe=""), operation.path)
        url = self._base_url + path + (f"?{search}" if search else "")
        answer = self._repeat(operation, url, body, key)
        return answer if operation.is_bare else answer["data"]

    def list(self, name: str, query: Optional[Mapping[str, Any]]) -> ItemList[Any]:
        """The list of an operation; nothing is sent before the first item or page is asked for."""
        operation = self._operations[name]

        def read_page(search: str, is_first: bool) -> Optional[Page[Any]]:
            url = f"{self._base_url}{operation.path}{'?' if search else ''}{search}"
            try:
                answer = self._repeat(operation, url, None, None)
            except ApiError as error:
                # The list has become shorter since its last page named this one.
                if not is_first and error.status_code == 404:
                    return None
                raise
            return Page(answer["data"], answer["meta"], answer["links"])

        return ItemList(query or {}, operation.identifier or "id", read_page)

    def _log_in(self, api_key: str) -> str:
        operation = self._operations["log_in"]
        body = json.dumps({"key": api_key}).encode()
        answer = self._repeat(operation, self._base_url + operation.path, body, None)
        return str(answer["accessToken"])

    def _repeat(
        self, operation: Operation, url: str, body: Optional[bytes], key: Optional[str]
    ) -> Dict[str, Any]:
        """Sends a call until its answer is final, or attempts or time are used up."""
        end = time.monotonic() + self._repetition.total_seconds
        is_open = False
        has_logged_in = operation is self._operations["log_in"]
        attempt = 0
        while True:
            attempt += 1
            token = self._token_for(operation, key if is_open else None)
            left = end - time.monotonic()
            try:
                # The log-in may have taken all of it.
                if left <= 0:
                    raise NoAnswerError(operation.name, "no time was left for the request")
                left = min(self._timeout_seconds, left)
                return self._send(operation, url, body, key, token, left)
            except (ApiError, NoAnswerError) as error:
                failure: Exception = error
            if token and not has_logged_in and _status_of(failure) == 401:
                has_logged_in = True
                self.session.forget(token)
                continue
            is_open = is_open or (left > 0 and leaves_open(operation, failure))
            pause = self._repetition.pause_seconds(attempt, failure)
            is_last = attempt >= self._repetition.attempts or time.monotonic() + pause > end
            if is_last or not is_repeated(operation, failure):
                tells_nothing = is_repeated(operation, failure) or is_of_access(failure)
                if is_open and key is not None and tells_nothing:
                    raise OpenRequestError(operation.name, key, failure) from failure
                raise failure
            time.sleep(pause)

    def _token_for(self, operation: Operation, open_key: Optional[str]) -> Optional[str]:
        """The token of a request; `open_key` is the key of one that may have been carried out."""
        if operation is self._operations["log_in"]:
            return None
        try:
            return self.session.token()
        except (ApiError, NoAnswerError) as error:
            if open_key is None:
                raise
            raise OpenRequestError(operation.name, open_key, error) from error

    def _send(
        self,
        operation: Operation,
        url: str,
        body: Optional[bytes],
        key: Optional[str],
        token: Optional[str],
        timeout_seconds: float,
    ) -> Dict[str, Any]:
        """One request; a signature is made for each, because its time must be near the service's."""
        headers = {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if token is not None:
            headers["x-api-token"] = token
        if operation.key == "header" and key is not None:
            headers["Idempotency-Key"] = key
        if operation.is_signed and self._private_key is not None and body is not None:
            headers["x-signature"] = signature_header(self._private_key, body)
        return send_once(self._http, operation, url, headers, body, timeout_seconds)


def _status_of(error: Exception) -> Optional[int]:
    return error.status_code if isinstance(error, ApiError) else None


def _key_of(*given: Optional[str]) -> str:
    """The first key that is given, or one of this call alone."""
    key = next((one for one in given if one is not None), str(uuid.uuid4()))
    # Spaces around a key do not count, and a header cannot begin with one.
    key = key.strip(" ")
    if re.fullmatch(r"[\x20-\x7e]{1,200}", key):
        return key
    raise ValueError("idempotency_key must have 1 to 200 printable ASCII characters")
