import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminScene, commandsOn, openScene, withoutEntry } from './scene.ts';

/** What "money reconcile" asks of the database, with a statement of a day without payments. */
let scene: AdminScene;
let folder: string;
let command: string;

beforeAll(async () => {
  scene = await openScene();
  folder = await mkdtemp(join(tmpdir(), 'reconcile-'));
  const file = join(folder, 'statement.csv');
  await writeFile(file, 'Receipt No.,Details,Transaction Status,Withdrawn,Completion Time\r\n');
  command = `money reconcile --provider mpesa --day 2026-11-22 --file ${file} --empty`;
});
afterAll(async () => {
  await scene?.close();
  if (folder) await rm(folder, { recursive: true });
});

const statements = () => scene.database.selectFrom('provider_statements').select('state').execute();

test('a comparison and its audit entry are there together', async () => {
  expect((await withoutEntry(scene.database, () => scene.admin(command))).code).toBe(1);
  expect(await statements()).toEqual([]);
  await scene.json(command);
  expect(await statements()).toEqual([{ state: 'COMPARED' }]);
  expect(await scene.auditRows()).toMatchObject([
    { action: 'reconcile', details: { provider: 'mpesa', day: '2026-11-22', observed: 0 } },
  ]);
});

test('after a promotion nothing is compared before an operator accepts it, unless it loses nothing', async () => {
  const accept = (change: number) =>
    sql`update database_timeline set timeline = timeline + ${change}`.execute(scene.database);
  const entries = async () => (await scene.auditRows()).length;
  const before = await entries();
  await accept(1);
  expect(await scene.admin(command)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/promoted or restored.*"recovery fence".*SYNCHRONOUS_REPLICATION/),
  });
  expect(await entries()).toBe(before);
  // What was found before may be read at any time.
  expect(await scene.admin(`${command} --stored`)).toMatchObject({ code: 0 });
  const synchronous = commandsOn({ ...scene.environment, SYNCHRONOUS_REPLICATION: 'yes' });
  await synchronous.json(command);
  await accept(-1);
  await scene.json(command);
  expect(await entries()).toBe(before + 2);
});
