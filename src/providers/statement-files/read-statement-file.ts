import { momentOf } from '../../domain/local-time.ts';
import { withoutGroups } from '../../domain/money.ts';
import { numberOfParty } from '../../domain/providers/written-number.ts';
import type { ProviderStatementLine, StatementPeriod } from '../statement.ts';
import { type StatementFormat, statementFormats } from './statement-format.ts';
import { StatementFileError, statementRows } from './statement-rows.ts';

const DAY_MS = 86_400_000;
/** How far from midnight a row of the day may stand: clocks differ, and an operation takes time. */
const NEAR_MIDNIGHT_MS = 3_600_000;

/**
 * Reads a statement as CSV (RFC 4180), row by row: its first row, or the first after its introduction,
 * names the columns, in any order; further columns are not read. Times without an offset are of the time zone.
 *
 * @throws {StatementFileError} at the first row that cannot be read, or that is far from the day, and at the
 *   end of a file whose rows are mostly of a neighbouring day: its fees would be booked twice
 */
export async function* readStatementFile(
  content: AsyncIterable<Buffer | string>,
  options: {
    readonly provider: string;
    readonly zone: string;
    readonly period: StatementPeriod;
    /** Called for each row that took nothing from our account, and is no line. */
    readonly onIgnored?: () => void;
    /** A file without rows says that the provider did nothing; without this it is refused. */
    readonly mayBeEmpty?: boolean;
  },
): AsyncGenerator<ProviderStatementLine> {
  const { provider, zone, period, onIgnored, mayBeEmpty = false } = options;
  const format = statementFormats[provider];
  if (!format) throw new StatementFileError(`No format of files is known for ${provider}.`);
  let row = 0;
  let rowOfColumns = 0;
  const counts = { lines: 0, ofOtherDays: 0 };
  let places: ReadonlyMap<string, number> | undefined;
  for await (const cells of statementRows(content)) {
    row += 1;
    if (!places) {
      const isIntroductory = row <= (format.introductoryRows ?? 0) && !isHeader(cells, format);
      if (isIntroductory) continue;
      places = placesOf(cells, format);
      rowOfColumns = row;
      continue;
    }
    const fail = (column: string, text: string) =>
      new StatementFileError(`Row ${row}, column "${column}": ${text}.`);
    const named = new Cells(cells, places, fail);
    if (isTotal(cells, named, format))
      throw new StatementFileError(
        `Row ${row} is a total or a note, and no transaction: remove it.`,
      );
    const line = lineOf(format, named, zone, fail);
    if (!line) {
      onIgnored?.();
      continue;
    }
    if (!isWithin(line.at, period, DAY_MS)) throw fail(format.columns.at, 'is not of this day');
    counts.lines += 1;
    if (!isWithin(line.at, period, NEAR_MIDNIGHT_MS)) counts.ofOtherDays += 1;
    yield line;
  }
  if (counts.ofOtherDays > counts.lines / 2)
    throw new StatementFileError(
      `${counts.ofOtherDays} of the ${counts.lines} rows are not of this day in ${zone}.`,
    );
  if (!places)
    throw new StatementFileError(
      row === 0
        ? 'The file is empty: its first row names the columns.'
        : `The file lacks the row that names the columns, with "${format.columns.providerReference}".`,
    );
  // The rows before these are the introduction, and the one that names the columns.
  if (row === rowOfColumns && !mayBeEmpty)
    throw new StatementFileError(
      'The file has no row below the names of its columns: by it the provider did nothing. If the ' +
        'provider says so, add --empty.',
    );
}

/** Whether a time is in a period that begins earlier and ends later by a margin. */
const isWithin = (at: Date, { from, to }: StatementPeriod, marginMs: number): boolean =>
  at.getTime() >= from.getTime() - marginMs && at.getTime() < to.getTime() + marginMs;

/** A row with the name of the id is meant to name the columns, whatever separates them. */
const isHeader = (cells: readonly string[], { columns }: StatementFormat): boolean =>
  cells.some((cell) =>
    cell.split(/[;\t|]/).some((name) => name.trim() === columns.providerReference),
  );

/** @throws {StatementFileError} where a column is missing or stands twice */
function placesOf(header: readonly string[], format: StatementFormat): Map<string, number> {
  const wanted = Object.values(format.columns);
  const places = new Map<string, number>();
  for (const [place, name] of header.entries()) {
    if (!wanted.includes(name)) continue;
    if (places.has(name)) throw new StatementFileError(`The column "${name}" stands twice.`);
    places.set(name, place);
  }
  const missing = wanted.filter((name) => !places.has(name) && !format.optional.includes(name));
  if (missing.length > 0)
    throw new StatementFileError(
      separatorProblem(header, wanted) ?? `The file lacks the columns ${missing.join(', ')}.`,
    );
  return places;
}

const separators: readonly (readonly [separator: string, words: string])[] = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
];

/** Spreadsheets write other separators, and a first row that names the separator. */
function separatorProblem(header: readonly string[], wanted: readonly string[]) {
  if (/^sep=/i.test(header[0] ?? ''))
    return 'The first row, "sep=", is a note of a spreadsheet and no name of a column: remove it.';
  const [, words] =
    separators.find(([separator]) =>
      header.some((cell) => {
        const names = cell.split(separator).map((name) => name.trim());
        return names.length > 1 && names.some((name) => wanted.includes(name));
      }),
    ) ?? [];
  return words && `The columns are separated by ${words}: export the file with commas.`;
}

type Fail = (column: string, text: string) => StatementFileError;

/** A number as a spreadsheet shortens it: its last digits are lost, and several ids become one. */
const SHORTENED = /^-?\d(?:[.,]\d+)?E\+\d+$/i;

class Cells {
  private readonly cells: readonly string[];
  private readonly places: ReadonlyMap<string, number>;
  private readonly fail: Fail;

  constructor(cells: readonly string[], places: ReadonlyMap<string, number>, fail: Fail) {
    this.cells = cells;
    this.places = places;
    this.fail = fail;
  }

  /**
   * Null where it is empty, or the file lacks the column.
   *
   * @throws {StatementFileError} where a spreadsheet has shortened it
   */
  read(column: string | undefined): string | null {
    const place = column === undefined ? undefined : this.places.get(column);
    const cell = place === undefined ? '' : (this.cells[place] ?? '');
    if (column !== undefined && SHORTENED.test(cell))
      throw this.fail(
        column,
        'a spreadsheet has shortened the number, so that its last digits are lost: export the file ' +
          'again, and do not save it with a spreadsheet',
      );
    return cell || null;
  }
}

/** A row of totals, or a note below the transactions: a transaction has an id and a time. */
const isTotal = (
  cells: readonly string[],
  named: Cells,
  { columns }: Pick<StatementFormat, 'columns'>,
): boolean =>
  named.read(columns.at) === null &&
  (named.read(columns.providerReference) === null ||
    cells.some((cell) => /^(?:grand |sub-?)?totals?\b/i.test(cell)));

/** Whether a cell has an amount above or below zero, or something that is none. */
const isAmount = (cell: string | null): boolean => cell !== null && !/^-?[0.,]*$/.test(cell);

/** Who received it, as other lists name a party. */
function partyOf(cell: string | null): string | null {
  const number = numberOfParty(cell);
  return number === undefined ? null : `msisdn ${number}`;
}

/** A row as a line; undefined where it took nothing from our account. */
function lineOf(
  { kind: usual, kindOf, columns, statuses }: StatementFormat,
  cells: Cells,
  zone: string,
  fail: Fail,
): ProviderStatementLine | undefined {
  const type = kindOf ? kindOf(cells.read(columns.type) ?? '') : usual;
  const isOther = type === 'other' || type === 'credit';
  if (type === 'credit' || (isOther && !isAmount(cells.read(columns.amount)))) return undefined;
  const kind = isOther ? usual : type;
  const providerReference = cells.read(columns.providerReference);
  if (providerReference === null || providerReference.length > 256)
    throw fail(columns.providerReference, 'must have 1 to 256 characters');
  const at = momentOf(cells.read(columns.at) ?? '', zone);
  if (!at) throw fail(columns.at, 'must be a time such as 2026-11-23T14:05:00+03:00');
  const decimal = (column: string | undefined): string | null => {
    const cell = cells.read(column);
    const text = cell === null ? null : withoutGroups(cell).replace(/^-/, '');
    if (text !== null && !/^\d{1,18}(\.\d{1,10})?$/.test(text))
      throw fail(column ?? '', 'must be an amount such as 97.50');
    return text;
  };
  const currency = columns.currency === undefined ? 'ETB' : cells.read(columns.currency);
  const amount = decimal(columns.amount);
  if (kind === 'fee')
    return {
      ...{ kind: usual, providerReference: `${providerReference} fee`, reference: null, at },
      ...{ status: 'completed', amount: '0', currency, fee: amount, feeCurrency: currency },
    };
  const fee = decimal(columns.fee);
  return {
    kind,
    ...(isOther && { isOther: true }),
    providerReference,
    reference: cells.read(columns.reference),
    originalReference: cells.read(columns.original) ?? undefined,
    status: statuses[(cells.read(columns.status) ?? '').toLowerCase()] ?? 'pending',
    amount,
    currency,
    fee,
    feeCurrency: fee === null ? null : (cells.read(columns.feeCurrency) ?? 'ETB'),
    ...(columns.party !== undefined && { party: partyOf(cells.read(columns.party)) }),
    at,
  };
}
