import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  environmentProblem,
  importProblem,
  importsOf,
  moduleStateProblem,
  pathProblem,
  sessionProblem,
} from './architecture-rules.ts';

/** The tree as it is, judged by the rules of architecture-rules.ts. */
const FOLDERS = [
  ...['src', 'workflows', 'activities', 'migrations', 'test', 'bench', 'chaos', 'docs'],
  'clients/typescript/src',
];
const files = FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/'))),
);

/** The compiled files of production: what tsconfig.build.json takes in, with what that imports. */
const inTheImage = execFileSync('tsc', ['--project', 'tsconfig.build.json', '--listFilesOnly'])
  .toString()
  .split('\n')
  .map((file) => posix.relative(process.cwd().replaceAll('\\', '/'), file))
  .filter((file) => files.includes(file));

describe('the files', () => {
  const read = (file: string) => ({ file, text: readFileSync(file, 'utf8') });
  const found = (problems: (string | undefined)[]) => problems.filter(Boolean);

  it('import only what their place may', () => {
    const problems = files
      .map(read)
      .flatMap(({ file, text }) => importsOf(text).map((one) => importProblem(file, one)));
    expect(found(problems)).toEqual([]);
    expect(problems.length).toBeGreaterThan(50);
  });

  it('of production import only packages that the image has', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const imported = inTheImage
      .flatMap((file) => importsOf(readFileSync(file, 'utf8')))
      .filter(
        ({ from, isTypeOnly }) => !isTypeOnly && /^[@\w]/.test(from) && !from.startsWith('node:'),
      )
      .map(({ from }) => from.split('/', from.startsWith('@') ? 2 : 1).join('/'));
    expect([...new Set(imported)].filter((name) => !(name in dependencies))).toEqual([]);
    expect(imported.length).toBeGreaterThan(50);
  });

  it('of production are not those of the start, the demo and the sandbox', () => {
    const isForOneMachine = (file: string) =>
      /^src\/(local\/|sandbox\/|(start|demo|sandbox)\.ts)/.test(file);
    expect(inTheImage.filter(isForOneMachine)).toEqual([]);
    expect(inTheImage.length).toBeGreaterThan(300);
  });

  it('have names in kebab-case, in folders that say what is in them', () => {
    expect(found(files.map(pathProblem))).toEqual([]);
  });

  it('leave process.env to src/config/config.ts', () => {
    const problems = files.map(read).map(({ file, text }) => environmentProblem(file, text));
    expect(found(problems)).toEqual([]);
  });

  it('leave nothing in a session of the database', () => {
    const problems = files.map(read).map(({ file, text }) => sessionProblem(file, text));
    expect(found(problems)).toEqual([]);
  });

  it('keep no state that workflows would share', () => {
    const problems = files.map(read).map(({ file, text }) => moduleStateProblem(file, text));
    expect(found(problems)).toEqual([]);
  });
});

/** Landed migrations are frozen where they are: their number only grows. */
const ENDLESS = 'migrations';
const MOST_FILES = 30;

describe('the folders', () => {
  it('have at most 30 files: else split the folder by subject', () => {
    const counts = new Map<string, number>();
    for (const file of files.filter((one) => !one.endsWith('.test.ts'))) {
      const folder = posix.dirname(file);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    const tooMany = [...counts].filter(
      ([folder, count]) => folder !== ENDLESS && count > MOST_FILES,
    );
    expect(tooMany).toEqual([]);
  });
});

/** The files that declare each exported name; the pattern finds the name. */
function homesOf(among: readonly string[], pattern: RegExp): Map<string, string[]> {
  const homes = new Map<string, string[]>();
  for (const file of among)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(pattern))
      homes.set(name, [...(homes.get(name) ?? []), file]);
  return homes;
}

describe('an exported name has one home', () => {
  it('as a type: import the type, or name the other concept by its own term', () => {
    // The client is a package of its own, and names things for integrators.
    const homes = homesOf(
      files.filter((one) => !one.startsWith('clients/')),
      /^export (?:interface|type|class|abstract class) (\w+)/gm,
    );
    expect([...homes].filter(([, found]) => found.length > 1)).toEqual([]);
    expect(homes.size).toBeGreaterThan(200);
  });

  it('as a function or a constant: the parts of one operation end in Endpoint, Pages, Repair', () => {
    const isProduct = (file: string) => /^(src|workflows|activities)\//.test(file);
    // The sandbox plays the providers, and each adapter translates one provider: none calls another one.
    const isAlone = (file: string) => /^src\/(sandbox|providers)\//.test(file);
    const homes = homesOf(
      files.filter((file) => isProduct(file) && !isAlone(file)),
      /^export (?:async )?(?:function|const)\*? (\w+)/gm,
    );
    // Temporal loads a name from each module of interceptors, and the command line one from each file of commands.
    for (const name of ['interceptors', 'commands']) homes.delete(name);
    expect([...homes].filter(([, found]) => new Set(found).size > 1)).toEqual([]);
    expect(homes.size).toBeGreaterThan(1_000);
  });
});
