import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BreakType } from '../../../src/domain/provider-statements/break-types.ts';
import type { StatementProviderName } from '../../../src/domain/provider-statements/statement-providers.ts';
import { type Day, dayOfTime } from '../../../src/domain/reports/day-report.ts';
import {
  type ListedFault,
  statementFaults,
} from '../../../src/sandbox/statements/statement-faults.ts';
import { commandsOn } from '../../admin/scene.ts';
import { providerSettings } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { type BrokenScene, setBrokenScene } from '../faults/broken-providers-scene.ts';

/** Every typed break is found in a statement made with it, of every provider and in each of its forms. */
let scene: BrokenScene;
let folder: string;

beforeAll(async () => {
  scene = await setBrokenScene();
  folder = await mkdtemp(join(tmpdir(), 'typed-breaks-'));
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

/** The reference of a break: of the operation, of somebody else, or none. */
type Reference = 'ours' | 'another' | 'none';
type Found = readonly (readonly [BreakType, Reference])[];

const usual: Readonly<Record<ListedFault, Found>> = {
  'missing-here': [['missing-here', 'another']],
  'missing-there': [['missing-there', 'ours']],
  amount: [['amount', 'ours']],
  currency: [['currency', 'ours']],
  duplicate: [['duplicate', 'ours']],
  reversed: [['reversed', 'ours']],
  pending: [['late', 'ours']],
  // The next statement has it.
  late: [['missing-there', 'ours']],
};
const faults = Object.keys(statementFaults) as ListedFault[];

/** What a statement cannot say. */
const otherwise: Readonly<Record<string, Partial<Record<ListedFault, Found>>>> = {
  // The file has no column of currencies: M-Pesa pays birr.
  'M-Pesa, a file': { currency: [] },
  'M-Pesa, a file without our references': {
    currency: [],
    // Nothing says whose second payment it is: it is one that nobody ordered.
    'missing-here': [['missing-here', 'none']],
    duplicate: [['missing-here', 'none']],
  },
};

/** Compares a day as an operator does; the breaks as type and reference. */
async function compared(
  { provider, isFile, without }: Source,
  day: Day,
): Promise<(readonly [BreakType, string | null])[]> {
  const { config, sandbox } = scene.stack;
  const { admin } = commandsOn({
    DATABASE_URL: config.DATABASE_URL,
    ...providerSettings(sandbox),
    PROVIDER_STATEMENT_MARGIN_SECONDS: '1',
  });
  const file = join(folder, `${provider}.csv`);
  if (isFile) {
    const url = `${sandbox.url}/statements/${provider}/${day}.csv?zone=${ZONE}`;
    await writeFile(file, lacking(without, await (await fetch(url)).text()));
  }
  const command = `reconcile --provider ${provider} --day ${day} --json`;
  const { out, err } = await admin(isFile ? `${command} --file ${file}` : command);
  expect(err).toBe('');
  const { breaks } = JSON.parse(out);
  return breaks.map(({ type, reference }: Record<string, string>) => [type, reference]);
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
  test('a clean day has no break; every typed break is found, and closes itself', async () => {
    const { statementFaults: inStatement } = scene.stack.sandbox.books;
    const today = dayOfTime(new Date(), ZONE);
    const tomorrow = dayOfTime(new Date(Date.now() + 86_400_000), ZONE);
    const ours = new Map(
      await Promise.all(
        faults.map(async (fault) => [fault, await doneAt(source.provider)] as const),
      ),
    );
    expect(await compared(source, today)).toEqual([]);

    for (const [fault, reference] of ours) inStatement.set(reference, fault);
    const faultOf = new Map([...ours].map(([fault, reference]) => [reference, fault]));
    const found = (await compared(source, today)).map(([type, reference]) => {
      const of = reference === null ? 'none' : (faultOf.get(reference) ?? 'another');
      return `${type} of ${of}`;
    });
    const expected = faults.flatMap((fault) =>
      (otherwise[name]?.[fault] ?? usual[fault]).map(
        ([type, of]) => `${type} of ${of === 'ours' ? fault : of}`,
      ),
    );
    expect(found.toSorted()).toEqual(expected.toSorted());

    // The statement of the next day has what is late.
    expect(await compared(source, tomorrow)).toEqual([]);
    expect(await compared(source, today)).not.toContainEqual(['missing-there', ours.get('late')]);
    inStatement.clear();
    expect(await compared(source, today)).toEqual([]);
  });
});
