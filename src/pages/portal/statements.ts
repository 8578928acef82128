import type { Days } from '../../db/days.ts';
import {
  REACHED_LINES,
  readStatementPage,
  type StatementLine,
  type StatementPage,
  type StatementRequest,
  type Wallet,
} from '../../db/ledger/account-statements.ts';
import { firstMonth, readCompanyMonth } from '../../db/ledger/monthly-statements.ts';
import {
  explainLine,
  isEmptyStatement,
  lastClosedMonth,
  type Month,
  monthsBetween,
  parseMonth,
} from '../../domain/statements.ts';
import { csv } from '../../rendering/csv.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { statementCsv, statementFileName, statementHtml } from '../../rendering/report-files.ts';
import { problems } from '../answers.ts';
import { sentence, statementLine } from '../language/language.ts';
import { beginningOf, fileTime, timeZone } from '../language/time-zone.ts';
import { daysForm } from '../layout/forms.ts';
import {
  amountText,
  DOWNLOAD_ROWS,
  daysAfter,
  emptyState,
  money,
  plainAmount,
  type ReadDays,
  readDays,
  table,
  time,
} from '../layout/parts.ts';
import { type AccountRequest, type PageAnswer, PORTAL_PATH, portal } from '../page.ts';
import { walletLabels } from './balances.ts';
import { listAddress, pageNumber, paging } from './lists.ts';

const ROWS = 50;

/** The statement of one of a partner's wallets, with the purpose of each change. */
export const showStatement = portal.page({
  path: '/balances/:wallet',
  needs: 'export',
  kind: 'partner',
  async handle(request) {
    const wallet = walletOf(request);
    const page = pageNumber(request.query);
    if (wallet === undefined || page === undefined || (page - 1) * ROWS >= REACHED_LINES)
      return problems.notFound;
    const range = readDays(request.query);
    if (range.days === undefined) return statementPage(wallet, range);
    const found = await readStatementPage(
      request.services.database,
      requestOf(request, wallet, range.days),
      { limit: ROWS, offset: (page - 1) * ROWS },
    );
    if (page > 1 && found.lines.length === 0) return problems.notFound;
    return statementPage(wallet, range, found, page);
  },
});

/** The statement as a file, oldest first. */
export const downloadStatement = portal.page({
  path: '/balances/:wallet/download',
  needs: 'export',
  kind: 'partner',
  async handle(request): Promise<PageAnswer> {
    const wallet = walletOf(request);
    if (wallet === undefined) return problems.notFound;
    const { days } = readDays(request.query);
    if (days === undefined) return problems.invalid;
    const found = await readStatementPage(
      request.services.database,
      requestOf(request, wallet, days),
      { limit: DOWNLOAD_ROWS, offset: 0 },
    );
    if (found.lineCount > found.lines.length) return problems.tooManyRows;
    return {
      kind: 'file',
      name: `statement-${wallet}-${days.first}-${days.last}.csv`,
      type: 'text/csv',
      content: csv(fileRows(days, found)),
    };
  },
});

const walletOf = ({ params: { wallet = '' } }: AccountRequest): Wallet | undefined =>
  Object.hasOwn(walletLabels, wallet) ? (wallet as Wallet) : undefined;

const requestOf = (
  { session }: AccountRequest,
  wallet: Wallet,
  { first, last }: Days,
): StatementRequest => ({
  partnerId: session.company.id,
  wallet,
  from: beginningOf(first),
  before: beginningOf(daysAfter(last, 1)),
});

function fileRows({ first, last }: Days, found: StatementPage) {
  const summary = (day: string, what: string, balance: string) =>
    [day, what, '', '', plainAmount(balance), ''] as const;
  return [
    [`Time (${timeZone()})`, 'What', 'Out (ETB)', 'In (ETB)', 'Balance (ETB)', 'Line'],
    summary(first, 'Opening balance', found.openingBalance),
    ...found.lines.toReversed().map((line) => {
      const { out, into } = sides(line);
      return [
        fileTime(line.at),
        explainLine(line),
        out && plainAmount(out),
        into && plainAmount(into),
        plainAmount(line.balance),
        line.id,
      ];
    }),
    summary(last, 'Closing balance', found.closingBalance),
  ];
}

/** Debit and credit of a line, each without a sign. */
const sides = ({ change }: StatementLine): { out: string | null; into: string | null } =>
  change.startsWith('-') ? { out: change.slice(1), into: null } : { out: null, into: change };

function statementPage(
  wallet: Wallet,
  range: ReadDays,
  found?: StatementPage,
  page = 1,
): PageAnswer {
  const path = `${PORTAL_PATH}/balances/${wallet}`;
  const { name, text } = walletLabels[wallet];
  return {
    kind: 'page',
    title: sentence('Statement: {1}', sentence(name)),
    status: found ? undefined : 422,
    content: html`<p><a href="${PORTAL_PATH}/balances">All balances</a></p>
<h1>${phrase(name)}: statement</h1>
<p>${phrase(text)}</p>
<section class="card">
${daysForm(path, range)}
${found && sums(found)}
${found && lines(found)}
${found && paging({ path, values: range.values, page, limit: ROWS, totalItems: found.lineCount, reachedItems: REACHED_LINES })}
${found && html`<p><a href="${listAddress(`${path}/download`, range.values)}">Download as CSV</a></p>`}
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

const lines = (found: StatementPage): Html =>
  found.lines.length === 0
    ? emptyState('No movements', 'The balance did not change on these days.')
    : table('Movements, newest first', found.lines, [
        { title: 'When', phone: 'plain', value: ({ at }) => time(at) },
        { title: 'What', phone: 'head', value: linkedWords },
        {
          title: 'Out, ETB',
          phone: 'figure out',
          value: (line) => optional(sides(line).out),
          align: 'right',
        },
        {
          title: 'In, ETB',
          phone: 'figure in',
          value: (line) => optional(sides(line).into),
          align: 'right',
        },
        { title: 'Balance, ETB', value: ({ balance }) => amountText(balance), align: 'right' },
      ]);

const optional = (change: string | null): string => (change === null ? '' : amountText(change));

/** The purpose of a line, with a link to its voucher or top-up. */
function linkedWords(line: StatementLine): Html | string {
  const words = statementLine(explainLine(line));
  const target =
    line.voucher_id !== null
      ? `vouchers/${line.voucher_id}`
      : line.topup_id !== null && `top-ups/${line.topup_id}`;
  return target ? html`<a href="${PORTAL_PATH}/${target}">${words}</a>` : words;
}

const STATEMENTS_PATH = `${PORTAL_PATH}/statements`;
/** Older ones are made by hand. */
const MONTHS = 36;

/** The months that a company has a statement of. */
async function monthsOf({ services, session }: AccountRequest): Promise<Month[]> {
  const zone = services.settings.market.marketTimeZone;
  const first = await firstMonth(services.database, session.company, zone);
  if (first === undefined) return [];
  return monthsBetween(first, lastClosedMonth(new Date(), zone)).slice(0, MONTHS);
}

/** The monthly statements of a company. */
export const showStatements = portal.page({
  path: '/statements',
  title: 'Statements',
  needs: 'export',
  async handle(request) {
    const months = await monthsOf(request);
    const { marketTimeZone } = request.services.settings.market;
    return html`<h1>Monthly statements</h1>
<p>What moved in a month of ${marketTimeZone.replaceAll('_', ' ')}, as a page to print and as a file for spreadsheets. A
statement is there two hours after its month, and does not change any more.</p>
<section class="card">${
      months.length === 0
        ? emptyState('No statements', 'The first month with a movement has not ended yet.')
        : table('Statements, newest first', months, [
            { title: 'Month', value: (month) => month },
            { title: 'To print', value: (month) => link(month, 'html', 'Page') },
            { title: 'For spreadsheets', value: (month) => link(month, 'csv', 'CSV') },
          ])
    }</section>`;
  },
});

const link = (month: Month, format: string, words: string): Html =>
  html`<a href="${STATEMENTS_PATH}/${month}/${format}">${phrase(words)}<span class="visually-hidden"> of ${month}</span></a>`;

/** The statement of a month as a file. */
export const downloadMonth = portal.page({
  path: '/statements/:month/:format',
  needs: 'export',
  async handle(request): Promise<PageAnswer> {
    const { services, session, params } = request;
    const month = parseMonth(params.month ?? '');
    const format = formats[params.format ?? ''];
    if (!month || !format || !(await monthsOf(request)).includes(month)) return problems.notFound;
    const statement = await readCompanyMonth(services.database, session.company, {
      month,
      zone: services.settings.market.marketTimeZone,
    });
    if (isEmptyStatement(statement)) return problems.notFound;
    return {
      kind: 'file',
      name: `${statementFileName(statement)}.${params.format}`,
      type: format.type,
      content: format.write(statement),
    };
  },
});

const formats: Readonly<
  Record<string, { readonly type: 'text/html' | 'text/csv'; readonly write: typeof statementCsv }>
> = {
  html: { type: 'text/html', write: statementHtml },
  csv: { type: 'text/csv', write: statementCsv },
};
