import { parse } from 'csv-parse';
import { momentOf } from '../../domain/local-time.ts';
import { withoutGroups } from '../../domain/money.ts';
import { numberOfParty } from '../../domain/providers/written-number.ts';
import type { ProviderStatementLine, StatementPeriod } from '../statement.ts';
import { type StatementFormat, statementFormats } from './statement-format.ts';

/** The file is no statement of the provider for the day. The message repeats none of it. */
export class StatementFileError extends Error {
  override readonly name = 'StatementFileError';
}

const ROW_CHARACTERS = 10_000;
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
  },
): AsyncGenerator<ProviderStatementLine> {
  const { provider, zone, period, onIgnored } = options;
  const format = statementFormats[provider];
  if (!format) throw new StatementFileError(`No format of files is known for ${provider}.`);
  let row = 0;
  const counts = { lines: 0, ofOtherDays: 0 };
  let places: ReadonlyMap<string, number> | undefined;
  for await (const cells of rowsOf(content)) {
    row += 1;
    if (!places) {
      const isIntroductory = row <= (format.introductoryRows ?? 0) && !isHeader(cells, format);
      if (!isIntroductory) places = placesOf(cells, format);
      continue;
    }
    const fail = (column: string, text: string) =>
      new StatementFileError(`Row ${row}, column "${column}": ${text}.`);
    const line = lineOf(format, new Cells(cells, places), zone, fail);
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
  if (!places) throw new StatementFileError('The file is empty: its first row names the columns.');
}

/** Whether a time is in a period that begins earlier and ends later by a margin. */
const isWithin = (at: Date, { from, to }: StatementPeriod, marginMs: number): boolean =>
  at.getTime() >= from.getTime() - marginMs && at.getTime() < to.getTime() + marginMs;

async function* rowsOf(content: AsyncIterable<Buffer | string>): AsyncGenerator<readonly string[]> {
  const parser = parse({
    bom: true,
    max_record_size: ROW_CHARACTERS,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  });
  const feeding = feed(content, parser);
  try {
    for await (const cells of parser) yield cells as readonly string[];
    await feeding;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.includes('CSV') && !code.includes('QUOTE')) throw error;
    throw new StatementFileError(`The file is not valid CSV (${code}).`);
  }
}

/** Writes no faster than rows are taken. */
async function feed(content: AsyncIterable<Buffer | string>, parser: ReturnType<typeof parse>) {
  try {
    for await (const chunk of content)
      if (!parser.write(chunk)) await new Promise((resolve) => parser.once('drain', resolve));
    parser.end();
  } catch (error) {
    parser.destroy(error instanceof Error ? error : new Error('The file cannot be read'));
  }
}

/** A row with one of the names is meant to name the columns. */
const isHeader = (cells: readonly string[], { columns }: StatementFormat): boolean =>
  cells.includes(columns.providerReference);

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
    throw new StatementFileError(`The file lacks the columns ${missing.join(', ')}.`);
  return places;
}

class Cells {
  private readonly cells: readonly string[];
  private readonly places: ReadonlyMap<string, number>;

  constructor(cells: readonly string[], places: ReadonlyMap<string, number>) {
    this.cells = cells;
    this.places = places;
  }

  /** Null where it is empty, or the file lacks the column. */
  read(column: string | undefined): string | null {
    const place = column === undefined ? undefined : this.places.get(column);
    return (place === undefined ? '' : (this.cells[place] ?? '')) || null;
  }
}

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
  fail: (column: string, text: string) => Error,
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
