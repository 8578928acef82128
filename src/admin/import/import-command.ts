import type { DatabaseTransaction } from '../../db/connection.ts';
import { type AdminCommand, type AdminContext, type Report, recordChanges } from '../command.ts';
import {
  AdminError,
  type Fields,
  flag,
  type InputOf,
  kebab,
  oneOf,
  optional,
  required,
} from '../fields.ts';
import { inWords, type RecordKind, type RecordProblem } from '../records/record-kind.ts';
import {
  type GivenRecord,
  type Plan,
  planRecords,
  type Written,
  writeRecords,
} from '../records/write-records.ts';
import {
  type ImportFile,
  importFile,
  importLimits,
  readCsvRows,
  readJsonRows,
  readRows,
} from './read-rows.ts';

type WritablePlan = Exclude<Plan, { action: 'refuse' }>;

/** The number of problems that are shown. */
const SHOWN_PROBLEMS = 50;

/**
 * The plans, if every row is valid.
 *
 * @throws {AdminError} with the problems of the invalid rows
 */
function acceptAll(
  fileName: string,
  rows: readonly GivenRecord[],
  plans: readonly Plan[],
): WritablePlan[] {
  const problems = plans.flatMap((plan, index) =>
    plan.action === 'refuse'
      ? plan.problems.map((problem) => describe(rows[index]?.place, problem))
      : [],
  );
  if (problems.length === 0) return plans.filter((plan) => plan.action !== 'refuse');
  const shown = problems.slice(0, SHOWN_PROBLEMS);
  const more = problems.length - shown.length;
  throw new AdminError(
    [
      `${fileName} has ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}; ` +
        'nothing was imported:',
      ...shown.map((problem) => `  ${problem}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  );
}

const describe = (place: string | undefined, { field, reason }: RecordProblem): string =>
  field === '' ? `${place} ${reason}` : `${place}, ${kebab(field)} ${reason}`;

/** The help of an import: its rules and its columns. */
function importDetails(kind: RecordKind): { details: string; detailLines: string[] } {
  const identity = kind.identity.map(kebab).join(' and ');
  const names = Object.keys(kind.fields).map(kebab);
  const width = Math.max(...names.map((name) => name.length));
  return {
    details:
      `A row adds a ${inWords(kind.kind)}, or changes the one with the same ${identity}, so an ` +
      'import can be repeated. An empty cell changes nothing. The import is atomic: if a row is ' +
      'invalid, all problems are shown and nothing is changed. ' +
      'CSV is in UTF-8, and its first row names the columns, in any order; JSON is an array of ' +
      `objects with the same names. At most ${importLimits.rows.toLocaleString('en')} rows and ` +
      `${importLimits.bytes / 1024 / 1024} MB.`,
    detailLines: [
      `Columns (* is required to add a ${inWords(kind.kind)}):`,
      ...Object.entries(kind.fields).map(
        ([name, { description, isRequired, whenLeftOut }]) =>
          `  ${isRequired ? '*' : ' '} ${kebab(name).padEnd(width)}  ${description}` +
          (whenLeftOut === undefined ? '' : `; ${whenLeftOut} by default`),
      ),
      '',
      'A file in CSV:',
      ...kind.help.importSample.map((line) => `  ${line}`),
    ],
  };
}

const fields = {
  file: required(importFile, 'The file, or - for standard input'),
  format: optional(oneOf('csv', 'json'), 'The format, where the file name does not end with it'),
  dryRun: flag('Check everything and change nothing'),
} satisfies Fields;

type ImportInput = InputOf<typeof fields>;

/** Rows per statement. */
const BATCH_SIZE = 500;

/** The command that imports records of a kind from a file, all or none. */
export const importCommand = (kind: RecordKind): AdminCommand => ({
  ...importDetails(kind),
  fields,
  examples: [
    `--file ${kind.plural}.csv --dry-run`,
    `--file ${kind.plural}.csv`,
    `--file - --format json < ${kind.plural}.json`,
  ],
  async run(context, given: ImportInput) {
    const actor = context.actor();
    const { file } = given;
    const rows = rowsOf(kind, given);
    const read = await context.progress.step('Checking', async (note) =>
      readRows(kind, rows, (count) => note(`${count} of ${rows.length}`)),
    );
    const transaction = await context.database.startTransaction().execute();
    try {
      const written = await importRows(transaction, { ...context, actor }, kind, { file, read });
      // Some errors appear only on execution, so a dry run executes and rolls back.
      await (given.dryRun ? transaction.rollback() : transaction.commit()).execute();
      return reportOf(kind, given, written);
    } catch (error) {
      if (!transaction.isCommitted && !transaction.isRolledBack)
        await transaction.rollback().execute();
      throw error;
    }
  },
});

async function importRows(
  transaction: DatabaseTransaction,
  context: Pick<AdminContext, 'progress'> & { readonly actor: string },
  kind: RecordKind,
  { file, read }: { readonly file: ImportFile; readonly read: readonly GivenRecord[] },
): Promise<Written[]> {
  const plans = await planRecords(transaction, kind, read, true);
  const written = await writeAll(transaction, kind, acceptAll(file.name, read, plans), context);
  await audit(transaction, context.actor, kind, { file, read, written });
  return written;
}

/** @throws {AdminError} when the file cannot be imported */
function rowsOf(kind: RecordKind, { file, format }: ImportInput) {
  const [, extension = ''] = /\.(csv|json)$/i.exec(file.name) ?? [];
  const readers = { csv: readCsvRows, json: readJsonRows };
  const chosen = format ?? extension.toLowerCase();
  if (chosen !== 'csv' && chosen !== 'json')
    throw new AdminError(
      `The name of ${file.name} does not show its format: add --format csv or json.`,
    );
  try {
    const rows = readers[chosen](kind, file.text);
    if (rows.length === 0) throw new AdminError('has no rows');
    if (rows.length > importLimits.rows)
      throw new AdminError(`has more than ${importLimits.rows} rows: import it in parts`);
    return rows;
  } catch (error) {
    if (error instanceof AdminError) throw new AdminError(`${file.name} ${error.message}.`);
    throw error;
  }
}

const writeAll = (
  transaction: DatabaseTransaction,
  kind: RecordKind,
  plans: readonly WritablePlan[],
  { progress }: Pick<AdminContext, 'progress'>,
): Promise<Written[]> =>
  progress.step('Writing', async (note) => {
    const written: Written[] = [];
    for (let start = 0; start < plans.length; start += BATCH_SIZE) {
      const batch = plans.slice(start, start + BATCH_SIZE);
      written.push(...(await writeRecords(transaction, kind, batch)));
      note(`${written.length} of ${plans.length}`);
    }
    return written;
  });

/** One audit entry per created or changed record, with its file and its place there. */
async function audit(
  transaction: DatabaseTransaction,
  actor: string,
  kind: RecordKind,
  { file, read, written }: ImportResult,
): Promise<void> {
  const source = { file: file.name, sha256: file.digest };
  const changes = written.flatMap(({ outcome, id, details }, index) =>
    outcome === 'unchanged'
      ? []
      : [
          {
            subject: { kind: kind.kind, id },
            details: { ...source, place: read[index]?.place, outcome, ...details },
          },
        ],
  );
  for (let start = 0; start < changes.length; start += BATCH_SIZE)
    await recordChanges(
      transaction,
      actor,
      `import ${kind.plural}`,
      changes.slice(start, start + BATCH_SIZE),
    );
}

interface ImportResult {
  readonly file: ImportFile;
  readonly read: readonly GivenRecord[];
  readonly written: readonly Written[];
}

function reportOf(
  kind: RecordKind,
  { file, dryRun }: ImportInput,
  written: readonly Written[],
): Report {
  const count = (outcome: Written['outcome']) =>
    written.filter((one) => one.outcome === outcome).length;
  const counts = {
    created: count('created'),
    changed: count('changed'),
    unchanged: count('unchanged'),
  };
  const { created, changed, unchanged } = counts;
  const sentence = `created ${created}, changed ${changed}, unchanged ${unchanged}`;
  return {
    json: { kind: kind.kind, file: file.name, sha256: file.digest, dryRun, ...counts },
    text: dryRun
      ? `${file.name} is valid; nothing was changed. Without --dry-run: ${sentence}.`
      : `Imported ${inWords(kind.plural)} of ${file.name}: ${sentence}.`,
  };
}
