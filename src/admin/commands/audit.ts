import { listAuditEntries } from '../../db/access/calls.ts';
import { lookCommand } from '../command.ts';
import { id, optional, rowLimit, text } from '../fields.ts';
import { column, tableReport } from '../tables.ts';

export const commands = {
  'access audit': lookCommand({
    fields: {
      kind: optional(text, 'Only of one kind of subject, such as partner, merchant or voucher'),
      id: optional(id, 'Only of the subject with this id'),
      limit: rowLimit(20),
    },
    examples: ['', '--kind merchant --id 3'],
    async look(database, input) {
      const entries = await listAuditEntries(database, {
        subjectKind: input.kind,
        subjectId: input.id,
        limit: input.limit,
      });
      return tableReport(entries, [
        'id',
        'at',
        'actor',
        'action',
        column('subject', (row) => `${row.subjectKind} ${row.subjectId}`),
        column('details', (row) => JSON.stringify(row.details)),
      ]);
    },
  }),
};
