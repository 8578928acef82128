import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';
import { merchantHeaders, partnerHeaders } from '../partner-calls.ts';
import { type BenchCall, get, post, postSigned } from '../run-load.ts';
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
  /** A call of the partner; a read without content. */
  ofPartner(path: string, content?: object): BenchCall;
  /** A read of the merchant. */
  ofMerchant(path: string): BenchCall;
  /** A signed call of the merchant, under a key of its own. */
  signed(path: string, content: object): BenchCall;
}

/** Logs the companies of a history in. */
export async function openSide(
  service: Service,
  grown: GrownDatabase,
  backing: Pick<Side, 'sandboxUrl' | 'temporal'>,
): Promise<Side> {
  const partner = await partnerHeaders(service, grown.partner);
  const merchant = await merchantHeaders(service, grown.merchant);
  const { privateKey } = grown.merchant;
  const ofMerchants = (path: string) => `${service.url}${merchantRoutes.basePath}${path}`;
  return {
    ...grown,
    ...backing,
    service,
    drawActive: activeVouchers(grown.vouchers),
    claimed: [],
    ofPartner(path, content) {
      const url = `${service.url}${partnerRoutes.basePath}${path}`;
      return content ? post(url, content, partner) : get(url, partner);
    },
    ofMerchant: (path) => get(ofMerchants(path), merchant),
    signed: (path, content) =>
      postSigned(
        ofMerchants(path),
        { ...content, idempotencyKey: randomUUID() },
        { privateKey, headers: merchant },
      ),
  };
}
