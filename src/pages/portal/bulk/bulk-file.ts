import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { type ListedPrice, listPartnerPrices } from '../../../db/catalogue/prices.ts';
import { findNamedMerchants, type NamedMerchant } from '../../../db/vouchers/bulk-orders.ts';
import { isShortened, plainCopy, soughtText } from '../../../domain/copied-text.ts';
import { parseMoney, plainAmount, readTypedAmount } from '../../../domain/money.ts';
import { BULK_LINES } from '../../../domain/vouchers/voucher.ts';
import { WRONG_COUNTRY } from '../../../http/fields/request-fields.ts';
import type { OrderedLine } from '../../../operations/bulk.ts';
import { lineSchema, orderedLine } from '../../../partner/bulk-orders.ts';
import { lacksMerchant } from '../../../partner/voucher-view.ts';
import { CsvContentError, readCsvRecords } from '../../../rendering/csv.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { countText } from '../../language/language.ts';
import type { AccountRequest } from '../../page.ts';

/** The columns of a file, by the field of the API: the name in messages, and others that people write. */
const columns = {
  reference: ['reference'],
  amount: ['amount', 'amountEtb', 'etb'],
  denominationId: ['denominationId', 'denomination'],
  merchantIdentifier: ['merchant', 'merchantIdentifier'],
  merchantId: ['merchantId'],
  msisdn: ['phone', 'msisdn', 'number', 'phoneNumber'],
  isRestricted: ['restricted', 'isRestricted', 'onlyThisMerchant'],
  exchangeRate: ['exchangeRate'],
  currency: ['currency'],
  originatingCountry: ['originatingCountry', 'country'],
  foreignCurrencyAmount: ['foreignCurrencyAmount'],
} as const;

type BulkColumn = keyof typeof columns;

/** "Merchant ID", "merchant_id", "merchantId" and "Amount (ETB)" are names of columns, too. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s\p{P}]/gu, '');

const columnsByName: ReadonlyMap<string, BulkColumn> = new Map(
  Object.entries(columns).flatMap(([column, names]) =>
    names.map((name) => [plain(name), column as BulkColumn] as const),
  ),
);

/** A row of a file: the filled-in cells by column. */
interface BulkRow {
  /** The line of the file where it begins. */
  readonly line: number;
  readonly cells: Readonly<Partial<Record<BulkColumn, string>>>;
}

/** The mistake in a line of a file; line 0 for the file as a whole. */
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
    if (records.length > BULK_LINES)
      return whole(html`An order has at most ${countText(BULK_LINES)} lines.`);
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
const column = (name: string | undefined): Html => html`<code>${name}</code>`;

function headerProblem(
  cells: readonly string[],
  names: readonly (BulkColumn | undefined)[],
): Html | undefined {
  const unknown = names.indexOf(undefined);
  if (unknown >= 0)
    return html`The first row names the columns, and column ${unknown + 1} is none of these:
${html`<code>${Object.values(columns)
  .map(([name]) => name)
  .join(', ')}</code>`}.`;
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
    // As the order has it: spreadsheets make the hyphen of an identifier a dash.
    const read = name === 'merchantIdentifier' ? plainCopy : soughtText;
    const cell = read(cells[index] ?? '');
    if (name !== undefined && cell !== '') row[name] = cell;
  }
  return row;
}

/** The names of countries that the API suggests would be English among another language. */
const inAnyLanguage = (message: string): string =>
  message.startsWith(WRONG_COUNTRY) ? WRONG_COUNTRY : message;

/** A line that may be ordered, with what people recognise it by. */
export interface ReadLine {
  readonly line: number;
  readonly ordered: OrderedLine;
  readonly merchant: NamedMerchant;
  /** Decimal string of ETB. */
  readonly amount: string;
  /** False: no selling price is set, and the line would be refused. */
  readonly hasPrice: boolean;
}

/** The content of a file: all lines, or all problems. */
export type BulkFile =
  | { readonly ok: true; readonly lines: readonly ReadLine[] }
  | { readonly ok: false; readonly problems: readonly LineProblem[] };

/** Lines that are checked in one go, before other requests get their turn. */
const LINES_AT_ONCE = 200;

/** Reads a file and checks each line against the schema of the API and the records of the service. */
export async function readBulkFile(request: AccountRequest, text: string): Promise<BulkFile> {
  const { rows, problems: found } = readBulkRows(text);
  const problems = [...found];
  if (rows.length === 0 || problems.length > 0) return { ok: false, problems };
  const { database } = request.services;
  const prices = await listPartnerPrices(database, request.session.company.id);
  const merchants = await merchantsOf(request, rows);
  const lines: ReadLine[] = [];
  const seen = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    if (index % LINES_AT_ONCE === 0) await yieldToOthers();
    const read = readLine(row, prices, merchants);
    if ('problems' in read) {
      problems.push(...read.problems.map((problem) => ({ line: row.line, text: problem })));
      continue;
    }
    const first = seen.get(read.ordered.reference);
    if (first === undefined) seen.set(read.ordered.reference, row.line);
    else
      problems.push({
        line: row.line,
        text: html`${column('reference')} is that of line ${first}, too`,
      });
    lines.push(read);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, lines };
}

async function merchantsOf(
  { services }: AccountRequest,
  rows: readonly BulkRow[],
): Promise<Map<string, NamedMerchant>> {
  const ids = new Set<number>();
  const identifiers = new Set<string>();
  for (const { cells } of rows) {
    if (/^\d{1,15}$/.test(cells.merchantId ?? '')) ids.add(Number(cells.merchantId));
    if (cells.merchantIdentifier !== undefined) identifiers.add(cells.merchantIdentifier);
  }
  const found = await findNamedMerchants(services.database, {
    ids: [...ids],
    identifiers: [...identifiers],
  });
  return new Map(
    found.flatMap((merchant) => [
      [`id ${merchant.id}`, merchant] as const,
      [`identifier ${merchant.identifier}`, merchant] as const,
    ]),
  );
}

const answers: Readonly<Record<string, boolean>> = {
  yes: true,
  true: true,
  '1': true,
  no: false,
  false: false,
  '0': false,
};

function readLine(
  { line, cells }: BulkRow,
  prices: readonly ListedPrice[],
  merchants: ReadonlyMap<string, NamedMerchant>,
): ReadLine | { readonly problems: readonly Html[] } {
  const { amount, isRestricted, ...sent } = cells;
  const isMissing = lacksMerchant(cells);
  const denomination = denominationOf(cells, prices);
  const restricted = isRestricted === undefined ? true : answers[isRestricted.toLowerCase()];
  const read = lineSchema.safeParse({
    msisdn: null,
    ...sent,
    isRestricted: restricted ?? 'neither',
    denominationId: typeof denomination === 'number' ? denomination : undefined,
  });
  const problems: Html[] = read.success
    ? []
    : read.error.issues
        .filter(({ path: [field] }) => field !== 'denominationId' && field !== 'isRestricted')
        .filter(({ path: [field] }) => !(isMissing && field === 'merchantId'))
        .map(
          ({ path, message }) =>
            html`${column(columnOf(String(path[0])))} ${phrase(inAnyLanguage(message))}`,
        );
  // Several references become one, and the second order would get the voucher of the first.
  if (isShortened(cells.reference ?? ''))
    problems.push(
      html`${column('reference')} was shortened by a spreadsheet: write all its digits, and save the file as text`,
    );
  if (isMissing) problems.push(html`${column('merchant')} must be sent`);
  if (restricted === undefined)
    problems.push(html`${column('restricted')} must be ${column('yes')} or ${column('no')}`);
  if (typeof denomination !== 'number') problems.push(denomination);
  // As the order names it: by the id, where a row has both.
  const { merchantId, merchantIdentifier } = cells;
  const [name, named] =
    merchantId === undefined ? ['merchant', merchantIdentifier] : ['merchantId', merchantId];
  const merchant = merchants.get(
    merchantId === undefined ? `identifier ${merchantIdentifier}` : `id ${Number(merchantId)}`,
  );
  if (named !== undefined && !merchant)
    problems.push(html`${column(name)} ${column(named)} is not one of the active merchants`);
  if (!read.success || problems.length > 0 || !merchant) return { problems };
  const ofDenomination = prices.filter(({ denominationId }) => denominationId === denomination);
  return {
    line,
    ordered: orderedLine(read.data),
    merchant,
    amount: ofDenomination[0]?.amount ?? '0',
    hasPrice: ofDenomination.some(
      ({ sellingPriceUsd, merchantId }) =>
        sellingPriceUsd !== null && (merchantId === null || merchantId === merchant.id),
    ),
  };
}

/** The column as the file may have it. */
const columnOf = (field: string): string =>
  ({ msisdn: 'phone', merchantIdentifier: 'merchant', merchantId: 'merchant' })[field] ?? field;

/** Amounts that a problem names at most. */
const NAMED_AMOUNTS = 10;

const offered = (prices: readonly ListedPrice[]): string =>
  [...new Set(prices.map(({ amount }) => plainAmount(amount)))].slice(0, NAMED_AMOUNTS).join(', ');

/** The denomination that a line names, or what is wrong. */
function denominationOf(
  cells: Readonly<Partial<Record<BulkColumn, string>>>,
  prices: readonly ListedPrice[],
): number | Html {
  const active = prices.filter(({ status }) => status === 'ACTIVE');
  if (cells.denominationId !== undefined) {
    const found = active.find(
      ({ denominationId }) => String(denominationId) === cells.denominationId,
    );
    return found?.denominationId ?? html`${column('denominationId')} is none of your denominations`;
  }
  const amount = readTypedAmount(cells.amount ?? '');
  const ids = new Set(
    active
      .filter((price) => amount !== undefined && parseMoney(price.amount) === amount)
      .map(({ denominationId }) => denominationId),
  );
  const [only] = ids;
  if (only === undefined)
    return html`${column('amount')} is none of your denominations: ${offered(active)}`;
  return ids.size === 1
    ? only
    : html`${column('amount')} is that of several denominations: use ${column('denominationId')}`;
}
