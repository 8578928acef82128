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

interface RedeemRequest {
  readonly voucherCode: string;
  /** Absent for an anonymous voucher. */
  readonly verificationCode?: string;
}

/** Sends a mistyped code; the merchant is refused (4035) and no money moves. */
export const redeemWithWrongCode = (
  merchant: DemoMerchant,
  title: string,
  request: RedeemRequest & { readonly verificationCode: string },
  idempotencyKey: string,
) => {
  const { verificationCode: code } = request;
  const lastDigit = (Number(code.slice(-1)) + 1) % 10;
  const mistyped = { ...request, verificationCode: `${code.slice(0, -1)}${lastDigit}` };
  return refused(merchant, title, 4035, ({ vouchers }) =>
    vouchers.redeem(mistyped, { idempotencyKey }),
  );
};

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
const sale = { exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' };

interface DemoTopUp {
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

/** One of the operator's commands. */
interface OperatorStep<Answer extends ZodType> {
  /** A sentence about the step. */
  readonly title: string;
  readonly words: readonly string[];
  /** The part of the command's JSON that the story needs. */
  readonly answer: Answer;
}

/** @throws {DemoError} when the command fails, or its output is unexpected */
type DemoOperator = <Answer extends ZodType>(
  step: OperatorStep<Answer>,
) => Promise<z.output<Answer>>;

/** Runs a command of `npm run admin` and writes its output to the transcript. */
const run =
  (transcript: Transcript) =>
  async ({ title, words }: Omit<OperatorStep<ZodType>, 'answer'>): Promise<void> =>
    transcript.ran({ title, command: commandOf(words), output: await outputOf(words) });

/** The same for a command that changes something. */
export const createOperatorChange =
  (transcript: Transcript): ReturnType<typeof run> =>
  ({ title, words }) =>
    // The audit log records who changed what, and may not be told by the account of the machine.
    run(transcript)({ title, words: [...words, '--actor', 'demo'] });

const commandOf = (words: readonly string[]): string => `npm run admin -- ${words.join(' ')}`;

/** The same for a command that only looks; it is run once more for its JSON. */
export const createOperator =
  (transcript: Transcript): DemoOperator =>
  async ({ title, words, answer }) => {
    await run(transcript)({ title, words });
    const read = answer.safeParse(JSON.parse(await outputOf([...words, '--json'])));
    if (read.success) return read.data;
    throw new DemoError(`"${commandOf(words)}" has an unexpected output.`);
  };

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
