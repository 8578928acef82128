import { listRefusedCalls } from '../../../db/access/calls.ts';
import { lookCommand } from '../../command.ts';
import { optional, text, wholeNumber } from '../../fields.ts';
import { companyFields, requireCompany } from '../../record-names.ts';
import { column, numbers, table, time } from '../../tables.ts';

export const listRefusedCallsCommand = lookCommand({
  name: 'list refused-calls',
  details:
    'The company is shown if the call was authenticated. "Left out" counts similar calls of the ' +
    'same minute that were not recorded.',
  fields: {
    ...companyFields,
    address: optional(text, 'Only those from one address'),
    reason: optional(text, 'Only those for one reason, such as api-key-invalid'),
    limit: optional(wholeNumber(1, 10_000), 'Maximum number of rows; 50 by default'),
  },
  examples: ['list refused-calls', 'list refused-calls --partner 1 --reason token-invalid'],
  async look(database, input) {
    const isOfCompany = input.partner !== undefined || input.merchant !== undefined;
    const calls = await listRefusedCalls(database, {
      company: isOfCompany ? await requireCompany(database, input) : undefined,
      sourceAddress: input.address,
      reason: input.reason,
      limit: input.limit ?? 50,
    });
    return {
      json: calls,
      text: table(calls, [
        column('time (utc)', (row) => time(row.at)),
        column('reason', (row) => row.reason),
        column('from', (row) => row.sourceAddress),
        column('company', (row) => row.companyKind && `${row.companyKind} ${row.companyId}`),
        column('key', (row) => row.keyPrefix),
        column('call', (row) => `${row.method} ${row.route}`),
        numbers('left out', (row) => row.leftOut),
        column('request id', (row) => row.requestId),
      ]),
    };
  },
});
