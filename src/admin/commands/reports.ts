import { withSettings } from '../../db/connection.ts';
import { listUndeliveredEmails } from '../../db/outbox.ts';
import { readDayReport, zonedDay } from '../../db/reports/day-report.ts';
import {
  addReportRecipient,
  listReportRecipients,
  removeReportRecipient,
} from '../../db/reports/emails.ts';
import { type DayReport, isInOrder } from '../../domain/day-report.ts';
import { amountText } from '../../domain/money.ts';
import {
  dayReportCsv,
  dayReportHead,
  dayReportHtml,
  dayReportTables,
  type ReportTable,
} from '../../rendering/report-files.ts';
import { changeCommand, lookCommand } from '../command.ts';
import {
  AdminError,
  day,
  email,
  oneOf,
  optional,
  required,
  rowLimit,
  withDefault,
} from '../fields.ts';
import { column, tableReport, textTable } from '../tables.ts';

export const commands = {
  'money report-recipient add': changeCommand({
    action: 'add report-recipient',
    details:
      'The service sends the report after 02:00 of MARKET_TIME_ZONE, when the day is closed, ' +
      'beginning with the next day that closes. The report shows the business of all partners: ' +
      'choose the address with care.',
    fields: { email: required(email, 'The e-mail address, such as that of a team') },
    examples: ['--email finance@service.example'],
    async change(transaction, input) {
      const id = await addReportRecipient(transaction, input.email);
      if (id === undefined)
        return { unchanged: `No change: ${input.email} already gets the report of each day.` };
      return {
        subject: { kind: 'report-recipient', id },
        details: { email: input.email },
        text: `${input.email} gets the report of each day from now on.`,
      };
    },
  }),

  'money report-recipient remove': changeCommand({
    action: 'remove report-recipient',
    fields: { email: required(email, 'The e-mail address: see money report-recipient list') },
    examples: ['--email finance@service.example'],
    async change(transaction, input) {
      const id = await removeReportRecipient(transaction, input.email);
      if (id === undefined)
        throw new AdminError(
          `${input.email} gets no day reports: see "money report-recipient list".`,
        );
      return {
        subject: { kind: 'report-recipient', id },
        details: { email: input.email },
        text: `${input.email} gets no more day reports.`,
      };
    },
  }),

  'money report-recipient list': lookCommand({
    fields: {},
    look: async (database) =>
      tableReport(await listReportRecipients(database), [
        'email',
        'createdAt',
        'lastDay',
        column('outcome', (row) => (row.lastDay === null ? null : (row.lastOutcome ?? 'waiting'))),
      ]),
  }),

  'money report': lookCommand({
    details:
      'Shows sales, redemptions, payouts, fees, top-ups by operator and outcome, the opening and the closing ' +
      'balance of each wallet, open cases, and checks of the books, from the ledger. The day is that of ' +
      'MARKET_TIME_ZONE. The command reads the transfers since the day, so the report of an old day takes longer, ' +
      'and reads DATABASE_READ_URL where it is set. Where a check finds a fault, the exit code is 2.',
    fields: {
      day: optional(day, 'The day; the last closed day by default'),
      format: withDefault(oneOf('text', 'csv', 'html'), 'The format of the output', 'text'),
    },
    readsEverything: true,
    examples: ['', '--day 2026-11-23 --format html > report.html', '--day 2026-11-23 --json'],
    async look(database, { day, format }, { settings }) {
      // A day long ago takes time; this connection blocks no other.
      const patient = withSettings(database, { statement_timeout: 0 });
      const found = await readDayReport(patient, zonedDay(day, settings.market.marketTimeZone));
      return {
        json: found,
        text: forms[format](found).trimEnd(),
        exitCode: isInOrder(found) ? 0 : 2,
      };
    },
  }),

  'desk list-undelivered-emails': lookCommand({
    details:
      'REFUSED: the mail server refused the e-mail for good. GIVEN_UP: the e-mail could not be made or ' +
      'sent in time. UNKNOWN: an invitation may have arrived or not. None is sent again.',
    fields: { limit: rowLimit(50) },
    look: async (database, { limit }) =>
      tableReport(await listUndeliveredEmails(database, limit), [
        'queue',
        'period',
        'email',
        column('company', (row) => row.companyKind && `${row.companyKind} ${row.companyId}`),
        'outcome',
        'at',
      ]),
  }),
};

const forms: Readonly<Record<'text' | 'csv' | 'html', (found: DayReport) => string>> = {
  text: (found) => [dayReportHead(found), ...dayReportTables(found).map(textOf)].join('\n\n'),
  csv: dayReportCsv,
  html: dayReportHtml,
};

type Cells = ReportTable['rows'][number];

const textOf = ({ title, columns, numbers: count, rows, none }: ReportTable): string => {
  const body = textTable(
    rows,
    columns.map((name, place) =>
      place < columns.length - count
        ? column(name, (row: Cells) => row[place] ?? null)
        : {
            title: name,
            value(row: Cells) {
              const value = row[place] ?? null;
              return typeof value === 'string' ? amountText(value) : value;
            },
            align: 'right' as const,
          },
    ),
  );
  return `${title}\n${rows.length === 0 ? none : body}`;
};
