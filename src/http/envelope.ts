import { hash } from 'node:crypto';
import type { Context } from 'koa';
import {
  httpStatusOf,
  messageOf,
  type Operation,
  type Reason,
  type Refusal,
  type Surface,
  statusCodeOf,
} from '../domain/refusals.ts';
import type { Company } from '../domain/vouchers/voucher.ts';
import type { OperationResult } from '../operations/run-once.ts';

/** The body of every answer except those of login and the test endpoints (specification 2.1). */
interface Envelope {
  readonly success: boolean;
  readonly message: string;
  readonly statusCode: number;
  readonly data: unknown;
  readonly meta?: ListMeta;
  readonly links?: Readonly<Record<string, string>>;
}

/** Specification 2.2. */
export interface ListMeta {
  readonly itemsPerPage: number;
  readonly totalItems: number;
  readonly currentPage: number;
  readonly totalPages: number;
  /** The applied order. */
  readonly sortBy?: readonly (readonly [string, 'ASC' | 'DESC'])[];
  readonly search?: string;
  readonly searchBy?: readonly string[];
  /** The applied filters by column. */
  readonly filter?: Readonly<Record<string, string | readonly string[]>>;
}

/** The verified facts of a caller. */
export interface KnownCaller {
  readonly company?: Company;
  readonly apiKeyId?: number;
  /** The prefix of a key that is not in the database. */
  readonly keyPrefix?: string;
}

/** The successful answer of a handler. */
export interface Reply {
  readonly ok: true;
  readonly data: unknown;
  readonly message?: string;
  readonly meta?: ListMeta;
  readonly links?: Readonly<Record<string, string>>;
  /** The answer is a stored one, to the same request with the same key. */
  readonly replayed?: boolean;
  /** The caller, where no token identifies it (log-in). */
  readonly caller?: KnownCaller;
  /** A file in place of the envelope. */
  readonly file?: ReplyFile;
}

/** A file in parts, which are made as fast as the caller reads. */
export interface ReplyFile {
  readonly name: string;
  readonly type: 'text/csv';
  readonly parts: AsyncIterable<string>;
}

/** A refusal with data that only partners see, besides its reason. */
export interface RefusalReply extends Refusal {
  readonly data?: Readonly<Record<string, unknown>>;
  /** The refusal is a stored one, to the same request with the same key. */
  readonly replayed?: boolean;
  /** The refused caller, as far as it is known. */
  readonly caller?: KnownCaller;
}

/** A success; the specification lists the fields of `data` for each endpoint. */
export const reply = (data: unknown, extras: Omit<Reply, 'ok' | 'data'> = {}): Reply => ({
  ok: true,
  data,
  ...extras,
});

/** The answer to an operation that runs once: its refusal, or the reply to what it did. */
export const replyOnce = <Result extends { readonly ok: true }>(
  { result, replayed }: OperationResult<Result>,
  replyTo: (result: Result) => Reply,
): Reply | RefusalReply => ({ ...(result.ok ? replyTo(result) : result), replayed });

/** The anchor of a code on the page of errors. */
export const codeAnchor = (surface: Surface, statusCode: number): string =>
  `${surface}-${statusCode}`;

/** The anchor of a reason under its code: a code has several reasons, and a reason several codes. */
export const reasonAnchor = (surface: Surface, statusCode: number, reason: Reason): string =>
  `${codeAnchor(surface, statusCode)}-${reason}`;

/** The value of the header Link that leads to the explanation of a reason (RFC 8288). */
export const helpLink = (publicUrl: string, anchor: string): string =>
  `<${publicUrl}/docs/errors#${anchor}>; rel="help"`;

/** Names the reason of a refusal: for programs, because several reasons share a code. */
export const REASON_HEADER = 'x-error-reason';

/** Status and body of a refusal, on either surface. */
export function refusalAnswer(
  refusal: RefusalReply,
  surface: Surface,
  operation?: Operation,
): { readonly status: number; readonly envelope: Envelope } {
  const { reason, detail, data } = refusal;
  const statusCode = statusCodeOf(reason, surface, operation);
  return {
    status: httpStatusOf(statusCode),
    envelope: {
      success: false,
      message: messageOf(reason, detail),
      statusCode,
      // Specification 7.1 lets partners have an object; the errors of merchants have no data.
      data: surface === 'partner' ? { reason, ...data } : null,
    },
  };
}

/** The version of an answer, of its content. */
export const etagOf = (content: string | Buffer): string =>
  `"${hash('sha256', content, 'base64url')}"`;

/**
 * Whether the caller has this version already (RFC 9110, 13.1.2). Koa's `fresh` is not asked: it answers
 * in full wherever the request has `Cache-Control: no-cache`, which the fetch of Node.js adds to every
 * request with `If-None-Match`.
 */
const isKnown = (context: Context, etag: string): boolean =>
  context
    .get('If-None-Match')
    .split(',')
    .some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')));

/** Answers with a version of a content, or with 304 where the caller has it. */
export function answerVersion(
  context: Context,
  { etag, type, content }: { readonly etag: string; type: string; content: string | Buffer },
): void {
  context.set('ETag', etag);
  context.status = isKnown(context, etag) ? 304 : 200;
  if (context.status === 304) return;
  context.set('Content-Type', type);
  context.body = content;
}
