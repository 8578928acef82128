import { listUndeliveredEmails } from '../../../db/reports/undelivered-emails.ts';
import { lookCommand } from '../../command.ts';
import { optional, wholeNumber } from '../../fields.ts';
import { column, table, time } from '../../tables.ts';

export const listUndeliveredEmailsCommand = lookCommand({
  name: 'list undelivered-emails',
  details:
    'Day reports and monthly statements. REFUSED: the mail server refused it for good. GIVEN_UP: it ' +
    'could not be made or sent for days. Neither is sent again.',
  fields: { limit: optional(wholeNumber(1, 10_000), 'Maximum number of rows; 50 by default') },
  examples: ['list undelivered-emails'],
  async look(database, { limit = 50 }) {
    const emails = await listUndeliveredEmails(database, limit);
    return {
      json: emails,
      text: table(emails, [
        column('queue', (row) => row.queue),
        column('of', (row) => row.period),
        column('e-mail', (row) => row.email),
        column('company', (row) => row.companyKind && `${row.companyKind} ${row.companyId}`),
        column('outcome', (row) => row.outcome),
        column('at (utc)', (row) => time(row.at)),
      ]),
    };
  },
});
