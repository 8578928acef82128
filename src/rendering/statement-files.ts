import { formatAmount, formatGroupedAmount, parseMoney } from '../domain/money.ts';
import type { MonthlyStatement, StatementSection } from '../domain/statements/monthly-statement.ts';
import { csv } from './csv.ts';
import { html } from './html.ts';

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
      ...(opening === undefined ? [] : [[title, 'Opening balance', '', plain(opening)]]),
      ...lines.map(({ label, count, amount }) => [title, label, count, plain(amount)]),
      [title, closingLabel(opening), '', plain(closing)],
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
    html`<tr><td>${label}</td><td>${count}</td><td>${grouped(amount)}</td></tr>`,
)}${balance(closingLabel(opening), closing)}</tbody></table>`;

const balance = (label: string, amount: string) =>
  html`<tr class="balance"><td>${label}</td><td></td><td>${grouped(amount)}</td></tr>`;

const closingLabel = (opening: string | undefined): string =>
  opening === undefined ? 'Total' : 'Closing balance';

const plain = (amount: string): string => formatAmount(parseMoney(amount));
const grouped = (amount: string): string => formatGroupedAmount(parseMoney(amount));
