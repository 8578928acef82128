import type { KeyObject } from 'node:crypto';
import { Connection } from './connection.ts';
import { byCursor } from './events.ts';
import {
  type Operations,
  operations,
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
      list: connection.listing('listRedemptions'),
      /** Takes the whole payment back; the value returns to the voucher. */
      reverse: (
        redemptionId: number,
        request: ReverseRedemptionRequest = {},
        options?: ChangeOptions,
      ) => connection.call('reverseRedemption', { parameter: redemptionId, request }, options),
    };
    this.payouts = { list: connection.listing('listPayouts') };
    this.events = byCursor(connection.asking('readEvents'));
    this.vouchers = {
      read: (voucherCode: string, options?: CallOptions) =>
        connection.call('readVoucher', { parameter: voucherCode }, options),
      /** Sends the owner a verification code by SMS. */
      initiateClaim: connection.sending('initiateClaim'),
      redeem: connection.sending('redeemVoucher'),
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
