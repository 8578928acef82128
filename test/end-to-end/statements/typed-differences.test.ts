import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Day, dayOfTime } from '../../../src/domain/day-report.ts';
import type { StatementProviderName } from '../../../src/domain/providers.ts';
import { type ListedFault, statementFaults } from '../../../src/sandbox/faults.ts';
import { commandsOn } from '../../admin/scene.ts';
import { askAll } from '../../positions/placements.ts';
import { providerSettings } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { type BrokenScene, setBrokenScene } from '../faults/broken-providers-scene.ts';
import { reconciled } from '../faults/reconciled.ts';

/** Every difference is found in a statement made with it, of every provider and in each of its forms. */
let scene: BrokenScene;
let folder: string;

beforeAll(async () => {
  scene = await setBrokenScene();
  folder = await mkdtemp(join(tmpdir(), 'typed-differences-'));
});
afterAll(async () => {
  await scene?.stop();
  if (folder) await rm(folder, { recursive: true });
});

const ZONE = 'Africa/Addis_Ababa';
const OUR_REFERENCE = 'Originator Conversation ID';

interface Source {
  readonly provider: StatementProviderName;
  /** By default the provider is asked. */
  readonly isFile?: true;
  /** A column that the file lacks. */
  readonly without?: string;
}

const sources: Readonly<Record<string, Source>> = {
  'GSMA, asked': { provider: 'gsma' },
  'GSMA, a file': { provider: 'gsma', isFile: true },
  'DT One, asked': { provider: 'dt-one' },
  'DT One, a file': { provider: 'dt-one', isFile: true },
  'Reloadly, asked': { provider: 'reloadly' },
  'Reloadly, a file': { provider: 'reloadly', isFile: true },
  // M-Pesa documents no list of payments.
  'M-Pesa, a file': { provider: 'mpesa', isFile: true },
  'M-Pesa, a file without our references': {
    provider: 'mpesa',
    isFile: true,
    without: OUR_REFERENCE,
  },
};

/**
 * What each one comes to: the open case of our order, or of the line of another one or of none; a question to the
 * provider; or nothing, where our books say the same.
 */
type Found =
  | `${'difference' | 'unclear' | 'foreign'} of ${'ours' | 'another' | 'none'}`
  | 'asked'
  | 'same';

const usual: Readonly<Record<ListedFault, Found>> = {
  'missing-here': 'foreign of another',
  'missing-there': 'asked',
  amount: 'difference of ours',
  currency: 'unclear of ours',
  duplicate: 'foreign of ours',
  reversed: 'difference of ours',
  // What was done may be under way in the books of its provider.
  pending: 'same',
  // The next statement has it.
  late: 'asked',
};

/** The amount of a top-up may be in the currency of its provider. */
const topups = { currency: 'same' } as const;

/** What a statement cannot say, or says otherwise. */
const otherwise: Readonly<Record<string, Partial<Record<ListedFault, Found>>>> = {
  'DT One, asked': topups,
  'DT One, a file': topups,
  // It lists no top-up that is under way.
  'Reloadly, asked': { ...topups, pending: 'asked' },
  'Reloadly, a file': topups,
  // The file has no column of currencies: M-Pesa pays birr.
  'M-Pesa, a file': { currency: 'same' },
  'M-Pesa, a file without our references': {
    currency: 'same',
    // Nothing says whose second payment it is: it is one that nobody ordered.
    'missing-here': 'foreign of none',
    duplicate: 'foreign of none',
  },
};

/** Compares a day as an operator does. */
async function compare({ provider, isFile, without }: Source, day: Day): Promise<void> {
  const { config, sandbox } = scene.stack;
  const { admin } = commandsOn({
    DATABASE_URL: config.database.databaseUrl,
    ...providerSettings(sandbox),
    PROVIDER_STATEMENT_MARGIN_SECONDS: '1',
  });
  const file = join(folder, `${provider}.csv`);
  if (isFile) {
    const url = `${sandbox.url}/statements/${provider}/${day}.csv?zone=${ZONE}`;
    await writeFile(file, lacking(without, await (await fetch(url)).text()));
  }
  const command = `money reconcile --provider ${provider} --day ${day} --json`;
  const { err } = await admin(isFile ? `${command} --file ${file}` : command);
  expect(err).toBe('');
}

/** What the books have of a provider that a person or the provider must explain, by our reference. */
async function openOf(provider: string): Promise<[what: string, reference: string | null][]> {
  const { rows } = await sql<{ what: string; reference: string | null }>`
    select why as what, reference from cases
    where closed_at is null and cases.provider = ${provider}
    union all
    select 'asked', reference from placements
    where doubted_at is not null and placements.provider = ${provider}`.execute(
    scene.stack.database,
  );
  return rows.map(({ what, reference }) => [what, reference]);
}

/** The sandbox quotes no cell of these files. */
function lacking(column: string | undefined, csv: string): string {
  if (column === undefined) return csv;
  const rows = csv.split('\r\n').map((row) => row.split(','));
  const place = rows[0]?.indexOf(column) ?? -1;
  expect(place).toBeGreaterThan(0);
  return rows.map((row) => row.toSpliced(place, 1).join(',')).join('\r\n');
}

/** Our reference of a new payment or top-up that is done. */
async function doneAt(provider: StatementProviderName): Promise<string> {
  const operation = await (await scene.operationsAt(provider))();
  await operation.send();
  await until(async () => expect(await operation.booked()).toBe('done'));
  return operation.inBooks()[0]?.reference ?? '';
}

describe.each(Object.entries(sources))('%s', (name, source) => {
  test('a clean day has none; each one is found, and ends with the next right statement', async () => {
    const { provider } = source;
    const { statementFaults: inStatement } = scene.stack.sandbox.books;
    const today = dayOfTime(new Date(), ZONE);
    const tomorrow = dayOfTime(new Date(Date.now() + 86_400_000), ZONE);
    // A callback that comes after the answer is a doubt of its own. M-Pesa answers by callback alone.
    await scene.breakProvider(provider, { losesCallbacks: provider !== 'mpesa' });
    const ours = new Map(
      await Promise.all(
        statementFaults.map(async (fault) => [fault, await doneAt(provider)] as const),
      ),
    );
    await compare(source, today);
    expect(await openOf(provider)).toEqual([]);

    for (const [fault, reference] of ours) inStatement.set(reference, fault);
    const faultOf = new Map([...ours].map(([fault, reference]) => [reference, fault]));
    await compare(source, today);
    const found = (await openOf(provider)).map(([what, reference]) => {
      const fault = faultOf.get(reference ?? '');
      if (what === 'asked') return `asked: ${fault}`;
      return fault ? `${what} of ours: ${fault}` : `${what} of ${reference ? 'another' : 'none'}`;
    });
    const expected = statementFaults.flatMap((fault) => {
      const is = otherwise[name]?.[fault] ?? usual[fault];
      if (is === 'same') return [];
      return is === 'asked' || is.endsWith('ours') ? `${is}: ${fault}` : is;
    });
    expect(found.toSorted()).toEqual(expected.toSorted());

    // The statement of the next day has what is late.
    await compare(source, tomorrow);
    inStatement.clear();
    await compare(source, today);
    await askAll(scene.stack.database);
    await reconciled(scene.stack);
    expect(await openOf(provider)).toEqual([]);
  });
});
