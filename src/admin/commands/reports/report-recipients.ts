import {
  addReportRecipient,
  listReportRecipients,
  removeReportRecipient,
} from '../../../db/reports/report-recipients.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { email, required } from '../../fields.ts';
import { column, table, time } from '../../tables.ts';

export const addReportRecipientCommand = changeCommand({
  name: 'add report-recipient',
  details:
    'A Schedule sends it at 02:15 of MARKET_TIME_ZONE, when the day is closed, beginning with the ' +
    'next day that closes. The report shows the business of all partners: choose the address with care.',
  fields: { email: required(email, 'The address, such as that of a team') },
  examples: ['add report-recipient --email finance@service.example'],
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
});

export const removeReportRecipientCommand = changeCommand({
  name: 'remove report-recipient',
  fields: { email: required(email, 'The address: see list report-recipients') },
  examples: ['remove report-recipient --email finance@service.example'],
  async change(transaction, input) {
    const id = await removeReportRecipient(transaction, input.email);
    if (id === undefined)
      throw new AdminError(`${input.email} gets no day reports: see "list report-recipients".`);
    return {
      subject: { kind: 'report-recipient', id },
      details: { email: input.email },
      text: `${input.email} gets no more day reports.`,
    };
  },
});

export const listReportRecipientsCommand = lookCommand({
  name: 'list report-recipients',
  fields: {},
  examples: ['list report-recipients'],
  async look(database) {
    const recipients = await listReportRecipients(database);
    return {
      json: recipients,
      text: table(recipients, [
        column('e-mail', (row) => row.email),
        column('since (utc)', (row) => time(row.createdAt)),
        column('last day', (row) => row.lastDay),
        column('outcome', (row) => (row.lastDay === null ? null : (row.lastOutcome ?? 'waiting'))),
      ]),
    };
  },
});
