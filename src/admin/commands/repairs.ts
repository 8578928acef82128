import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { repairWorkflowId } from '../../../workflows/workflow-ids.ts';
import { findRepair, listRepairs } from '../../db/repairs/repair-lists.ts';
import type { RepairRow } from '../../db/repairs/repairs.ts';
import { type RepairSubject, repairStates, takenOutOf } from '../../domain/repairs.ts';
import { type Asked, askRepair } from '../../repairs/ask-repair.ts';
import { HAS_CHANGED, metaOf, type RepairKind } from '../../repairs/repair-kind.ts';
import { findRepairKind, repairsOf } from '../../repairs/repair-kinds.ts';
import type { RepairKindName } from '../../repairs/repair-titles.ts';
import { type AdminCommand, type AdminContext, lookCommand, type Report } from '../command.ts';
import {
  AdminError,
  argument,
  existing,
  type Fields,
  id,
  kebab,
  oneOf,
  optional,
  required,
  rowLimit,
  text,
} from '../fields.ts';
import { repairCommands } from '../groups.ts';
import { digestsAndBox, repairBasis } from '../keys.ts';
import { amounts, column, recordOf, textTable } from '../tables.ts';

export const commands = {
  'desk repair list': lookCommand({
    details: 'ASKED waits for the confirmation of a second person, at /support.',
    fields: {
      state: optional(oneOf(...repairStates), 'Only those in one state'),
      limit: rowLimit(50, 1_000),
    },
    examples: ['--state ASKED'],
    async look(database, { state, limit }) {
      const rows = await listRepairs(database, { state, limit });
      return {
        json: rows.map(shown),
        text: textTable(rows, [
          'id',
          'asked_at',
          'kind',
          column('subject', subjectOf),
          amounts('amount'),
          'asked_by',
          'state',
        ]),
      };
    },
  }),

  'desk repair show': lookCommand({
    fields: { id: argument(id, 'The id of the repair') },
    async look(database, input) {
      const row = existing(
        await findRepair(database, input.id),
        `repair ${input.id}`,
        'desk repair list',
      );
      const json = shown(row);
      return {
        json,
        text: recordOf(json, [
          'id',
          'kind',
          column('subject', () => subjectOf(row)),
          amounts('amount'),
          'state',
          'result',
          'why',
          'asked_at',
          'asked_by',
          'confirmed_at',
          'confirmed_by',
          column('confirm until', () => (row.state === 'ASKED' ? row.confirm_until : null)),
          'workflow',
        ]),
      };
    },
  }),
};

const subjectOf = (row: RepairRow): string => `${row.subject_kind} ${row.subject_id}`;

/** Without the personal arguments, which are encrypted. */
const shown = ({
  sealed_arguments,
  former_msisdn,
  request_key,
  operation_id,
  ...row
}: RepairRow) => ({
  ...row,
  workflow: repairWorkflowId(row.id, operation_id),
});

/** How an operator names a subject, and the command that shows it with the facts of its repairs. */
const subjects: Readonly<
  Record<
    RepairSubject,
    { readonly description: string; readonly example: string; readonly shownBy?: string }
  >
> = {
  voucher: {
    description: 'The id of the voucher, or its serial number',
    example: '012345678901234567',
    shownBy: 'voucher show',
  },
  redemption: {
    description: 'The reference of the redemption, as "voucher show" prints it, or its id',
    example: 'RDM-0123456789ABCDEF',
    shownBy: 'voucher show',
  },
  'top-up': {
    description: 'The number of the top-up, which is its transactionId',
    example: '17',
    shownBy: 'top-up show',
  },
  deposit: {
    description: 'The reference of the deposit, as "money statement" prints it',
    example: 'CBE-2026-0042',
  },
  partner: { description: 'The id of the partner', example: '1' },
  case: {
    description: 'The id of the case; "cases show" shows what each choice moves',
    example: '17',
    shownBy: 'cases show',
  },
};

/** The command that asks for a kind of repair. */
export function repairCommand(kindName: RepairKindName): AdminCommand {
  const kind = findRepairKind(kindName);
  if (!kind) throw new Error(`There is no kind of repair ${kindName}`);
  const { description, shownBy } = subjects[kind.subject];
  return {
    details:
      `${kind.summary} It is possible ${kind.allowed}. A worker carries the repair out; "desk repair show" ` +
      'shows its result. The command refuses a repair that a second person must confirm: staff ask for it ' +
      'and confirm it at /support. The command line counts as one person, whatever --actor says.',
    fields: {
      [kind.subject]: argument(text, description),
      ...(kind.fields.shape as Fields),
      ...(kind.isBound && {
        facts: optional(
          text,
          `The facts, as "${shownBy}" prints them (required): the repair is refused if they have changed`,
        ),
      }),
      why: required(text, 'The reason, and the ticket; recorded in the audit log'),
      key: optional(text, 'The same key makes the command safe to repeat; random by default'),
    },
    examples: examplesOf(kind),
    run: (context, input) => ask(kind, context, input),
  };
}

/** With what it requires alone, and with an option. */
function examplesOf({ subject, fields, isBound }: RepairKind): string[] {
  const wordsOf = ([option, schema]: readonly [string, z.ZodType]) =>
    `--${kebab(option)} ${metaOf(schema).example} `;
  const options = Object.entries<z.ZodType>(fields.shape);
  const needed = options.filter(([, schema]) => !schema.isOptional()).map(wordsOf);
  const further = options
    .filter(([, schema]) => schema.isOptional())
    .slice(0, 1)
    .map(wordsOf);
  const facts = isBound ? '--facts FACTS ' : '';
  const withWords = (words: readonly string[]) =>
    `${subjects[subject].example} ${words.join('')}${facts}--why "Ticket 4711"`;
  return [withWords(needed), ...(further.length > 0 ? [withWords([...needed, ...further])] : [])];
}

async function ask(
  kind: RepairKind,
  context: AdminContext,
  { [kind.subject]: subject, why, key, facts, ...args }: Readonly<Record<string, unknown>>,
): Promise<Report> {
  const actor = context.actor();
  const asked = await context.database.transaction().execute((transaction) =>
    askRepair(
      transaction,
      {
        kind,
        subjectId: String(subject),
        args,
        why: String(why),
        actor,
        requestKey: key === undefined ? randomUUID() : `${actor} ${String(key)}`,
        binding: String(facts ?? ''),
      },
      {
        ...repairBasis(context.settings),
        secretBox: () => digestsAndBox(context.settings).secretBox,
      },
    ),
  );
  if (asked.kind === 'refused' && asked.refusal === HAS_CHANGED) {
    const why = facts === undefined ? 'Missing: --facts.' : HAS_CHANGED;
    throw new AdminError(
      `${why} "${await showing(kind, context, String(subject))}" prints the facts.`,
    );
  }
  return reportOf(asked);
}

/** The command that shows the subject of a repair with its facts. */
async function showing(
  kind: RepairKind,
  { database, settings }: AdminContext,
  given: string,
): Promise<string> {
  const judged = await kind.judge(
    database,
    (await kind.nameOf(database, given)) ?? given,
    {},
    repairBasis(settings),
  );
  const id = kind.subject === 'case' ? given : (judged?.topupId ?? judged?.voucherId);
  return `${subjects[kind.subject].shownBy} ${id}`;
}

/** The facts of a repair that is possible now. */
interface RepairFacts {
  /** With its subject, such as "voucher settle-payment 17". */
  readonly command: string;
  readonly facts: string;
  /** The subject of the repair, for people. */
  readonly about: string;
}

/** The facts of the repairs of a voucher or a top-up that are possible now, and demand them. */
export async function repairFacts(
  { database, settings }: Pick<AdminContext, 'database' | 'settings'>,
  subject: Parameters<typeof repairsOf>[1],
): Promise<RepairFacts[]> {
  const names: Readonly<Partial<Record<RepairKindName, string>>> = repairCommands;
  const found: RepairFacts[] = [];
  for (const { kind, subjectId } of await repairsOf(database, subject)) {
    const name = names[kind.name];
    if (name === undefined || !kind.isBound) continue;
    const judged = await kind.judge(database, subjectId, {}, repairBasis(settings));
    if (!judged || judged.refusal !== undefined) continue;
    const { label, binding } = judged;
    found.push({ command: `${name} ${subjectId}`, facts: binding, about: label });
  }
  return found;
}

/** The same for a terminal: the command with the option that it needs. */
export const factLines = (found: readonly RepairFacts[]): string =>
  found.map(({ command, facts, about }) => `${command} --facts ${facts}  ${about}`).join('\n');

function reportOf(asked: Asked): Report {
  if (asked.kind === 'refused') throw new AdminError(asked.refusal);
  const { id: repair, state, why } = asked.row;
  const takenOut = takenOutOf(why);
  const text =
    asked.kind === 'asked'
      ? `Repair ${repair} is asked for. A worker carries it out; "desk repair show ${repair}" shows its result.`
      : `No change: repair ${repair} is the same, and is ${state}.`;
  return {
    json: { repair, state, isNew: asked.kind === 'asked', ...(takenOut && { takenOut }) },
    text: takenOut ? `${text} ${takenOut}` : text,
  };
}
