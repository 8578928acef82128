import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkWholeBooks } from '../../../src/db/books/check-whole.ts';
import { makeVoucher, redemptions } from '../../admin/movements.ts';
import { type AdminScene, type Catalogue, makeCatalogue, openScene } from '../../admin/scene.ts';
import { untilBooksAreChecked } from './checked-books.ts';

let scene: AdminScene;
let catalogue: Catalogue;

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeCatalogue(scene);
  await scene.json(
    `money deposit --partner ${catalogue.partnerId} --wallet gift --amount 100000000`,
  );
  await make(12);
  await untilBooksAreChecked(scene.database);
});
afterAll(() => scene?.close());

async function make(count: number): Promise<number[]> {
  const made: number[] = [];
  for (let one = 0; one < count; one += 1)
    made.push((await makeVoucher(scene.database, catalogue, { amount: '100' })).id);
  return made;
}

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
    expect(await checkWholeBooks(database, { batchSize: 2 })).toEqual([]);
  isOver = true;
  await running;
});
