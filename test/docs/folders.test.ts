import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Written by builds, and not kept. */
const BUILT = ['dist', 'node_modules'];

const foldersOf = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .filter((name) => !BUILT.includes(name));

test('the layout of README names every room once', () => {
  const [, section = ''] = readFileSync('README.md', 'utf8').split('## Layout\n');
  const [, layout = ''] = section.split('```');
  const named = [...layout.matchAll(/^ *((?:[a-z-]+\/ )*[a-z-]+\/)(?= |$)/gm)].flatMap(
    ([, row = '']) => row.split(' ').map((name) => name.slice(0, -1)),
  );
  const rooms = [...foldersOf('.'), ...foldersOf('src')];
  expect(named.toSorted()).toEqual(rooms.toSorted());
});
