from __future__ import annotations

from typing import Optional, cast

from ._connection import Connection
from ._repetition import Repetition
from ._signature import PrivateKey, read_private_key
from .events import Events
from .generated import merchant as api
from .lists import ItemList


class MerchantClient:
    """The merchant API: one method for each operation.

    `private_key` is of the curve secp256k1, in PEM; its public key is registered in the portal.
    Requests that change something are signed with it.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        private_key: PrivateKey,
        *,
        timeout_seconds: float = 30,
        attempts: int = 8,
        total_seconds: float = 120,
        first_pause_seconds: float = 1,
    ) -> None:
        self._connection = Connection(
            base_url,
            api_key,
            api.OPERATIONS,
            timeout_seconds=timeout_seconds,
            repetition=Repetition(attempts, total_seconds, first_pause_seconds),
            private_key=read_private_key(private_key),
        )
        self.vouchers = MerchantVouchers(self._connection)
        self.redemptions = Redemptions(self._connection)
        self.payouts = Payouts(self._connection)
        self.events: Events[api.ReadEventsQuery, api.ReadEventsResult] = Events(self._connection)

    def check_access(self) -> api.CheckAccessResult:
        """Whether key, address and token are in order; raises where they are not."""
        return cast(api.CheckAccessResult, self._connection.call("check_access"))

    def read_key(self) -> api.ReadKeyResult:
        """What the API key may do."""
        return cast(api.ReadKeyResult, self._connection.call("read_key"))

    def access_token(self) -> str:
        """The access token, for requests that no method makes. Keep it out of logs."""
        return self._connection.session.token()


class MerchantVouchers:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def read(self, voucher_code: str) -> api.ReadVoucherResult:
        result = self._connection.call("read_voucher", parameter=voucher_code)
        return cast(api.ReadVoucherResult, result)

    def initiate_claim(
        self, request: api.InitiateClaimRequest, *, idempotency_key: Optional[str] = None
    ) -> api.InitiateClaimResult:
        """Sends the owner a verification code by SMS."""
        result = self._connection.call("initiate_claim", request, idempotency_key=idempotency_key)
        return cast(api.InitiateClaimResult, result)

    def redeem(
        self, request: api.RedeemVoucherRequest, *, idempotency_key: Optional[str] = None
    ) -> api.RedeemVoucherResult:
        result = self._connection.call("redeem_voucher", request, idempotency_key=idempotency_key)
        return cast(api.RedeemVoucherResult, result)


class Redemptions:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self, query: Optional[api.ListRedemptionsQuery] = None
    ) -> ItemList[api.Redemption]:
        return self._connection.list("list_redemptions", query)

    def reverse(
        self,
        redemption_id: int,
        request: Optional[api.ReverseRedemptionRequest] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> api.ReverseRedemptionResult:
        """Takes the whole payment back; the value returns to the voucher."""
        result = self._connection.call(
            "reverse_redemption",
            request or {},
            parameter=redemption_id,
            idempotency_key=idempotency_key,
        )
        return cast(api.ReverseRedemptionResult, result)


class Payouts:
    """By day, in UTC."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(self, query: Optional[api.ListPayoutsQuery] = None) -> ItemList[api.DayOfPayouts]:
        return self._connection.list("list_payouts", query)
