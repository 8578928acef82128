import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { repairWorkflowId } from '../../../workflows/workflow-ids.ts';
import { findRepair, listRepairs } from '../../db/repairs/repair-lists.ts';
import type { RepairRow } from '../../db/repairs/repairs.ts';
import { amountText } from '../../domain/money.ts';
import { type RepairSubject, repairStates, takenOutOf } from '../../domain/repairs.ts';
import { type Asked, askRepair } from '../../repairs/ask-repair.ts';
import { metaOf, type RepairKind } from '../../repairs/repair-kind.ts';
import { findRepairKind } from '../../repairs/repair-kinds.ts';
import type { RepairKindName } from '../../repairs/repair-titles.ts';
import { type AdminCommand, type AdminContext, lookCommand, type Report } from '../command.ts';
import {
  AdminError,
  argument,
  bySchema,
  existing,
  type Field,
  id,
  kebab,
  oneOf,
  optional,
  required,
  rowLimit,
  text,
} from '../fields.ts';
import { digestsAndBox, numberBoxOf } from '../keys.ts';
import { amounts, column, numbers, record, textTable, timeText } from '../tables.ts';

export const commands: Record<string, AdminCommand> = {
  'desk repair list': lookCommand({
    details: 'ASKED waits for the confirmation of a second person, at /support.',
    fields: {
      state: optional(oneOf(...repairStates), 'Only those in one state'),
      limit: rowLimit(50, 1_000),
    },
    examples: ['--state ASKED'],
    async look(database, { state, limit }) {
      const rows = await listRepairs(database, { state, limit: limit ?? 50 });
      return {
        json: rows.map(shown),
        text: textTable(rows, [
          numbers('id'),
          column('asked', 'asked_at'),
          column('kind'),
          column('subject', subjectOf),
          amounts('etb', 'amount'),
          column('asked by', 'asked_by'),
          column('state'),
        ]),
      };
    },
  }),

  'desk repair show': lookCommand({
    fields: { id: argument(id, 'The id of the repair') },
    examples: ['17'],
    async look(database, input) {
      const row = existing(
        await findRepair(database, input.id),
        `repair ${input.id}`,
        'desk repair list',
      );
      return {
        json: shown(row),
        text: record({
          Repair: row.id,
          Kind: row.kind,
          Subject: subjectOf(row),
          'Amount (ETB)': amountText(row.amount),
          State: row.state,
          Result: row.result,
          Why: row.why,
          Asked: `${timeText(row.asked_at)} by ${row.asked_by}`,
          Confirmed: row.confirmed_at && `${timeText(row.confirmed_at)} by ${row.confirmed_by}`,
          'To be confirmed until': row.state === 'ASKED' ? row.confirm_until : null,
          Workflow: repairWorkflowId(row.id, row.operation_id),
        }),
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

/** How an operator names a subject. */
const subjects: Readonly<
  Record<
    RepairSubject,
    {
      readonly description: string;
      readonly example: string;
      /** The facts that a decision rests on, where the command that shows the subject prints them. */
      readonly facts?: { readonly description: string; readonly example: string };
    }
  >
> = {
  voucher: {
    description: 'The id of the voucher, or its serial number',
    example: '012345678901234567',
  },
  redemption: {
    description: 'The reference of the redemption, as "voucher show" has it, or its id',
    example: 'RDM-0123456789ABCDEF',
  },
  'top-up': { description: 'The number of the top-up, its transactionId', example: '17' },
  deposit: {
    description: 'The reference of the deposit, as "money statement" shows it',
    example: 'CBE-2026-0042',
  },
  partner: { description: 'The id of the partner', example: '1' },
  case: {
    description: 'Its id; "cases show" tells what each choice moves',
    example: '17',
    facts: {
      description:
        'Needed with --by: the facts, as "cases show" prints them; refused if they changed',
      example: 'difference=50.000000',
    },
  },
};

/** The command that asks for a kind of repair. */
export function repairCommand(kindName: RepairKindName): AdminCommand {
  const kind = findRepairKind(kindName);
  if (!kind) throw new Error(`There is no kind of repair ${kindName}`);
  const options = Object.entries<z.ZodType>(kind.fields.shape);
  const { description, facts } = subjects[kind.subject];
  return {
    details:
      `${kind.summary} ${kind.allowed}. A worker carries it out; "desk repair show" tells what came of it. ` +
      'Where two people are needed it is refused: people of the service ask and confirm at /support. The ' +
      'command line is one asker, whatever names are given.',
    fields: {
      subject: argument(text, description),
      ...Object.fromEntries(options.map(([name, schema]) => [name, optionOf(schema)])),
      ...(facts !== undefined && { facts: optional(text, facts.description) }),
      why: required(text, 'The reason, and the ticket; recorded in the audit log'),
      key: optional(text, 'The same key makes the command safe to repeat; random by default'),
    },
    examples: examplesOf(kind),
    run: (context, input) => ask(kind, context, input),
  };
}

const optionOf = (schema: z.ZodType): Field<unknown> => {
  const { description, placeholder, isOptional } = metaOf(schema);
  const parser = bySchema(placeholder, schema);
  return isOptional ? optional(parser, description) : required(parser, description);
};

/** With what it requires alone, and with an option. */
function examplesOf({ subject, fields }: RepairKind): string[] {
  const wordsOf = ([option, schema]: readonly [string, z.ZodType]) =>
    `--${kebab(option)} ${metaOf(schema).example} `;
  const options = Object.entries<z.ZodType>(fields.shape);
  const needed = options.filter(([, schema]) => !schema.isOptional()).map(wordsOf);
  const further = options
    .filter(([, schema]) => schema.isOptional())
    .slice(0, 1)
    .map(wordsOf);
  const { example, facts } = subjects[subject];
  if (facts !== undefined) further.push(`--facts ${facts.example} `);
  const withWords = (words: readonly string[]) => `${example} ${words.join('')}--why "Ticket 4711"`;
  return [withWords(needed), ...(further.length > 0 ? [withWords([...needed, ...further])] : [])];
}

async function ask(
  kind: RepairKind,
  context: AdminContext,
  { subject, why, key, facts, ...args }: Readonly<Record<string, unknown>>,
): Promise<Report> {
  const actor = context.actor();
  if (args.by !== undefined && facts === undefined)
    throw new AdminError(
      `Missing: --facts. "cases show ${subject}" prints what each --by moves, and the facts that belong to it.`,
    );
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
        binding: facts as string | undefined,
      },
      {
        settings: context.settings,
        // Few repairs compare numbers, and only they need the keys.
        numbers: { hashOf: (msisdn) => numberBoxOf(context.settings).hashOf(msisdn) },
        secretBox: () => digestsAndBox(context.settings).secretBox,
      },
    ),
  );
  return reportOf(asked);
}

function reportOf(asked: Asked): Report {
  if (asked.kind === 'refused') throw new AdminError(asked.refusal);
  const { id: repair, state, why } = asked.row;
  const takenOut = takenOutOf(why);
  const text =
    asked.kind === 'asked'
      ? `Repair ${repair} is asked for. A worker carries it out; "desk repair show ${repair}" tells what came of it.`
      : `No change: this is repair ${repair}, which is ${state}.`;
  return {
    json: { repair, state, isNew: asked.kind === 'asked', ...(takenOut && { takenOut }) },
    text: takenOut ? `${text} ${takenOut}` : text,
  };
}
