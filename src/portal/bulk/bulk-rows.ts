import { BULK_LINES } from '../../domain/vouchers/bulk-order.ts';
import { CsvContentError, readCsvRecords } from '../../rendering/csv-records.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';

/** The columns of a file, by the field of the API; each has a name that people would write, too. */
const columns = {
  reference: ['reference'],
  amount: ['amount', 'amountetb', 'etb'],
  denominationId: ['denominationid', 'denomination'],
  merchantIdentifier: ['merchant', 'merchantidentifier'],
  merchantId: ['merchantid'],
  msisdn: ['phone', 'msisdn', 'number', 'phonenumber'],
  isRestricted: ['restricted', 'isrestricted', 'onlythismerchant'],
  exchangeRate: ['exchangerate'],
  currency: ['currency'],
  originatingCountry: ['originatingcountry', 'country'],
  foreignCurrencyAmount: ['foreigncurrencyamount'],
} as const;

export type BulkColumn = keyof typeof columns;

/** The names of columns for a message. */
const columnNames = Object.values(columns).map(([name]) => name);

const columnsByName: ReadonlyMap<string, BulkColumn> = new Map(
  Object.entries(columns).flatMap(([column, names]) =>
    names.map((name) => [name, column as BulkColumn] as const),
  ),
);

/** A row of a file: the filled-in cells by column. */
export interface BulkRow {
  /** The line of the file where it begins. */
  readonly line: number;
  readonly cells: Readonly<Partial<Record<BulkColumn, string>>>;
}

/** What is wrong with a line of a file; line 0 for the file as a whole. */
export interface LineProblem {
  readonly line: number;
  readonly text: Html;
}

const LIMITS = { rows: BULK_LINES + 2, rowCharacters: 4_000 };

/** Reads the rows of a file, or of cells pasted from a spreadsheet. */
export function readBulkRows(text: string): {
  readonly rows: readonly BulkRow[];
  readonly problems: readonly LineProblem[];
} {
  try {
    const [header, ...records] = readCsvRecords(text, LIMITS);
    if (!header)
      return whole(phrase('Choose a file, or paste rows. The first row names the columns.'));
    const names = header.cells.map((cell) => columnsByName.get(plain(cell)));
    const problem = headerProblem(header.cells, names);
    if (problem !== undefined)
      return { rows: [], problems: [{ line: header.line, text: problem }] };
    if (records.length === 0)
      return whole(phrase('There is no line below the names of the columns.'));
    if (records.length > BULK_LINES) return whole(html`An order has at most ${BULK_LINES} lines.`);
    const problems = records
      .filter(({ cells }) => cells.length > names.length)
      .map(({ line, cells }) => ({
        line,
        text: html`It has ${cells.length} cells for ${names.length} columns.`,
      }));
    return {
      rows: records.map(({ line, cells }) => ({ line, cells: named(names, cells) })),
      problems,
    };
  } catch (error) {
    if (error instanceof CsvContentError)
      return whole(
        html`The rows cannot be read as CSV: ${html`<span lang="en">${error.message}</span>`}.`,
      );
    throw error;
  }
}

const whole = (text: Html) => ({ rows: [], problems: [{ line: 0, text }] });

/** The name of a column, which is no word of a language. */
export const column = (name: string | undefined): Html => html`<code>${name}</code>`;

/** "Merchant ID", "merchant_id", "merchantId" and "Amount (ETB)" are names of columns, too. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s\p{P}]/gu, '');

function headerProblem(
  cells: readonly string[],
  names: readonly (BulkColumn | undefined)[],
): Html | undefined {
  const unknown = names.indexOf(undefined);
  if (unknown >= 0)
    return html`The first row names the columns, and column ${unknown + 1} is none of these:
${html`<code>${columnNames.join(', ')}</code>`}.`;
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice >= 0) return html`The column ${column(cells[twice])} is there twice.`;
  if (!names.includes('reference')) return html`The column ${column('reference')} is missing.`;
  if (!names.includes('amount') && !names.includes('denominationId'))
    return html`The column ${column('amount')} is missing.`;
  return undefined;
}

function named(
  names: readonly (BulkColumn | undefined)[],
  cells: readonly string[],
): BulkRow['cells'] {
  const row: Partial<Record<BulkColumn, string>> = {};
  for (const [index, name] of names.entries()) {
    const cell = cells[index];
    if (name !== undefined && cell !== undefined && cell !== '') row[name] = cell;
  }
  return row;
}
