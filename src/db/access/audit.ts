import { toldActions } from '../../domain/access/access-changes.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { addAccessNotices } from './access-notices.ts';

/** One entry: a change by a person. */
export interface AuditEntry {
  /** The person. */
  readonly actor: string;
  /** The change, such as "suspend partner". */
  readonly action: string;
  /** The kind of the changed subject, such as "partner". */
  readonly subjectKind: string;
  readonly subjectId: number;
  /** The changed values; never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Adds entries in the transaction of their changes, so that neither exists alone; owners are told
 * of those that concern the access of their company.
 */
export async function addAuditEntries(
  transaction: DatabaseTransaction,
  entries: readonly AuditEntry[],
): Promise<void> {
  const added = await transaction
    .insertInto('audit_log')
    .values(
      entries.map((entry) => ({
        actor: entry.actor,
        action: entry.action,
        subject_kind: entry.subjectKind,
        subject_id: entry.subjectId,
        details: JSON.stringify(entry.details),
      })),
    )
    .returning(['id', 'action'])
    .execute();
  const told = added.filter(({ action }) => toldActions.includes(action));
  await addAccessNotices(
    transaction,
    told.map(({ id }) => id),
  );
}

/** Adds one entry. */
export const addAuditEntry = (transaction: DatabaseTransaction, entry: AuditEntry): Promise<void> =>
  addAuditEntries(transaction, [entry]);

/** The newest entries, optionally of one kind of subject or one subject. */
export function listAuditEntries(
  database: Database,
  selection: {
    readonly subjectKind: string | undefined;
    readonly subjectId: number | undefined;
    /** Only these actions; all by default. */
    readonly actions?: readonly string[];
    readonly limit: number;
  },
) {
  const { subjectKind, subjectId } = selection;
  let query = database
    .selectFrom('audit_log')
    .select([
      'id',
      'at',
      'actor',
      'action',
      'subject_kind as subjectKind',
      'subject_id as subjectId',
      'details',
    ])
    .orderBy('id', 'desc')
    .limit(selection.limit);
  if (subjectKind !== undefined) query = query.where('subject_kind', '=', subjectKind);
  if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId);
  if (selection.actions !== undefined) query = query.where('action', 'in', selection.actions);
  return query.execute();
}
