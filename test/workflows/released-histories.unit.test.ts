import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { changesOfReleased, historyFiles, releaseHistories } from './released-histories.ts';

let path: string;
let folder: URL;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'histories-'));
  folder = pathToFileURL(`${path}/`);
});
afterEach(() => rm(path, { recursive: true }));

const write = (name: string, text: string) => writeFile(new URL(name, folder), text);

it('no released history was changed or removed: workflows of that release may be running', async () => {
  expect(await changesOfReleased()).toEqual([]);
  expect((await historyFiles()).length).toBeGreaterThan(10);
});

it('a release freezes the histories that were recorded since the last one', async () => {
  await write('one.json', '{}');
  expect(await releaseHistories('1.0.0', folder)).toEqual(['one.json']);
  await write('one.json', '{"of": "the next release"}');
  await write('two.json', '{}');
  expect(await changesOfReleased(folder)).toEqual([]);
  expect(await releaseHistories('1.1.0', folder)).toEqual(['one.json', 'two.json']);
  expect(await historyFiles(folder)).toEqual([
    'released/1.0.0/one.json',
    'released/1.1.0/one.json',
    'released/1.1.0/two.json',
  ]);
  expect(await changesOfReleased(folder)).toEqual([]);
});

it('names released histories that were changed, removed or added', async () => {
  await write('one.json', '{}');
  await write('two.json', '{}');
  await releaseHistories('1.0.0', folder);
  await write('released/1.0.0/one.json', '{"events": []}');
  await rm(new URL('released/1.0.0/two.json', folder));
  await write('released/1.0.0/three.json', '{}');
  expect(await changesOfReleased(folder)).toEqual([
    '1.0.0/three.json was added by hand',
    '1.0.0/one.json was changed',
    '1.0.0/two.json was removed',
  ]);
});

it('a history of a release is not replaced', async () => {
  await write('one.json', '{}');
  await releaseHistories('1.0.0', folder);
  await write('one.json', '{}');
  await expect(releaseHistories('1.0.0', folder)).rejects.toThrow('1.0.0 has one.json already');
  await expect(releaseHistories('latest', folder)).rejects.toThrow('Give the version');
});
