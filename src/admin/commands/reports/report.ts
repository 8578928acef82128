import { sql } from 'kysely';
import { readDayReport, zonedDay } from '../../../db/reports/day-report.ts';
import { type DayReport, isInOrder, parseDay } from '../../../domain/reports/day-report.ts';
import {
  dayReportCsv,
  dayReportHead,
  dayReportHtml,
  dayReportTables,
  grouped,
  type ReportTable,
} from '../../../rendering/day-report-files.ts';
import { lookCommand } from '../../command.ts';
import { byConversion, oneOf, optional } from '../../fields.ts';
import { column, numbers, table } from '../../tables.ts';

const day = byConversion('date', 'must be a day such as 2026-11-23', parseDay);

export const report = lookCommand({
  name: 'report',
  details:
    'Sales, redemptions, payouts, fees, top-ups by operator and outcome, the opening and the closing ' +
    'balance of each wallet, open cases, and checks of the books, from the ledger. The day is that of ' +
    'MARKET_TIME_ZONE. It reads the transfers since the day, so that of a day long ago takes longer, ' +
    'and reads DATABASE_READ_URL where it is set. Where a check finds a fault, the exit code is 2.',
  fields: {
    day: optional(day, 'The day; the last closed one by default'),
    format: optional(oneOf('text', 'csv', 'json', 'html'), 'The form; text by default'),
  },
  readsEverything: true,
  examples: [
    'report',
    'report --day 2026-11-23 --format html > report.html',
    'report --day 2026-11-23 --json',
  ],
  async look(database, { day, format = 'text' }, { marketTimeZone }) {
    // A day long ago takes its time; this connection blocks nobody.
    await sql`set statement_timeout = 0`.execute(database);
    const found = await readDayReport(database, zonedDay(day, marketTimeZone));
    return {
      json: found,
      text: forms[format](found).trimEnd(),
      exitCode: isInOrder(found) ? 0 : 2,
    };
  },
});

const forms: Readonly<Record<'text' | 'csv' | 'json' | 'html', (found: DayReport) => string>> = {
  text: (found) => [dayReportHead(found), ...dayReportTables(found).map(textOf)].join('\n\n'),
  csv: dayReportCsv,
  json: (found) => JSON.stringify(found, null, 2),
  html: dayReportHtml,
};

const textOf = ({ title, columns, numbers: count, rows, none }: ReportTable): string => {
  const body = table(
    rows,
    columns.map((name, place) =>
      place < columns.length - count
        ? column(name, (row) => row[place] ?? null)
        : numbers(name, (row) => {
            const value = row[place] ?? null;
            return typeof value === 'string' ? grouped(value) : value;
          }),
    ),
  );
  return `${title}\n${rows.length === 0 ? none : body}`;
};
