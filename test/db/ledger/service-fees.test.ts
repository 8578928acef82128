import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { restart } from '../../../src/db/books/rollup.ts';
import { ledgerSums } from '../../../src/db/books/sums.ts';
import { addTransfers, serviceFeesBalance } from '../../../src/db/ledger/ledger.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import { type AdminScene, openScene } from '../../admin/scene.ts';
import { untilBooksAreChecked } from './checked-books.ts';

/** The balance of the service fees is exact, whatever the check of the books has added up. */
let scene: AdminScene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

const move = (debit: 'funding' | 'service-fees', credit: 'funding' | 'service-fees', etb: string) =>
  scene.database.transaction().execute((transaction) =>
    addTransfers(transaction, [
      {
        operationId: randomUUID(),
        partnerId: 0,
        step: 'correction',
        debit,
        credit,
        amount: parseMoney(etb),
      },
    ]),
  );

it('before a check, after it, with what came since, and while all is added up again', async () => {
  expect(await serviceFeesBalance(scene.database)).toBe(0n);
  await move('funding', 'service-fees', '40');
  await move('service-fees', 'funding', '15');
  expect(await serviceFeesBalance(scene.database)).toBe(parseMoney('25'));
  await untilBooksAreChecked(scene.database);
  // Nothing is newer than the sums.
  expect(await serviceFeesBalance(scene.database, 0)).toBe(parseMoney('25'));
  await move('funding', 'service-fees', '1');
  await move('service-fees', 'funding', '30');
  expect(await serviceFeesBalance(scene.database)).toBe(parseMoney('-4'));
  expect(await serviceFeesBalance(scene.database, 1)).toBeUndefined();
  await restart(scene.database, ledgerSums);
  expect(await serviceFeesBalance(scene.database)).toBe(parseMoney('-4'));
  expect(await serviceFeesBalance(scene.database, 3)).toBeUndefined();
});
