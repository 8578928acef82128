import type { ZodType } from 'zod';
import { type Reason, refuse } from '../../domain/refusals.ts';
import type { RefusalReply } from '../envelope.ts';
import { issueMessage } from './issue-messages.ts';

/** What is wrong with a field; the message says what to send and never repeats the value. */
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
  const issues = result.error.issues
    .slice(0, MAXIMUM_ISSUES)
    .map(({ path, message }) => ({ path: path.join('.'), message }));
  return { ok: false, issues };
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
