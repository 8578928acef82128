from __future__ import annotations

import re
from typing import Any, Dict, Mapping, Optional

import requests

from ._operation import Operation
from .errors import ApiError, NoAnswerError


def make_http() -> requests.Session:
    """Connections that are kept; nothing of `~/.netrc` is sent."""
    http = requests.Session()
    http.auth = lambda request: request
    return http


def send_once(
    http: requests.Session,
    operation: Operation,
    url: str,
    headers: Mapping[str, str],
    body: Optional[bytes],
    timeout_seconds: float,
) -> Dict[str, Any]:
    """Sends a request once and returns the answer's body.

    Raises ApiError for a refusal, and NoAnswerError where no answer of the service arrived.
    """
    try:
        response = http.request(
            operation.method,
            url,
            headers=headers,
            data=body,
            timeout=timeout_seconds,
            # A redirect would carry the token, and a POST as a GET, to another address.
            allow_redirects=False,
        )
    except requests.RequestException as error:
        # Its text has the address, and with it a voucher code.
        reason = type(error).__name__
    else:
        answer = _parse(response)
        if answer is not None and _is_success(operation, response, answer):
            return answer
        if answer is not None and _is_refusal(answer):
            raise _api_error(operation, response, answer)
        reason = f"HTTP status {response.status_code}, not an answer of the service"
    raise NoAnswerError(operation.name, reason)


def _parse(response: requests.Response) -> Optional[Dict[str, Any]]:
    try:
        answer = response.json()
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _is_success(operation: Operation, response: requests.Response, answer: Dict[str, Any]) -> bool:
    is_ok = 200 <= response.status_code < 300
    return is_ok and (operation.is_bare or answer.get("success") is True)


def _is_refusal(answer: Dict[str, Any]) -> bool:
    return answer.get("success") is False and isinstance(answer.get("statusCode"), int)


def _api_error(
    operation: Operation, response: requests.Response, answer: Dict[str, Any]
) -> ApiError:
    retry_after = response.headers.get("Retry-After", "")
    link = re.search(r'<([^>]+)>; rel="help"', response.headers.get("Link", ""))
    return ApiError(
        str(answer.get("message")),
        operation=operation.name,
        http_status=response.status_code,
        status_code=answer["statusCode"],
        reason=response.headers.get("x-error-reason"),
        data=answer.get("data"),
        request_id=response.headers.get("X-Request-Id"),
        retry_after_seconds=int(retry_after) if retry_after.isdigit() else None,
        help_url=link.group(1) if link else None,
    )
