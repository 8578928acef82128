import { Connection } from './connection.ts';
import { eventPages } from './events.ts';
import {
  type GenerateVoucherRequest,
  type InitiateClaimRequest,
  type ListDenominationsQuery,
  type ListMerchantCategoriesQuery,
  type ListMerchantsQuery,
  type ListPricesQuery,
  type ListProductCategoriesQuery,
  type ListProductsQuery,
  type ListPromosQuery,
  type ListTopUpsQuery,
  type ListVouchersQuery,
  type Operations,
  type OrderVouchersRequest,
  operations,
  type QuoteRequest,
  type QuoteResult,
  type ReadBalancesResult,
  type ReadBulkLinesQuery,
  type ReadEventsQuery,
  type ReadTransactionsQuery,
  type RedeemVoucherRequest,
  type RetryTopUpRequest,
  type SendAirtimeRequest,
  type SendPackageRequest,
  type SetPriceRequest,
} from './generated/partner.ts';
import {
  type CallOptions,
  type ChangeOptions,
  type ClientSettings,
  withDefaults,
} from './settings.ts';

type PartnerConnection = Connection<keyof Operations, Operations>;

/** The partner API: one method for each operation. */
export class PartnerClient {
  readonly #connection: PartnerConnection;
  readonly vouchers;
  readonly topUps;
  readonly prices;
  readonly denominations;
  readonly merchants;
  readonly merchantCategories;
  readonly products;
  readonly productCategories;
  readonly promos;
  readonly events;
  readonly transactions;

  constructor(settings: ClientSettings) {
    const connection: PartnerConnection = new Connection(withDefaults(settings), operations);
    this.#connection = connection;
    this.vouchers = vouchersOf(connection);
    this.topUps = topUpsOf(connection);
    this.prices = pricesOf(connection);
    this.events = eventsOf(connection);
    this.transactions = transactionsOf(connection);
    this.denominations = {
      list: (query: ListDenominationsQuery = {}, options?: CallOptions) =>
        connection.list('listDenominations', query, options),
    };
    this.merchants = {
      list: (query: ListMerchantsQuery = {}, options?: CallOptions) =>
        connection.list('listMerchants', query, options),
    };
    this.merchantCategories = {
      list: (query: ListMerchantCategoriesQuery = {}, options?: CallOptions) =>
        connection.list('listMerchantCategories', query, options),
    };
    this.products = {
      list: (query: ListProductsQuery = {}, options?: CallOptions) =>
        connection.list('listProducts', query, options),
    };
    this.productCategories = {
      list: (query: ListProductCategoriesQuery = {}, options?: CallOptions) =>
        connection.list('listProductCategories', query, options),
    };
    this.promos = {
      list: (query: ListPromosQuery = {}, options?: CallOptions) =>
        connection.list('listPromos', query, options),
    };
  }

  /** Whether key, address and token are in order; throws where they are not. */
  checkAccess(options?: CallOptions) {
    return this.#connection.call('checkAccess', {}, options);
  }

  /** What the API key may do. */
  readKey(options?: CallOptions) {
    return this.#connection.call('readKey', {}, options);
  }

  readBalances(options?: CallOptions): Promise<ReadBalancesResult> {
    return this.#connection.call('readBalances', {}, options);
  }

  /** What a voucher or a top-up would cost now, and whether it would be accepted; changes nothing. */
  quote(request: QuoteRequest, options?: CallOptions): Promise<QuoteResult> {
    return this.#connection.call('quote', { request }, options);
  }

  /** The access token, for requests that no method makes. Keep it out of logs. */
  accessToken({ signal }: CallOptions = {}): Promise<string> {
    return this.#connection.accessToken(signal);
  }
}

const vouchersOf = (connection: PartnerConnection) => ({
  generate: (request: GenerateVoucherRequest, options?: ChangeOptions) =>
    connection.call('generateVoucher', { request }, options),
  /** Orders many at once; a reference that generated a voucher never generates another. */
  order: (request: OrderVouchersRequest, options?: ChangeOptions) =>
    connection.call('orderVouchers', { request }, options),
  readOrder: (bulkOrderId: number, options?: CallOptions) =>
    connection.call('readBulkOrder', { parameter: bulkOrderId }, options),
  /** The next lines of an order, from `after` on. */
  readOrderLines: (bulkOrderId: number, query: ReadBulkLinesQuery = {}, options?: CallOptions) =>
    connection.call('readBulkLines', { parameter: bulkOrderId, request: query }, options),
  /** Generates no further voucher of an order. */
  cancelOrder: (bulkOrderId: number, options?: CallOptions) =>
    connection.call('cancelBulkOrder', { parameter: bulkOrderId }, options),
  /** Sends the owner a verification code by SMS. */
  initiateClaim: (request: InitiateClaimRequest, options?: ChangeOptions) =>
    connection.call('initiateClaim', { request }, options),
  redeem: (request: RedeemVoucherRequest, options?: ChangeOptions) =>
    connection.call('redeemVoucher', { request }, options),
  /** State, remaining value and history of a voucher, by its id; never its code. */
  read: (voucherId: number, options?: CallOptions) =>
    connection.call('readVoucher', { parameter: voucherId }, options),
  /** Sends the owner the code, or the lost confirmation, once more. */
  resendMessage: (voucherId: number, options?: ChangeOptions) =>
    connection.call('resendMessage', { parameter: voucherId }, options),
  /** Returns the remaining value of a voucher to the gift wallet; final. */
  cancel: (voucherId: number, options?: ChangeOptions) =>
    connection.call('cancelVoucher', { parameter: voucherId }, options),
  list: (query: ListVouchersQuery = {}, options?: CallOptions) =>
    connection.list('listVouchers', query, options),
});

/** A failed top-up is an `ApiError` with `failedTopUp`; one without `status` is still processed. */
const topUpsOf = (connection: PartnerConnection) => ({
  sendAirtime: (request: SendAirtimeRequest, options?: ChangeOptions) =>
    connection.call('sendAirtime', { request }, options),
  sendPackage: (request: SendPackageRequest, options?: ChangeOptions) =>
    connection.call('sendPackage', { request }, options),
  /** Tries a failed top-up again, also to another number. */
  retry: (request: RetryTopUpRequest, options?: ChangeOptions) =>
    connection.call('retryTopUp', { request }, options),
  read: (transactionId: number, options?: CallOptions) =>
    connection.call('readTopUp', { parameter: transactionId }, options),
  list: (query: ListTopUpsQuery = {}, options?: CallOptions) =>
    connection.list('listTopUps', query, options),
});

const pricesOf = (connection: PartnerConnection) => ({
  set: (request: SetPriceRequest, options?: CallOptions) =>
    connection.call('setPrice', { request }, options),
  list: (query: ListPricesQuery = {}, options?: CallOptions) =>
    connection.list('listPrices', query, options),
});

const transactionsOf = (connection: PartnerConnection) => {
  const read = (query: ReadTransactionsQuery = {}, options?: CallOptions) =>
    connection.call('readTransactions', { request: query }, options);
  return {
    read,
    /** Page after page until there is no more; keep `next` of each page that you have handled. */
    pages: (query: ReadTransactionsQuery = {}, options?: CallOptions) =>
      eventPages((one: ReadTransactionsQuery) => read(one, options), query),
  };
};

const eventsOf = (connection: PartnerConnection) => {
  const read = (query: ReadEventsQuery = {}, options?: CallOptions) =>
    connection.call('readEvents', { request: query }, options);
  return {
    read,
    /** Page after page until there is no more; keep `next` of each page that you have handled. */
    pages: (query: ReadEventsQuery = {}, options?: CallOptions) =>
      eventPages((one: ReadEventsQuery) => read(one, options), query),
  };
};
