"""Client of the partner and merchant APIs of the gift voucher, airtime and package top-up service."""

from ._signature import signature_header
from ._webhook import WebhookError, verify_webhook
from .errors import ApiError, FailedTopUp, Issue, NoAnswerError, OpenRequestError
from .generated import merchant as merchant_types
from .generated import partner as partner_types
from .lists import ItemList, Page
from .merchant_client import MerchantClient
from .partner_client import PartnerClient

__all__ = [
    "ApiError",
    "FailedTopUp",
    "Issue",
    "ItemList",
    "MerchantClient",
    "NoAnswerError",
    "OpenRequestError",
    "Page",
    "PartnerClient",
    "WebhookError",
    "merchant_types",
    "partner_types",
    "signature_header",
    "verify_webhook",
]
