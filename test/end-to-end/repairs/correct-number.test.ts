import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findRepair } from '../../../src/db/repairs/repair-lists.ts';
import { call } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { type Gift, newOwner } from '../gift/gift-scene.ts';
import { type RepairScene, setRepairScene } from './repair-scene.ts';

/**
 * The number of an owner is corrected before a code may have gone to it, and always by two people. repairs.test.ts
 * has the states of vouchers that refuse it.
 */
let scene: RepairScene;
let supervisor: number;

beforeAll(async () => {
  scene = await setRepairScene({ CLAIM_LIFETIME_SECONDS: '600', CALLER_WAIT_SECONDS: '2' });
  supervisor = await scene.staff('SUPERVISOR');
});
afterAll(() => scene?.stop());

const ownerOf = ({ id }: Gift) =>
  scene.stack.database
    .selectFrom('vouchers')
    .select('owner_msisdn')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

it('the code goes to the right number, after another person has confirmed it', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant });
  const msisdn = newOwner();
  const row = await scene.asked('correct-number', gift.id, { msisdn });
  expect([row.state, row.needs_confirmation]).toEqual(['ASKED', true]);
  expect(JSON.stringify(row)).not.toContain(msisdn.slice(1));
  expect(await scene.confirm(row.id, supervisor)).toBe(true);
  scene.expectDone(await scene.ended(row.id));
  await scene.redeemed(client, { ...gift, owner: msisdn });
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  const before = `${scene.stack.sandbox.url}/messages?to=${encodeURIComponent(gift.owner ?? '')}`;
  expect((await call(before)).body).toEqual([]);
  const audit = await scene.stack.database.selectFrom('audit_log').selectAll().execute();
  expect(JSON.stringify(audit)).not.toContain(msisdn.slice(1));
});

it.concurrent('a number that the SMS provider refused is corrected after the claim, for no code has gone out', async () => {
  const gift = await scene.gift({ owner: newOwner('002') });
  const refused = await scene.asMerchant.post('/topup-transactions/initiate-claim', {
    voucherCode: gift.voucherCode,
  });
  expect(refused.body.success).toBe(false);
  const owner = newOwner();
  const row = await scene.asked('correct-number', gift.id, { msisdn: owner });
  await scene.confirm(row.id, supervisor);
  scene.expectDone(await scene.ended(row.id));
  await scene.redeemed(scene.asMerchant, { ...gift, owner });
});

it.concurrent('a number whose code may have been sent stays, for it may have reached somebody', async () => {
  // The provider takes the message, and breaks off before it says so.
  const gift = await scene.gift({ owner: newOwner('008') });
  await scene.asMerchant.post('/topup-transactions/initiate-claim', {
    voucherCode: gift.voucherCode,
  });
  const { current_claim_id: claimId } = await scene.voucher(gift);
  if (claimId !== null) scene.expectDone(await scene.repaired('cancel-claim', gift.id));
  const asked = await scene.ask('correct-number', gift.id, { msisdn: newOwner() });
  expect(asked).toMatchObject({ refusal: expect.stringContaining('cancel the voucher') });
});

it.concurrent('a number that the code was sent to once more stays, whatever became of its first message', async () => {
  const { gift } = await scene.voucherIn('claimed');
  const { database } = scene.stack;
  const { current_claim_id: claimId } = await scene.voucher(gift);
  await database
    .updateTable('messages')
    .set({ created_at: sql<Date>`created_at - interval '10 minutes'` })
    .where('claim_id', '=', claimId)
    .execute();
  scene.expectDone(await scene.repaired('resend-message', gift.id));
  // As a worker records it that was taken for dead.
  await database
    .updateTable('messages')
    .set({ status: 'REFUSED' })
    .where('claim_id', '=', claimId)
    .execute();
  scene.expectDone(await scene.repaired('cancel-claim', gift.id));
  const asked = await scene.ask('correct-number', gift.id, { msisdn: newOwner() });
  expect(asked).toMatchObject({ refusal: expect.stringContaining('cancel the voucher') });
});

it.concurrent('the step that acts wants the second person, and a number that gets messages', async () => {
  const gift = await scene.gift();
  const before = await ownerOf(gift);
  const abroad = await scene.forced('correct-number', gift.id, { msisdn: '+14155552671' });
  expect(abroad).toMatchObject({ state: 'REFUSED', result: expect.stringContaining('country') });
  const row = await scene.written('correct-number', gift.id, { msisdn: newOwner() });
  await until(async () =>
    expect((await findRepair(scene.stack.database, row.id))?.state).toBe('ASKED'),
  );
  expect(await ownerOf(gift)).toEqual(before);
});

it.concurrent('refuses the number that the voucher has already: nobody is asked to confirm it', async () => {
  const gift = await scene.gift();
  const msisdn = gift.owner ?? '';
  const refusal = expect.stringContaining('has this number already');
  for (const written of [msisdn, `0${msisdn.slice(4)}`])
    expect(await scene.ask('correct-number', gift.id, { msisdn: written })).toEqual({
      kind: 'refused',
      refusal,
    });
  expect(await scene.forced('correct-number', gift.id, { msisdn })).toMatchObject({
    state: 'REFUSED',
    result: refusal,
  });
});

it.concurrent('refuses when a claim came first, and a number that gets no messages', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant });
  const row = await scene.asked('correct-number', gift.id, { msisdn: newOwner() });
  await scene.claimed(client, gift);
  await scene.confirm(row.id, supervisor);
  expect(await scene.ended(row.id)).toMatchObject({
    state: 'REFUSED',
    result: expect.stringContaining('claimed'),
  });
  await scene.redeemed(client, gift);
  const abroad = await scene.ask('correct-number', (await scene.gift()).id, {
    msisdn: '+14155552671',
  });
  expect(abroad).toMatchObject({ kind: 'refused', refusal: expect.stringContaining('country') });
});
