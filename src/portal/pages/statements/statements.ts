import { readCompanyMonth } from '../../../db/ledger/months/company-month.ts';
import { firstMonth } from '../../../db/ledger/months/first-month.ts';
import {
  isEmptyStatement,
  lastClosedMonth,
  type Month,
  monthsBetween,
  parseMonth,
} from '../../../domain/statements/monthly-statement.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import {
  statementCsv,
  statementFileName,
  statementHtml,
} from '../../../rendering/statement-files.ts';
import { emptyState, table } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, type PageAnswer, PORTAL_PATH } from '../../page.ts';
import { problems } from '../../problem-page.ts';

const STATEMENTS_PATH = `${PORTAL_PATH}/statements`;
/** Older ones are made by hand. */
const MONTHS = 36;

/** The months that a company has a statement of. */
async function monthsOf({ services, session, settings }: AccountRequest): Promise<Month[]> {
  const zone = settings.marketTimeZone;
  const first = await firstMonth(services.database, session.company, zone);
  if (first === undefined) return [];
  return monthsBetween(first, lastClosedMonth(new Date(), zone)).slice(0, MONTHS);
}

/** The monthly statements of a company. */
export const showStatements: AccountPage = {
  method: 'GET',
  path: '/statements',
  access: 'account',
  needs: 'export',
  async handle(request) {
    const months = await monthsOf(request);
    const { marketTimeZone } = request.settings;
    return {
      kind: 'page',
      title: 'Statements',
      content: html`<h1>Monthly statements</h1>
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
      }</section>`,
    };
  },
};

const link = (month: Month, format: string, words: string): Html =>
  html`<a href="${STATEMENTS_PATH}/${month}/${format}">${phrase(words)}<span class="visually-hidden"> of ${month}</span></a>`;

/** The statement of a month as a file. */
export const downloadMonth: AccountPage = {
  method: 'GET',
  path: '/statements/:month/:format',
  access: 'account',
  needs: 'export',
  async handle(request): Promise<PageAnswer> {
    const { services, session, settings, params } = request;
    const month = parseMonth(params.month ?? '');
    const format = formats[params.format ?? ''];
    if (!month || !format || !(await monthsOf(request)).includes(month)) return problems.notFound;
    const statement = await readCompanyMonth(services.database, session.company, {
      month,
      zone: settings.marketTimeZone,
    });
    if (isEmptyStatement(statement)) return problems.notFound;
    return {
      kind: 'file',
      name: `${statementFileName(statement)}.${params.format}`,
      type: format.type,
      content: format.write(statement),
    };
  },
};

const formats: Readonly<
  Record<string, { readonly type: 'text/html' | 'text/csv'; readonly write: typeof statementCsv }>
> = {
  html: { type: 'text/html', write: statementHtml },
  csv: { type: 'text/csv', write: statementCsv },
};
