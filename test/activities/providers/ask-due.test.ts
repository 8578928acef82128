import { afterAll, beforeAll, expect, it } from 'vitest';
import { noteOpen } from '../../../src/db/positions/sendings.ts';
import { redemptionPayment } from '../../../src/db/vouchers/redemptions.ts';
import { askNow, observe, placementsOf } from '../../positions/placements.ts';
import { inAttempt, openTwoProviders, type TwoProviders } from './two-providers.ts';

let two: TwoProviders;
beforeAll(async () => {
  two = await openTwoProviders();
});
afterAll(() => two?.scene.close());

const ask = (signal: AbortSignal) =>
  inAttempt(1, () => two.activities().askDue(), undefined, signal);

it('leaves what is due to the next worker where its own worker stops', async () => {
  const operationId = await two.hold();
  const [placement] = await placementsOf(two.scene.database, operationId);
  await askNow(two.scene.database, placement?.reference ?? '');
  expect(await ask(AbortSignal.abort())).toEqual({ asked: 0, isMore: true });
  expect(two.inquiries).toEqual([]);
  expect(await ask(new AbortController().signal)).toEqual({ asked: 1, isMore: false });
  expect(two.inquiries).toHaveLength(1);
});

it.each([
  ['under an id that was known', { noted: 'request-7' }, 'request-7'],
  ['under an id of the statement', { listed: 'T1' }, 'T1'],
  ['under an id of the statement after another', { noted: 'request-7', listed: 'T1' }, 'request-7'],
  ['under an id that an inquiry tells', { found: 'request-9' }, 'request-9'],
  ['under our reference', {}, undefined],
] as readonly (readonly [
  string,
  { readonly noted?: string; readonly listed?: string; readonly found?: string },
  string | undefined,
])[])(
  'an order that a statement lists as under way %s is not called unseen',
  async (_, ids, id) => {
    const { database } = two.scene;
    const operationId = await two.hold();
    const [placement] = await placementsOf(database, operationId);
    if (!placement) throw new Error('The payment was never placed');
    const open = { kind: 'unknown', message: 'under way' } as const;
    if (ids.noted !== undefined)
      await noteOpen(database, placement, { ...open, takenAs: ids.noted });
    const listed = { ...(ids.listed !== undefined && { providerReference: ids.listed }) };
    await database
      .transaction()
      .execute((transaction) =>
        observe(transaction, operationId, { said: 'pending', source: 'statement', ...listed }),
      );
    if (ids.found !== undefined) {
      two.found.first = { ...open, takenAs: ids.found };
      await askNow(database, placement.reference);
      await ask(new AbortController().signal);
    }
    two.found.first = { kind: 'never-seen' };
    await askNow(database, placement.reference);
    await ask(new AbortController().signal);
    expect(await placementsOf(database, operationId)).toMatchObject([{ said: 'pending' }]);
    const askedBy = id ?? placement.reference;
    expect(two.known).toBe(askedBy);
    expect(await redemptionPayment(database, operationId)).toMatchObject({ takenAs: askedBy });
  },
);
