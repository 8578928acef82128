import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  isFinal,
  type Operation,
  type Reason,
  type Surface,
} from '../../../src/domain/refusals.ts';
import type { Answer } from '../../support/clients.ts';
import { expectDeclared, expectRefusal, specified, testRegister } from '../bad-input/refusals.ts';
import type { SpecifiedError } from '../bad-input/specified-errors.ts';
import { giftFaults } from '../gift/gift-faults.ts';
import {
  CLAIM,
  type Client,
  done,
  GENERATE,
  type Gift,
  newOwner,
  REDEEM,
} from '../gift/gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.ts';

/**
 * The rows of the specification's tables that need a broken database or ledger: each is
 * reached by breaking exactly that, nothing is moved by it, and the same request with the same key is
 * carried out once the fault is gone.
 */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene();
});
afterAll(() => scene?.stop());

/** The request with its key, as often as it is called. */
async function requestFor(operation: Operation, client: Client, gift: Gift) {
  const idempotencyKey = randomUUID();
  const headers = { 'Idempotency-Key': idempotencyKey };
  const post = (path: string, body: object) => () =>
    client.post(path, { ...body, idempotencyKey }, headers);
  const { voucherCode } = gift;
  if (operation === 'initiate-claim') return post(CLAIM, { voucherCode });
  if (operation === 'generate-voucher')
    return post(GENERATE, {
      denominationId: scene.partner.denominations[100],
      merchantId: scene.merchant.id,
      msisdn: null,
    });
  return gift.owner === null
    ? post(REDEEM, { voucherCode, msisdn: newOwner() })
    : post(REDEEM, { voucherCode, verificationCode: await scene.claimed(client, gift) });
}

/** Everything that a request can leave behind; the test's own transfers have the step `fault`. */
async function traces() {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from operations) as operations,
      (select count(*) from voucher_claims) as claims, (select count(*) from messages) as messages,
      (select count(*) from redemptions) as redemptions,
      (select count(*) from ledger_transfers where step <> 'fault') as transfers,
      (select count(*) from verification_attempts) as attempts,
      (select count(*) from vouchers where current_claim_id is not null) as claimed
  `.execute(scene.stack.database);
  const { accounts, ...rest } = await scene.holdings();
  const balances = accounts.map((account) => Object.values(account as object).map(Number));
  return { ...rest, ...rows[0], operations: rows[0]?.operations ?? 0, balances };
}

/** What the tables of the specification do not list. */
const beyondTheTables = {
  partner: { 'balance-insufficient': 403, 'message-not-queued': 503 },
  merchant: { 'service-fee-missing': 5001, 'message-not-queued': 5003 },
} as const satisfies Record<Surface, Partial<Record<Reason, number>>>;

function statusCodeFor(surface: Surface, operation: Operation, reason: Reason): number {
  const codes: Partial<Record<Reason, number>> = beyondTheTables[surface];
  return specified(surface, { operation, reason })?.statusCode ?? codes[reason] ?? 500;
}

describe.each(['partner', 'merchant'] as const)('on the %s API', (surface) => {
  const reached = new Set<SpecifiedError>();
  const faults = giftFaults.filter(
    ([operation]) => surface === 'partner' || operation !== 'generate-voucher',
  );

  test.each(faults)('%s: %s, %s', async (operation, reason, _what, breakIt) => {
    const client = surface === 'partner' ? scene.asPartner : scene.asMerchant;
    // The fee of an owned voucher is frozen at its claim, so only an anonymous one misses it.
    const gift = await scene.gift(reason === 'service-fee-missing' ? { owner: null } : {});
    const send = await requestFor(operation, client, gift);
    const whole = await traces();
    const mend = await breakIt(scene, gift);
    let answer: Answer;
    try {
      answer = await send();
    } finally {
      await mend();
    }
    const row = specified(surface, { operation, reason });
    expectRefusal(answer, surface, statusCodeFor(surface, operation, reason), { reason });
    expectDeclared(surface, { operation, reason });
    // That nothing is left of it is a verdict on the voucher: the answer of this request from now on.
    const kept = isFinal({ ok: false, reason }) ? 1 : 0;
    expect(await traces()).toEqual({ ...whole, operations: whole.operations + kept });
    if (row) reached.add(row);

    const again = await send();
    expect(again.headers.get('Idempotent-Replayed')).toBe(kept ? 'true' : null);
    if (kept) expect(again.body).toEqual(answer.body);
    else done(again);
  });

  if (surface === 'merchant') testRegister(surface, 'broken-database', reached);
});
