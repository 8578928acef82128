import { listApiKeys, revokeApiKey } from '../../db/access/company-access.ts';
import { endPrices, findRow, isDeletable, type Row } from '../../db/catalogue/company-changes.ts';
import { findDeleteBlockers } from '../../db/catalogue/delete-blockers.ts';
import { lockForDeletion, markDeleted, removeRow } from '../../db/catalogue/records.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { listPortalAccounts, setPortalAccountDisabled } from '../../db/portal/portal-accounts.ts';
import { endPortalSessions } from '../../db/portal/portal-sessions.ts';
import { AdminError } from '../admin-error.ts';
import { type AdminCommand, changeCommand } from '../command.ts';
import { argument, id } from '../fields.ts';
import { nameOf, notFound } from '../record-names.ts';
import type { RecordKind } from '../records/record-kind.ts';
import { targetOf } from '../records/references.ts';

/** The command that deletes a record: lists no longer show it, but its row stays. */
export const deleteCommand = (kind: RecordKind): AdminCommand =>
  changeCommand({
    name: `delete ${kind.kind}`,
    details: detailsOf(kind),
    fields: { id: argument(id, `The id of the ${kind.kind}`) },
    examples: [`delete ${kind.kind} 3`],
    async change(transaction, input) {
      const row = await lockForDeletion(transaction, kind.table, input.id);
      if (!row || isDeleted(row)) throw notFound(kind.kind, input.id);
      const name = nameOf(kind.kind, row);
      const label = `${kind.kind} ${input.id} (${name})`;
      if (row[kind.activation.column] !== kind.activation.inactive)
        throw new AdminError(
          `The ${label} is active: run "deactivate ${kind.kind} ${input.id}" first.`,
        );
      const uses = await findDeleteBlockers(transaction, kind.table, input.id);
      if (uses.length > 0)
        throw new AdminError(`The ${label} cannot be deleted while there are ${uses.join(', ')}.`);
      if (isDeletable(kind.table)) await markDeleted(transaction, kind.table, input.id, true);
      else await removeRow(transaction, kind.table, input.id);
      const ended = kind.kind === 'merchant' ? await endAccess(transaction, input.id) : undefined;
      return {
        subject: { kind: kind.kind, id: input.id },
        details: { name, ...ended },
        text: [
          `Deleted ${label}.`,
          ...(ended
            ? [
                `API keys revoked: ${ended.revokedKeys}, prices ended: ${ended.endedPrices}, ` +
                  `portal accounts disabled: ${ended.disabledAccounts}.`,
              ]
            : []),
        ].join(' '),
      };
    },
  });

const isDeleted = (row: Row): boolean => (row.deleted_at ?? null) !== null;

function detailsOf({ kind, table }: RecordKind): string {
  if (!isDeletable(table))
    return (
      'Only a denomination without vouchers and selling prices can be deleted, such as a ' +
      'mistake. Any other stays deactivated, because its vouchers and prices refer to it.'
    );
  const details =
    'The command refuses while active records depend on it, and names them. A deleted record is ' +
    'no longer shown; its row is kept for the history, and ' +
    `"restore ${kind}" restores it.`;
  return kind === 'merchant' ? `${details} ${MERCHANT_DETAILS}` : details;
}

const MERCHANT_DETAILS =
  'Deletion revokes its API keys, disables its portal accounts, and ends the selling prices for ' +
  'this merchant only; "restore merchant" restores none of them.';

/**
 * A deleted merchant has no access: its keys are invalid, its people cannot sign in, and it has no
 * prices.
 */
async function endAccess(transaction: DatabaseTransaction, merchantId: number) {
  let revokedKeys = 0;
  const company = { kind: 'merchant', id: merchantId } as const;
  for (const { id: keyId } of await listApiKeys(transaction, company))
    if (await revokeApiKey(transaction, keyId)) revokedKeys += 1;
  const endedPrices = await endPrices(transaction, 'merchant_id', merchantId);
  let disabledAccounts = 0;
  for (const account of await listPortalAccounts(transaction, company)) {
    await setPortalAccountDisabled(transaction, account.id, true);
    await endPortalSessions(transaction, account.id);
    if (account.disabledAt === null) disabledAccounts += 1;
  }
  return { revokedKeys, endedPrices, disabledAccounts };
}

/** The command that restores a deleted record, still deactivated. */
export const restoreCommand = (kind: RecordKind): AdminCommand =>
  changeCommand({
    name: `restore ${kind.kind}`,
    fields: { id: argument(id, `The id of the ${kind.kind}: see "audit --kind ${kind.kind}"`) },
    examples: [`restore ${kind.kind} 3`],
    async change(transaction, input) {
      const row = await lockForDeletion(transaction, kind.table, input.id);
      if (!row) throw notFound(kind.kind, input.id);
      if (!isDeleted(row))
        return { unchanged: `No change: ${kind.kind} ${input.id} is not deleted.` };
      await requireReferences(transaction, kind, row);
      await markDeleted(transaction, kind.table, input.id, false);
      const name = nameOf(kind.kind, row);
      return {
        subject: { kind: kind.kind, id: input.id },
        details: { name },
        text:
          `Restored ${kind.kind} ${input.id} (${name}), deactivated: see ` +
          `"activate ${kind.kind} ${input.id}".`,
      };
    },
  });

/** @throws {AdminError} where the row refers to a deleted row */
async function requireReferences(
  transaction: DatabaseTransaction,
  { fields }: RecordKind,
  row: Row,
): Promise<void> {
  for (const { refersTo, column = '' } of Object.values(fields)) {
    const to = row[column];
    if (refersTo === undefined || typeof to !== 'number') continue;
    const { kind, table } = targetOf(refersTo);
    if (await findRow(transaction, table, to)) continue;
    throw new AdminError(`Its ${kind} ${to} is deleted too: run "restore ${kind} ${to}" first.`);
  }
}
