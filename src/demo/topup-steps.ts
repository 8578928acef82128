import { z } from 'zod';
import type { DemoCaller } from './caller.js';

/** The sale of every top-up in the demo. */
const sale = { exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' };

const airtimePath = '/topup-transactions/airtime-topup';

export interface DemoTopUp {
  readonly amount: number;
  readonly msisdn: string;
}

const deliveredSchema = z.object({
  data: z.object({
    transactionId: z.number(),
    status: z.literal('SUCCESS'),
    referenceNumber: z.string(),
  }),
});
const failedSchema = z.object({
  data: z.object({ transactionId: z.number(), status: z.literal('FAILED') }),
});
const stateSchema = z.object({
  data: z.object({
    status: z.string(),
    attempts: z.array(z.object({ status: z.string(), message: z.string().nullable() })),
  }),
});

export async function sendAirtime(
  partner: DemoCaller,
  title: string,
  order: DemoTopUp,
  idempotencyKey: string,
) {
  const body = { ...order, ...sale };
  const call = { title, path: airtimePath, body, idempotencyKey, answer: deliveredSchema };
  return (await partner(call)).data;
}

/**
 * Sends airtime to a number that the provider declines; returns its transactionId for the retry.
 */
export async function sendAirtimeInVain(partner: DemoCaller, title: string, order: DemoTopUp) {
  const body = { ...order, ...sale };
  const call = { title, path: airtimePath, body, status: 424, answer: failedSchema };
  return (await partner(call)).data.transactionId;
}

export async function sendPackage(
  partner: DemoCaller,
  title: string,
  order: { readonly productId: number; readonly msisdn: string },
) {
  const path = '/topup-transactions/airtime-package-topup';
  return (await partner({ title, path, body: { ...order, ...sale }, answer: deliveredSchema }))
    .data;
}

export async function retry(
  partner: DemoCaller,
  title: string,
  request: { readonly transactionId: number; readonly msisdn: string },
) {
  const path = '/topup-transactions/retry-topup';
  return (await partner({ title, path, body: request, answer: deliveredSchema })).data;
}

/** Retries a delivered top-up, which is refused. */
export const retryInVain = (partner: DemoCaller, title: string, transactionId: number) =>
  partner({
    title,
    path: '/topup-transactions/retry-topup',
    body: { transactionId },
    status: 409,
    answer: z.object({ success: z.literal(false) }),
  });

export async function readTopup(partner: DemoCaller, title: string, transactionId: number) {
  const path = `/topup-transactions/${transactionId}`;
  return (await partner({ title, path, answer: stateSchema })).data;
}
