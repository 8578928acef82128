import { afterAll, beforeAll, expect, it } from 'vitest';
import { askNow, placementsOf } from '../../positions/placements.ts';
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
