import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { LOCAL_DATABASE_NAME } from '../../src/config/local-stack.ts';
import { makeSecrets } from '../../src/local/start/backing-services.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { merchantWords, type Printed } from './scene.ts';

// Each test waits for several processes, one after the other.
vi.setConfig({ testTimeout: 120_000 });

let database: TestDatabase;
let directory: string;

beforeAll(async () => {
  database = await createTestDatabase();
  directory = await mkdtemp(join(tmpdir(), 'admin-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await database?.drop();
});

const DIGEST_KEY = Buffer.alloc(32, 1).toString('base64');

/** Runs the real process, with nothing set but what is given, by somebody who says who it is. */
async function run(
  words: string | readonly string[],
  environment: Record<string, string> = {},
  input = '',
): Promise<Printed> {
  const list = typeof words === 'string' ? words.split(' ') : words;
  const command = ['src/admin.ts', ...list, '--actor', 'Hanna'];
  const child = spawn(process.execPath, [...command], {
    env: { PATH: process.env.PATH, DATA_DIR: directory, ...environment },
  });
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, out, err };
}

const settings = () => ({ DATABASE_URL: database.url, DIGEST_KEY });

test('a partner is made, given money and shown by separate processes', async () => {
  const created = await run('partner create --name Acme --json', settings());
  expect(created).toMatchObject({ code: 0, err: '' });
  const { id } = JSON.parse(created.out);
  await run(`money deposit --partner ${id} --wallet gift --amount 10`, settings());
  const listed = await run('partner list', settings());
  expect(listed.out).toMatch(/Acme +ACTIVE +10\.00 +0\.00 +0\.00\b.*\n$/);
  const checked = await run('money check-ledger', settings());
  expect(checked).toMatchObject({ code: 0, err: '' });
  expect(checked.out).toMatch(/^The ledger is in order\.\n/);
});

test('a public key is read from standard input', async () => {
  const { id } = JSON.parse(
    (await run([...merchantWords(randomUUID()), '--json'], settings())).out,
  );
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const words = `access public-key add --merchant ${id} --file -`;
  expect(await run(words, settings(), pem)).toMatchObject({ code: 0, err: '' });
});

test('an import by a separate process: of a file, of standard input, and of a wrong one', async () => {
  const file = join(directory, 'merchant-categories.csv');
  await writeFile(file, '\uFEFFname\r\n"Books, papers"\r\nFood\r\n');
  const words = ['merchant', 'category', 'import', '--file'];
  expect(await run([...words, file], settings())).toEqual({
    code: 0,
    out: 'Imported merchant categories of merchant-categories.csv: created 2, changed 0, unchanged 0.\n',
    err: '',
  });
  const json = JSON.stringify([{ name: 'Food' }, { name: 'Music' }]);
  const piped = await run([...words, '-', '--format', 'json', '--json'], settings(), json);
  expect(piped).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(piped.out)).toMatchObject({
    kind: 'merchant-category',
    file: 'standard input',
    created: 1,
    unchanged: 1,
  });
  await writeFile(file, `name,status\nSport,GONE\n`);
  expect(await run([...words, file], settings())).toEqual({
    code: 1,
    out: '',
    err:
      'merchant-categories.csv has 1 problem; nothing was imported:\n' +
      '  line 2, status must be ACTIVE or INACTIVE\n',
  });
});

describe('says in one line what to do, with exit code 1,', () => {
  test.each<[string, string, () => Record<string, string>, RegExp]>([
    [
      'without a database',
      'partner list',
      () => ({}),
      /^No database is running in .*: start the s/,
    ],
    [
      'with a database that is away',
      'partner list',
      () => ({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }),
      /^The database cannot be reached \(.*ECONNREFUSED.*\): is the service running\?/,
    ],
    [
      'with another database',
      'partner list',
      () => ({ DATABASE_URL: inject('databaseAdminUrl') }),
      /^The tables of the database are not up to date: run/,
    ],
    [
      'without the key of digests',
      'access api-key create --partner 1 --name X',
      () => ({ DATABASE_URL: database.url }),
      /^API keys need the setting DIGEST_KEY/,
    ],
    [
      'with a key of digests that is too short',
      'partner list',
      () => ({ ...settings(), DIGEST_KEY: 'c2hvcnQ=' }),
      /^Settings are missing or wrong: DIGEST_KEY: must be 32 bytes in base64/,
    ],
  ])('%s', async (_case, words, environment, expected) => {
    const { code, out, err } = await run(words, environment());
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(expected);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});

test.each([
  ['', /Usage: npm run admin -- <group> <command>.*partner +Partners/s, 1],
  ['--help', /Usage: npm run admin -- <group> <command>.*Example:/s, 0],
  [
    'merchant --help',
    /set-service-fee +Set the service fee.*category … +Categories of merchants/s,
    0,
  ],
  [
    'merchant import --help',
    /\* identifier-type +The type of its identifier.*A file in CSV:.*MER-0042.*--dry-run/s,
    0,
  ],
  [
    'money deposit --help',
    /--reference <text> +The reference of the payment.*Examples:.*CBE-2026/s,
    0,
  ],
])('helps: %s', async (words, expected, code) => {
  const printed = await run(words === '' ? [] : words);
  expect(printed.code).toBe(code);
  expect(printed.out + printed.err).toMatch(expected);
});

test('finds the database and the keys of a running "npm start" in its data folder', async () => {
  const admin = new URL(inject('databaseAdminUrl'));
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  await client.query(
    `create database ${LOCAL_DATABASE_NAME} template ${inject('templateDatabase')}`,
  );
  try {
    const folder = join(directory, 'running');
    await mkdir(join(folder, 'postgres'), { recursive: true });
    await writeFile(join(folder, 'secrets.json'), JSON.stringify(makeSecrets()));
    await writeFile(join(folder, 'postgres.password'), `${admin.password}\n`);
    const pidFile = ['4711', join(folder, 'postgres'), '1', admin.port, '', '127.0.0.1', ''];
    await writeFile(join(folder, 'postgres', 'postmaster.pid'), pidFile.join('\n'));
    const found = { DATA_DIR: folder };
    await run('partner create --name Local', found);
    const issued = await run('access api-key create --partner 1 --name X --json', found);
    expect(issued).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(issued.out).key).toMatch(/^gvs_test_/);
  } finally {
    await client.query(`drop database ${LOCAL_DATABASE_NAME} with (force)`);
    await client.end();
  }
});
