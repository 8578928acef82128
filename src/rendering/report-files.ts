import {
  type CountedSum,
  type DayBalance,
  type DayHour,
  type DayReport,
  isInOrder,
} from '../domain/day-report.ts';
import { amountText, plainAmount } from '../domain/money.ts';
import type { MonthlyStatement } from '../domain/statements.ts';
import { drawChart } from './chart.ts';
import { type CsvRow, csv } from './csv.ts';
import { type Html, html, ownHtml } from './html.ts';

/** The style of a report: for screens, paper and mail programs that show attachments. */
const style = `
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
.balance td { font-weight: 600; border-bottom-color: #15191e }
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

type Cell = string | number | null;

/** The parts of a report that are tables, for pages, spreadsheets and terminals. */
export interface ReportTable {
  readonly title: string;
  /** The last ones that `numbers` counts are numbers. */
  readonly columns: readonly string[];
  readonly numbers: number;
  /** Amounts as decimal strings of the ledger. A balance has null in place of a number of movements. */
  readonly rows: readonly (readonly Cell[])[];
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

/** The cells of a row. The last `numbers` cells hold amounts as text, which get their form, or counts. */
const cellsOf = (
  row: readonly Cell[],
  numbers: number,
  formOf: (amount: string) => string,
): readonly Cell[] =>
  row.map((value, place) =>
    place >= row.length - numbers && typeof value === 'string' ? formOf(value) : value,
  );

/** The rows of a table for spreadsheets, each with the name of its table. */
const csvRowsOf = ({ title, numbers, rows }: ReportTable): readonly CsvRow[] =>
  rows.map((row) => [title, ...cellsOf(row, numbers, plainAmount)]);

/** A day report for spreadsheets: one table after the other, each line with the name of its table. */
export function dayReportCsv(report: DayReport): string {
  const rows = dayReportTables(report).flatMap((table): CsvRow[] => [
    ['Part', ...table.columns],
    ...csvRowsOf(table),
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

/** A report as a document of its own; it needs nothing from elsewhere. */
const documentOf = (title: string, content: Html, tables: readonly ReportTable[]): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${ownHtml(style)}</style></head><body>
<h1>${title}</h1>
${content}
${tables.map(tableOf)}
</body></html>
`.toString();

/** A day report to read, with charts. */
export const dayReportHtml = (report: DayReport): string =>
  documentOf(
    `Day report ${report.day}`,
    html`<p>${dayReportHead(report)}</p>
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
</div>`,
    dayReportTables(report).slice(1),
  );

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
  const align = (place: number) => place >= columns.length - numbers && ownHtml(' class="number"');
  return html`<section><h2>${title}</h2>
${
  rows.length === 0
    ? html`<p>${none}</p>`
    : html`<div class="wide"><table><thead><tr>${columns.map((name, place) => html`<th scope="col"${align(place)}>${name}</th>`)}</tr></thead>
<tbody>${rows.map(
        (row) =>
          html`<tr${row.includes(null) && ownHtml(' class="balance"')}>${cellsOf(row, numbers, amountText).map((value, place) => html`<td${align(place)}>${value}</td>`)}</tr>`,
      )}</tbody></table></div>`
}</section>`;
};

/** The formats of a statement: to print, and for spreadsheets. */
export const statementFormats = ['html', 'csv'] as const;

/** A statement as a file. */
export const statementFile = (
  statement: MonthlyStatement,
  format: (typeof statementFormats)[number],
) => {
  const { company, month } = statement;
  return {
    name: `statement-${company.kind}-${company.id}-${month}.${format}`,
    type: `text/${format}` as const,
    content: format === 'html' ? statementHtml(statement) : statementCsv(statement),
  };
};

/** A statement in all formats. */
export const statementFiles = (statement: MonthlyStatement) =>
  statementFormats.map((format) => statementFile(statement, format));

/** The tables of a statement, one for each account. */
const statementTables = ({ sections }: MonthlyStatement): readonly ReportTable[] =>
  sections.map(({ title, opening, closing, lines }) => ({
    title,
    columns: ['Movement', 'Number', 'Amount'],
    numbers: 2,
    rows: [
      ...(opening === undefined ? [] : [['Opening balance', null, opening]]),
      ...lines.map(({ label, count, amount }) => [label, count, amount]),
      [opening === undefined ? 'Total' : 'Closing balance', null, closing],
    ],
    none: '',
  }));

/** A statement for spreadsheets. */
const statementCsv = (statement: MonthlyStatement): string =>
  csv([
    ['Account', 'Line', 'Number', 'Amount (ETB)'],
    ...statementTables(statement).flatMap(csvRowsOf),
  ]);

/** A statement to print. */
const statementHtml = (statement: MonthlyStatement): string => {
  const { company, month, zone } = statement;
  return documentOf(
    `Statement for ${month}: ${company.name}`,
    html`<p>${company.name}, ${company.kind} ${company.id}. Amounts in ETB. The month is that of ${zone}.</p>`,
    statementTables(statement),
  );
};
