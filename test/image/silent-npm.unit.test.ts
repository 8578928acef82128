import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runProgram } from '../../src/local/processes.ts';

/** npm may fail and still exit with 0: the steps of the Dockerfile must notice. */
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'silent-npm-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** The steps of the Dockerfile that install packages, as a shell gets them. */
async function installations(): Promise<string[]> {
  const text = await readFile('Dockerfile', 'utf8');
  return [...text.replace(/\\\n/g, ' ').matchAll(/^RUN (.*npm ci\b.*)$/gm)].map(
    ([, command = '']) => command,
  );
}

/** A package in the folder of packages, as `npm ci` leaves it. */
const installed = (name: string) =>
  `mkdir -p node_modules/${name} && echo '{"name":"${name}","version":"1.0.0"}' > node_modules/${name}/package.json`;

/**
 * Runs a step on a service of two packages, of which one is for development, with an npm whose `ci` ends with 0 after it
 * has installed some.
 */
async function run(step: string, packages: readonly string[]) {
  const bin = join(directory, 'bin');
  await mkdir(bin);
  const { output: found } = await runProgram('sh', ['-c', 'command -v npm'], {
    timeoutSeconds: 10,
  });
  await writeFile(
    join(bin, 'npm'),
    ['#!/bin/sh', 'case "$1" in', 'ci)', ...packages.map(installed), 'exit 0 ;;', 'esac']
      .concat(`exec '${found.trim()}' "$@"`, '')
      .join('\n'),
  );
  await chmod(join(bin, 'npm'), 0o755);
  const manifest = {
    name: 'service',
    version: '1.0.0',
    dependencies: { production: '1.0.0', '@swc/one': '1.0.0' },
    devDependencies: { development: '1.0.0' },
  };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
  return runProgram('sh', ['-c', `PATH='${bin}':"$PATH"; ${step}`], {
    timeoutSeconds: 60,
    directory,
  });
}

const ALL = ['production', 'development', '@swc/one'];

test('the build and the image install packages', async () => {
  expect(await installations()).toHaveLength(2);
});

test.each([0, 1])('step %i succeeds where npm has installed the packages', async (place) => {
  const step = (await installations())[place] ?? '';
  const { exitCode, output } = await run(step, ALL);
  expect(exitCode, output).toBe(0);
});

test.each([
  [0, ['production', '@swc/one']],
  [0, ['development', '@swc/one']],
  [1, ['development', '@swc/one']],
])('step %i fails where npm has silently installed only %j', async (place, packages) => {
  const step = (await installations())[place] ?? '';
  const { exitCode, output } = await run(step, packages);
  expect(exitCode, output).not.toBe(0);
});
