import { Client, Connection } from '@temporalio/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { RepairRow } from '../../../src/db/repairs/repairs.ts';
import { staffActor } from '../../../src/domain/access.ts';
import { repairKinds } from '../../../src/repairs/repair-kinds.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';
import { call } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { type ProcessScene, setProcessScene } from '../processes/process-scene.ts';
import { expectAgreement } from './oracle.ts';
import { createRepairsToMake, type RepairToMake } from './repairs-to-make.ts';
import { createStories, type Stories, type StoryTools } from './stories.ts';

/**
 * The worker dies while repairs of all kinds stand at one step. They halt there, each for itself, until all
 * of them have come; so one death is that of all kinds. A worker that comes later finishes them.
 */
let scene: ProcessScene;
let stack: StoryTools;
let stories: Stories;
let toMake: Awaited<ReturnType<typeof createRepairsToMake>>;
let connection: Connection;
const made: { readonly row: RepairRow; readonly repair: RepairToMake }[] = [];

beforeAll(async () => {
  scene = await setProcessScene();
  scene.start('sandbox');
  expect(await scene.start('migrate').ended).toBe(0);
  const { port } = await scene.start('api', LASTING).logged('API is listening');
  stack = scene.stackAt(port);
  await until(() => call(`${scene.sandboxUrl}/books`));
  stories = await createStories(stack);
  connection = await Connection.connect({ address: inject('temporalAddress') });
  toMake = await createRepairsToMake(stack, stories, new Client({ connection }));
});
afterAll(async () => {
  await connection?.close();
  await scene?.stop();
});

/** Nothing expires on the way, and repairs begin at once. */
const LASTING = {
  ACCESS_TOKEN_LIFETIME_SECONDS: '3600',
  CLAIM_LIFETIME_SECONDS: '3600',
  WORKER_PICKUP_SECONDS: '0.1',
};

/** Asks for a repair, each by another person; a second one confirms it where that is needed. */
async function ask({ kind, subjectId, args }: RepairToMake): Promise<RepairRow> {
  const actor = staffActor(await stories.desk.staff('OPERATOR'));
  const row = await stories.desk.asked(kind, subjectId, args, { actor });
  if (row.needs_confirmation)
    expect(await stories.desk.confirm(row.id, await stories.desk.staff('SUPERVISOR'))).toBe(true);
  return row;
}

const statesOf = async (rows: readonly RepairRow[]): Promise<string[]> => {
  const ids = rows.map(({ id }) => id);
  const found = await sql<{ state: string }>`
    select state from repairs where id = any(${ids}) order by id`.execute(stack.database);
  return found.rows.map(({ state }) => state);
};

const halted = (worker: ServiceProcess): number => worker.output().split('"Halted"').length - 1;

/** A later worker does not come to the step of a death before: the last steps come first. */
const deaths = [
  ['repair-end-committed', ['DONE']],
  ['repair-begin-committed', ['DONE', 'RUNNING']],
  ['repair-carried-out', ['READY']],
] as const;

it.each(deaths)('the worker dies with repairs of all kinds at %s', async (step, states) => {
  const isEnd = step === 'repair-end-committed';
  const makers = isEnd ? toMake.called : [...toMake.called, ...toMake.immediate];
  const worker = scene.start('halting-worker', { ...LASTING, FAILPOINT: `${step}:hang` });
  const repairs = await Promise.all(makers.map((make) => make()));
  const rows: RepairRow[] = [];
  for (const repair of repairs) {
    const row = await ask(repair);
    rows.push(row);
    made.push({ row, repair });
  }
  await until(async () => {
    expect(halted(worker)).toBeGreaterThanOrEqual(makers.length);
    for (const state of await statesOf(rows)) expect(states).toContain(state);
  });
  await worker.kill();
  expect(await worker.ended).toBe('SIGKILL');
});

it('the next worker brings each of them to its end, once', async () => {
  const worker = scene.start('worker', LASTING);
  for (const { row, repair } of made) {
    const { state, result } = await stories.desk.ended(row.id);
    expect([repair.kind, state, result]).toEqual([repair.kind, 'DONE', expect.any(String)]);
    await repair.wasDoneOnce();
  }
  await Promise.all(toMake.waiting);
  await expectAgreement(stack, stories);
  const { rows } = await sql<{ entries: number }>`
    select count(*)::int as entries from audit_log
    where action not in ('ask repair', 'confirm repair') and details ? 'repair'
    group by details ->> 'repair'`.execute(stack.database);
  expect(rows.map(({ entries }) => entries)).toEqual(made.map(() => 1));
  expect(await worker.stop()).toBe(0);
});

it('no kind of repair is left out', () => {
  expect(new Set(made.map(({ repair }) => repair.kind))).toEqual(
    new Set(repairKinds.map(({ name }) => name)),
  );
});
