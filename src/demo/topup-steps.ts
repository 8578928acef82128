import type { PartnerClient } from '../../clients/typescript/src/index.ts';
import type { DemoPartner } from './companies.ts';
import { DemoError } from './demo-error.ts';
import { refused } from './narrated-client.ts';

/** The sale of every top-up in the demo. */
const sale = { exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' };

export interface DemoTopUp {
  readonly amount: number;
  readonly msisdn: string;
}

/** @throws {DemoError} unless the top-up was delivered at once */
async function delivered<Result extends { readonly status?: 'SUCCESS' | undefined }>(
  partner: DemoPartner,
  title: string,
  call: (topUps: PartnerClient['topUps']) => Promise<Result>,
): Promise<Result> {
  const result = await partner(title, ({ topUps }) => call(topUps));
  if (result.status === 'SUCCESS') return result;
  throw new DemoError(`"${title}": the top-up is still being processed.`);
}

export const sendAirtime = (
  partner: DemoPartner,
  title: string,
  order: DemoTopUp,
  idempotencyKey: string,
) =>
  delivered(partner, title, (topUps) =>
    topUps.sendAirtime({ ...order, ...sale }, { idempotencyKey }),
  );

/**
 * Sends airtime to a number that the provider declines; returns its transactionId for the retry.
 */
export async function sendAirtimeInVain(
  partner: DemoPartner,
  title: string,
  order: DemoTopUp,
): Promise<number> {
  const { failedTopUp } = await refused(partner, title, 424, ({ topUps }) =>
    topUps.sendAirtime({ ...order, ...sale }),
  );
  if (failedTopUp) return failedTopUp.transactionId;
  throw new DemoError(`"${title}": the failed top-up has no number.`);
}

export const sendPackage = (
  partner: DemoPartner,
  title: string,
  order: { readonly productId: number; readonly msisdn: string },
) => delivered(partner, title, (topUps) => topUps.sendPackage({ ...order, ...sale }));

export const retry = (
  partner: DemoPartner,
  title: string,
  request: { readonly transactionId: number; readonly msisdn: string },
) => delivered(partner, title, (topUps) => topUps.retry(request));

/** Retries a delivered top-up, which is refused. */
export const retryInVain = (partner: DemoPartner, title: string, transactionId: number) =>
  refused(partner, title, 409, ({ topUps }) => topUps.retry({ transactionId }));

export const readTopup = (partner: DemoPartner, title: string, transactionId: number) =>
  partner(title, ({ topUps }) => topUps.read(transactionId));
