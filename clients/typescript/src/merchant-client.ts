import type { KeyObject } from 'node:crypto';
import { Connection } from './connection.ts';
import { eventPages } from './events.ts';
import {
  type InitiateClaimRequest,
  type ListPayoutsQuery,
  type ListRedemptionsQuery,
  type Operations,
  operations,
  type ReadEventsQuery,
  type RedeemVoucherRequest,
  type ReverseRedemptionRequest,
} from './generated/merchant.ts';
import {
  type CallOptions,
  type ChangeOptions,
  type ClientSettings,
  withDefaults,
} from './settings.ts';
import { readPrivateKey } from './signature.ts';

/** The settings of a merchant's client. */
export interface MerchantSettings extends ClientSettings {
  /** Of the curve secp256k1, in PEM; its public key is registered in the portal. */
  readonly privateKey: string | KeyObject;
}

type MerchantConnection = Connection<keyof Operations, Operations>;

/** The merchant API: one method for each operation. Requests that change something are signed. */
export class MerchantClient {
  readonly #connection: MerchantConnection;
  readonly vouchers;
  readonly redemptions;
  readonly payouts;
  readonly events;

  /** @throws {TypeError} for a private key of another curve */
  constructor({ privateKey, ...settings }: MerchantSettings) {
    const connection: MerchantConnection = new Connection(
      withDefaults(settings),
      operations,
      readPrivateKey(privateKey),
    );
    this.#connection = connection;
    this.redemptions = {
      list: (query: ListRedemptionsQuery = {}, options?: CallOptions) =>
        connection.list('listRedemptions', query, options),
      /** Takes the whole payment back; the value returns to the voucher. */
      reverse: (
        redemptionId: number,
        request: ReverseRedemptionRequest = {},
        options?: ChangeOptions,
      ) => connection.call('reverseRedemption', { parameter: redemptionId, request }, options),
    };
    this.payouts = {
      list: (query: ListPayoutsQuery = {}, options?: CallOptions) =>
        connection.list('listPayouts', query, options),
    };
    this.events = eventsOf(connection);
    this.vouchers = {
      read: (voucherCode: string, options?: CallOptions) =>
        connection.call('readVoucher', { parameter: voucherCode }, options),
      /** Sends the owner a verification code by SMS. */
      initiateClaim: (request: InitiateClaimRequest, options?: ChangeOptions) =>
        connection.call('initiateClaim', { request }, options),
      redeem: (request: RedeemVoucherRequest, options?: ChangeOptions) =>
        connection.call('redeemVoucher', { request }, options),
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

  /** The access token, for requests that no method makes. Keep it out of logs. */
  accessToken({ signal }: CallOptions = {}): Promise<string> {
    return this.#connection.accessToken(signal);
  }
}

const eventsOf = (connection: MerchantConnection) => {
  const read = (query: ReadEventsQuery = {}, options?: CallOptions) =>
    connection.call('readEvents', { request: query }, options);
  return {
    read,
    /** Page after page until there is no more; keep `next` of each page that you have handled. */
    pages: (query: ReadEventsQuery = {}, options?: CallOptions) =>
      eventPages((one: ReadEventsQuery) => read(one, options), query),
  };
};
