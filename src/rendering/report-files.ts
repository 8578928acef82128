import {
  type CountedSum,
  type DayBalance,
  type DayHour,
  type DayReport,
  isInOrder,
} from '../domain/day-report.ts';
import { amountText, plainAmount } from '../domain/money.ts';
import type { MonthlyStatement, StatementSection } from '../domain/statements.ts';
import { drawChart } from './chart.ts';
import { type CsvRow, csv } from './csv.ts';
import { type Html, type HtmlValue, html, ownHtml } from './html.ts';

/** The style of a day report: for screens, paper and mail programs that show attachments. */
const dayReportStyle = `
:root { color-scheme: light; --quiet: #5b6470; --line: #d9dee4; --accent: #0b6b5d }
body { font: 15px/1.45 system-ui, sans-serif; color: #15191e; max-width: 68rem; margin: 2rem auto;
  padding: 0 1rem }
h1 { font-size: 1.6rem; margin: 0 } h2 { font-size: 1.05rem; margin: 1.75rem 0 .35rem }
.state { padding: .5rem .75rem; border-left: 4px solid; font-weight: 600 }
.good { border-color: #18794e; background: #e9f6ef } .bad { border-color: #b3261e; background: #fdecea }
.figures { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)) }
.figures div { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem }
.figures span { display: block; color: var(--quiet) } .figures strong { font-size: 1.1rem }
.charts { display: grid; gap: 0 1.5rem; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)) }
.chart { display: block; width: 100%; height: auto }
.chart .bar { fill: var(--accent) } .chart .grid { stroke: var(--line) }
.chart .label { fill: var(--quiet); font-size: 13px }
.wide { overflow-x: auto }
table { width: 100%; border-collapse: collapse }
th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
@page { size: A4; margin: 15mm }
@media print { body { margin: 0; padding: 0; max-width: none } section { break-inside: avoid } }
`;

/** The files of a day report: a page, and one for spreadsheets. */
export const dayReportFiles = (report: DayReport) =>
  [
    {
      name: `day-report-${report.day}.html`,
      type: 'text/html',
      content: dayReportHtml(report),
    },
    { name: `day-report-${report.day}.csv`, type: 'text/csv', content: dayReportCsv(report) },
  ] as const;

/** The parts of a report that are tables, for pages, spreadsheets and terminals. */
export interface ReportTable {
  readonly title: string;
  /** The last ones that `numbers` counts are numbers. */
  readonly columns: readonly string[];
  readonly numbers: number;
  /** Amounts as decimal strings of the ledger. */
  readonly rows: readonly (readonly (string | number)[])[];
  /** What stands in the place of rows. */
  readonly none: string;
}

const counted = ({ count, amount }: CountedSum) => [count, amount] as const;
const balances = ({ opening, credited, debited, closing }: DayBalance) =>
  [opening, credited, debited, closing] as const;
const COUNTED = ['Number', 'Amount (ETB)'];
const BALANCES = ['Opening', 'In', 'Out', 'Closing'];

/** The tables of a report, in their order. */
export const dayReportTables = (report: DayReport): readonly ReportTable[] => [
  {
    title: 'Business of the day',
    columns: ['What', ...COUNTED],
    numbers: 2,
    rows: [
      ['Vouchers generated', ...counted(report.sales.vouchers)],
      ['Top-ups delivered', ...counted(report.sales.topups)],
      ['Redemptions', ...counted(report.redemptions)],
      ['Payouts to merchants', ...counted(report.payouts)],
      ['Service fees', ...counted(report.fees)],
    ],
    none: '',
  },
  {
    title: 'Top-ups by operator and outcome',
    columns: ['Operator', 'Outcome', ...COUNTED],
    numbers: 2,
    rows: report.topups.map((sum) => [sum.operator ?? 'unknown', sum.outcome, ...counted(sum)]),
    none: 'No top-ups.',
  },
  {
    title: 'Movements of the ledger',
    columns: ['Movement', 'From', 'To', ...COUNTED],
    numbers: 2,
    rows: report.movements.map((sum) => [sum.label, sum.from, sum.to, ...counted(sum)]),
    none: 'No movements.',
  },
  {
    title: 'Accounts',
    columns: ['Account', ...BALANCES],
    numbers: 4,
    rows: report.accounts.map((account) => [account.kind, ...balances(account)]),
    none: '',
  },
  {
    title: 'Wallets of partners',
    columns: ['Partner', 'Name', 'Wallet', ...BALANCES],
    numbers: 4,
    rows: report.wallets.map((wallet) => [
      `partner ${wallet.partnerId}`,
      wallet.partner,
      wallet.kind,
      ...balances(wallet),
    ]),
    none: 'No partner had money or movements.',
  },
  {
    title: casesTitle(report),
    columns: ['Case', 'Why', 'Provider', 'Our reference', 'Amount (ETB)'],
    numbers: 1,
    rows: report.cases.map((one) => [
      ...[one.id, one.what, one.provider ?? '', one.reference ?? '', one.amount],
    ]),
    none: 'The providers and the books agree.',
  },
  {
    title: 'Checks',
    columns: ['Check', 'Result'],
    numbers: 0,
    rows: report.checks.flatMap(({ name, result, faults }) =>
      faults.length === 0 ? [[name, result]] : faults.map((fault) => [name, fault]),
    ),
    none: '',
  },
];

const casesTitle = ({ cases, caseCount }: DayReport): string =>
  caseCount > cases.length ? `Open cases: the first ${cases.length} of ${caseCount}` : 'Open cases';

/** A sentence on what the report is of, and whether more may come. */
export const dayReportHead = ({ day, zone, madeAt, isClosed }: DayReport): string =>
  `The day ${day} of ${zone}, amounts in ETB. Made at ${madeAt.toISOString().slice(0, 16).replace('T', ' ')} UTC. ` +
  (isClosed ? 'The day is closed.' : 'The day is not closed: its figures may still change.');

/** A cell of numbers: amounts have a point, counts have none. */
const isAmount = (value: string | number): value is string => typeof value === 'string';

/** A day report for spreadsheets: one table after the other, each line with the name of its table. */
export function dayReportCsv(report: DayReport): string {
  const rows = dayReportTables(report).flatMap(({ title, columns, numbers, rows }): CsvRow[] => [
    ['Part', ...columns],
    ...rows.map((row) => [
      title,
      ...row.map((value, place) =>
        place >= row.length - numbers && isAmount(value) ? plainAmount(value) : value,
      ),
    ]),
  ]);
  return csv([
    ['Part', 'Day', 'Time zone', 'Made at', 'Closed'],
    [
      'Report',
      report.day,
      report.zone,
      report.madeAt.toISOString(),
      report.isClosed ? 'yes' : 'no',
    ],
    ...rows,
  ]);
}

/** A day report as a document of its own, with charts; it needs nothing from elsewhere. */
export const dayReportHtml = (report: DayReport): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Day report ${report.day}</title>
<style>${ownHtml(dayReportStyle)}</style></head><body>
<h1>Day report ${report.day}</h1>
<p>${dayReportHead(report)}</p>
${
  isInOrder(report)
    ? html`<p class="state good">The books are in order.</p>`
    : html`<p class="state bad">The books are not in order: see Checks.</p>`
}
<div class="figures">${figures(report)}</div>
<div class="charts">
${chartOf(report, 'vouchers', 'Vouchers generated')}
${chartOf(report, 'redemptions', 'Redemptions')}
${chartOf(report, 'topups', 'Top-ups delivered')}
</div>
${dayReportTables(report).slice(1).map(tableOf)}
</body></html>
`.toString();

const figures = ({ sales, redemptions, payouts, fees, caseCount }: DayReport): Html[] => [
  figure('Vouchers', sales.vouchers),
  figure('Redemptions', redemptions),
  figure('Payouts', payouts),
  figure('Fees', fees),
  figure('Top-ups', sales.topups),
  html`<div><span>Open cases</span><strong>${caseCount}</strong></div>`,
];

const figure = (name: string, { count, amount }: CountedSum): Html =>
  html`<div><span>${name}: ${count}</span><strong>ETB ${amountText(amount)}</strong></div>`;

/** Hours between two labels of a chart. */
const LABELLED = 6;

const chartOf = ({ hours }: DayReport, what: keyof Omit<DayHour, 'hour'>, title: string): Html =>
  html`<section><h2>${title}, ETB per hour</h2>${drawChart({
    id: what,
    title: `ETB per hour: ${title}`,
    description: html`${title}, by the hour of the day.`.toString(),
    span: [0, hours.length],
    ticks: hours.flatMap(({ hour }, at) => (at % LABELLED === 0 ? [{ at, label: hour }] : [])),
    bars: hours.map((one, at) => ({
      from: at,
      to: at + 1,
      value: Number(one[what].amount),
      words: `${one.hour}: ${one[what].count}, ETB ${amountText(one[what].amount)}`,
    })),
    valueText: (value) => value.toLocaleString('en'),
  })}</section>`;

const tableOf = ({ title, columns, numbers, rows, none }: ReportTable): Html => {
  const cell = (value: HtmlValue, place: number, tag: 'td' | 'th'): Html => {
    const align = place >= columns.length - numbers ? ownHtml(' class="number"') : undefined;
    return tag === 'th'
      ? html`<th scope="col"${align}>${value}</th>`
      : html`<td${align}>${value}</td>`;
  };
  const shown = (value: string | number, place: number) =>
    place >= columns.length - numbers && isAmount(value) ? amountText(value) : value;
  return html`<section><h2>${title}</h2>
${
  rows.length === 0
    ? html`<p>${none}</p>`
    : html`<div class="wide"><table><thead><tr>${columns.map((name, place) => cell(name, place, 'th'))}</tr></thead>
<tbody>${rows.map(
        (row) =>
          html`<tr>${row.map((value, place) => cell(shown(value, place), place, 'td'))}</tr>`,
      )}</tbody></table></div>`
}</section>`;
};

/** The name of a statement's file, without what its type adds. */
export const statementFileName = ({ company, month }: MonthlyStatement): string =>
  `statement-${company.kind}-${company.id}-${month}`;

/** The files of a statement: to print, and for spreadsheets. */
export const statementFiles = (statement: MonthlyStatement) => {
  const name = statementFileName(statement);
  return [
    { name: `${name}.html`, type: 'text/html', content: statementHtml(statement) },
    { name: `${name}.csv`, type: 'text/csv', content: statementCsv(statement) },
  ] as const;
};

/** A statement for spreadsheets. */
export const statementCsv = ({ sections }: MonthlyStatement): string =>
  csv([
    ['Account', 'Line', 'Number', 'Amount (ETB)'],
    ...sections.flatMap(({ title, opening, closing, lines }) => [
      ...(opening === undefined ? [] : [[title, 'Opening balance', '', plainAmount(opening)]]),
      ...lines.map(({ label, count, amount }) => [title, label, count, plainAmount(amount)]),
      [title, closingLabel(opening), '', plainAmount(closing)],
    ]),
  ]);

/** A statement as a document of its own, made for A4 paper; it needs nothing from elsewhere. */
export const statementHtml = ({ company, month, zone, sections }: MonthlyStatement): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Statement ${month}: ${company.name}</title>
<style>
@page { size: A4; margin: 20mm }
body { font: 11pt/1.4 system-ui, sans-serif; color: #111; max-width: 170mm; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 18pt; margin: 0 } h2 { font-size: 13pt; margin: 1.5rem 0 .25rem }
table { width: 100%; border-collapse: collapse; break-inside: avoid }
th, td { text-align: left; padding: .3rem 0; border-bottom: 1px solid #ccc }
td + td, th + th { text-align: right; font-variant-numeric: tabular-nums; padding-left: 1rem }
.balance td { font-weight: 600; border-bottom-color: #111 }
@media print { body { margin: 0; padding: 0; max-width: none } }
</style></head><body>
<h1>Statement for ${month}</h1>
<p>${company.name}, ${company.kind} ${company.id}. Amounts in ETB. The month is that of ${zone}.</p>
${sections.map(section)}
</body></html>
`.toString();

const section = ({ title, opening, closing, lines }: StatementSection) => html`<h2>${title}</h2>
<table><thead><tr><th scope="col">Movement</th><th scope="col">Number</th><th scope="col">Amount</th></tr></thead>
<tbody>${opening !== undefined && balance('Opening balance', opening)}${lines.map(
  ({ label, count, amount }) =>
    html`<tr><td>${label}</td><td>${count}</td><td>${amountText(amount)}</td></tr>`,
)}${balance(closingLabel(opening), closing)}</tbody></table>`;

const balance = (label: string, amount: string) =>
  html`<tr class="balance"><td>${label}</td><td></td><td>${amountText(amount)}</td></tr>`;

const closingLabel = (opening: string | undefined): string =>
  opening === undefined ? 'Total' : 'Closing balance';
