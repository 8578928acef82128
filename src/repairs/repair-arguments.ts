import { isDeepStrictEqual } from 'node:util';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { RepairRow } from '../db/repairs/audit-repair.ts';
import { maskMsisdn } from '../domain/phone.ts';
import type { RepairKind } from './repair-kind.ts';

type Arguments = Readonly<Record<string, unknown>>;
type StoredArguments = Pick<RepairRow, 'arguments' | 'sealed_arguments' | 'operation_id'>;

/** The arguments of a repair as its row has them. */
export function storedArguments(
  { sealed: names }: RepairKind,
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
  ...(row.sealed_arguments === null
    ? {}
    : JSON.parse(secretBox.open(row.sealed_arguments, contextOf(row.operation_id)))),
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

/** Whether a repair was given this number; false where its key is gone. */
export const isGivenNumber = (row: StoredArguments, msisdn: string, secretBox: SecretBox) =>
  readArguments(row, secretBox)?.msisdn === msisdn;

/** The number that a repair gives; undefined where it gives none, or its key is gone. */
export function numberGivenBy(row: StoredArguments, secretBox: SecretBox): string | undefined {
  const msisdn = readArguments(row, secretBox)?.msisdn;
  return typeof msisdn === 'string' ? msisdn : undefined;
}

/** The same, masked. */
export function maskedNumberOf(row: StoredArguments, secretBox: SecretBox): string | undefined {
  const msisdn = numberGivenBy(row, secretBox);
  return msisdn === undefined ? undefined : maskMsisdn(msisdn);
}

/** The same; undefined where the key of the personal ones is gone. */
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
