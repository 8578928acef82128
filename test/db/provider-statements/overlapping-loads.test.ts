import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareFile } from '../../../activities/compare-statement.ts';
import type { Day } from '../../../src/domain/day-report.ts';
import type { ProviderStatementLine } from '../../../src/domain/positions/statement-line.ts';
import { type AdminScene, openScene } from '../../admin/scene.ts';

/** Statements that overlap: a file with rows of the day before or after, and two loads of one day at the same time. */
let scene: AdminScene;
const provider = { name: 'mpesa', kind: 'mobile-money' } as const;
const settings = {
  providerStatementMarginSeconds: 1_800,
  patienceDays: 100_000,
  maximumDifferences: 1_000,
  reversalWatchSeconds: 0,
};

beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

/** A charge of 1 birr for a payment at this time. */
const charge = (name: string, at: string): ProviderStatementLine => ({
  kind: 'payment',
  providerReference: `${name} fee`,
  reference: null,
  status: 'completed',
  amount: '0',
  currency: 'ETB',
  fee: '1',
  feeCurrency: 'ETB',
  at: new Date(at),
});

const compare = (
  day: Day,
  lines: AsyncIterable<ProviderStatementLine> | Iterable<ProviderStatementLine>,
) => compareFile(scene.database, { provider, day, zone: 'UTC' }, lines, settings);

/** What is booked as fees, by day; a correction counts against it. */
async function booked(...days: Day[]) {
  const { rows } = await sql<{ fee: number }>`
    select coalesce((select sum(case debit.kind when 'service-fees' then amount else -amount end)
      from ledger_transfers join ledger_accounts as debit on debit.id = debit_account_id
      where operation_id = 'provider-fee:mpesa:' || day), 0)::float8 as fee
    from unnest(${days}::text[]) as day order by day`.execute(scene.database);
  return rows.map(({ fee }) => fee);
}

test.each([
  ['2026-01-05', '2026-01-06', 'in their order'],
  ['2026-01-16', '2026-01-15', 'the later one first'],
] as const)('a charge in the files of two days is booked once: %s and %s, %s', async (...days) => {
  const [earlier, later] = [...days.slice(0, 2)].sort() as [Day, Day];
  const evening = charge(`E${earlier}`, `${earlier}T21:00:00Z`);
  const noon = charge(`N${earlier}`, `${earlier}T12:00:00Z`);
  const next = ['08', '09'].map((hour) => charge(`${hour}${later}`, `${later}T${hour}:00:00Z`));
  // Whoever exported the later one began in the evening before.
  const files: Record<string, ProviderStatementLine[]> = {
    [earlier]: [noon, evening],
    [later]: [evening, ...next],
  };
  for (const day of days.slice(0, 2) as Day[])
    expect(await compare(day, files[day] ?? [])).toMatchObject({ kind: 'compared' });
  expect(await booked(earlier, later)).toEqual([2, 2]);
  // Only the later one has it from now on.
  await compare(earlier, [noon]);
  expect(await booked(earlier, later)).toEqual([1, 3]);
});

test('a load that ends while another one of its day is read takes none of its lines', async () => {
  const day = '2026-01-25' as Day;
  const lines = Array.from({ length: 600 }, (_, index) => charge(`L${index}`, `${day}T12:00:00Z`));
  const slow = async function* () {
    yield* lines.slice(0, 550);
    expect(await compare(day, lines)).toMatchObject({ kind: 'compared' });
    yield* lines.slice(550);
  };
  expect(await compare(day, slow())).toMatchObject({ kind: 'compared' });
  expect(await booked(day)).toEqual([600]);
});

test('two charges of one payment are two fees, and the same row twice is one', async () => {
  const day = '2026-02-05' as Day;
  const fee = charge('SKM1', `${day}T12:00:00Z`);
  const duty = { ...fee, fee: '0.15' };
  expect(await compare(day, [fee, duty, fee, duty])).toMatchObject({ kind: 'compared' });
  expect(await booked(day)).toEqual([1.15]);
  // Also where rows between them are stored first, in whatever order they come.
  const others = Array.from({ length: 600 }, (_, index) => charge(`O${index}`, `${day}T12:00:00Z`));
  await compare(day, [duty, ...others, fee, duty]);
  expect(await booked(day)).toEqual([601.15]);
});
