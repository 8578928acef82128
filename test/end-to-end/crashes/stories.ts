import { randomUUID } from 'node:crypto';
import { createSecretBox } from '../../../src/crypto/secret-box.js';
import { findRepair } from '../../../src/db/repairs/repair-lists.js';
import { askRepair } from '../../../src/repairs/ask-repair.js';
import { findRepairKind } from '../../../src/repairs/repair-kinds.js';
import { repairLimits } from '../../../src/repairs/repair-limits.js';
import { type Answer, merchantClient, partnerClient } from '../../support/clients.js';
import { deposit, makeMerchant, makePartner } from '../../support/companies.js';
import type { Stack } from '../../support/stack.js';
import { makeTopupProducts } from '../../support/topups.js';
import { CLAIM, GENERATE, REDEEM } from '../gift/gift-scene.js';
import { isNumber } from '../privacy/stored-numbers.js';
import { sale } from '../topups/topup-scene.js';
import { createClientLog, receivedCode } from './client-log.js';

/** As much of a stack as clients need; the API may come and go at its address. */
export type StoryTools = Pick<Stack, 'url' | 'config' | 'database' | 'digests'> & {
  readonly sandbox: { readonly url: string };
};

export type Stories = Awaited<ReturnType<typeof createStories>>;
export type StoryName = keyof Stories['stories'];

const MAXIMUM_CLAIMS = 5;

let phones = 0;

/** A number that nobody had before; its last three digits steer the sandbox. */
function newPhone(suffix: string): string {
  phones += 1;
  return `+25198${String(phones).padStart(4, '0')}${suffix}`;
}

/** A partner and a merchant, logged in, and what their clients do; every request has a key. */
export async function createStories(stack: StoryTools) {
  const log = createClientLog();
  const partner = await makePartner(stack as Stack);
  const merchant = await makeMerchant(stack as Stack);
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '100000', 'airtime');
  const asPartner = await partnerClient(stack as Stack, partner);
  const asMerchant = await merchantClient(stack as Stack, merchant);

  async function generate() {
    const msisdn = newPhone('000');
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { denominationId: partner.denominations[100], merchantId: merchant.id, msisdn };
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
  async function claim() {
    const { msisdn, voucherCode } = await generate();
    for (let claims = 0; claims < MAXIMUM_CLAIMS; claims += 1) {
      const body = { voucherCode, idempotencyKey: randomUUID() };
      await log.runOnce('claim', () => asMerchant.post(CLAIM, body));
      const verificationCode = await receivedCode(stack.sandbox.url, msisdn);
      if (verificationCode) return { voucherCode, verificationCode };
    }
    throw new Error('No code ever came');
  }

  function redeemClaim(claimed: { voucherCode: string; verificationCode: string }) {
    const body = { ...claimed, idempotencyKey: randomUUID() };
    return log.runOnce('redeem', () => asMerchant.post(REDEEM, body));
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

  async function topUp(suffix = '000') {
    const body = { amount: 50, msisdn: newPhone(suffix), ...sale };
    const headers = { 'Idempotency-Key': randomUUID() };
    return log.runOnce('topup', () =>
      asPartner.post('/topup-transactions/airtime-topup', body, headers),
    );
  }

  async function retry() {
    const failed = await topUp('002');
    const body = { transactionId: failed.body.data.transactionId, msisdn: newPhone('000') };
    const headers = { 'Idempotency-Key': randomUUID() };
    await log.runOnce('retry', () =>
      asPartner.post('/topup-transactions/retry-topup', body, headers),
    );
  }

  const secretBox = createSecretBox(stack.config.DATA_KEYS);

  /** Asks for a repair as an operator does, and waits for its end. */
  async function repaired(name: string, subjectId: number, args: Record<string, string> = {}) {
    const kind = findRepairKind(name);
    if (!kind) throw new Error(`There is no repair ${name}`);
    const wanted = { kind, subjectId: String(subjectId), args: kind.fields.parse(args) };
    const asked = await stack.database
      .transaction()
      .execute((transaction) =>
        askRepair(
          transaction,
          { ...wanted, why: 'Ticket', actor: 'operator', requestKey: randomUUID() },
          { limits: repairLimits(stack.config), secretBox: () => secretBox },
        ),
      );
    if (asked.kind === 'refused') throw new Error(asked.refusal);
    const { id } = asked.row;
    await log.retried(async () => {
      const row = await findRepair(stack.database, id);
      return { status: row?.state === 'DONE' ? 200 : 404 } as Answer;
    });
  }

  /** One that its first step carries out, and one that runs an operation. */
  async function repair() {
    const { msisdn } = await generate();
    const { id } = await stack.database
      .selectFrom('vouchers')
      .select('id')
      .where(isNumber(stack, 'owner_msisdn', msisdn))
      .executeTakeFirstOrThrow();
    const until = new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 10);
    await repaired('extend-voucher', id, { until });
    await repaired('cancel-voucher', id);
  }

  return {
    log,
    partner,
    merchant,
    redeemClaim,
    stories: { generate, bulk, claim, redeem, reverse, topup: topUp, retry, repair },
  };
}
