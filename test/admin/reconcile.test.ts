import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeCase, openCase } from '../../src/db/positions/cases.ts';
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

test('the list of all cases has the oldest open ones, then the newest closed ones', async () => {
  const { database } = scene;
  const ids: number[] = [];
  for (const subject of ['1', '2', '3', '4']) {
    const line = {
      subject_kind: 'line',
      subject: `mpesa 2026-11-21 payment - ${subject}`,
    } as const;
    const told = {
      why: 'foreign',
      amount: '5',
      message: 'None of ours',
      provider: 'mpesa',
    } as const;
    await openCase(database, { ...line, ...told });
    ids.push((await scene.json('cases list')).at(-1).id);
  }
  const [oldest, first, second, third] = ids;
  const by = { actor: 'Hanna', note: 'Found', borneBy: null };
  for (const id of [first, second, third]) await closeCase(database, id ?? 0, by);
  const shown = async (words: string) =>
    (await scene.json(words)).map(({ id }: { id: number }) => id);
  expect(await shown('cases list --all')).toEqual([oldest, third, second, first]);
  expect(await shown('cases list --all --limit 2 --provider mpesa')).toEqual([oldest, third]);
  expect(await shown('cases list')).toEqual([oldest]);
});

test.each([
  ['a folder', '', 'EISDIR'],
  ['nothing', 'nothing.csv', 'ENOENT'],
  ['a path through a file', 'statement.csv/1', 'ENOTDIR'],
])('a file that is %s is refused in one line', async (_what, name, code) => {
  const file = join(folder, name);
  const words = `money reconcile --provider mpesa --day 2026-11-22 --file ${file}`;
  expect((await scene.admin(words)).err).toBe(
    `The file ${file} cannot be read (${code}). Nothing was compared.\n`,
  );
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
