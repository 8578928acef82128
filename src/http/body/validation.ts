import type { ZodError, ZodType } from 'zod';
import { refuse } from '../../domain/refusals.ts';
import type { Endpoint } from '../endpoint.ts';
import type { RefusalReply } from '../envelope.ts';
import { parseFormBody } from './form-body.ts';
import { issueMessage } from './issue-messages.ts';
import { parseJsonBody } from './json-body.ts';

type Validated = { readonly ok: true; readonly value: unknown } | RefusalReply;

/** Parses and validates a body against the endpoint's schema. */
export function readBody(
  endpoint: Endpoint,
  rawBody: Buffer | undefined,
  contentType: string | undefined,
): Validated {
  if (!rawBody) return { ok: true, value: undefined };
  const json = (endpoint.isForm ? parseFormBody : parseJsonBody)(rawBody, contentType);
  if (json.ok) {
    const lacking = endpoint.lacks?.(json.value);
    return lacking ? refuse(lacking) : validate(endpoint.body, json.value);
  }
  if (json.kind === 'unsupported-media-type') return refuse('media-type-unsupported');
  return refuse('request-invalid', { detail: json.message });
}

/** Validates a part of a request; the refusal lists up to 20 issues by their path. */
export function validate(schema: ZodType | undefined, value: unknown): Validated {
  if (!schema) return { ok: true, value: undefined };
  const result = schema.safeParse(value, { error: issueMessage });
  if (result.success) return { ok: true, value: result.data };
  const issues = issuesOf(result.error);
  const detail = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return { ...refuse('request-invalid', { detail }), data: { issues } };
}

const MAXIMUM_ISSUES = 20;

/** Messages say what to send and never repeat the values. */
const issuesOf = (error: ZodError) =>
  error.issues
    .slice(0, MAXIMUM_ISSUES)
    .map(({ path, message }) => ({ path: path.join('.'), message }));
