import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../support/clients.ts';
import { breakStatement, type StatementFault } from '../../support/database-faults.ts';
import { until } from '../../support/until.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import { idOf, newKey, setTopupScene, type TopupScene } from './topup-scene.ts';

/** A broken database under top-ups: nothing is charged, and the same request is carried out later. */
let scene: TopupScene;
beforeAll(async () => {
  scene = await setTopupScene({ CALLER_WAIT_SECONDS: '6' });
});
afterAll(() => scene?.stack.stop());

const faults: readonly (readonly [what: string, fault: StatementFault])[] = [
  ['the attempt is not recorded', { table: 'topup_attempts', on: 'insert' }],
  ['its commit fails', { table: 'topup_attempts', on: 'insert', fails: 'commit' }],
  ['the top-up cannot be updated', { table: 'topups', on: 'update' }],
  ['the transfer is not recorded', { table: 'ledger_transfers', on: 'insert' }],
  ['the balance cannot be written', { table: 'ledger_accounts', on: 'update' }],
  ['the operation is not recorded', { table: 'operations', on: 'insert' }],
];

async function traces() {
  const { rows } = await sql`
    select (select count(*) from topups) as topups, (select count(*) from operations) as operations,
      (select count(*) from topup_attempts) as attempts,
      (select count(*) from ledger_transfers) as transfers`.execute(scene.stack.database);
  return [rows[0], await scene.wallet()];
}

async function expectRefusedThenDone(fault: StatementFault, send: () => Promise<Answer>) {
  const whole = await traces();
  const mend = await breakStatement(scene.stack.database, fault);
  let answer: Answer;
  try {
    answer = await send();
  } finally {
    await mend();
  }
  expectRefusal(answer, 'partner', 500, { reason: 'database-failed' });
  expect(await traces()).toEqual(whole);
  const again = await send();
  expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, null]);
  expect(again.body.data.status).toBe('SUCCESS');
}

test.each(faults)('a top-up: %s', async (_what, fault) => {
  const [msisdn, key] = [scene.number('050'), newKey()];
  await expectRefusedThenDone(fault, () => scene.topup(msisdn, key));
  expect(await scene.delivered(msisdn)).toHaveLength(1);
});

test.each(faults)('a retry: %s', async (_what, fault) => {
  const transactionId = await scene.failedTopup();
  const [msisdn, key] = [scene.number('050'), newKey()];
  await expectRefusedThenDone(fault, () => scene.retry(transactionId, msisdn, key));
  expect(await scene.delivered(msisdn)).toHaveLength(1);
});

test('what was delivered or refused while its booking fails stays on hold until it is booked', async () => {
  const before = await scene.wallet();
  const ends = [
    { suffix: '050', status: 'SUCCESS', delivery: 'completed' },
    { suffix: '006', status: 'FAILED', delivery: 'failed' },
  ].map((end) => ({ ...end, msisdn: scene.number(end.suffix), key: newKey() }));
  const mend = await breakStatement(scene.stack.database, {
    table: 'topup_attempts',
    on: 'update',
    when: "new.status in ('POSTED', 'VOIDED')",
  });
  const firsts = await Promise.all(ends.map(({ msisdn, key }) => scene.topup(msisdn, key)));
  for (const first of firsts)
    expect([first.status, first.body.data.status]).toEqual([200, undefined]);
  expect(await scene.wallet()).toBe(before - 100);
  await mend();
  for (const [index, { msisdn, key, status, delivery }] of ends.entries()) {
    const id = idOf(firsts[index] as Answer);
    await until(async () => expect((await scene.show(id)).status).toBe(status));
    const last = await scene.topup(msisdn, key);
    expect([last.body.data.transactionId, last.body.data.status]).toEqual([id, status]);
    expect((await scene.delivered(msisdn))[0]?.status).toBe(delivery);
  }
  expect(await scene.wallet()).toBe(before - 50);
});
