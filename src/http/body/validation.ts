import { type ZodType, z } from 'zod';
import { isEmptyText } from '../../domain/copied-text.ts';
import { type Reason, refuse } from '../../domain/refusals.ts';
import type { RefusalReply } from '../envelope.ts';

type ZodIssue = Parameters<z.core.$ZodErrorMap>[0];

const kinds: Readonly<Record<string, string>> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
};

const inCharacters = (bound: string, { origin, limit }: { origin: string; limit: unknown }) =>
  origin === 'string'
    ? `must have ${bound} ${limit} ${limit === 1 ? 'character' : 'characters'}`
    : `must be ${bound} ${limit}`;

/**
 * The message of an issue for which the schema has none, so that callers never read messages of a
 * library. It never repeats what was sent.
 */
export function issueMessage(issue: ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? 'must have another type';
    case 'too_small':
      return inCharacters('at least', { origin: issue.origin, limit: issue.minimum });
    case 'too_big':
      return inCharacters('at most', { origin: issue.origin, limit: issue.maximum });
    case 'invalid_union':
      return 'must be sent once, in another format';
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    default:
      return 'must have another format';
  }
}

/** The mistake in a field; the message says what to send and never repeats the value. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

export type Validated =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** A body that was parsed. */
export interface ReadBody {
  readonly result: Validated;
  /** The reason for a missing part that has one of its own. */
  readonly lacking?: Reason | undefined;
  /** The names of fields that the endpoint does not have. */
  readonly unknown: readonly string[];
}

/** The most problems that a refusal names. */
export const MAXIMUM_ISSUES = 20;

/** Validates a part of a request. */
export function validate(schema: ZodType | undefined, value: unknown): Validated {
  if (!schema) return { ok: true, value: undefined };
  const result = schema.safeParse(value, { error: issueMessage });
  if (result.success) return { ok: true, value: result.data };
  const issues = result.error.issues.slice(0, MAXIMUM_ISSUES).map((issue) => ({
    path: issue.path.join('.'),
    message: messageOf(issue, value),
  }));
  return { ok: false, issues };
}

/** The message of an issue. A list of kinds says more than that its field was not sent. */
function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.path.length === 0) return issue.message;
  const sent = issue.path.reduce<unknown>((part, name) => Object(part)[name], value);
  if (typeof sent === 'string' && isEmptyText(sent)) return 'must not be empty';
  const isMissing = sent === undefined && issue.code !== 'custom' && !('discriminator' in issue);
  return isMissing ? 'must be sent' : issue.message;
}

/** The refusal of a request with these problems. */
export function refuseIssues(
  found: readonly Issue[],
  reason: Reason = 'request-invalid',
): RefusalReply {
  const issues = found.slice(0, MAXIMUM_ISSUES);
  const detail = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return { ...refuse(reason, { detail }), data: { issues } };
}

/** The fields of a value that its schema does not have: the service ignores them. */
export function unknownFields(schema: ZodType | undefined, value: unknown): string[] {
  const known = schema && fieldsOf(schema);
  return known ? Object.keys(Object(value)).filter((name) => !known.has(name)) : [];
}

/** The fields of an object in all its forms; undefined where it may have any. */
function fieldsOf(schema: ZodType): ReadonlySet<string> | undefined {
  if (schema instanceof z.ZodUnion)
    return new Set(schema.options.flatMap((form) => [...(fieldsOf(form as ZodType) ?? [])]));
  // Lists read the filters of their columns besides.
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodObject)
    return new Set(Object.keys(schema.in.shape));
  if (schema instanceof z.ZodObject && !schema.def.catchall)
    return new Set(Object.keys(schema.shape));
  return undefined;
}

const SHOWN_NAMES = 20;
const SHOWN_CHARACTERS = 50;

/** The header that tells a caller which fields of the body were ignored; a caller chose the names. */
export const ignoredFieldsHeader = (names: readonly string[]): Record<string, string> =>
  names.length === 0
    ? {}
    : {
        'x-ignored-fields': names
          .slice(0, SHOWN_NAMES)
          .map((name) => name.slice(0, SHOWN_CHARACTERS).replaceAll(/[^\w.-]/g, '?'))
          .join(', '),
      };
