import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { LOCAL_DATABASE_NAME } from '../../src/config/local-stack.ts';
import { makeSecrets } from '../../src/local/start/backing-services.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { commandsOn, merchantWords, type Printed } from './scene.ts';

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
});

test('a public key is read from standard input', async () => {
  const { id } = await commandsOn(settings()).json(merchantWords(randomUUID()));
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const words = `access public-key add --merchant ${id} --file -`;
  expect(await run(words, settings(), pem)).toMatchObject({ code: 0, err: '' });
});

test('an import by a separate process: of a file, and of standard input', async () => {
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
});

test('says in one line what to do, with exit code 1', async () => {
  const { code, out, err } = await run('partner list');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^No database is running in .*: start the s.*\n$/);
});

test('helps where no command is named', async () => {
  const { code, out, err } = await run([]);
  expect(code).toBe(1);
  expect(out + err).toMatch(/Usage: npm run admin -- <group> <command>.*partner +Partners/s);
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
