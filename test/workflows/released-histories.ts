import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isMainModule } from '../../src/process/termination.ts';

const histories = new URL('../histories/', import.meta.url);

/** By path below the folder of released histories. */
type Checksums = Readonly<Record<string, string>>;

const releasedOf = (folder: URL) => new URL('released/', folder);
const listOf = (folder: URL) => new URL('checksums.json', releasedOf(folder));

const isHistory = (name: string): boolean =>
  name.endsWith('.json') && !name.endsWith('checksums.json');

async function readChecksums(folder: URL): Promise<Checksums> {
  return existsSync(listOf(folder)) ? JSON.parse(await readFile(listOf(folder), 'utf8')) : {};
}

const checksumOf = async (file: URL): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** All histories, released or of the coming release: their paths below the folder. */
export async function historyFiles(folder: URL = histories): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter(isHistory).sort();
}

/** One line for each released history that was changed, removed, or added by hand. */
export async function changesOfReleased(folder: URL = histories): Promise<string[]> {
  const released = releasedOf(folder);
  const checksums = await readChecksums(folder);
  const added = (await historyFiles(released)).filter((path) => !(path in checksums));
  const problems = added.map((path) => `${path} was added by hand`);
  for (const [path, checksum] of Object.entries(checksums)) {
    if (!existsSync(new URL(path, released))) problems.push(`${path} was removed`);
    else if ((await checksumOf(new URL(path, released))) !== checksum)
      problems.push(`${path} was changed`);
  }
  return problems;
}

/**
 * Moves the histories of the coming release to the folder of its version, where they never change
 * again. Returns their names.
 */
export async function releaseHistories(
  version: string,
  folder: URL = histories,
): Promise<string[]> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Give the version, such as 1.2.0');
  const names = (await readdir(folder)).filter(isHistory).sort();
  const released = releasedOf(folder);
  const known = names.find((name) => existsSync(new URL(`${version}/${name}`, released)));
  if (known !== undefined) throw new Error(`${version} has ${known} already: give it another name`);
  await mkdir(new URL(`${version}/`, released), { recursive: true });
  const checksums: Record<string, string> = { ...(await readChecksums(folder)) };
  for (const name of names) {
    const path = `${version}/${name}`;
    await rename(new URL(name, folder), new URL(path, released));
    checksums[path] = await checksumOf(new URL(path, released));
  }
  await writeFile(listOf(folder), `${JSON.stringify(checksums, null, 2)}\n`);
  return names;
}

if (isMainModule(import.meta.url)) {
  const names = await releaseHistories(process.argv[2] ?? '');
  process.stdout.write(`Released ${names.length} histories.\n`);
}
