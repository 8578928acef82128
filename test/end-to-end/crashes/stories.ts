import { randomUUID } from 'node:crypto';
import { findRepair } from '../../../src/db/repairs/repair-lists.ts';
import {
  type Answer,
  codeSentTo,
  merchantClient,
  partnerClient,
  type RawMerchant,
} from '../../support/clients.ts';
import { deposit, makeMerchant, makePartner } from '../../support/companies.ts';
import type { Stack } from '../../support/stack.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { CLAIM, GENERATE, REDEEM } from '../gift/gift-scene.ts';
import { isNumber } from '../privacy/stored-numbers.ts';
import { createRepairDesk } from '../repairs/repair-desk.ts';
import { sale } from '../topups/topup-scene.ts';
import { createClientLog } from './client-log.ts';

/** As much of a stack as clients need; the API may come and go at its address. */
export type StoryTools = Pick<Stack, 'url' | 'config' | 'database' | 'digests'> & {
  readonly sandbox: { readonly url: string };
};

export type Stories = Awaited<ReturnType<typeof createStories>>;
export type StoryName = keyof Stories['stories'];

const MAXIMUM_CLAIMS = 5;

export const inAYear = (): string =>
  new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 10);

/** A claim whose code has come, and who redeems it. */
interface Claimed {
  readonly client: RawMerchant;
  readonly voucherCode: string;
  readonly verificationCode: string;
}

let phones = 0;

/** A number that nobody had before; its last three digits steer the sandbox. */
export function newPhone(suffix: string): string {
  phones += 1;
  return `+25198${String(phones).padStart(4, '0')}${suffix}`;
}

/** A partner and a merchant, logged in, and what their clients do; every request has a key. */
export async function createStories(stack: StoryTools) {
  const log = createClientLog();
  /** What repairs have done that no client was answered. */
  const byRepairs = { reversals: 0, topups: 0 };
  const partner = await makePartner(stack as Stack);
  const merchant = await makeMerchant(stack as Stack);
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '100000', 'airtime');
  const asPartner = await partnerClient(stack as Stack, partner);
  const asMerchant = await merchantClient(stack as Stack, merchant);

  async function generate(payee = merchant) {
    const msisdn = newPhone('000');
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { denominationId: partner.denominations[100], merchantId: payee.id, msisdn };
    const { body: answer } = await log.runOnce('generate', () =>
      asPartner.post(GENERATE, body, headers),
    );
    return { msisdn, voucherCode: String(answer.data.voucher.voucherCode) };
  }

  async function bulk() {
    const headers = { 'Idempotency-Key': randomUUID() };
    const lines = Array.from({ length: 3 }, () => ({
      reference: randomUUID(),
      denominationId: partner.denominations[100],
      merchantId: merchant.id,
      msisdn: newPhone('000'),
    }));
    await log.runOnce('bulk', () => asPartner.post('/vouchers/bulk', { lines }, headers));
  }

  /** Claims until a code has come: a message found in the middle of sending is not sent again. */
  async function claim(payee = { merchant, client: asMerchant }) {
    const { client } = payee;
    const { msisdn, voucherCode } = await generate(payee.merchant);
    for (let claims = 0; claims < MAXIMUM_CLAIMS; claims += 1) {
      const body = { voucherCode, idempotencyKey: randomUUID() };
      await log.runOnce('claim', () => client.post(CLAIM, body));
      const verificationCode = await codeSentTo(stack.sandbox.url, msisdn);
      if (verificationCode) return { client, msisdn, voucherCode, verificationCode };
    }
    throw new Error('No code ever came');
  }

  function redeemClaim({ client, voucherCode, verificationCode }: Claimed) {
    const body = { voucherCode, verificationCode, idempotencyKey: randomUUID() };
    return log.runOnce('redeem', () => client.post(REDEEM, body));
  }

  const redeem = async () => redeemClaim(await claim());

  async function reverse() {
    const { body: paid } = await redeem();
    const reference = paid.data.platformReferenceNumber;
    const found = await log.retried(() => asMerchant.get(`/redemptions?reference=${reference}`));
    const body = { idempotencyKey: randomUUID() };
    await log.runOnce('reverse', () =>
      asMerchant.post(`/redemptions/${found.body.data[0].id}/reverse`, body),
    );
  }

  async function topup(suffix = '000', msisdn = newPhone(suffix)) {
    const body = { amount: 50, msisdn, ...sale };
    const headers = { 'Idempotency-Key': randomUUID() };
    return log.runOnce('topup', () =>
      asPartner.post('/topup-transactions/airtime-topup', body, headers),
    );
  }

  async function retry() {
    const failed = await topup('002');
    const body = { transactionId: failed.body.data.transactionId, msisdn: newPhone('000') };
    const headers = { 'Idempotency-Key': randomUUID() };
    await log.runOnce('retry', () =>
      asPartner.post('/topup-transactions/retry-topup', body, headers),
    );
  }

  const desk = await createRepairDesk(stack);

  /** Asks for a repair as an operator does, and waits for its end. */
  async function repaired(...asked: Parameters<typeof desk.asked>) {
    const { id } = await desk.asked(...asked);
    await log.retried(async () => {
      const row = await findRepair(stack.database, id);
      return { status: row?.state === 'DONE' ? 200 : 404 } as Answer;
    });
  }

  /** One that its first step carries out, and one that runs an operation. */
  async function repair() {
    const id = await voucherOf(await generate());
    await repaired('extend-voucher', id, { until: inAYear() });
    await repaired('cancel-voucher', id);
  }

  const voucherOf = async ({ msisdn }: { readonly msisdn: string }): Promise<number> =>
    (
      await stack.database
        .selectFrom('vouchers')
        .select('id')
        .where(isNumber(stack, 'owner_msisdn', msisdn))
        .executeTakeFirstOrThrow()
    ).id;

  return {
    log,
    byRepairs,
    desk,
    partner,
    merchant,
    generate,
    claim,
    redeemClaim,
    topup,
    voucherOf,
    stories: { generate, bulk, claim, redeem, reverse, topup: topup, retry, repair },
  };
}
