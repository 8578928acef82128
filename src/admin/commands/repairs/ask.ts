import { randomUUID } from 'node:crypto';
import type { Database } from '../../../db/connection.ts';
import { type Asked, askRepair } from '../../../repairs/ask-repair.ts';
import type { RepairKind } from '../../../repairs/repair-kind.ts';
import { AdminError } from '../../admin-error.ts';
import type { AdminContext, Report } from '../../command.ts';

/** Asks for a repair, on the command line. */
export async function ask(
  kind: RepairKind,
  idOf: (database: Database, given: unknown) => Promise<string>,
  context: AdminContext,
  { subject, why, key, ...args }: Readonly<Record<string, unknown>>,
): Promise<Report> {
  const actor = context.actor();
  const subjectId = await idOf(context.database, subject);
  const asked = await context.database.transaction().execute((transaction) =>
    askRepair(
      transaction,
      {
        kind,
        subjectId,
        args,
        why: String(why),
        actor,
        requestKey: key === undefined ? randomUUID() : `${actor} ${String(key)}`,
      },
      { limits: context.repairs, secretBox: () => context.digestSettings().secretBox },
    ),
  );
  return reportOf(asked);
}

function reportOf(asked: Asked): Report {
  if (asked.kind === 'refused') throw new AdminError(asked.refusal);
  const { id: repair, state } = asked.row;
  return {
    json: { repair, state, isNew: asked.kind === 'asked' },
    text:
      asked.kind === 'asked'
        ? `Repair ${repair} is asked for. A worker carries it out; "show repair ${repair}" tells what came of it.`
        : `No change: this is repair ${repair}, which is ${state}.`,
  };
}
