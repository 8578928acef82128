import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { repairWorkflowId } from '../../../workflows/workflow-ids.ts';
import type { Database } from '../../db/connection.ts';
import { redemptionIdOf } from '../../db/repairs/facts.ts';
import { findRepair, listRepairs } from '../../db/repairs/repair-lists.ts';
import type { RepairRow } from '../../db/repairs/repairs.ts';
import { formatGroupedAmount, type Money } from '../../domain/money.ts';
import { type RepairSubject, repairStates } from '../../domain/repairs.ts';
import { type Asked, askRepair, isByTwo } from '../../repairs/ask-repair.ts';
import type { RepairKind } from '../../repairs/repair-kind.ts';
import { repairKinds } from '../../repairs/repair-kinds.ts';
import { type AdminCommand, type AdminContext, lookCommand, type Report } from '../command.ts';
import {
  AdminError,
  argument,
  bySchema,
  type Field,
  type Fields,
  id,
  oneOf,
  optional,
  type Parser,
  required,
  text,
  wholeNumber,
} from '../fields.ts';
import { type VoucherName, voucherArgument, voucherIdOf } from '../record-names.ts';
import { column, money, numbers, record, table, time } from '../tables.ts';

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

export const listRepairsCommand = lookCommand({
  name: 'list repairs',
  details: 'ASKED waits for the confirmation of a second person, at /support.',
  fields: {
    state: optional(oneOf(...repairStates), 'Only those in one state'),
    limit: optional(wholeNumber(1, 1_000), 'Maximum number of rows; 50 by default'),
  },
  examples: ['list repairs --state ASKED'],
  async look(database, { state, limit }) {
    const rows = await listRepairs(database, { state, limit: limit ?? 50 });
    return {
      json: rows.map(shown),
      text: table(rows, [
        numbers('id', (row) => row.id),
        column('asked (utc)', (row) => time(row.asked_at)),
        column('kind', (row) => row.kind),
        column('subject', subjectOf),
        numbers('etb', (row) => money(row.amount)),
        column('asked by', (row) => row.asked_by),
        column('state', (row) => row.state),
      ]),
    };
  },
});

export const showRepair = lookCommand({
  name: 'show repair',
  fields: { id: argument(id, 'The id of the repair') },
  examples: ['show repair 17'],
  async look(database, input) {
    const row = await findRepair(database, input.id);
    if (!row) throw new AdminError(`There is no repair ${input.id}: see "list repairs".`);
    return {
      json: shown(row),
      text: record({
        Repair: row.id,
        Kind: row.kind,
        Subject: subjectOf(row),
        'Amount (ETB)': money(row.amount),
        State: row.state,
        Result: row.result,
        Why: row.why,
        Asked: `${time(row.asked_at)} by ${row.asked_by}`,
        Confirmed: row.confirmed_at && `${time(row.confirmed_at)} by ${row.confirmed_by}`,
        'To be confirmed until': row.state === 'ASKED' ? time(row.confirm_until) : null,
        Workflow: repairWorkflowId(row.id, row.operation_id),
      }),
    };
  },
});

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

/** How an operator names a subject, and its id. */
interface SubjectName {
  readonly field: Field<unknown>;
  readonly idOf: (database: Database, given: unknown) => Promise<string>;
  readonly example: string;
}

const itself = (given: unknown) => Promise.resolve(String(given));

const subjects: Readonly<Record<Exclude<RepairSubject, 'case'>, SubjectName>> = {
  voucher: {
    field: voucherArgument,
    idOf: async (database, given) => String(await voucherIdOf(database, given as VoucherName)),
    example: '012345678901234567',
  },
  redemption: {
    field: argument(text, 'The reference of the redemption, as "show voucher" has it, or its id'),
    async idOf(database, given) {
      const found = await redemptionIdOf(database, String(given));
      if (found === undefined)
        throw new AdminError(`There is no redemption ${given}: see "show voucher".`);
      return found;
    },
    example: 'R-4711',
  },
  'top-up': {
    field: argument(id, 'The number of the top-up, its transactionId'),
    idOf: (_database, given) => itself(given),
    example: '17',
  },
  deposit: {
    field: argument(text, 'The reference of the deposit, as "statement" shows it'),
    idOf: (_database, given) => itself(given),
    example: 'CBE-2026-0042',
  },
  partner: {
    field: argument(id, 'The id of the partner'),
    idOf: (_database, given) => itself(given),
    example: '1',
  },
};

/** The examples of the fields that a kind requires. */
const exampleWords: Readonly<Record<string, string>> = {
  'extend-claim': ' --minutes 15',
  'extend-voucher': ' --until 2027-12-31',
  'reverse-redemption': ' --consent "The owner of the shop, by letter"',
  'settle-payment': ' --outcome done --reference MP240117',
  'settle-top-up': ' --outcome not-done --reference TICKET-4711',
  'retry-top-up': ' --msisdn +251911234567',
  'credit-goodwill': ' --wallet gift --amount 50 --reference TICKET-4711',
};

/** The command of a kind of repair. */
function repairCommand(kind: RepairKind): AdminCommand {
  const { field, idOf, example } = subjects[kind.subject as keyof typeof subjects];
  const fields: Fields = {
    subject: field,
    ...Object.fromEntries(
      Object.entries(kind.fields.shape).map(([name, schema]) => [name, optionOf(schema)]),
    ),
    why: required(text, 'The reason, and the ticket; recorded in the audit log'),
    key: optional(text, 'The same key makes the command safe to repeat; random by default'),
  };
  return {
    name: `repair ${kind.name}`,
    details:
      `${kind.summary} ${kind.allowed}. A worker carries it out; "show repair" tells what came of it. ` +
      'Where two people are needed it is refused: people of the service ask and confirm at /support. The ' +
      'command line is one asker, whatever names are given.',
    fields,
    examples: [
      `repair ${kind.name} ${example}${exampleWords[kind.name] ?? ''} --why "Ticket 4711"`,
    ],
    run: (context, input) => ask(kind, idOf, context, input),
  };
}

const optionOf = (schema: unknown): Field<unknown> => {
  const field = schema as z.ZodType;
  const { description = '', placeholder } = field.meta() ?? innerMeta(field);
  const parser: Parser<unknown> = bySchema(String(placeholder ?? 'text'), field);
  return field.isOptional() ? optional(parser, description) : required(parser, description);
};

/** An optional field has its texts inside. */
const innerMeta = (field: z.ZodType) => (field as z.ZodOptional<z.ZodType>).unwrap?.().meta() ?? {};

/** One command for each kind of repair that one person may ask for. */
export const repairCommands: readonly AdminCommand[] = repairKinds
  // A case is settled by the command "settle".
  .filter(({ isAlwaysByTwo, subject }) => !isAlwaysByTwo && subject !== 'case')
  .map(repairCommand);

/**
 * Refuses what one person may not do alone, before its transaction commits.
 *
 * @throws {AdminError} from REPAIR_CONFIRM_FROM on, with the repair that another person confirms
 */
export function requireSmall(
  amount: Money,
  { repairs }: Pick<AdminContext, 'repairs'>,
  { name, title }: Pick<RepairKind, 'name' | 'title'>,
): void {
  if (isByTwo(amount, repairs))
    throw new AdminError(
      `It is about ETB ${formatGroupedAmount(amount)} and reaches REPAIR_CONFIRM_FROM (ETB ` +
        `${formatGroupedAmount(repairs.confirmFrom)}): nothing was changed. Ask at /support for the repair ${name} ` +
        `("${title}"), which another person confirms there.`,
    );
}
