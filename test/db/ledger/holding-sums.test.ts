import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkWholeBooks } from '../../../src/db/books/check-whole.ts';
import { inSnapshot } from '../../../src/db/books/checkpoints.ts';
import { addUpHoldings, holdingsIn } from '../../../src/db/books/sums.ts';
import { cancel, makeVoucher, redemptions } from '../../admin/movements.ts';
import { type AdminScene, type Catalogue, makeCatalogue, openScene } from '../../admin/scene.ts';
import { untilBooksAreChecked } from './checked-books.ts';

/** What vouchers hold is added up in blocks, while they change. */
let scene: AdminScene;
let catalogue: Catalogue;
let vouchers: number[];

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeCatalogue(scene);
  await scene.json(`deposit --partner ${catalogue.partnerId} --wallet gift --amount 100000000`);
  vouchers = await make(12);
  await untilBooksAreChecked(scene.database);
});
afterAll(() => scene?.close());

async function make(count: number): Promise<number[]> {
  const made: number[] = [];
  for (let one = 0; one < count; one += 1)
    made.push((await makeVoucher(scene.database, catalogue, { amount: '100' })).id);
  return made;
}

const SIZE = 2;

test('what changed after its block was added up is read again, and new vouchers with it', async () => {
  const { database } = scene;
  const sums = await addUpHoldings(database, SIZE, () => {});
  expect(sums.blocks.size).toBeGreaterThanOrEqual(vouchers.length / SIZE);
  const [cancelled = 0, paid = 0, held = 0] = vouchers;
  const redeem = redemptions(database, catalogue);
  await cancel(database, cancelled);
  await redeem.post(await redeem.hold(paid, '30'));
  await redeem.hold(held, '20');
  await make(1);
  await inSnapshot(database, async (snapshot) => {
    const { rows } = await sql<{ remaining: string; held: string }>`
      select sum(remaining)::text as remaining, sum(held)::text as held
      from (${await holdingsIn(snapshot, sums)}) as holdings`.execute(snapshot);
    const { rows: whole } = await sql`
      select sum(remaining)::text as remaining, sum(held)::text as held from vouchers
    `.execute(snapshot);
    expect(rows).toEqual(whole);
  });
});

test('the whole check finds no fault while vouchers change', async () => {
  const { database } = scene;
  let isOver = false;
  const redeem = redemptions(database, catalogue);
  const traffic = async () => {
    while (!isOver) {
      const [first = 0, second = 0] = await make(2);
      await redeem.post(await redeem.hold(first, '10'));
      await redeem.void(await redeem.hold(second, '10'));
    }
  };
  const running = traffic();
  for (let round = 0; round < 3; round += 1)
    expect(await checkWholeBooks(database, { batchSize: SIZE })).toEqual([]);
  isOver = true;
  await running;
});
