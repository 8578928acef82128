import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';

/** What a process had loaded when it first wrote something, whatever the pace of the machine. */
async function loadedBeforeFirstLine(...words: readonly string[]): Promise<string[]> {
  const child = spawn(
    process.execPath,
    ['--import', './test/harness/loaded-modules.mjs', ...words],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH } },
  );
  for await (const line of createInterface({ input: child.stderr })) return JSON.parse(line);
  throw new Error('It wrote nothing');
}

/** The packages among modules. */
const packagesOf = (urls: readonly string[]): string[] => [
  ...new Set(urls.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])),
];

describe('the first line comes', () => {
  test('of npm start before any package is loaded', async () => {
    const loaded = await loadedBeforeFirstLine('src/start.ts');
    expect(packagesOf(loaded)).toEqual([]);
    expect(loaded.length).toBeLessThan(15);
  });

  test('of the help of the command line with commander alone', async () => {
    for (const words of [['--help'], ['partner', '--help'], ['help']]) {
      const loaded = await loadedBeforeFirstLine('src/admin.ts', ...words);
      expect(packagesOf(loaded)).toEqual(['commander']);
      expect(loaded.length).toBeLessThan(30);
    }
  });

  test('of a command’s own help without the adapters of providers and without Temporal', async () => {
    const loaded = await loadedBeforeFirstLine('src/admin.ts', 'partner', 'list', '--help');
    const packages = packagesOf(loaded);
    expect(packages).toEqual(expect.arrayContaining(['commander', 'kysely', 'zod']));
    const heavy = /^(@temporalio\/|nodemailer$|smpp$|koa$|pino$|marked$)/;
    expect(packages.filter((name) => heavy.test(name))).toEqual([]);
    expect(loaded.filter((url) => url.includes('/src/providers/'))).toEqual([]);
  });
});
