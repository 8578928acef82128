import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { RepairCall } from '../../workflows/contracts.ts';
import type { Config } from '../config/config.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Database, DatabaseTransaction } from '../db/connection.ts';
import type { BookSettings } from '../db/positions/change.ts';
import type { RepairRow } from '../db/repairs/repairs.ts';
import { formatMoney, type Money, readTypedAmount } from '../domain/money.ts';
import { maskMsisdn, type NumberBox, parseMsisdn } from '../domain/phone.ts';
import { type RepairSubject, refuseKeptText } from '../domain/repairs.ts';
import type { Company } from '../domain/vouchers/voucher.ts';
import { type RepairKindName, repairTitles } from './repair-titles.ts';

/** What every repair knows of its subject. */
interface Subject {
  /** The company of the operation; null where there is none. */
  readonly company: Company | null;
  readonly voucherId: number | null;
  readonly topupId: number | null;
  /** For people, such as "voucher 012345678901234567". */
  readonly label: string;
}

/** The settings that repairs are judged by, and the hash by which a stored number is compared. */
export interface RepairBasis {
  readonly settings: Pick<Config, 'market' | 'repairs'> & {
    readonly vouchers: Pick<Config['vouchers'], 'voucherValidityDays' | 'reversalWindowSeconds'>;
  };
  readonly numbers: Pick<NumberBox, 'hashOf'>;
}

/** The repair that is carried out. */
export interface RepairContext {
  readonly repairId: number;
  readonly operationId: string;
  readonly askedBy: string;
  readonly why: string;
  /** The facts that the repair was bound to when it was asked for. */
  readonly bound: Readonly<Record<string, unknown>>;
  readonly numbers: NumberBox;
  readonly books: BookSettings;
}

/** The result of a repair in its transaction, or the next step of its workflow. */
export type CarriedOut =
  | {
      readonly kind: 'done';
      /** One sentence for people. */
      readonly result: string;
    }
  /** What to do instead. */
  | { readonly kind: 'refused'; readonly result: string }
  | { readonly kind: 'call'; readonly call: RepairCall };

type ArgumentsOf<Fields extends z.ZodObject> = z.output<Fields>;

/** The declaration of one kind of repair. */
interface Definition<Facts, Fields extends z.ZodObject> {
  readonly name: RepairKindName;
  /** The text of the form's button. It differs from the title, which opens the form. */
  readonly button: string;
  readonly subject: RepairSubject;
  /** The effect of the repair, in sentences. */
  readonly summary: string;
  /** When it is possible: the rest of the sentence "It is possible …". */
  readonly allowed: string;
  /** Each has `description`, `placeholder` and `example` in its metadata. */
  readonly fields: Fields;
  /** The limits of fields under these settings, by their names, in a sentence that the form shows. */
  readonly limits?: (settings: RepairBasis['settings']) => Readonly<Record<string, string>>;
  /** The names of personal arguments, which are encrypted. */
  readonly sealed?: readonly (keyof ArgumentsOf<Fields> & string)[];
  /** A second person must confirm any amount: always, or for these facts. */
  readonly byTwo?: {
    /** Ends the sentence "another person must confirm it: …". */
    readonly why: string;
    readonly when?: (facts: Facts, args: ArgumentsOf<Fields>, basis: RepairBasis) => boolean;
  };
  /** No other repair takes this one back, and its button warns of that. */
  readonly isIrreversible?: true;
  /**
   * Whether the value stays with its owner. Otherwise it counts towards the limit of the day (`movedUnconfirmed`).
   */
  readonly movesNothing?: (args: ArgumentsOf<Fields>) => boolean;
  /** The repair ends the claim of the argument `claimId`. */
  readonly endsClaim?: true;
  /**
   * The one name of a subject that people may name in several ways; open repairs of a subject are found by it.
   * Undefined where the subject does not exist. Without this function only an id names a subject.
   */
  readonly nameOf?: (database: Database, given: string) => Promise<string | undefined>;
  /** Locks the subject before it is read for the last time. */
  readonly lock: (
    transaction: DatabaseTransaction,
    subjectId: string,
    args: ArgumentsOf<Fields>,
  ) => Promise<unknown>;
  readonly read: (
    database: Database,
    subjectId: string,
    args: ArgumentsOf<Fields>,
  ) => Promise<Facts | undefined>;
  readonly about: (facts: Facts) => Subject;
  /**
   * The facts that the asker has seen and that bind the repair, such as the claim: a later claim needs another
   * repair.
   */
  readonly bind?: (facts: Facts) => Readonly<Record<string, string | number | null>>;
  readonly amountOf: (facts: Facts, args: ArgumentsOf<Fields>) => Money;
  /** Why the repair is not possible now, and what to do instead; undefined where it is possible. */
  readonly refuse: (
    facts: Facts,
    args: ArgumentsOf<Fields>,
    basis: RepairBasis,
  ) => string | undefined;
  /** The effect for these facts, in a sentence: the second person reads it. */
  readonly effectOf?: (facts: Facts, args: ArgumentsOf<Fields>) => string | undefined;
  readonly carryOut: (
    transaction: DatabaseTransaction,
    facts: Facts,
    args: ArgumentsOf<Fields>,
    context: RepairContext,
  ) => Promise<CarriedOut>;
}

/** The judgement of a repair at a moment. */
export interface Judgement extends Subject {
  readonly amount: Money;
  /** Whether the amount goes from one owner to another. */
  readonly movesValue: boolean;
  /** Why two people are needed for any amount; undefined where they are not. */
  readonly byTwo: string | undefined;
  /** Why the repair is not possible, and what to do instead; undefined where it is possible. */
  readonly refusal: string | undefined;
  /** The arguments together with the facts that bind the repair. */
  readonly bound: Readonly<Record<string, unknown>>;
  /**
   * The facts that bind the repair, as a text. A form or a command carries it, and is refused once the facts differ.
   */
  readonly binding: string;
  /** Its effect in a sentence, where that depends on the facts. */
  readonly effect: string | undefined;
  carryOut(transaction: DatabaseTransaction, context: RepairContext): Promise<CarriedOut>;
}

/** A kind of repair without the types of its facts and arguments. */
export interface RepairKind
  extends Pick<
    Definition<unknown, z.ZodObject>,
    | 'name'
    | 'button'
    | 'subject'
    | 'summary'
    | 'allowed'
    | 'fields'
    | 'limits'
    | 'sealed'
    | 'isIrreversible'
    | 'endsClaim'
  > {
  /** The button of an open form, and the button that opens another form. */
  readonly title: string;
  /** Two people are needed for any amount, whatever the facts are. */
  readonly isAlwaysByTwo: boolean;
  /** Whether it is bound to facts, which its asker has seen. */
  readonly isBound: boolean;
  /** The one name of a subject; undefined where the subject does not exist. */
  nameOf(database: Database, given: string): Promise<string | undefined>;
  lock(
    transaction: DatabaseTransaction,
    subjectId: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<unknown>;
  /**
   * Undefined where the subject does not exist. Before a form is filled in, the state of the subject alone decides.
   */
  judge(
    database: Database,
    subjectId: string,
    args: Readonly<Record<string, unknown>>,
    basis: RepairBasis,
  ): Promise<Judgement | undefined>;
}

/** An id as text. Ids are long after a restore, which skips numbers. */
const ID = /^[1-9][0-9]{0,14}$/;

/** The id that a text is; undefined for another text. */
export const idNamed = (given: string): string | undefined => (ID.test(given) ? given : undefined);

/** The refusal of a repair whose facts have changed since a person saw them. */
export const HAS_CHANGED = 'It has changed meanwhile: look at it, and ask again.';

/** The facts that a repair is bound to, as one word of a command line; empty where there are none. */
export const bindingOf = (bound: Readonly<Record<string, string | number | null>>): string =>
  Object.entries(bound)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');

/** Builds a kind of repair. */
export const repairKind = <Facts, Fields extends z.ZodObject>(
  definition: Definition<Facts, Fields>,
): RepairKind => ({
  ...definition,
  title: repairTitles[definition.name],
  isAlwaysByTwo: definition.byTwo !== undefined && definition.byTwo.when === undefined,
  isBound: definition.bind !== undefined,
  nameOf: definition.nameOf ?? ((_database, given) => Promise.resolve(idNamed(given))),
  lock: (transaction, subjectId, given) =>
    definition.lock(transaction, subjectId, given as ArgumentsOf<Fields>),
  async judge(database, subjectId, given, basis) {
    const args = given as ArgumentsOf<Fields>;
    const facts = await definition.read(database, subjectId, args);
    if (facts === undefined) return undefined;
    const { byTwo } = definition;
    const amount = definition.amountOf(facts, args);
    const bound = definition.bind?.(facts) ?? {};
    const hasChanged = Object.entries(bound).some(
      ([name, value]) => name in given && given[name] !== value,
    );
    return {
      ...definition.about(facts),
      amount,
      movesValue: amount > 0n && !definition.movesNothing?.(args),
      byTwo: byTwo && (byTwo.when?.(facts, args, basis) ?? true) ? byTwo.why : undefined,
      refusal: definition.refuse(facts, args, basis) ?? (hasChanged ? HAS_CHANGED : undefined),
      bound: { ...given, ...bound },
      binding: bindingOf(bound),
      effect: definition.effectOf?.(facts, args),
      carryOut: (transaction, context) => definition.carryOut(transaction, facts, args, context),
    };
  },
});

/** What a form and the help of the command line show of a field. */
export function metaOf(field: z.ZodType) {
  // An optional field has its texts inside.
  const isWrapped = field instanceof z.ZodOptional || field instanceof z.ZodDefault;
  const inner = isWrapped ? (field.unwrap() as z.ZodType) : field;
  const { description = '', placeholder, example, isArgument } = inner.meta() ?? {};
  return {
    description,
    placeholder: String(placeholder),
    example: String(example),
    isArgument: isArgument === true,
    isOptional: field.isOptional(),
  };
}

/** A whole number within a range. */
export const wholeNumberArgument = (minimum: number, maximum: number, description: string) => {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string(message)
    .regex(/^[0-9]{1,10}$/, message)
    .transform(Number)
    .pipe(z.number().min(minimum, message).max(maximum, message))
    .meta({ description, placeholder: 'number', example: String(maximum) });
};

/** The id of a row. */
export const idArgument = (description: string) =>
  z
    .string('must be an id')
    .regex(ID, 'must be an id')
    .transform(Number)
    .meta({ description, placeholder: 'id', example: '1' });

/** Refuses what belongs into no text that is kept in clear. */
export function refuseKept(text: string, context: z.RefinementCtx): void {
  const refusal = refuseKeptText(text);
  if (refusal !== undefined) context.addIssue(refusal);
}

/** One line that has printable characters only, kept in clear: so it names nothing of a customer. */
export const referenceArgument = (
  description: string,
  { placeholder, example } = { placeholder: 'reference', example: 'TICKET-4711' },
) =>
  z
    .string('must not be empty')
    .trim()
    .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u, 'must be one line of 1 to 200 characters')
    .superRefine(refuseKept)
    .meta({ description, placeholder, example });

/** The end of a day (UTC), as ISO 8601. Its example stays within limits that count from today. */
export const lastDayArgument = (description: string) =>
  z.iso
    .date('must be a day, such as 2027-01-31')
    .transform((day) => new Date(Date.parse(day) + 86_399_999).toISOString())
    .meta({ description, placeholder: 'day', example: '$(date -d "30 days" +%F)' });

/** A decimal string of an amount: above zero, or zero where it can be. */
export const amountArgument = (description: string, { canBeZero = false } = {}) =>
  z
    .string('must be an amount')
    .transform((text, context) => {
      const money = canBeZero && /^0(\.00?)?$/.test(text.trim()) ? 0n : readTypedAmount(text);
      if (money !== undefined) return formatMoney(money);
      const range = canBeZero ? 'of 0 or more' : 'above 0';
      context.addIssue(`must be an amount ${range} with at most 2 decimals, such as 99.50`);
      return z.NEVER;
    })
    .meta({ description, placeholder: 'amount', example: '50' });

/** A mobile number as E.164. */
export const numberArgument = (description: string) =>
  z
    .string('must be a mobile number')
    .transform((text, context) => {
      const number = parseMsisdn(text.trim());
      if (number !== undefined) return number;
      context.addIssue('must be a mobile number, such as 0911234567');
      return z.NEVER;
    })
    .meta({ description, placeholder: 'number', example: '+251911234567' });

/** One of several choices. */
export const choiceArgument = <Word extends string>(
  words: readonly [Word, ...Word[]],
  description: string,
) =>
  z
    .enum(words, `must be ${words.join(' or ')}`)
    .meta({ description, placeholder: words.join('|'), example: words[0] });

type Arguments = Readonly<Record<string, unknown>>;
type StoredArguments = Pick<RepairRow, 'arguments' | 'sealed_arguments' | 'operation_id'>;

/** The arguments of a repair as its row has them. */
export function storedArguments(
  { sealed: names = [] }: RepairKind,
  args: Arguments,
  { operationId, secretBox }: { readonly operationId: string; readonly secretBox: () => SecretBox },
): { readonly open: Arguments; readonly sealed: string | null } {
  const entries = Object.entries(given(args));
  const isSealed = ([name]: readonly [string, unknown]) => names.includes(name);
  const personal = Object.fromEntries(entries.filter(isSealed));
  return {
    open: Object.fromEntries(entries.filter((entry) => !isSealed(entry))),
    sealed: isDeepStrictEqual(personal, {})
      ? null
      : secretBox().seal(JSON.stringify(personal), contextOf(operationId)),
  };
}

/** All arguments of a repair; the personal ones are decrypted. */
export const argumentsOf = (row: StoredArguments, secretBox: SecretBox): Arguments => ({
  ...row.arguments,
  ...(row.sealed_arguments !== null &&
    JSON.parse(secretBox.open(row.sealed_arguments, contextOf(row.operation_id)))),
});

/**
 * Whether a repair has these arguments, by all of their names or only some; false where its personal ones
 * were erased or cannot be read any more.
 */
export function hasArguments(
  row: StoredArguments,
  args: Arguments,
  { secretBox, names }: { readonly secretBox: () => SecretBox; readonly names?: readonly string[] },
): boolean {
  const named = (all: Arguments) =>
    Object.fromEntries(
      Object.entries(given(all)).filter(([name]) => names?.includes(name) ?? true),
    );
  const stored = row.sealed_arguments === null ? row.arguments : readArguments(row, secretBox());
  return stored !== undefined && isDeepStrictEqual(named(stored), named(args));
}

/** The number that a repair gives; undefined where it gives none, or its key is gone. */
export function numberGivenBy(row: StoredArguments, secretBox: SecretBox): string | undefined {
  const msisdn = readArguments(row, secretBox)?.msisdn;
  return typeof msisdn === 'string' ? msisdn : undefined;
}

/** The number that a repair gives, masked. */
export function maskedNumberOf(row: StoredArguments, secretBox: SecretBox): string | undefined {
  const msisdn = numberGivenBy(row, secretBox);
  return msisdn === undefined ? undefined : maskMsisdn(msisdn);
}

/** All arguments of a repair; undefined where the key of the personal arguments is gone. */
export function readArguments(row: StoredArguments, secretBox: SecretBox): Arguments | undefined {
  try {
    return argumentsOf(row, secretBox);
  } catch {
    return undefined;
  }
}

const given = (args: Arguments): Arguments =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));

const contextOf = (operationId: string): string => `repair ${operationId}`;
