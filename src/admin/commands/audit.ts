import { listAuditEntries } from '../../db/access/calls.ts';
import { lookCommand } from '../command.ts';
import { id, optional, text, wholeNumber } from '../fields.ts';
import { column, numbers, textTable, timeText } from '../tables.ts';

export const auditCommand = lookCommand({
  name: 'access audit',
  fields: {
    kind: optional(text, 'Only of one kind of subject, such as partner, merchant or voucher'),
    id: optional(id, 'Only of the subject with this id'),
    limit: optional(wholeNumber(1, 10_000), 'Maximum number of rows; 20 by default'),
  },
  examples: ['access audit', 'access audit --kind merchant --id 3'],
  async look(database, input) {
    const entries = await listAuditEntries(database, {
      subjectKind: input.kind,
      subjectId: input.id,
      limit: input.limit ?? 20,
    });
    return {
      json: entries,
      text: textTable(entries, [
        numbers('id', (row) => row.id),
        column('time', (row) => timeText(row.at)),
        column('who', (row) => row.actor),
        column('what', (row) => row.action),
        column('subject', (row) => `${row.subjectKind} ${row.subjectId}`),
        column('details', (row) => JSON.stringify(row.details)),
      ]),
    };
  },
});
