"""Access, signatures and known records for Schemathesis.

From the environment: API_KEY of the company; PRIVATE_KEY, the PEM that a merchant signs with; and
KNOWN, a JSON object of lists of values that the service knows, by the name of the field.
"""

import base64
import json
import os
import re
import uuid

import requests
import schemathesis
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import strategies
from requests.auth import AuthBase
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.core.parameters import ParameterLocation
from schemathesis.openapi.checks import RejectedPositiveData

KNOWN = json.loads(os.environ["KNOWN"])
SIGNATURE = "x-signature"
KEY_HEADER = "Idempotency-Key"
KEY_FIELD = "idempotencyKey"


@schemathesis.auth(refresh_interval=None).skip_for(path="/auth/login")
class Token:
    """Logs in once; every call but the log-in carries the token."""

    token = ""

    def get(self, case, context):
        if not self.token:
            url = case.operation.schema.get_base_url() + "/auth/login"
            answer = requests.post(url, json={"key": os.environ["API_KEY"]}, timeout=30)
            self.token = answer.json()["accessToken"]
        return self.token

    def set(self, case, data, context):
        case.headers["x-api-token"] = data


class Signer(AuthBase):
    """Signs the bytes that are sent."""

    key = serialization.load_pem_private_key(os.environ["PRIVATE_KEY"].encode(), None)

    def __call__(self, request):
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        message = str(uuid.uuid4())
        signature = self.key.sign(body + b"\n" + message.encode(), ec.ECDSA(hashes.SHA256()))
        request.headers[SIGNATURE] = base64.b64encode(signature).decode() + "\\n" + message
        return request


@schemathesis.hook
def before_call(context, case, kwargs):
    """What is left out or spoiled on purpose stays as it is."""
    if SIGNATURE in case.headers and not is_spoiled(case, ParameterLocation.HEADER):
        kwargs["auth"] = Signer()
    # An example that every call repeats would end as the key of another request.
    if KEY_HEADER in case.headers and not is_spoiled(case, ParameterLocation.HEADER):
        case.headers[KEY_HEADER] = str(uuid.uuid4())
    if isinstance(case.body, dict) and not is_spoiled(case, ParameterLocation.BODY):
        if KEY_FIELD in case.body:
            case.body[KEY_FIELD] = str(uuid.uuid4())


def is_spoiled(case, location):
    return case.meta is not None and case.meta.is_negative_at(location)


# What JSON Schema cannot say: valid values of these fields are drawn from here.
FORMATS = {
    "key": KNOWN["key"],
    "after": KNOWN["after"],
    "msisdn": KNOWN["msisdn"],
    "id": ["1", "17"],
    "amount": ["99.50", "5"],
    "decimal": ["57.25", "1"],
    "currency": ["USD", "eur", "ETB"],
    "originatingCountry": ["US", "ETH", "Ethiopia"],
    "metadata": ["{}", '{"shop":"Bole"}', "[1]", '"text"'],
    "q": ["createdAt=2026-01-31", "status=ACTIVE"],
    # The calendar has fewer days than a pattern, and the service knows the years 1000 to 9998.
    "from": ["2026-01-31T00:00:00Z", "2026-01-31T00:00:00.5+03:00"],
    "to": ["2026-01-31T00:00:00Z"],
    **{
        f"filter.{name}": ["2026-01-31", "$gte:2026-01-31T00:00:00Z", "$not:$null"]
        for name in (
            *("createdAt", "updatedAt", "paidAt", "expirationDate"),
            *("promoStartDate", "promoEndDate"),
        )
    },
}
for name, values in FORMATS.items():
    schemathesis.openapi.format(name, strategies.sampled_from(values))

# Rules of lists that the document says in words: `search`, `searchBy` and `q` name columns of the list, and
# all conditions together are at most 20 (`filter`).
IN_WORDS = {"search", "searchBy", "q", "filter"}
# Of a line of a bulk order: one of two fields is needed, and a reference is unique in its order.
LINE_IN_WORDS = re.compile(r"lines\.\d+\.(merchantId|reference)")


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Gives requests values that the service knows: others end at 404."""
    for path in raw_schema["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", []):
                draw_known(parameter["name"], parameter["schema"])
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            # Recorded in another database.
            body.pop("example", None)
            draw_fields(resolved(body.get("schema", {}), raw_schema), raw_schema)


def resolved(schema, document):
    reference = schema.get("$ref")
    return document["components"]["schemas"][reference.split("/")[-1]] if reference else schema


def draw_fields(schema, document):
    for form in schema.get("anyOf", []):
        draw_fields(resolved(form, document), document)
    for name, field in schema.get("properties", {}).items():
        items = resolved(field.get("items", {}), document)
        if "properties" in items:
            draw_fields(items, document)
        else:
            draw_known(name, field)


def draw_known(name, field):
    if field.get("type") == "array":
        # Otherwise most calls have more than 20 conditions.
        field["maxItems"] = 1
    if name in KNOWN:
        field["examples"] = KNOWN[name]
    # The cursor of transactions has a form that its pattern says.
    if name in FORMATS and "gift" not in field.get("pattern", ""):
        for form in field.get("anyOf", [field.get("items", field)]):
            # A day is a format of its own.
            if form.get("type") == "string" and form.get("format") != "date":
                form.pop("pattern", None)
                form.pop("maxLength", None)
                form["format"] = name


def has_empty(query):
    return any("" in (value if isinstance(value, list) else [value]) for value in query.values())


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """A valid request may be refused for what it means, with a reason of its endpoint."""
    if isinstance(failure, AcceptedNegativeData) and "violates `maxItems`" in failure.message:
        # The bound is that of `draw_known`, not of the document.
        return False
    if isinstance(failure, AcceptedNegativeData) and has_empty(case.query or {}):
        # docs/reference/requests.md: an empty parameter is absent, whatever its schema says.
        return False
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 400:
        return True
    # Schemathesis follows a link to the voucher of a transaction that has none.
    if any(value in (None, "None", "null") for value in (case.path_parameters or {}).values()):
        return False
    start, _, details = response.json()["message"].partition(": ")
    if start != "The request is not valid":
        return False
    # Merchants read the fields in the message alone.
    paths = {detail.partition(": ")[0] for detail in details.split("; ")}
    return not all(path in IN_WORDS or LINE_IN_WORDS.fullmatch(path) for path in paths)
