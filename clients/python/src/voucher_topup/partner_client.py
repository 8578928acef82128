from __future__ import annotations

from typing import Optional, cast

from ._connection import Connection
from ._repetition import Repetition
from .events import Events
from .generated import partner as api
from .lists import ItemList


class PartnerClient:
    """The partner API: one method for each operation."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout_seconds: float = 30,
        attempts: int = 8,
        total_seconds: float = 120,
        first_pause_seconds: float = 1,
    ) -> None:
        connection = Connection(
            base_url,
            api_key,
            api.OPERATIONS,
            timeout_seconds=timeout_seconds,
            repetition=Repetition(attempts, total_seconds, first_pause_seconds),
        )
        self._connection = connection
        self.vouchers = PartnerVouchers(connection)
        self.top_ups = TopUps(connection)
        self.prices = Prices(connection)
        self.events: Events[api.ReadEventsQuery, api.ReadEventsResult] = Events(connection)
        self.transactions: Events[api.ReadTransactionsQuery, api.ReadTransactionsResult] = Events(
            connection, "read_transactions"
        )
        self.denominations = Denominations(connection)
        self.merchants = Merchants(connection)
        self.merchant_categories = MerchantCategories(connection)
        self.products = Products(connection)
        self.product_categories = ProductCategories(connection)
        self.promos = Promos(connection)

    def check_access(self) -> api.CheckAccessResult:
        """Whether key, address and token are in order; raises where they are not."""
        return cast(api.CheckAccessResult, self._connection.call("check_access"))

    def read_key(self) -> api.ReadKeyResult:
        """What the API key may do."""
        return cast(api.ReadKeyResult, self._connection.call("read_key"))

    def read_balances(self) -> api.ReadBalancesResult:
        return cast(api.ReadBalancesResult, self._connection.call("read_balances"))

    def quote(self, request: api.QuoteRequest) -> api.QuoteResult:
        """What it would cost now, and whether it would be accepted; changes nothing."""
        return cast(api.QuoteResult, self._connection.call("quote", request))

    def access_token(self) -> str:
        """The access token, for requests that no method makes. Keep it out of logs."""
        return self._connection.session.token()


class _Group:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection


class PartnerVouchers(_Group):
    def generate(
        self, request: api.GenerateVoucherRequest, *, idempotency_key: Optional[str] = None
    ) -> api.GenerateVoucherResult:
        result = self._connection.call(
            "generate_voucher", request, idempotency_key=idempotency_key
        )
        return cast(api.GenerateVoucherResult, result)

    def order(
        self, request: api.OrderVouchersRequest, *, idempotency_key: Optional[str] = None
    ) -> api.OrderVouchersResult:
        """Orders many at once; a reference that generated a voucher never generates another."""
        result = self._connection.call("order_vouchers", request, idempotency_key=idempotency_key)
        return cast(api.OrderVouchersResult, result)

    def read_order(self, bulk_order_id: int) -> api.ReadBulkOrderResult:
        result = self._connection.call("read_bulk_order", parameter=bulk_order_id)
        return cast(api.ReadBulkOrderResult, result)

    def read_order_lines(
        self, bulk_order_id: int, query: Optional[api.ReadBulkLinesQuery] = None
    ) -> api.ReadBulkLinesResult:
        """The next lines of an order, from `after` on."""
        result = self._connection.call("read_bulk_lines", query, parameter=bulk_order_id)
        return cast(api.ReadBulkLinesResult, result)

    def cancel_order(self, bulk_order_id: int) -> api.CancelBulkOrderResult:
        """Generates no further voucher of an order."""
        result = self._connection.call("cancel_bulk_order", parameter=bulk_order_id)
        return cast(api.CancelBulkOrderResult, result)

    def initiate_claim(
        self, request: api.InitiateClaimRequest, *, idempotency_key: Optional[str] = None
    ) -> str:
        """Sends the owner a verification code by SMS."""
        result = self._connection.call("initiate_claim", request, idempotency_key=idempotency_key)
        return cast(str, result)

    def redeem(
        self, request: api.RedeemVoucherRequest, *, idempotency_key: Optional[str] = None
    ) -> api.RedeemVoucherResult:
        result = self._connection.call("redeem_voucher", request, idempotency_key=idempotency_key)
        return cast(api.RedeemVoucherResult, result)

    def read(self, voucher_id: int) -> api.ReadVoucherResult:
        """State, remaining value and history of a voucher, by its id; never its code."""
        return cast(
            api.ReadVoucherResult, self._connection.call("read_voucher", parameter=voucher_id)
        )

    def resend_message(
        self, voucher_id: int, *, idempotency_key: Optional[str] = None
    ) -> api.ResendMessageResult:
        """Sends the owner the code, or the lost confirmation, once more."""
        result = self._connection.call(
            "resend_message", parameter=voucher_id, idempotency_key=idempotency_key
        )
        return cast(api.ResendMessageResult, result)

    def cancel(
        self, voucher_id: int, *, idempotency_key: Optional[str] = None
    ) -> api.CancelVoucherResult:
        """Returns the remaining value of a voucher to the gift wallet; final."""
        result = self._connection.call(
            "cancel_voucher", parameter=voucher_id, idempotency_key=idempotency_key
        )
        return cast(api.CancelVoucherResult, result)

    def list(self, query: Optional[api.ListVouchersQuery] = None) -> ItemList[api.Voucher]:
        return self._connection.list("list_vouchers", query)


class TopUps(_Group):
    """A failed one is an ApiError with `failed_top_up`; one without status is still processed."""

    def send_airtime(
        self, request: api.SendAirtimeRequest, *, idempotency_key: Optional[str] = None
    ) -> api.SendAirtimeResult:
        result = self._connection.call("send_airtime", request, idempotency_key=idempotency_key)
        return cast(api.SendAirtimeResult, result)

    def send_package(
        self, request: api.SendPackageRequest, *, idempotency_key: Optional[str] = None
    ) -> api.SendPackageResult:
        result = self._connection.call("send_package", request, idempotency_key=idempotency_key)
        return cast(api.SendPackageResult, result)

    def retry(
        self, request: api.RetryTopUpRequest, *, idempotency_key: Optional[str] = None
    ) -> api.RetryTopUpResult:
        """Tries a failed top-up again, also to another number."""
        result = self._connection.call("retry_top_up", request, idempotency_key=idempotency_key)
        return cast(api.RetryTopUpResult, result)

    def read(self, transaction_id: int) -> api.ReadTopUpResult:
        result = self._connection.call("read_top_up", parameter=transaction_id)
        return cast(api.ReadTopUpResult, result)

    def list(self, query: Optional[api.ListTopUpsQuery] = None) -> ItemList[api.TopUp]:
        return self._connection.list("list_top_ups", query)


class Prices(_Group):
    def set(self, request: api.SetPriceRequest) -> api.SetPriceResult:
        return cast(api.SetPriceResult, self._connection.call("set_price", request))

    def list(self, query: Optional[api.ListPricesQuery] = None) -> ItemList[api.SellingPrice]:
        return self._connection.list("list_prices", query)


class Denominations(_Group):
    def list(
        self, query: Optional[api.ListDenominationsQuery] = None
    ) -> ItemList[api.Denomination]:
        return self._connection.list("list_denominations", query)


class Merchants(_Group):
    def list(self, query: Optional[api.ListMerchantsQuery] = None) -> ItemList[api.Merchant]:
        return self._connection.list("list_merchants", query)


class MerchantCategories(_Group):
    def list(
        self, query: Optional[api.ListMerchantCategoriesQuery] = None
    ) -> ItemList[api.MerchantCategory]:
        return self._connection.list("list_merchant_categories", query)


class Products(_Group):
    def list(self, query: Optional[api.ListProductsQuery] = None) -> ItemList[api.Product]:
        return self._connection.list("list_products", query)


class ProductCategories(_Group):
    def list(
        self, query: Optional[api.ListProductCategoriesQuery] = None
    ) -> ItemList[api.ProductCategory]:
        return self._connection.list("list_product_categories", query)


class Promos(_Group):
    def list(self, query: Optional[api.ListPromosQuery] = None) -> ItemList[api.Promo]:
        return self._connection.list("list_promos", query)
