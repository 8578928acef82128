import type { z } from 'zod';
import type { Database } from '../../../db/connection.ts';
import { redemptionIdOf } from '../../../db/repairs/payment-facts.ts';
import type { RepairSubject } from '../../../domain/repairs/repair.ts';
import type { RepairKind } from '../../../repairs/repair-kind.ts';
import { repairKinds } from '../../../repairs/repair-kinds.ts';
import { AdminError } from '../../admin-error.ts';
import type { AdminCommand } from '../../command.ts';
import {
  argument,
  bySchema,
  type Field,
  type Fields,
  id,
  optional,
  type Parser,
  required,
  text,
} from '../../fields.ts';
import { type VoucherName, voucherArgument, voucherIdOf } from '../../voucher-name.ts';
import { ask } from './ask.ts';

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
