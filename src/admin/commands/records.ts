import { listApiKeys, revokeApiKey } from '../../db/access/company-access.ts';
import { endPrices, findRow, isDeletable, type Row } from '../../db/catalogue/companies.ts';
import {
  findDeleteBlockers,
  lockForDeletion,
  markDeleted,
  removeRow,
} from '../../db/catalogue/records.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { listPortalAccounts } from '../../db/people/accounts.ts';
import { endInvitationsOf } from '../../db/people/invitations.ts';
import { disableAccount } from '../../db/people/sign-ins.ts';
import { listWebhooks, removeWebhook } from '../../db/webhooks/endpoints.ts';
import { type AdminCommand, type Change, changeCommand } from '../command.ts';
import { AdminError, argument, id, kebab } from '../fields.ts';
import { importCommand } from '../import/import-command.ts';
import {
  changed,
  changeSubject,
  commandsOf,
  created,
  notFound,
  recordName,
  warnOfNamesakes,
} from '../record-names.ts';
import { recordKinds } from '../records/kinds.ts';
import {
  type Consequence,
  changeFields,
  columnsOf,
  creationFields,
  type RecordKind,
  type RecordProblem,
  targetOf,
  type Values,
} from '../records/record-kind.ts';
import { planChangeOf, planRecords, writeRecords } from '../records/write-records.ts';

/** The command that deletes a record: lists no longer show it, but its row stays. */
const deleteCommand = (kind: RecordKind): AdminCommand =>
  changeCommand({
    action: `delete ${kind.kind}`,
    details: detailsOf(kind),
    fields: { id: argument(id, `The id of the ${kind.kind}`) },
    async change(transaction, input) {
      const row = await lockForDeletion(transaction, kind.table, input.id);
      if (!row || isDeleted(row)) throw notFound(kind.kind, input.id);
      const name = recordName(kind.kind, row);
      const label = `${kind.kind} ${input.id} (${name})`;
      if (row[kind.activation.column] !== kind.activation.inactive)
        throw new AdminError(
          `The ${label} is active: run "${commandsOf(kind.kind)} deactivate ${input.id}" first.`,
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
                `API keys revoked: ${ended.revokedKeys}, webhooks removed: ${ended.removedWebhooks}, ` +
                  `prices ended: ${ended.endedPrices}, portal accounts disabled: ${ended.disabledAccounts}.`,
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
    `"${commandsOf(kind)} restore" restores it.`;
  return kind === 'merchant' ? `${details} ${MERCHANT_DETAILS}` : details;
}

const MERCHANT_DETAILS =
  'Deletion revokes its API keys, removes its webhooks, disables its portal accounts, and ends its invitations and ' +
  'the selling prices for this merchant only; "merchant restore" restores none of them.';

/**
 * A deleted merchant has no access. Its keys and invitations are invalid, its people cannot sign in, its servers get no
 * events, and it has no prices.
 */
async function endAccess(transaction: DatabaseTransaction, merchantId: number) {
  let revokedKeys = 0;
  const company = { kind: 'merchant', id: merchantId } as const;
  for (const { id: keyId } of await listApiKeys(transaction, company))
    if (await revokeApiKey(transaction, keyId)) revokedKeys += 1;
  const webhooks = await listWebhooks(transaction, company);
  for (const { id: webhookId } of webhooks) await removeWebhook(transaction, webhookId);
  const endedPrices = await endPrices(transaction, 'merchant_id', merchantId);
  let disabledAccounts = 0;
  for (const account of await listPortalAccounts(transaction, company))
    if (await disableAccount(transaction, account.id)) disabledAccounts += 1;
  await endInvitationsOf(transaction, { merchantId });
  return { revokedKeys, removedWebhooks: webhooks.length, endedPrices, disabledAccounts };
}

/** The command that restores a deleted record, still deactivated. */
const restoreCommand = (kind: RecordKind): AdminCommand =>
  changeCommand({
    action: `restore ${kind.kind}`,
    fields: {
      id: argument(id, `The id of the ${kind.kind}: see "access audit --kind ${kind.kind}"`),
    },
    async change(transaction, input) {
      const row = await lockForDeletion(transaction, kind.table, input.id);
      if (!row) throw notFound(kind.kind, input.id);
      if (!isDeleted(row))
        return { unchanged: `No change: ${kind.kind} ${input.id} is not deleted.` };
      await requireReferences(transaction, kind, row);
      await markDeleted(transaction, kind.table, input.id, false);
      const name = recordName(kind.kind, row);
      return {
        subject: { kind: kind.kind, id: input.id },
        details: { name },
        text:
          `Restored ${kind.kind} ${input.id} (${name}), deactivated: see ` +
          `"${commandsOf(kind.kind)} activate ${input.id}".`,
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
    throw new AdminError(
      `Its ${kind} ${to} is deleted too: run "${commandsOf(kind)} restore ${to}" first.`,
    );
  }
}

/** The command that deactivates a record, or activates it again. */
const statusCommand = (
  { kind, activation }: RecordKind,
  verb: 'activate' | 'deactivate',
): AdminCommand =>
  changeCommand({
    action: `${verb} ${kind}`,
    ...(verb === 'deactivate' &&
      activation.details !== undefined && { details: activation.details }),
    fields: { id: argument(id, `The id of the ${kind}`) },
    change(transaction, input) {
      const { column, active, inactive } = activation;
      const row: Row = { [column]: verb === 'activate' ? active : inactive };
      return changeSubject(transaction, kind, input.id, row);
    },
  });

/** All problems of the options in one line. */
const refusal = (problems: readonly RecordProblem[]): AdminError =>
  new AdminError(problems.map(({ field, reason }) => `--${kebab(field)} ${reason}.`).join(' '));

/** The command that adds a record of a kind. */
const createCommand = (kind: RecordKind): AdminCommand =>
  changeCommand({
    action: `create ${kind.kind}`,
    ...(kind.help.createDetails !== undefined && { details: kind.help.createDetails }),
    fields: creationFields(kind),
    examples: kind.help.createExamples,
    async change(transaction, input) {
      const given = input as Values;
      const [plan] = await planRecords(transaction, kind, [{ given, problems: [] }], false);
      if (plan?.action !== 'create') throw refusal(plan?.action === 'refuse' ? plan.problems : []);
      const [written] = await writeRecords(transaction, kind, [plan]);
      const id = written?.id ?? 0;
      const next = kind.next?.(id, given);
      const change = { ...created(kind.kind, id, written?.details ?? {}), ...(next && { next }) };
      return withWarning(transaction, kind, change);
    },
  });

/** The command that changes a record. */
const changeRecordCommand = (kind: RecordKind): AdminCommand =>
  changeCommand({
    action: `change ${kind.kind}`,
    details: [
      ...(kind.help.changeDetails === undefined ? [] : [kind.help.changeDetails]),
      `For its status see "${commandsOf(kind.kind)} deactivate" and "${commandsOf(kind.kind)} activate".`,
    ].join(' '),
    fields: changeFields(kind),
    examples: kind.help.changeExamples,
    async change(transaction, { id: recordId, ...input }) {
      const id = Number(recordId);
      const values = input as Values;
      if (Object.keys(columnsOf(kind, values)).length === 0)
        throw new AdminError('There is nothing to change: add --help to see the options.');
      const plan = await planChangeOf(transaction, kind, id, values);
      if (!plan) throw notFound(kind.kind, id);
      if (plan.action !== 'change') throw refusal(plan.action === 'refuse' ? plan.problems : []);
      await writeRecords(transaction, kind, [plan]);
      const change = changed(kind.kind, id, plan.changes);
      const consequence = await kind.afterChange?.(transaction, id, plan.changes);
      const whole = consequence ? withConsequence(change, consequence) : change;
      return 'name' in values && values.name !== undefined
        ? withWarning(transaction, kind, whole)
        : whole;
    },
  });

/** A shared name of companies is rarely intended; names of other kinds are unique. */
const withWarning = (transaction: DatabaseTransaction, { kind }: RecordKind, change: Change) =>
  kind === 'merchant' ? warnOfNamesakes(transaction, kind, change) : change;

/** A change with its further effect. */
const withConsequence = (change: Change, { details, text }: Consequence): Change =>
  'unchanged' in change
    ? change
    : {
        ...change,
        details: { ...change.details, ...details },
        text: `${change.text} ${text}`,
      };

/** The commands of every kind of record. */
export const commands = Object.fromEntries(
  recordKinds.flatMap((kind) =>
    Object.entries({
      create: createCommand(kind),
      change: changeRecordCommand(kind),
      import: importCommand(kind),
      deactivate: statusCommand(kind, 'deactivate'),
      activate: statusCommand(kind, 'activate'),
      delete: deleteCommand(kind),
      ...(isDeletable(kind.table) && { restore: restoreCommand(kind) }),
    }).map(([verb, command]) => [`${commandsOf(kind.kind)} ${verb}`, command]),
  ),
);
