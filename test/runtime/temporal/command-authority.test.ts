import { randomBytes, randomUUID } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/domain/vouchers/voucher.ts';
import { workflowTiming } from '../../../src/runtime/temporal/workflow-timing.ts';
import { generateVoucherId } from '../../../workflows/workflow-ids.ts';
import { idOf, setTopupScene, type TopupScene } from '../../end-to-end/topups/topup-scene.ts';
import { partnerClient } from '../../support/clients.ts';
import { makeMerchant, type TestMerchant } from '../../support/companies.ts';
import { recordedTopup } from '../../support/topups.ts';

/**
 * Commands that are encrypted by the service, but have no authority that holds: new money needs one,
 * whatever the workflow's input says.
 */
let scene: TopupScene;
let merchant: TestMerchant;

beforeAll(async () => {
  scene = await setTopupScene({ SUPPORT_RETRY_SIGNAL: 'off' });
  merchant = await makeMerchant(scene.stack);
});
afterAll(() => scene?.stack.stop());

const requestOf = (company: Caller) => ({
  operationId: randomBytes(16).toString('hex'),
  requestId: randomUUID(),
  requestDigest: randomUUID(),
  company,
});

const generationOf = (request: ReturnType<typeof requestOf>) => ({
  ...request,
  denominationId: scene.partner.denominations[100],
  merchant: { id: merchant.id },
  ownerMsisdn: null,
  isRestricted: false,
  sale: {
    exchangeRate: null,
    currency: null,
    originatingCountry: null,
    foreignCurrencyAmount: null,
  },
});

async function started(type: string, input: unknown): Promise<unknown> {
  const { temporal, config } = scene.stack;
  return temporal.client.workflow.execute(type, {
    taskQueue: config.temporal.temporalTaskQueue,
    workflowId: randomUUID(),
    args: [input],
  });
}

const balances = () =>
  scene.stack.database
    .selectFrom('ledger_accounts')
    .select(['id', 'balance'])
    .orderBy('id')
    .execute();

async function voucherOf(msisdn: string | null) {
  const asPartner = await partnerClient(scene.stack, scene.partner);
  const { body } = await asPartner.post('/topup-transactions/generate-voucher', {
    denominationId: scene.partner.denominations[100],
    merchantId: merchant.id,
    msisdn,
    isRestricted: false,
  });
  return Number(body.data.voucher.id);
}

const authorities: [string, Pick<Caller, 'credential'>][] = [
  ['none, as an input from before it was asked for, or a resumption', {}],
  ['a key that never was', { credential: { apiKeyId: 2_000_000_000, tokenVersion: 1 } }],
  ['a token of before', { credential: { apiKeyId: 1, tokenVersion: 77 } }],
  ["an operator's signal", { credential: { operatorSignal: 'retry' } }],
];

describe.each(authorities)('by the authority: %s', (_name, authority) => {
  it('no voucher is generated', async () => {
    const before = await balances();
    const request = requestOf({ kind: 'partner', id: scene.partner.id, ...authority });
    const outcome = await started('generateVoucher', generationOf(request));
    expect(outcome).toMatchObject({ result: { ok: false, reason: 'token-invalid' } });
    expect(await balances()).toEqual(before);
  });

  it('no voucher is cancelled', async () => {
    const voucherId = await voucherOf(null);
    const before = await balances();
    const outcome = await started('cancelVoucher', {
      ...requestOf({ kind: 'partner', id: scene.partner.id, ...authority }),
      voucherId,
    });
    expect(outcome).toMatchObject({ result: { ok: false, reason: 'token-invalid' } });
    expect(await balances()).toEqual(before);
  });

  it('nothing is redeemed or claimed', async () => {
    const voucherId = await voucherOf(null);
    const claimable = await voucherOf('+251911000050');
    const before = await balances();
    const timing = workflowTiming(scene.stack.config);
    const redeem = {
      ...requestOf({ kind: 'merchant', id: merchant.id, ...authority }),
      voucherId,
      hasKey: true,
      merchantId: null,
      amount: null,
      verificationCodeDigest: null,
      msisdn: null,
    };
    expect(await started('redeemVoucher', { begin: { kind: 'redeem', redeem }, timing })).toEqual({
      ended: 'refused',
    });
    const claim = {
      ...requestOf({ kind: 'merchant', id: merchant.id, ...authority }),
      voucherId: claimable,
      amount: null,
    };
    expect(await started('redeemVoucher', { begin: { kind: 'claim', claim }, timing })).toEqual({
      ended: 'refused',
    });
    expect(await balances()).toEqual(before);
    const { status } = await scene.stack.database
      .selectFrom('vouchers')
      .select('status')
      .where('id', '=', claimable)
      .executeTakeFirstOrThrow();
    expect(status).toBe('ACTIVE');
  });

  it('nothing is topped up', async () => {
    const request = requestOf({ kind: 'partner', id: scene.partner.id, ...authority });
    const topup = { partnerId: scene.partner.id, amount: '50', msisdn: scene.number('000') };
    const transactionId = await recordedTopup(scene.stack.api.services, request, topup);
    const before = await balances();
    const command = { ...request, transactionId };
    const input = {
      begin: { kind: 'create', command },
      timing: workflowTiming(scene.stack.config),
    };
    expect(await started('topup', input)).toEqual({ ended: 'refused', attempts: 0 });
    expect(await balances()).toEqual(before);
  });
});

it.each(['generateVoucher', 'cancelVoucher', 'resendMessage', 'topup'])(
  'the key of a merchant begins no %s for the partner that has its number',
  async (type) => {
    expect(merchant.id).toBe(scene.partner.id);
    const { id: apiKeyId, token_version: tokenVersion } = await scene.stack.database
      .selectFrom('api_keys')
      .innerJoin('merchants', 'merchants.id', 'merchant_id')
      .select(['api_keys.id', 'token_version'])
      .where('merchant_id', '=', merchant.id)
      .executeTakeFirstOrThrow();
    const credential = { apiKeyId, tokenVersion };
    const request = requestOf({ kind: 'merchant', id: merchant.id, credential });
    const topup = { partnerId: scene.partner.id, amount: '50', msisdn: scene.number('000') };
    const input =
      type === 'topup'
        ? {
            begin: {
              kind: 'create',
              command: {
                ...request,
                transactionId: await recordedTopup(scene.stack.api.services, request, topup),
              },
            },
            timing: workflowTiming(scene.stack.config),
          }
        : { ...generationOf(request), voucherId: await voucherOf(null) };
    const before = await balances();
    expect(await started(type, input)).toMatchObject(
      type === 'topup'
        ? { ended: 'refused', attempts: 0 }
        : { result: { ok: false, reason: 'token-invalid' } },
    );
    expect(await balances()).toEqual(before);
  },
);

it('the signal for one more attempt can be switched off', async () => {
  const id = await scene.failedTopup();
  const before = await balances();
  const handle = await scene.workflowOf(id);
  await handle.signal('retry');
  await expect
    .poll(async () => JSON.stringify(await handle.query('__temporal_workflow_metadata')))
    .toContain('SUPPORT_RETRY_SIGNAL');
  expect(await balances()).toEqual(before);
  expect((await scene.show(id)).attempts).toHaveLength(1);
  expect((await scene.retry(id, scene.number('000'))).status).toBe(200);
});

describe('an encrypted input that comes to its own workflow again', () => {
  async function startedWithInputOf(workflowId: string, type: string): Promise<unknown> {
    const { temporal, config } = scene.stack;
    const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
    const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input;
    const payloads = (input?.payloads ?? []) as Payload[];
    expect(payloads).toHaveLength(1);
    await temporal.connection.workflowService.startWorkflowExecution({
      namespace: temporal.namespace,
      workflowId,
      workflowType: { name: type },
      taskQueue: { name: config.temporal.temporalTaskQueue },
      input: { payloads },
      requestId: randomUUID(),
    });
    return temporal.client.workflow.getHandle(workflowId).result();
  }

  it('generates no second voucher', async () => {
    const voucherId = await voucherOf(null);
    const { operation_id } = await scene.stack.database
      .selectFrom('vouchers')
      .select('operation_id')
      .where('id', '=', voucherId)
      .executeTakeFirstOrThrow();
    const before = await balances();
    const outcome = await startedWithInputOf(generateVoucherId(operation_id), 'generateVoucher');
    expect(outcome).toMatchObject({ result: { ok: true, voucherId } });
    expect(await balances()).toEqual(before);
  });

  it('tops up no second time', async () => {
    const number = scene.number('000');
    const id = idOf(await scene.topup(number));
    const before = await balances();
    const outcome = await startedWithInputOf(await scene.workflowIdOf(id), 'topup');
    expect(outcome).toMatchObject({ ended: 'delivered' });
    expect(await balances()).toEqual(before);
    expect(await scene.delivered(number)).toHaveLength(1);
  });
});
