import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { signatureHeader } from '../../clients/typescript/src/index.ts';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';
import { merchantToken, partnerHeaders } from '../partner-calls.ts';
import type { BenchCall } from '../run-load.ts';
import type { Service } from '../service.ts';
import type { GrownDatabase } from './grown-database.ts';
import { activeVouchers } from './history.ts';

/** A service on a history, and what its companies ask of it. */
export interface Side extends GrownDatabase {
  readonly service: Service;
  readonly sandboxUrl: string;
  readonly temporal: Client;
  /** The number of an active voucher, each once. */
  readonly drawActive: () => number;
  /** The vouchers that were claimed and not yet redeemed. */
  readonly claimed: { readonly voucherCode: string; readonly verificationCode: string }[];
  /** A call of the partner. */
  ofPartner(method: 'GET' | 'POST', path: string, content?: object): BenchCall;
  /** A read of the merchant. */
  ofMerchant(path: string): BenchCall;
  /** A signed call of the merchant, under a key of its own. */
  signed(path: string, content: object): BenchCall;
}

const json = { 'Content-Type': 'application/json' };

/** Logs the companies of a history in. */
export async function openSide(
  service: Service,
  grown: GrownDatabase,
  backing: Pick<Side, 'sandboxUrl' | 'temporal'>,
): Promise<Side> {
  const partner = await partnerHeaders(service, grown.partner);
  const merchant = { 'x-api-token': await merchantToken(service, grown.merchant) };
  return {
    ...grown,
    ...backing,
    service,
    drawActive: activeVouchers(grown.vouchers),
    claimed: [],
    ofPartner: (method, path, content) => ({
      method,
      url: `${service.url}${partnerRoutes.basePath}${path}`,
      headers: { ...json, ...partner },
      body: content ? JSON.stringify(content) : '',
    }),
    ofMerchant: (path) => ({
      method: 'GET',
      url: `${service.url}${merchantRoutes.basePath}${path}`,
      headers: merchant,
      body: '',
    }),
    signed(path, content) {
      const body = JSON.stringify({ ...content, idempotencyKey: randomUUID() });
      return {
        url: `${service.url}${merchantRoutes.basePath}${path}`,
        headers: {
          ...json,
          ...merchant,
          'x-signature': signatureHeader(grown.merchant.privateKey, body),
        },
        body,
      };
    },
  };
}
