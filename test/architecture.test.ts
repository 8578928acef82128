import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Who may import whom (docs/architecture.md, "Layers"). A place is found by the first pattern that fits. `of` are
 * the places whose values and types it may import, `typesOf` those of which only types, `packages`
 * the packages and Node.js modules. Everything that is not listed is forbidden.
 */
const PLACES = {
  domain: { path: /^src\/domain\//, of: ['domain'], packages: /^libphonenumber-js\b/ },
  crypto: { path: /^src\/crypto\//, of: ['crypto'], packages: /^node:/ },
  database: { path: /^src\/db\//, of: ['database', 'domain', 'migrations'] },
  providers: { path: /^src\/providers\//, of: ['providers', 'domain'], typesOf: ['foundation'] },
  operations: {
    path: /^src\/operations\//,
    of: ['operations', 'database', 'domain', 'crypto', 'workflows', 'foundation'],
    typesOf: ['http'],
  },
  http: {
    path: /^src\/(http|openapi|partner|merchant|callbacks|portal)\//,
    of: ['http', 'operations', 'database', 'domain', 'crypto', 'workflows', 'foundation'],
  },
  workflows: {
    path: /^workflows\//,
    of: ['workflows', 'domain'],
    typesOf: ['activities'],
    packages: /^@temporalio\/(workflow|common)$/,
  },
  activities: {
    path: /^activities\//,
    of: ['activities', 'database', 'domain', 'providers', 'crypto'],
    typesOf: ['workflows', 'foundation'],
  },
  migrations: { path: /^migrations\//, of: [] },
  sandbox: { path: /^src\/sandbox(\/|\.ts$)/, of: ['sandbox', 'domain', 'foundation'] },
  embedded: { path: /^src\/embedded\//, of: ['embedded'], typesOf: ['foundation'] },
  start: { path: /^src\/(start|demo)(\/|\.ts$)/, of: 'everything' },
  assembly: {
    path: /^src\/(api|worker|migrate|codec-server|admin)(\/|\.ts$)/,
    of: [
      ...[
        'assembly',
        'http',
        'operations',
        'database',
        'domain',
        'crypto',
        'providers',
        'foundation',
      ],
      ...['workflows', 'activities'],
    ],
  },
  /** What several processes stand on: settings, logging, the connection to Temporal. */
  foundation: {
    path: /^src\/(config|process|temporal)\//,
    of: ['foundation', 'domain', 'crypto', 'workflows'],
    typesOf: ['activities'],
  },
  outside: { path: /^(test|bench|chaos|docs)\/|^[^/]+$/, of: 'everything' },
} satisfies Record<string, Place>;

interface Place {
  path: RegExp;
  of: 'everything' | string[];
  typesOf?: string[];
  packages?: RegExp;
}

interface Import {
  from: string;
  isTypeOnly: boolean;
}

function placeOf(file: string): (Place & { name: string }) | undefined {
  const found = Object.entries<Place>(PLACES).find(([, place]) => place.path.test(file));
  return found && { name: found[0], ...found[1] };
}

/** The imports of a file. Its own text only: what stands in comments does not begin a statement. */
function importsOf(text: string): Import[] {
  const statement =
    /^\s*(?:import|export)\s+(type\s+)?(?:[\w*{][^'"`;=()]*?\bfrom\s*)?['"]([^'"]+)['"]/gm;
  const call = /(typeof\s+)?\b(?:import|require)\(\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(statement), ...code(text).matchAll(call)].map(([, type, from = '']) => ({
    from,
    isTypeOnly: type !== undefined,
  }));
}

/** The text without the lines of comments. */
const code = (text: string) => text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, '');

/** What is wrong with one import, or undefined. */
function importProblem(file: string, { from, isTypeOnly }: Import): string | undefined {
  const importer = placeOf(file);
  if (!importer) return `${file} belongs to no place of the architecture`;
  if (!from.startsWith('.')) {
    const isAllowed = importer.packages?.test(from) ?? true;
    return isAllowed ? undefined : `${file} (${importer.name}) must not import ${from}`;
  }
  if (importer.of === 'everything') return undefined;
  const target = posix.join(posix.dirname(file), from).replace(/\.js$/, '.ts');
  const place = placeOf(target);
  if (!place) return `${file} imports ${target}, which belongs to no place`;
  if (importer.of.includes(place.name)) return undefined;
  if (isTypeOnly && importer.typesOf?.includes(place.name)) return undefined;
  const what = isTypeOnly
    ? 'types of '
    : importer.typesOf?.includes(place.name)
      ? 'values of '
      : '';
  return `${file} (${importer.name}) must not import ${what}${target} (${place.name})`;
}

function pathProblem(file: string): string | undefined {
  if (!placeOf(file)) return `${file} belongs to no place of the architecture`;
  const segments = file.replace(/(\.\w+)*\.ts$/, '').split('/');
  const misnamed = segments.find((segment) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(segment));
  if (misnamed) return `${file}: ${misnamed} is not in kebab-case`;
  const folder = segments.slice(0, -1).find((name) => VAGUE_FOLDERS.includes(name));
  return folder && `${file}: a folder called ${folder} says nothing of what is in it`;
}

const VAGUE_FOLDERS = ['services', 'utils', 'helpers', 'common', 'types'];

function environmentProblem(file: string, text: string): string | undefined {
  if (file === 'src/config/config.ts' || placeOf(file)?.name === 'outside') return undefined;
  const reads = /\bprocess\s*(\.\s*env\b|\[)|\benv\b[^;]*\bfrom 'node:process'/.test(code(text));
  return reads ? `${file} reads process.env; only src/config/config.ts may` : undefined;
}

const FOLDERS = ['src', 'workflows', 'activities', 'migrations', 'test', 'bench', 'chaos', 'docs'];
const files = FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/'))),
);

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

  it('have names in kebab-case, in folders that say what is in them', () => {
    expect(found(files.map(pathProblem))).toEqual([]);
  });

  it('leave process.env to src/config/config.ts', () => {
    const problems = files.map(read).map(({ file, text }) => environmentProblem(file, text));
    expect(found(problems)).toEqual([]);
  });
});

/** Folders in which each file is one endpoint, page, command, workflow, or one noun's activities. */
const SERIES = /^(src\/(partner|portal\/pages|admin\/commands)|workflows|activities|migrations)$/;
const MOST_FILES = 20;
const MOST_FILES_OF_SERIES = 30;

describe('the folders', () => {
  it('have at most 20 files, or 30 of a series: else split the folder by subject', () => {
    const counts = new Map<string, number>();
    for (const file of files.filter((one) => !one.endsWith('.test.ts'))) {
      const folder = posix.dirname(file);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    const tooMany = [...counts].filter(
      ([folder, count]) => count > (SERIES.test(folder) ? MOST_FILES_OF_SERIES : MOST_FILES),
    );
    expect(tooMany).toEqual([]);
  });
});

describe('the exported types', () => {
  it('have one home: import the type, or name the other concept by its own term', () => {
    const homes = new Map<string, string[]>();
    for (const file of files) {
      const declarations = readFileSync(file, 'utf8').matchAll(
        /^export (?:interface|type|class|abstract class) (\w+)/gm,
      );
      for (const [, name = ''] of declarations) homes.set(name, [...(homes.get(name) ?? []), file]);
    }
    expect([...homes].filter(([, found]) => found.length > 1)).toEqual([]);
    expect(homes.size).toBeGreaterThan(200);
  });
});

describe('the rules', () => {
  it.each([
    ['src/domain/voucher.ts', "import { parseMoney } from './money.js';", true],
    ['src/domain/phone.ts', "import { parse } from 'libphonenumber-js/mobile';", true],
    ['src/domain/voucher.ts', "import { z } from 'zod';", false],
    ['src/domain/voucher.ts', "import { createHash } from 'node:crypto';", false],
    ['src/domain/voucher.ts', "import type { Schema } from '../db/schema.js';", false],
    ['workflows/top-up.ts', "import { sleep } from '@temporalio/workflow';", true],
    ['workflows/top-up.ts', "import { refuse } from '../src/domain/errors.js';", true],
    ['workflows/top-up.ts', "import type { Activities } from '../activities/index.js';", true],
    ['workflows/top-up.ts', "import { createActivities } from '../activities/index.js';", false],
    ['workflows/top-up.ts', "import { type Activities } from '../activities/index.js';", false],
    ['workflows/top-up.ts', "const { z } = await import('zod');", false],
    ['workflows/top-up.ts', "import 'node:fs';", false],
    ['workflows/top-up.ts', "import {\n  type A,\n  b,\n} from '@temporalio/client';", false],
    [
      'activities/vouchers.ts',
      "import { lockVoucher } from '../src/db/vouchers/vouchers.js';",
      true,
    ],
    ['activities/vouchers.ts', "import type { Command } from '../workflows/messages.js';", true],
    ['activities/vouchers.ts', "import { update } from '../workflows/messages.js';", false],
    ['activities/vouchers.ts', "import { app } from '../src/http/app.js';", false],
    ['src/partner/redeem-gift.ts', "import { update } from '../../workflows/messages.js';", true],
    ['src/http/app.ts', "import type { Sms } from '../providers/sms/sms-sender.js';", false],
    ['src/merchant/test.ts', "export * from '../../activities/index.js';", false],
    ['src/merchant/test.ts', "type A = typeof import('../../activities/index.js');", false],
    ['src/http/app.ts', "import { runApi } from '../api.js';", false],
    ['src/crypto/digests.ts', "import { createHmac } from 'node:crypto';", true],
    ['src/crypto/digests.ts', "import { secp256k1 } from '@noble/curves/secp256k1.js';", false],
    ['src/crypto/digests.ts', "import { parseMoney } from '../domain/money.js';", false],
    ['migrations/2026-01-01-1-first.ts', "import { sql } from 'kysely';", true],
    [
      'migrations/2026-01-01-1-first.ts',
      "import type { S } from '../src/db/schema/all-tables.js';",
      false,
    ],
    ['src/sandbox/books.ts', "import { client } from '../providers/gsma/client.js';", false],
    ['src/start.ts', "import { startPostgres } from './embedded/postgres.js';", true],
    ['src/api.ts', "import { startPostgres } from './embedded/postgres.js';", false],
    ['src/worker.ts', "import { createActivities } from '../activities/index.js';", true],
    [
      'src/temporal/connection.ts',
      "import { createActivities } from '../activities/index.js';",
      false,
    ],
    ['src/nowhere/file.ts', "import { z } from 'zod';", false],
    ['src/http/app.ts', "import { wait } from '../../test/support/wait.js';", false],
    [
      'test/http/app.test.ts',
      "import { createActivities } from '../../activities/index.js';",
      true,
    ],
    ['src/domain/voucher.ts', "// import { z } from 'zod';\n * import('zod')", true],
    ['src/domain/voucher.ts', "export const kind = 'zod';\nconst name = from('zod');", true],
  ])('judge %s: %s', (file, text, isAllowed) => {
    const problems = importsOf(text).filter((one) => importProblem(file, one));
    expect(problems.length === 0).toBe(isAllowed);
  });

  it.each([
    ['src/http/raw-body.ts', true],
    ['migrations/2026-01-01-1-first.ts', true],
    ['test/http/raw-body.test.ts', true],
    ['test/http/raw-body.unit.test.ts', true],
    ['src/http/rawBody.ts', false],
    ['src/http/raw_body.ts', false],
    ['src/Http/raw-body.ts', false],
    ['src/http/utils/raw-body.ts', false],
    ['test/helpers/server.ts', false],
    ['src/services/voucher.ts', false],
  ])('judge the name %s', (file, isAllowed) => {
    expect(pathProblem(file) === undefined).toBe(isAllowed);
  });

  it.each([
    ['src/config/config.ts', 'read(process.env)', true],
    ['src/config/start-settings.ts', 'process.env.HOME', false],
    ['src/temporal/connection.ts', 'process.env.PORT', false],
    ['src/temporal/connection.ts', "process['env']", false],
    ['src/temporal/connection.ts', "import { env } from 'node:process';", false],
    ['src/temporal/connection.ts', '// process.env is read elsewhere', true],
    ['src/temporal/connection.ts', 'process.on("SIGTERM", stop)', true],
    ['bench/index.ts', 'process.env.PORT', true],
  ])('judge what %s reads: %s', (file, text, isAllowed) => {
    expect(environmentProblem(file, text) === undefined).toBe(isAllowed);
  });
});
