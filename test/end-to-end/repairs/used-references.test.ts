import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RepairScene, setRepairScene } from './repair-scene.ts';

/** One receipt of a provider settles one payment, or one top-up. */
let scene: RepairScene;

beforeAll(async () => {
  scene = await setRepairScene({ CALLER_WAIT_SECONDS: '2' });
});
afterAll(() => scene?.stop());

const done = (reference: string) => ({ outcome: 'done', reference });
const newReceipt = () => `RECEIPT ${randomUUID()}`;

async function paymentOnHold() {
  const { gift } = await scene.voucherIn('paying');
  return { gift, id: (await scene.redemptionOf(gift)).id };
}

/** The reference under which the provider itself has paid. */
async function receiptOfPayment(): Promise<string> {
  const { gift } = await scene.voucherIn('redeemed');
  return (await scene.redemptionOf(gift)).provider_reference ?? '';
}

async function receiptOfTopup(): Promise<string> {
  const id = await scene.topupIn('SUCCESS');
  return (await scene.topup(id)).provider_reference ?? '';
}

describe.concurrent.each([
  ['settle-payment', async () => (await paymentOnHold()).id, receiptOfPayment],
  ['settle-top-up', () => scene.topupIn('UNKNOWN'), receiptOfTopup],
] as const)('%s', (kind, onHold, usedReceipt) => {
  it('refuses a reference that is booked already, at the edge and when it is carried out', async () => {
    const [id, used] = await Promise.all([onHold(), usedReceipt()]);
    expect(used).not.toBe('');
    for (const reference of [used, used.toLowerCase(), ` ${used.toUpperCase()} `])
      expect(await scene.ask(kind, id, done(reference))).toMatchObject({
        kind: 'refused',
        refusal: expect.stringContaining('belongs to another payment, reversal or top-up already'),
      });
    const row = await scene.forced(kind, id, done(used));
    expect([row.state, row.result]).toEqual([
      'REFUSED',
      expect.stringContaining('belongs to another payment, reversal or top-up already'),
    ]);
    // What was not done has no receipt: a letter may name several.
    scene.expectDone(await scene.repaired(kind, id, { outcome: 'not-done', reference: used }));
  });

  it('settles one of two that are decided at the same moment under one reference', async () => {
    const ids = await Promise.all([onHold(), onHold()]);
    const reference = newReceipt();
    const rows = await Promise.all(ids.map((id) => scene.forced(kind, id, done(reference))));
    expect(rows.map(({ state }) => state).sort()).toEqual(['DONE', 'REFUSED']);
    await scene.expectInTurn(kind, ids, done(reference));
  });
});

it.concurrent('a reference of another provider is another one', async () => {
  const reference = await receiptOfPayment();
  const { gift, id } = await paymentOnHold();
  await scene.stack.database
    .updateTable('placements')
    .set({ provider: 'mpesa' })
    .where('provider_reference', '=', reference)
    .execute();
  scene.expectDone(await scene.repaired('settle-payment', id, done(reference)));
  expect(await scene.redemptionOf(gift)).toMatchObject({
    status: 'POSTED',
    provider_reference: reference,
  });
});
