import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiveDays } from '../../../src/db/ledger/archives.ts';
import { readOrder } from '../../../src/db/positions/orders.ts';
import { findAttempt } from '../../../src/db/topups/attempts.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import type { Month } from '../../../src/domain/statements.ts';
import { takenBackAndRetried, topup } from '../../admin/movements.ts';
import { type AdminScene, makeFundedCatalogue, openScene } from '../../admin/scene.ts';
import { moveRows } from '../provider-statements/move-rows.ts';
import { untilBooksAreChecked } from './checked-books.ts';

let scene: AdminScene;
let folder: string;

beforeAll(async () => {
  scene = await openScene();
  folder = await mkdtemp(join(tmpdir(), 'archive-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await scene?.close();
});

test('an attempt keeps its amount when its transfers are in files, and a later one has another', async () => {
  const { database } = scene;
  const { partnerId } = await makeFundedCatalogue(scene);
  const id = await topup(database, partnerId, '50', { ending: 'SUCCESS' });
  await takenBackAndRetried(database, id, '60');
  const { rows: attempts } = await sql<{ operation_id: string; reference: string }>`
    select operation_id, reference from topup_attempts where topup_id = ${id}
    order by attempt`.execute(database);
  const then = new Date('2025-01-10T10:00:00Z');
  const references = attempts.map(({ reference }) => reference);
  await moveRows(database, references, { began: then, ended: then });
  await database.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    await sql`update ledger_transfers set created_at = ${then}`.execute(transaction);
  });
  await untilBooksAreChecked(database);
  expect(await archiveDays(database, { folder, before: '2025-02' as Month })).toBe(4);

  const amounts = await Promise.all(
    attempts.map(async ({ operation_id }) => {
      const { amount } = await findAttempt(database, operation_id);
      const order = await readOrder(database, operation_id);
      return [parseMoney(amount), order?.position.order.price];
    }),
  );
  expect(amounts).toEqual(['50', '60'].map((amount) => Array(2).fill(parseMoney(amount))));
});
