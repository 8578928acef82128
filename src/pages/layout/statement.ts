import type { Days } from '../../db/days.ts';
import {
  REACHED_LINES,
  readStatementPage,
  type StatementLine,
  type StatementPage,
  type StatementRequest,
  type Wallet,
} from '../../db/ledger/account-statements.ts';
import { daysAfter } from '../../domain/local-time.ts';
import { amountText } from '../../domain/money.ts';
import { sentenceOfLine, sides } from '../../domain/statements.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { sentence } from '../language/language.ts';
import { beginningOf } from '../language/time-zone.ts';
import type { PageAnswer, PublicRequest } from '../page.ts';
import { walletLabels } from './company-parts.ts';
import { daysForm } from './forms.ts';
import { listAddress, pageNumber, paging } from './paging.ts';
import {
  emptyState,
  money,
  numberColumn,
  type ReadDays,
  readDays,
  type TableColumn,
  table,
  textColumn,
  timeColumn,
} from './parts.ts';

const ROWS = 50;

/** Whose statement a page shows, and where its links lead. */
interface StatementPlace {
  readonly partnerId: number;
  /** The path above the statements of all wallets. */
  readonly root: string;
  /** The page that the person came from. */
  readonly back: { readonly path: string; readonly name: string };
  /** The site, which has the pages of vouchers and top-ups. */
  readonly site: string;
  /** The path above the pages of deposits, where the site has them. */
  readonly deposits?: string;
  /** On the portal the statement is there as a file, and a search finds its lines. */
  readonly ofPortal?: { readonly searchForm: Html };
}

/** The wallet that the path names; undefined where there is none. */
export const walletOf = ({
  params: { wallet = '' },
}: Pick<PublicRequest, 'params'>): Wallet | undefined =>
  Object.hasOwn(walletLabels, wallet) ? (wallet as Wallet) : undefined;

/** The statement of some days. */
export const statementRequest = (
  partnerId: number,
  wallet: Wallet,
  { first, last }: Days,
): StatementRequest => ({
  partnerId,
  wallet,
  from: beginningOf(first),
  before: beginningOf(daysAfter(last, 1)),
});

/** The statement of one of a partner's wallets, with the purpose of each change. */
export async function accountStatement(
  request: PublicRequest,
  place: StatementPlace,
): Promise<PageAnswer> {
  const wallet = walletOf(request);
  const page = pageNumber(request.query);
  if (wallet === undefined || page === undefined || (page - 1) * ROWS >= REACHED_LINES)
    return problems.notFound;
  const range = readDays(request.query);
  if (range.days === undefined) return statementPage(place, { wallet, range });
  const found = await readStatementPage(
    request.services.database,
    statementRequest(place.partnerId, wallet, range.days),
    { limit: ROWS, offset: (page - 1) * ROWS },
  );
  if (page > 1 && found.lines.length === 0) return problems.notFound;
  return statementPage(place, { wallet, range, found, page });
}

/** A line of a statement; a search finds it without the balance after it. */
export type Movement = Omit<StatementLine, 'balance'>;

interface ShownStatement {
  readonly wallet: Wallet;
  readonly range: ReadDays;
  /** Undefined for an invalid range. */
  readonly found?: StatementPage;
  readonly page?: number;
}

function statementPage(
  { root, back, ofPortal, ...pages }: StatementPlace,
  { wallet, range, found, page = 1 }: ShownStatement,
): PageAnswer {
  const path = `${root}/${wallet}`;
  const { name, text } = walletLabels[wallet];
  return {
    kind: 'page',
    title: sentence('Statement: {1}', sentence(name)),
    status: found ? undefined : 422,
    content: html`<p><a href="${back.path}">${phrase(back.name)}</a></p>
<h1>${phrase(name)}: statement</h1>
<p>${phrase(text)}</p>
${ofPortal && html`<section class="card">${ofPortal.searchForm}</section>`}
<section class="card">
${daysForm(path, range)}
${found && sums(found)}
${found && lines(found, pages)}
${found && paging({ path, values: range.values, page, limit: ROWS, totalItems: found.lineCount, reachedItems: REACHED_LINES })}
${found && ofPortal && html`<p><a href="${listAddress(`${path}/download`, range.values)}">Download as CSV</a></p>`}
</section>`,
  };
}

const sums = (found: StatementPage): Html =>
  html`<dl class="sums">${[
    ['Opening balance', found.openingBalance],
    ['Came in', found.cameIn],
    ['Went out', found.wentOut],
    ['Closing balance', found.closingBalance],
  ].map(
    ([name, value]) =>
      html`<div><dt>${phrase(name ?? '')}</dt><dd>${money(value ?? '0')}</dd></div>`,
  )}</dl>`;

/** Where the lines of a statement lead. */
type PagesOfLines = Pick<StatementPlace, 'site' | 'deposits'>;

const lines = (found: StatementPage, pages: PagesOfLines): Html =>
  found.lines.length === 0
    ? emptyState('No movements', 'The balance did not change on these days.')
    : movements(found.lines, pages, [
        numberColumn('Balance, ETB', ({ balance }) => amountText(balance)),
      ]);

/** A table of movements, with further columns. */
export const movements = <Row extends Movement>(
  rows: readonly Row[],
  pages: PagesOfLines,
  further: readonly TableColumn<NoInfer<Row>>[] = [],
): Html =>
  table('Movements, newest first', rows, [
    timeColumn('When', 'at'),
    textColumn('What', (line) => linkedWords(line, pages), 'head'),
    numberColumn('Out, ETB', (line) => optional(sides(line).debit), 'figure out'),
    numberColumn('In, ETB', (line) => optional(sides(line).credit), 'figure in'),
    ...further,
  ]);

const optional = (change: string | null): string => (change === null ? '' : amountText(change));

/** The purpose of a line, with a link to its voucher, top-up or deposit. */
function linkedWords(line: Movement, pages: PagesOfLines): Html | string {
  const { text, values } = sentenceOfLine(line);
  const words = sentence(text, ...values);
  const target = pageOfLine(line, pages);
  return target === undefined ? words : html`<a href="${target}">${words}</a>`;
}

function pageOfLine(line: Movement, { site, deposits }: PagesOfLines): string | undefined {
  if (line.voucher_id !== null) return `${site}/vouchers/${line.voucher_id}`;
  if (line.topup_id !== null) return `${site}/top-ups/${line.topup_id}`;
  const [, reference] = /^deposit:(.+)$/s.exec(line.operation_id) ?? [];
  return deposits !== undefined && reference !== undefined
    ? `${deposits}/${encodeURIComponent(reference)}`
    : undefined;
}
