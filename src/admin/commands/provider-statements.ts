import {
  type ComparisonResult,
  type ComparisonSettings,
  compareFetched,
  compareFile,
  comparisonSettings,
  periodOf,
} from '../../../activities/compare-statement.ts';
import { type Case, casesOfLines } from '../../db/positions/cases.ts';
import type { Compared } from '../../db/provider-statements/compare-lines.ts';
import type { StatementDay } from '../../db/provider-statements/statements.ts';
import { findStatement } from '../../db/provider-statements/statements.ts';
import { readFence, whyFenced } from '../../db/recovery.ts';
import { statementProviderNames, statementProviders } from '../../domain/providers.ts';
import { csv } from '../../rendering/csv.ts';
import { type AdminCommand, type AdminContext, recordChanges } from '../command.ts';
import {
  AdminError,
  day,
  flag,
  givenFile,
  type InputOf,
  oneOf,
  optional,
  required,
  wholeNumber,
  withDefault,
} from '../fields.ts';
import { withStatementFile } from '../given-file.ts';
import { caseTable } from './cases.ts';

const fields = {
  provider: required(oneOf(...statementProviderNames), 'The provider'),
  day: required(day, 'The day, in MARKET_TIME_ZONE'),
  file: optional(
    givenFile,
    'The statement as a file in CSV, or - for standard input; by default the provider is asked',
  ),
  empty: flag('Accept a file without rows: the provider did nothing on that day'),
  stored: flag('Only show the cases of earlier comparisons'),
  all: flag('Also show closed cases of lines'),
  maximum: optional(
    wholeNumber(1, 1_000_000),
    'How many differences may be booked; 200 by default',
  ),
  format: withDefault(oneOf('text', 'csv'), 'The format of the output', 'text'),
};
type Input = InputOf<typeof fields>;

export const commands: Record<string, AdminCommand> = {
  'money reconcile': {
    details:
      'Reads the statement from the provider or from a file in CSV. Books its answers and fees, and ' +
      'opens a case for each line that is not ours, as the Schedule does every day. A repeated ' +
      'comparison of a day changes nothing more. Needs the settings of the provider unless there is ' +
      'a file. The exit code is 2 while a line is not explained.',
    fields,
    examples: [
      '--provider gsma --day 2026-11-22',
      '--provider mpesa --day 2026-11-22 --file statement.csv',
      '--provider dt-one --day 2026-11-22 --stored --all --format csv > cases.csv',
    ],
    async run(context, input: Input) {
      const { database, settings } = context;
      const { marketTimeZone: zone } = settings.market;
      const provider = { name: input.provider, kind: statementProviders[input.provider] };
      const of: StatementDay = { provider, day: input.day, zone };
      const booked = input.stored ? undefined : (await compare(context, of, input)).observed;
      const found = await findStatement(database, provider.name, input.day);
      if (!found)
        throw new AdminError(`No statement of ${provider.name} for ${input.day} was read.`);
      const cases = await casesOfLines(database, {
        provider: provider.name,
        day: input.day,
        includeClosed: input.all,
      });
      const json = { provider: provider.name, day: input.day, zone, ...found, booked, cases };
      const head =
        `${provider.name}, ${input.day} (${zone}): ${found.lines} lines${ignoredOf(found.ignored)}, fee booked ETB ` +
        `${found.bookedFee}${otherFees(found.fees)}, not explained: ${found.unexplained}${bookedOf(booked)}`;
      return {
        json,
        text:
          input.format === 'csv'
            ? csv([csvColumns, ...cases.map(csvRow)]).trimEnd()
            : `${head}\n\n${caseTable(cases)}`,
        exitCode: found.unexplained === 0 ? 0 : 2,
      };
    },
  },
};

/** The lines that changed our books, which may have opened cases. */
const bookedOf = (booked = 0): string =>
  booked === 0
    ? ''
    : `\nLines that changed our books: ${booked}. Where somebody must bear a difference, "cases list" has its case.`;

/** @throws {AdminError} where nothing was compared */
async function compare(
  context: AdminContext,
  of: StatementDay,
  input: Input,
): Promise<Pick<Compared, 'observed'>> {
  const { database } = context;
  const actor = context.actor();
  await requireNoFence(context);
  const usual = comparisonSettings(context.settings);
  const { maximum: maximumDifferences = usual.maximumDifferences } = input;
  const record: ComparisonSettings['record'] = (transaction, compared) => {
    const { name: provider } = of.provider;
    const source = input.file === undefined ? 'api' : 'file';
    return recordChanges(transaction, actor, 'reconcile', [
      {
        subject: { kind: 'provider-statement', id: Number(of.day.replaceAll('-', '')) },
        details: { provider, day: of.day, source, ...compared },
      },
    ]);
  };
  const settings = { ...usual, maximumDifferences, record, isLastTry: false };
  const fetched = async () => {
    // A statement of a file does without the adapters of all providers.
    const { accountOf } = await import('../provider-adapters.ts');
    return compareFetched(database, of, accountOf(context.settings, of.provider.name), settings);
  };
  const result =
    input.file === undefined
      ? await fetched()
      : await compareGiven(context, of, { file: input.file, mayBeEmpty: input.empty }, settings);
  if (result.kind !== 'compared')
    throw new AdminError(
      result.kind === 'too-many'
        ? `${result.message} Look for their one cause; --maximum allows them.`
        : `The statement could not be read: ${result.message} Nothing was compared.`,
    );
  return result;
}

const fences: Readonly<Record<NonNullable<ReturnType<typeof whyFenced>>, string>> = {
  fence:
    'The fence of a restore stands: the database lacks what the providers did. First "recovery book" ' +
    'and "recovery lift".',
  standby: 'DATABASE_URL leads to a standby: give the address of the primary.',
  'new timeline':
    'PostgreSQL was promoted or restored: the database may lack what the providers did. First "recovery ' +
    'fence", "recovery book" and "recovery lift". Or set SYNCHRONOUS_REPLICATION=yes as the processes have it.',
};

/**
 * For a command that books what providers say.
 *
 * @throws {AdminError} where processes would change and send nothing
 */
async function requireNoFence({
  database,
  settings,
}: Pick<AdminContext, 'database' | 'settings'>): Promise<void> {
  const isSynchronous = settings.database.synchronousReplication === 'yes';
  const why = whyFenced(await readFence(database), isSynchronous);
  if (why) throw new AdminError(fences[why]);
}

async function compareGiven(
  { database, settings: { providers, market } }: AdminContext,
  of: StatementDay,
  { file, mayBeEmpty }: { readonly file: string; readonly mayBeEmpty: boolean },
  settings: ComparisonSettings,
): Promise<ComparisonResult> {
  const options = {
    provider: of.provider.name,
    // Of the times that the files of the provider write without an offset.
    zone: of.provider.name === 'reloadly' ? providers.reloadlyTimeZone : market.marketTimeZone,
    period: await periodOf(database, of),
    mayBeEmpty,
  };
  return withStatementFile(file, options, (rows) => compareFile(database, of, rows, settings));
}

const ignoredOf = (count: number): string =>
  count === 0 ? '' : ` (and ${count} that took nothing from our account)`;

/** Fees in other currencies are not booked. */
const otherFees = (fees: Readonly<Record<string, string>>): string =>
  Object.entries(fees)
    .filter(([currency]) => currency !== 'ETB')
    .map(([currency, fee]) => `, not booked ${currency} ${fee}`)
    .join('');

const csvColumns = [
  ...['id', 'provider', 'day', 'why', 'ourReference', 'amount', 'message'],
  ...['openedAt', 'closedAt', 'closedBy', 'note'],
];

const csvRow = ({ id, provider, subject, why, reference, amount, message, ...one }: Case) => [
  ...[id, provider, subject.split(' ')[1] ?? null, why, reference, amount, message],
  ...[one.openedAt.toISOString(), one.closedAt?.toISOString() ?? null, one.closedBy, one.note],
];
