import { randomUUID } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPayloadCodec } from '../../../src/runtime/temporal/payload-codec.ts';
import { expireVouchers } from '../../../workflows/expire-vouchers.ts';
import { generateVoucherId } from '../../../workflows/workflow-ids.ts';
import { merchantClient, newestCode, partnerClient } from '../../support/clients.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { connectRaw, type RawTemporal, rawText } from './raw-history.ts';

const OWNER = '+251923456700';
const AMOUNT = '43.21';

let stack: Stack;
let raw: RawTemporal;

beforeAll(async () => {
  stack = await startStack();
  raw = await connectRaw(stack.config.temporal.temporalAddress);
});
afterAll(async () => {
  await raw?.close();
  await stack?.stop();
});

/** Generates, claims and redeems a voucher; what the workflows did and must not show. */
async function redeemVoucher() {
  const partner = await makePartner(stack);
  const merchant = await makeMerchant(stack);
  const asPartner = await partnerClient(stack, partner);
  const asMerchant = await merchantClient(stack, merchant);
  const { body } = await asPartner.post('/topup-transactions/generate-voucher', {
    denominationId: partner.denominations[100],
    merchantId: merchant.id,
    msisdn: OWNER,
  });
  const voucherCode: string = body.data.voucher.voucherCode;
  await asMerchant.post('/topup-transactions/initiate-claim', {
    voucherCode,
    amount: Number(AMOUNT),
  });
  const verificationCode = await newestCode(stack, OWNER);
  const { body: redeemed } = await asMerchant.post('/topup-transactions/redeem-gift', {
    voucherCode,
    verificationCode,
    msisdn: OWNER,
  });
  expect(redeemed.statusCode).toBe(200);
  return { voucherCode, verificationCode, payoutNumber: merchant.payoutNumber };
}

async function workflowIds(): Promise<[string, string]> {
  const voucher = await stack.database
    .selectFrom('vouchers')
    .innerJoin('voucher_claims', 'voucher_claims.voucher_id', 'vouchers.id')
    .select(['vouchers.operation_id', 'voucher_claims.workflow_id as claimWorkflowId'])
    .executeTakeFirstOrThrow();
  return [generateVoucherId(voucher.operation_id), voucher.claimWorkflowId ?? ''];
}

/** Every payload of a message, decoded with the keys of the stack. */
async function decodedText(message: unknown): Promise<string> {
  const payloads: Payload[] = [];
  const collect = (value: unknown): void => {
    if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return;
    if ('metadata' in value && 'data' in value) payloads.push(value as Payload);
    else for (const inner of Object.values(value)) collect(inner);
  };
  collect(message);
  return rawText(await createPayloadCodec(stack.config.secrets.payloadKeys).decode(payloads));
}

describe('what Temporal stores of a redemption', () => {
  it('holds neither numbers nor codes in clear, and an amount only in its row of a list', async () => {
    const { voucherCode, verificationCode, payoutNumber } = await redeemVoucher();
    const secrets = [OWNER.slice(4), AMOUNT, payoutNumber.slice(4), verificationCode];
    for (const workflowId of await workflowIds()) {
      await stack.temporal.client.workflow.getHandle(workflowId).result();
      // The search attribute Summary, which is stored in clear.
      const row = new RegExp(`"(Voucher|Claim|Payment) of ETB ${AMOUNT}(?=[ ,"])`, 'g');
      const text = (await raw.textOf(workflowId)).replaceAll(row, '');
      for (const secret of [...secrets, voucherCode, voucherCode.replaceAll('-', '')])
        expect(text).not.toContain(secret);
    }
  });

  it('holds numbers and amounts for whoever has the keys', async () => {
    const [generation, redemption] = await workflowIds();
    const historyOf = (workflowId: string) =>
      stack.temporal.client.workflow.getHandle(workflowId).fetchHistory();
    expect(await decodedText(await historyOf(generation))).toContain(OWNER);
    const redeemed = await decodedText(await historyOf(redemption));
    expect(redeemed).toContain(OWNER);
    expect(redeemed).toContain(AMOUNT);
  });
});

describe('what Temporal stores of a failure', () => {
  it('shows neither its message nor its stack trace', async () => {
    const { workflow } = stack.temporal.client;
    const workflowId = `expiry-${randomUUID()}`;
    await sql`alter table operations rename to operations_away`.execute(stack.database);
    const handle = await workflow.start(expireVouchers, {
      workflowId,
      taskQueue: stack.config.temporal.temporalTaskQueue,
    });
    await until(async () => expect(await failureOf(workflowId)).toBeDefined());
    const pending = await failureOf(workflowId);
    await sql`alter table operations_away rename to operations`.execute(stack.database);
    await handle.result();

    const failed = (await handle.fetchHistory()).events
      ?.map((event) => event.activityTaskStartedEventAttributes?.lastFailure)
      .filter((failure) => failure !== null && failure !== undefined);
    expect(failed?.length).toBeGreaterThan(0);
    for (const failure of [pending, ...(failed ?? [])]) {
      expect(failure).toMatchObject({ message: 'Encoded failure', stackTrace: '' });
      expect(await decodedText(failure)).toContain('does not exist');
    }
    const text = await raw.textOf(workflowId);
    expect(text).not.toContain('does not exist');
    expect(text).not.toContain('.ts:');
  });

  /** Of an activity that is being repeated. */
  async function failureOf(workflowId: string) {
    const { raw: description } = await stack.temporal.client.workflow
      .getHandle(workflowId)
      .describe();
    return description.pendingActivities?.[0]?.lastFailure ?? undefined;
  }
});
