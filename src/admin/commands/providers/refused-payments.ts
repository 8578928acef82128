import { listRefusedPayments } from '../../../db/vouchers/lists/refused-payments.ts';
import { lookCommand } from '../../command.ts';
import { optional, wholeNumber } from '../../fields.ts';
import { column, money, numbers, table, time } from '../../tables.ts';

const NEWEST = 1_000;

export const listRefusedPaymentsCommand = lookCommand({
  name: 'list refused-payments',
  details:
    'Counts the newest redemptions whose payment was refused, by merchant, provider and reason. "Paid" ' +
    'counts those to the same merchant by the same provider that were paid meanwhile.',
  fields: {
    newest: optional(wholeNumber(1, 100_000), `How many redemptions count; ${NEWEST} by default`),
  },
  examples: ['list refused-payments', 'list refused-payments --newest 10000'],
  async look(database, { newest = NEWEST }) {
    const refused = await listRefusedPayments(database, newest);
    return {
      json: refused,
      text: table(refused, [
        numbers('merchant', (row) => row.merchantId),
        column('name', (row) => row.merchant),
        column('provider', (row) => row.provider),
        numbers('refused', (row) => row.refused),
        numbers('paid', (row) => row.paid),
        numbers('smallest etb', (row) => money(row.smallest)),
        numbers('largest etb', (row) => money(row.largest)),
        column('last (utc)', (row) => time(row.lastAt)),
        column('says', (row) => row.message),
      ]),
    };
  },
});
