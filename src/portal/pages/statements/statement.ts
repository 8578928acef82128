import type { Days } from '../../../db/days.ts';
import type {
  StatementLine,
  StatementRequest,
  Wallet,
} from '../../../db/ledger/statement-lines.ts';
import {
  REACHED_LINES,
  readStatementPage,
  type StatementPage,
} from '../../../db/ledger/statement-page.ts';
import { explainLine } from '../../../domain/statements/statement-labels.ts';
import { csv } from '../../../rendering/csv.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { sentence } from '../../language/language.ts';
import { statementLine } from '../../language/statement-line.ts';
import { daysAfter, type ReadDays, readDays } from '../../layout/days.ts';
import { DOWNLOAD_ROWS } from '../../layout/downloads.ts';
import { daysForm } from '../../layout/filter-form.ts';
import { amount, money, plainAmount } from '../../layout/money.ts';
import { addressOf, pageNumber, paging } from '../../layout/paging.ts';
import { emptyState, table, time } from '../../layout/parts.ts';
import { walletLabels } from '../../layout/wallet-labels.ts';
import { type AccountPage, type AccountRequest, type PageAnswer, PORTAL_PATH } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { beginningOf, fileTime, timeZone } from '../../time-zone.ts';

const ROWS = 50;

/** The statement of one of a partner's wallets, with the purpose of each change. */
export const showStatement: AccountPage = {
  method: 'GET',
  path: '/balances/:wallet',
  access: 'account',
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
};

/** The statement as a file, oldest first. */
export const downloadStatement: AccountPage = {
  method: 'GET',
  path: '/balances/:wallet/download',
  access: 'account',
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
};

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
    ...(found ? {} : { status: 422 }),
    content: html`<p><a href="${PORTAL_PATH}/balances">All balances</a></p>
<h1>${phrase(name)}: statement</h1>
<p>${phrase(text)}</p>
<section class="card">
${daysForm(path, range)}
${found && sums(found)}
${found && lines(found)}
${found && paging({ path, values: range.values, page, limit: ROWS, totalItems: found.lineCount, reachedItems: REACHED_LINES })}
${found && html`<p><a href="${addressOf(`${path}/download`, range.values)}">Download as CSV</a></p>`}
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
        { title: 'Balance, ETB', value: ({ balance }) => amount(balance), align: 'right' },
      ]);

const optional = (change: string | null): string => (change === null ? '' : amount(change));

/** The purpose of a line, with a link to its voucher or top-up. */
function linkedWords(line: StatementLine): Html | string {
  const words = statementLine(explainLine(line));
  const target =
    line.voucher_id !== null
      ? `vouchers/${line.voucher_id}`
      : line.topup_id !== null && `top-ups/${line.topup_id}`;
  return target ? html`<a href="${PORTAL_PATH}/${target}">${words}</a>` : words;
}
