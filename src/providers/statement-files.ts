import { parse } from 'csv-parse';
import { isShortened } from '../domain/copied-text.ts';
import { momentOf } from '../domain/local-time.ts';
import { withoutGroups } from '../domain/money.ts';
import { mpesaStatusOf } from '../domain/mpesa.ts';
import type { ProviderStatementLine } from '../domain/positions/statement-line.ts';
import { numberOfParty } from '../domain/providers.ts';
import { statusOfClass } from './airtime/dt-one/transformers.ts';
import { statusOfTopup } from './airtime/reloadly/transformers.ts';
import { kindOfType, statusOfWord } from './mobile-money/gsma/transformers.ts';
import type { StatementPeriod, StatementRow } from './statement.ts';

/** The columns of a provider statement as a file. */
interface StatementFormat {
  /** The kind of a row whose type says nothing, or that has no column of types. */
  readonly kind: ProviderStatementLine['kind'];
  readonly columns: {
    readonly providerReference: string;
    readonly reference: string;
    readonly status: string;
    readonly amount: string;
    readonly at: string;
    /** Without a column the currency is ETB. */
    readonly currency?: string;
    readonly original?: string;
    readonly type?: string;
    readonly fee?: string;
    readonly feeCurrency?: string;
    /** Who received it: a number, and perhaps a name after it. */
    readonly party?: string;
  };
  /** Most rows before the names of the columns: they say who holds the account, and for which time. */
  readonly introductoryRows?: number;
  /** Columns that a file may lack. */
  readonly optional: readonly string[];
  /** The meaning of a status, which is that of the API. */
  readonly statusOf: (word: string) => ProviderStatementLine['status'];
  /**
   * The kind of the rows of a type: `fee` is a charge of the provider, `credit` put money into our
   * account, and `other` took it, where the row has an amount.
   */
  readonly kindOf?: (type: string) => RowKind;
}

type RowKind = ProviderStatementLine['kind'] | 'fee' | 'credit' | 'other';

/**
 * M-Pesa explains a row in words, as in "Business Payment to 251911234567 - SELAM RECHARGE SHOP". Only
 * the words before the party say what it is: names of parties have words such as fee and reverse. A
 * row that put money in has no amount of what was withdrawn.
 */
function kindOfMpesa(details: string): RowKind {
  const [words = ''] = details.split(/\s(?:to|from)\s|\s\+?\d{4}/i, 1);
  if (/charge|\bfees?\b/i.test(words)) return 'fee';
  if (/\brevers/i.test(words)) return 'reversal';
  return /business payment|salary payment|promotion payment|b2c/i.test(words) ? 'payment' : 'other';
}

/** One row per provider that gives its statement as a file. */
const statementFormats: Readonly<Record<string, StatementFormat>> = {
  gsma: {
    kind: 'payment',
    columns: {
      providerReference: 'transactionReference',
      reference: 'requestingOrganisationTransactionReference',
      original: 'originalTransactionReference',
      type: 'type',
      status: 'transactionStatus',
      amount: 'amount',
      currency: 'currency',
      fee: 'feeAmount',
      feeCurrency: 'feeCurrency',
      at: 'creationDate',
    },
    optional: ['originalTransactionReference', 'feeAmount', 'feeCurrency'],
    statusOf: (word) => statusOfWord(word.toLowerCase()),
    kindOf: kindOfType,
  },
  mpesa: {
    kind: 'payment',
    columns: {
      providerReference: 'Receipt No.',
      reference: 'Originator Conversation ID',
      original: 'Linked Transaction ID',
      type: 'Details',
      status: 'Transaction Status',
      amount: 'Withdrawn',
      at: 'Completion Time',
      party: 'Other Party Info',
    },
    introductoryRows: 20,
    optional: ['Originator Conversation ID', 'Linked Transaction ID', 'Other Party Info'],
    statusOf: (word) => mpesaStatusOf(word) ?? 'pending',
    kindOf: kindOfMpesa,
  },
  'dt-one': {
    kind: 'top-up',
    columns: {
      providerReference: 'id',
      reference: 'external_id',
      status: 'status',
      amount: 'amount',
      currency: 'unit',
      fee: 'fee',
      feeCurrency: 'fee_unit',
      at: 'creation_date',
    },
    optional: ['fee', 'fee_unit'],
    statusOf: (word) => statusOfClass({ message: word.toUpperCase() }),
  },
  reloadly: {
    kind: 'top-up',
    columns: {
      providerReference: 'transactionId',
      reference: 'customIdentifier',
      status: 'status',
      amount: 'deliveredAmount',
      currency: 'deliveredAmountCurrencyCode',
      fee: 'fee',
      feeCurrency: 'feeCurrencyCode',
      at: 'transactionDate',
    },
    optional: ['fee', 'feeCurrencyCode'],
    // A file does not say whether the operator had completed a refunded top-up: taken as completed.
    statusOf: (word) => statusOfTopup({ status: word.toUpperCase(), operatorTransactionId: '' }),
  },
};

/** The file is no provider statement of the day. The message repeats none of it. */
export class StatementFileError extends Error {
  override readonly name = 'StatementFileError';
}

const ROW_CHARACTERS = 10_000;

/**
 * The rows of a file in CSV (RFC 4180), as cells.
 *
 * @throws {StatementFileError} for other content
 */
async function* statementRows(
  content: AsyncIterable<Buffer | string>,
): AsyncGenerator<readonly string[]> {
  const parser = parse({
    bom: true,
    max_record_size: ROW_CHARACTERS,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  });
  const feeding = feed(readableText(content), parser);
  try {
    for await (const cells of parser) yield cells as readonly string[];
    await feeding;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.includes('CSV') && !code.includes('QUOTE')) throw error;
    const separator = code.includes('CLOSING_QUOTE')
      ? ', where a quoted cell does not end with a comma: perhaps semicolons or tabs separate the columns'
      : '';
    throw new StatementFileError(`The file is not valid CSV (${code})${separator}.`);
  }
}

/** The first bytes of files that are no text in UTF-8. */
const otherFiles: readonly (readonly [begin: string, words: string])[] = [
  ['1f8b', 'is compressed (gzip): unpack it first'],
  ['504b0304', 'is a spreadsheet or a ZIP archive: export it as CSV'],
  ['d0cf11e0', 'is a spreadsheet: export it as CSV'],
  ['25504446', 'is a PDF: export it as CSV'],
  ['feff', 'is in UTF-16: export it as CSV in UTF-8'],
];

/** @throws {StatementFileError} where the first octets are those of another kind of file */
async function* readableText(content: AsyncIterable<Buffer | string>) {
  let isFirst = true;
  for await (const chunk of content) {
    if (isFirst) {
      const octets = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      const begin = octets.toString('hex', 0, 4);
      const [, words] = otherFiles.find(([known]) => begin.startsWith(known)) ?? [];
      if (words !== undefined) throw new StatementFileError(`The file ${words}.`);
      isFirst = false;
    }
    yield chunk;
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

const DAY_MS = 86_400_000;
/** How far from midnight a row of the day may stand: clocks differ, and an operation takes time. */
const NEAR_MIDNIGHT_MS = 3_600_000;

/**
 * Reads a provider statement as CSV (RFC 4180), row by row. Its first row, or the first after its
 * introduction, names the columns, in any order. Further columns are not read. Times without an
 * offset are of the time zone.
 *
 * @throws {StatementFileError} at the first row that cannot be read, or that is far from the day.
 * Also at the end of a file whose rows are mostly of a neighbouring day: its fees would be booked
 * twice
 */
export async function* readStatementFile(
  content: AsyncIterable<Buffer | string>,
  options: {
    readonly provider: string;
    readonly zone: string;
    readonly period: StatementPeriod;
    /** A file without rows says that the provider did nothing; without this it is refused. */
    readonly mayBeEmpty?: boolean;
  },
): AsyncGenerator<StatementRow> {
  const { provider, zone, period, mayBeEmpty = false } = options;
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
    const read = cellReader(cells, places, fail);
    if (isTotal(cells, read, format))
      throw new StatementFileError(
        `Row ${row} is a total or a note, and no transaction: remove it.`,
      );
    const line = lineOf(format, read, zone, fail);
    if (line !== 'ignored') {
      if (!isWithin(line.at, period, DAY_MS)) throw fail(format.columns.at, 'is not of this day');
      counts.lines += 1;
      if (!isWithin(line.at, period, NEAR_MIDNIGHT_MS)) counts.ofOtherDays += 1;
    }
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
  // The rows before these are the introduction and the names of the columns.
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

/**
 * Reads the cell of a column; null where it is empty, or the file lacks the column.
 *
 * @throws {StatementFileError} where a spreadsheet has shortened it
 */
type ReadCell = (column: string | undefined) => string | null;

const cellReader =
  (cells: readonly string[], places: ReadonlyMap<string, number>, fail: Fail): ReadCell =>
  (column = '') => {
    const cell = cells[places.get(column) ?? -1] ?? '';
    if (isShortened(cell))
      throw fail(
        column,
        'a spreadsheet has shortened the number, so that its last digits are lost: export the file ' +
          'again, and do not save it with a spreadsheet',
      );
    return cell || null;
  };

const TOTAL = /^(?:grand[ -]?|sub[ -]?)?totals?\b/i;

/** A row of totals, or a note below the transactions: a transaction has an id and a time. */
function isTotal(
  cells: readonly string[],
  read: ReadCell,
  { columns }: Pick<StatementFormat, 'columns'>,
): boolean {
  const [id, at] = [read(columns.providerReference), read(columns.at)];
  if (TOTAL.test(id ?? '') || TOTAL.test(at ?? '')) return true;
  return at === null && (id === null || cells.some((cell) => TOTAL.test(cell)));
}

/** Whether a cell has an amount above or below zero, or something that is none. */
const isAmount = (cell: string | null): boolean => cell !== null && !/^-?[0.,]*$/.test(cell);

/** Who received it, as other lists name a party. */
function partyOf(cell: string | null): string | null {
  const number = numberOfParty(cell);
  return number === undefined ? null : `msisdn ${number}`;
}

/** A row as a line, unless it took nothing from our account. */
function lineOf(
  { kind: usual, kindOf, columns, statusOf }: StatementFormat,
  read: ReadCell,
  zone: string,
  fail: Fail,
): StatementRow {
  const type = kindOf ? kindOf(read(columns.type) ?? '') : usual;
  const isOther = type === 'other' || type === 'credit';
  if (type === 'credit' || (isOther && !isAmount(read(columns.amount)))) return 'ignored';
  const kind = isOther ? usual : type;
  const providerReference = read(columns.providerReference);
  if (providerReference === null || providerReference.length > 256)
    throw fail(columns.providerReference, 'must have 1 to 256 characters');
  const at = momentOf(read(columns.at) ?? '', zone);
  if (!at) throw fail(columns.at, 'must be a time such as 2026-11-23T14:05:00+03:00');
  const decimal = (column: string | undefined): string | null => {
    const cell = read(column);
    const text = cell === null ? null : withoutGroups(cell).replace(/^-/, '');
    if (text !== null && !/^\d{1,18}(\.\d{1,10})?$/.test(text))
      throw fail(column ?? '', 'must be an amount such as 97.50');
    return text;
  };
  const currency = columns.currency === undefined ? 'ETB' : read(columns.currency);
  const amount = decimal(columns.amount);
  if (kind === 'fee')
    return {
      kind: usual,
      providerReference: `${providerReference} fee`,
      reference: null,
      at,
      status: 'completed',
      amount: '0',
      currency,
      fee: amount,
      feeCurrency: currency,
    };
  const fee = decimal(columns.fee);
  return {
    kind,
    ...(isOther && { isOther: true }),
    providerReference,
    reference: read(columns.reference),
    originalReference: read(columns.original) ?? undefined,
    status: statusOf(read(columns.status) ?? ''),
    amount,
    currency,
    fee,
    feeCurrency: fee === null ? null : (read(columns.feeCurrency) ?? 'ETB'),
    ...(columns.party !== undefined && { party: partyOf(read(columns.party)) }),
    at,
  };
}
