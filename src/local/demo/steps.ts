import { decodeJwt } from 'jose';
import type { ZodType, z } from 'zod';
import { MerchantClient, PartnerClient } from '../../../clients/typescript/src/index.ts';
import { runAdmin } from '../../admin/run-admin.ts';
import type { DemoFile } from '../start/demo-data.ts';
import {
  DemoError,
  moneyOf,
  type Narrated,
  narratedClient,
  refused,
  type Transcript,
} from './narration.ts';

export type DemoPartner = Narrated<PartnerClient>;
export type DemoMerchant = Narrated<MerchantClient>;

/** The demo partner, which logs in at once; its token names it. */
export async function logPartnerIn(
  { partner: access }: DemoFile,
  transcript: Transcript,
): Promise<{ readonly partner: DemoPartner; readonly partnerId: string }> {
  const partner = narratedClient(
    transcript,
    { ...access, company: 'partner' },
    (settings) => new PartnerClient(settings),
  );
  const token = await partner('The log-in', (client) => client.accessToken());
  return { partner, partnerId: String(decodeJwt(token).sub) };
}

/** The demo merchant: its client logs in at the first call, and signs. */
export const createMerchant = (
  { merchant: { privateKeyPem: privateKey, ...access } }: DemoFile,
  transcript: Transcript,
): DemoMerchant =>
  narratedClient(
    transcript,
    { ...access, company: 'merchant' },
    (settings) => new MerchantClient({ ...settings, privateKey }),
  );

export const claimWhole = (merchant: DemoMerchant, title: string, voucherCode: string) =>
  merchant(title, ({ vouchers }) =>
    vouchers.initiateClaim({ voucherCode, metadata: '{"till":7}' }),
  );

export async function readVoucher(merchant: DemoMerchant, title: string, voucherCode: string) {
  const { voucher, serviceFee } = await merchant(title, ({ vouchers }) =>
    vouchers.read(voucherCode),
  );
  return {
    status: voucher.status,
    remaining: moneyOf(voucher.remainingBalance),
    serviceFee: moneyOf(serviceFee),
  };
}

export async function readBalances(partner: DemoPartner, title: string) {
  const balances = await partner(title, (client) => client.readBalances());
  return {
    gift: moneyOf(balances.eMoneyWalletBalance),
    reserved: moneyOf(balances.reservedBalance),
    airtime: moneyOf(balances.walletBalance),
  };
}

/**
 * Calls the test endpoint, reads denominations and merchants, and sets a price; returns the
 * denominations.
 */
export async function prepareSale(partner: DemoPartner, merchantId: number) {
  await partner('It checks its configuration: key, address and token are in order.', (client) =>
    client.checkAccess(),
  );
  const { items } = await partner('It lists the amounts of gifts.', ({ denominations }) =>
    denominations.list().firstPage(),
  );
  await partner('It lists the merchants where gifts can be redeemed.', ({ merchants }) =>
    merchants.list({ page: 1, limit: 2 }).firstPage(),
  );
  const denominationOf = (amountEtb: number): number => {
    const found = items.find((one) => one.status === 'ACTIVE' && one.amountEtb === amountEtb);
    if (!found) throw new DemoError(`There is no active denomination of ${amountEtb} ETB.`);
    return found.id;
  };
  const price = { denominationId: denominationOf(500), sellingPriceUsd: '4.75', merchantId };
  await partner(
    'It sets its selling price of a gift of 500 ETB at this merchant, in USD.',
    ({ prices }) => prices.set(price),
  );
  return denominationOf;
}

/** The sale of every top-up in the demo. */
export const sale = { exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' };

interface DemoTopup {
  readonly amount: number;
  readonly msisdn: string;
}

/** @throws {DemoError} unless the top-up was delivered at once */
export async function delivered<Result extends { readonly status?: 'SUCCESS' | undefined }>(
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
  order: DemoTopup,
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
  order: DemoTopup,
): Promise<number> {
  const { failedTopUp } = await refused(partner, title, 424, ({ topUps }) =>
    topUps.sendAirtime({ ...order, ...sale }),
  );
  if (failedTopUp) return failedTopUp.transactionId;
  throw new DemoError(`"${title}": the failed top-up has no number.`);
}

/** One of the operator's commands. */
interface OperatorStep {
  /** A sentence about the step. */
  readonly title: string;
  readonly words: readonly string[];
}

/** Runs commands of `npm run admin` and writes them with their output to the transcript. */
export function createOperator(transcript: Transcript) {
  const run = async ({ title, words }: OperatorStep): Promise<void> =>
    transcript.ran(title, commandOf(words), await outputOf(words));
  return {
    /** The audit log records who changed what, and may not be told by the account of the machine. */
    change: ({ title, words }: OperatorStep) =>
      run({ title, words: [...words, '--actor', 'demo'] }),
    /**
     * Runs a command that only looks, and runs it once more for the part of its JSON that the story needs.
     *
     * @throws {DemoError} when the command fails, or its output is unexpected
     */
    async look<Answer extends ZodType>(
      step: OperatorStep & { readonly answer: Answer },
    ): Promise<z.output<Answer>> {
      await run(step);
      const read = step.answer.safeParse(JSON.parse(await outputOf([...step.words, '--json'])));
      if (read.success) return read.data;
      throw new DemoError(`"${commandOf(step.words)}" has an unexpected output.`);
    },
  };
}

const commandOf = (words: readonly string[]): string => `npm run admin -- ${words.join(' ')}`;

async function outputOf(words: readonly string[]): Promise<string> {
  let out = '';
  let err = '';
  const exitCode = await runAdmin(words, {
    out: { write: (text) => (out += text) },
    err: { write: (text) => (err += text) },
  });
  if (exitCode === 0) return out.trimEnd();
  throw new DemoError(`The operator's command line fails: ${(err || out).trim()}`);
}
