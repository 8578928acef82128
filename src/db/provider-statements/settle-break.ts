import { sql } from 'kysely';
import type { DatabaseTransaction } from '../connection.ts';
import { type Break, findBreak } from './breaks.ts';

/** What came of settling: the entry of the audit log, or why nothing was changed. */
export type SettledBreak =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'ended'; readonly why: string }
  | {
      readonly kind: 'settled';
      readonly found: Break;
      readonly subject: { readonly kind: 'provider-break'; readonly id: number };
      readonly details: Readonly<Record<string, unknown>>;
    };

/** The action in the audit log, whoever settles by whatever means. */
export const SETTLE_BREAK = 'settle break';

/**
 * Settles an open break. It moves no money. The caller writes the entry that is answered to the
 * audit log in the same transaction.
 */
export async function settleBreak(
  transaction: DatabaseTransaction,
  id: number,
  { by, note }: { readonly by: string; readonly note: string },
): Promise<SettledBreak> {
  const { numAffectedRows = 0n } = await sql`
    update provider_breaks
    set state = 'SETTLED', ended_at = now(), ended_by = ${by}, ended_why = ${note}
    where id = ${id} and state = 'OPEN'`.execute(transaction);
  const found = await findBreak(transaction, id);
  if (!found) return { kind: 'unknown' };
  const { type, provider, day, reference, providerReference, endedBy } = found;
  if (numAffectedRows === 0n)
    return {
      kind: 'ended',
      why: endedBy === null ? 'closed itself' : `was settled by ${endedBy}`,
    };
  return {
    kind: 'settled',
    found,
    subject: { kind: 'provider-break', id },
    details: { type, provider, day, reference, providerReference, note },
  };
}
