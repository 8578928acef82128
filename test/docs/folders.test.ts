import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOTS = [
  ...['src', 'workflows', 'activities', 'migrations', 'clients', 'examples', 'docs', 'bench'],
  ...['chaos', 'test', 'deploy'],
];

/** Written by builds, and not kept. */
const BUILT = ['dist', '__pycache__'];

function foldersBelow(folder: string): string[] {
  const below = readdirSync(folder, { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && !entry.name.startsWith('.') && !BUILT.includes(entry.name),
    )
    .flatMap(({ name }) => foldersBelow(`${folder}/${name}`));
  return [folder, ...below];
}

/** Of a folder of tests that mirrors one of the product there is nothing to say. */
function isMirror(folder: string): boolean {
  const [, mirrored] = /^test\/(.+)$/.exec(folder) ?? [];
  if (mirrored === undefined) return false;
  return (
    existsSync(`src/${mirrored}`) ||
    existsSync(mirrored) ||
    mirrored.startsWith('end-to-end/') ||
    mirrored.startsWith('histories/')
  );
}

test('docs/architecture.md names every folder once: add a row to its table of folders', () => {
  const [, section = ''] = readFileSync('docs/architecture.md', 'utf8').split('## Folders\n');
  const [table = ''] = section.split('\n## ');
  const named = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, folder = '']) => folder);
  const folders = ROOTS.flatMap(foldersBelow).filter((folder) => !isMirror(folder));
  expect(named.toSorted()).toEqual(folders.sort());
});
