import type { Days } from '../../db/days.ts';
import {
  FOUND_LINES,
  findStatementLines,
  readStatementPage,
  type StatementPage,
} from '../../db/ledger/account-statements.ts';
import { firstMonth, readCompanyMonth } from '../../db/ledger/monthly-statements.ts';
import { plainAmount } from '../../domain/money.ts';
import {
  explainLine,
  lastClosedMonth,
  type Month,
  monthsBetween,
  parseMonth,
  sides,
} from '../../domain/statements.ts';
import { csv } from '../../rendering/csv.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { statementFile, statementFormats } from '../../rendering/report-files.ts';
import { problems } from '../answers.ts';
import { sentence } from '../language/language.ts';
import { fileTime, timeZone } from '../language/time-zone.ts';
import { walletLabels } from '../layout/company-parts.ts';
import { filterForm } from '../layout/forms.ts';
import { DOWNLOAD_ROWS, emptyState, readDays, table, textColumn } from '../layout/parts.ts';
import {
  accountStatement,
  type Movement,
  movements,
  statementRequest,
  walletOf,
} from '../layout/statement.ts';
import { type AccountRequest, type PageAnswer, PORTAL_PATH, portal, redirect } from '../page.ts';
import { BALANCES_PATH } from './balances.ts';
import { searchField, soughtBy, UNREADABLE_SEARCH } from './lists.ts';

/** The statement of one of a partner's wallets. */
export const showStatement = portal.page({
  path: '/balances/:wallet',
  needs: 'export',
  kind: 'partner',
  handle: (request) =>
    accountStatement(request, {
      partnerId: request.session.company.id,
      root: BALANCES_PATH,
      back: { path: BALANCES_PATH, name: 'All balances' },
      site: PORTAL_PATH,
      ofPortal: {
        searchForm: searchForm(`${BALANCES_PATH}/${request.params.wallet}`, request),
      },
    }),
});

/**
 * The lines of a wallet, of any time, that a search finds: by a deposit, or by what finds a voucher or a top-up. By
 * POST, as the searches of lists.
 */
export const findInStatementPages = portal.shown({
  path: '/balances/:wallet/find',
  needs: 'export',
  kind: 'partner',
  back(request) {
    const wallet = walletOf(request);
    return wallet === undefined ? problems.notFound : redirect(`${BALANCES_PATH}/${wallet}`);
  },
  async handle(request) {
    const { services, session, form, formToken } = request;
    const wallet = walletOf(request);
    if (wallet === undefined) return problems.notFound;
    const search = form.text('search').trim();
    const sought = search === '' ? undefined : soughtBy(services, search);
    const found =
      sought &&
      (await services.lists.read(session.company, (database) =>
        findStatementLines(database, { partnerId: session.company.id, wallet }, sought),
      ));
    if (sought && !found) return problems.busy;
    const path = `${BALANCES_PATH}/${wallet}`;
    return {
      kind: 'page',
      title: sentence('Statement: {1}', sentence(walletLabels[wallet].name)),
      status: found ? undefined : 422,
      content: html`<p><a href="${path}">Whole statement</a></p>
<h1>${phrase(walletLabels[wallet].name)}: statement</h1>
<section class="card">
${searchForm(path, { formToken, search, ...(!sought && { problem: UNREADABLE_SEARCH }) })}
${found && foundLines(found)}
</section>`,
    };
  },
});

const searchForm = (
  path: string,
  form: { readonly formToken: string; readonly search?: string; readonly problem?: string },
): Html =>
  filterForm({
    action: `${path}/find`,
    all: path,
    formToken: form.formToken,
    fields: { search: searchField },
    values: form.search ? { search: form.search } : {},
    problems: { search: form.problem },
  });

const foundLines = (lines: readonly Movement[]): Html =>
  lines.length === 0
    ? emptyState('No matches', 'No movement of this wallet has it.')
    : html`${movements(lines, { site: PORTAL_PATH })}
${lines.length === FOUND_LINES && html`<p class="quiet">Only the newest ${FOUND_LINES} are shown.</p>`}`;

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
      statementRequest(request.session.company.id, wallet, days),
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

function fileRows({ first, last }: Days, found: StatementPage) {
  const summary = (day: string, what: string, balance: string) =>
    [day, what, '', '', plainAmount(balance), ''] as const;
  return [
    [`Time (${timeZone()})`, 'What', 'Out (ETB)', 'In (ETB)', 'Balance (ETB)', 'Line'],
    summary(first, 'Opening balance', found.openingBalance),
    ...found.lines.toReversed().map((line) => {
      const { debit, credit } = sides(line);
      return [
        fileTime(line.at),
        explainLine(line),
        debit && plainAmount(debit),
        credit && plainAmount(credit),
        plainAmount(line.balance),
        line.id,
      ];
    }),
    summary(last, 'Closing balance', found.closingBalance),
  ];
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
<section class="card">${table(
      'Statements, newest first',
      months,
      [
        textColumn('Month', (month) => month),
        textColumn('To print', (month) => link(month, 'html', 'Page')),
        textColumn('For spreadsheets', (month) => link(month, 'csv', 'CSV')),
      ],
      emptyState('No statements', 'The first month with a movement has not ended yet.'),
    )}</section>`;
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
    const format = statementFormats.find((one) => one === params.format);
    if (!format || !month || !(await monthsOf(request)).includes(month)) return problems.notFound;
    const statement = await readCompanyMonth(services.database, session.company, {
      month,
      zone: services.settings.market.marketTimeZone,
    });
    return { kind: 'file', ...statementFile(statement, format) };
  },
});
