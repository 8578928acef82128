import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeWorkflowBundle } from '../temporal/workflow-bundle.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Whatever a workflow could import, and the lock file for the packages. */
const SOURCES = ['src', 'workflows', 'activities', 'package-lock.json'];
const NAME = /^workflows-[0-9a-f]+\.js$/;

/**
 * The file of the bundled workflows in the data folder. Bundling takes seconds, so a bundle is kept for
 * as long as no source has changed.
 */
export async function keptWorkflowBundle(dataDirectory: string): Promise<string> {
  const name = `workflows-${await digestOfSources()}.js`;
  const file = resolve(dataDirectory, name);
  const kept = (await readdir(dataDirectory)).filter((one) => NAME.test(one));
  if (kept.includes(name)) return file;
  // An interrupted start leaves no half of a bundle under its name.
  await writeWorkflowBundle(`${file}.unfinished`);
  await rename(`${file}.unfinished`, file);
  for (const old of kept) await rm(join(dataDirectory, old), { force: true });
  return file;
}

async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const source of SOURCES)
    for (const file of await filesOf(source))
      hash.update(`${file}\0`).update(await readFile(join(root, file)));
  return hash.digest('hex').slice(0, 32);
}

/** All files of a folder in a fixed order, or a file itself. */
async function filesOf(source: string): Promise<string[]> {
  if (source.includes('.')) return [source];
  const entries = await readdir(join(root, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}
