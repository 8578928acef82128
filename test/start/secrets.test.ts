import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSecrets, readOrMakeSecrets } from '../../src/start/secrets.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('secrets are made once, and readable by their owner only', async () => {
  const made = await readOrMakeSecrets(folder);
  expect(await readOrMakeSecrets(folder)).toEqual(made);
  expect((await stat(join(folder, 'secrets.json'))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['secrets.json']);
});

test('a file of a start that kept no API keys gets the key for them, and no other changes', async () => {
  const { COPY_KEYS, ...before } = makeSecrets();
  await writeFile(join(folder, 'secrets.json'), JSON.stringify(before), { mode: 0o600 });
  const secrets = await readOrMakeSecrets(folder);
  expect(secrets).toMatchObject(before);
  expect(secrets.COPY_KEYS).toMatch(/^copy-1:/);
  expect(JSON.parse(await readFile(join(folder, 'secrets.json'), 'utf8'))).toEqual(secrets);
  expect((await stat(join(folder, 'secrets.json'))).mode & 0o777).toBe(0o600);
});
