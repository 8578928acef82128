import type { Selectable } from 'kysely';
import { type AuditEntry, addAuditEntries } from '../access/audit.ts';
import type { DatabaseTransaction } from '../connection.ts';
import type { RepairsTable } from '../schema/all-tables.ts';

export type RepairRow = Selectable<RepairsTable>;

/** One entry of the audit log; the subject is what pages show the log of. */
export const auditRepair = (
  transaction: DatabaseTransaction,
  row: RepairRow,
  { actor, action }: Pick<AuditEntry, 'actor' | 'action'>,
): Promise<void> =>
  addAuditEntries(transaction, [
    {
      actor,
      action,
      ...subjectOf(row),
      details: {
        repair: row.id,
        kind: row.kind,
        subject: `${row.subject_kind} ${row.subject_id}`,
        arguments: row.arguments,
        amount: row.amount,
        why: row.why,
        ...(row.confirmed_by === null ? {} : { confirmedBy: row.confirmed_by }),
        ...(row.result === null ? {} : { result: row.result }),
      },
    },
  ]);

function subjectOf(row: RepairRow): Pick<AuditEntry, 'subjectKind' | 'subjectId'> {
  if (row.voucher_id !== null) return { subjectKind: 'voucher', subjectId: row.voucher_id };
  return row.company_kind === null || row.company_id === null
    ? { subjectKind: row.subject_kind, subjectId: Number(row.subject_id) }
    : { subjectKind: row.company_kind, subjectId: row.company_id };
}
