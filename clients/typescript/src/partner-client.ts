import { Connection } from './connection.ts';
import { byCursor } from './events.ts';
import {
  type Operations,
  operations,
  type QuoteRequest,
  type QuoteResult,
  type ReadBalancesResult,
  type ReadBulkLinesQuery,
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
    this.events = byCursor(connection.asking('readEvents'));
    this.transactions = byCursor(connection.asking('readTransactions'));
    this.denominations = { list: connection.listing('listDenominations') };
    this.merchants = { list: connection.listing('listMerchants') };
    this.merchantCategories = { list: connection.listing('listMerchantCategories') };
    this.products = { list: connection.listing('listProducts') };
    this.productCategories = { list: connection.listing('listProductCategories') };
    this.promos = { list: connection.listing('listPromos') };
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
  generate: connection.sending('generateVoucher'),
  /** Orders many at once; a reference that generated a voucher never generates another. */
  order: connection.sending('orderVouchers'),
  readOrder: (bulkOrderId: number, options?: CallOptions) =>
    connection.call('readBulkOrder', { parameter: bulkOrderId }, options),
  /** The next lines of an order, from `after` on. */
  readOrderLines: (bulkOrderId: number, query: ReadBulkLinesQuery = {}, options?: CallOptions) =>
    connection.call('readBulkLines', { parameter: bulkOrderId, request: query }, options),
  /** Generates no further voucher of an order. */
  cancelOrder: (bulkOrderId: number, options?: CallOptions) =>
    connection.call('cancelBulkOrder', { parameter: bulkOrderId }, options),
  /** Sends the owner a verification code by SMS. */
  initiateClaim: connection.sending('initiateClaim'),
  redeem: connection.sending('redeemVoucher'),
  /** State, remaining value and history of a voucher, by its id; never its code. */
  read: (voucherId: number, options?: CallOptions) =>
    connection.call('readVoucher', { parameter: voucherId }, options),
  /** Sends the owner the code, or the lost confirmation, once more. */
  resendMessage: (voucherId: number, options?: ChangeOptions) =>
    connection.call('resendMessage', { parameter: voucherId }, options),
  /** Returns the remaining value of a voucher to the gift wallet; final. */
  cancel: (voucherId: number, options?: ChangeOptions) =>
    connection.call('cancelVoucher', { parameter: voucherId }, options),
  list: connection.listing('listVouchers'),
});

/** A failed top-up is an `ApiError` with `failedTopUp`; one without `status` is still processed. */
const topUpsOf = (connection: PartnerConnection) => ({
  sendAirtime: connection.sending('sendAirtime'),
  sendPackage: connection.sending('sendPackage'),
  /** Tries a failed top-up again, also to another number. */
  retry: connection.sending('retryTopUp'),
  read: (transactionId: number, options?: CallOptions) =>
    connection.call('readTopUp', { parameter: transactionId }, options),
  list: connection.listing('listTopUps'),
});

const pricesOf = (connection: PartnerConnection) => ({
  set: (request: SetPriceRequest, options?: CallOptions) =>
    connection.call('setPrice', { request }, options),
  list: connection.listing('listPrices'),
});
