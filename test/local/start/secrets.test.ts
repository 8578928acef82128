import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readOrMakeSecrets } from '../../../src/local/start/backing-services.ts';

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
