import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ZodType, z } from 'zod';
import type { Scope } from '../domain/access.ts';
import type { Operation, Reason, Surface } from '../domain/refusals.ts';
import type { Caller } from '../domain/vouchers/voucher.ts';
import type { VoucherLookUp } from '../operations/redemptions.ts';
import type { JsonObject, LongArray } from './body/json-body.ts';
import { type Validated, validate } from './body/validation.ts';
import type { RefusalReply, Reply } from './envelope.ts';
import { idempotencyKeyField } from './fields/request-fields.ts';
import type { ListOptions } from './lists/list-query.ts';
import type { Services } from './services.ts';

/** A validated request of an authenticated company. */
interface EndpointRequest<Body, Query, Params> {
  readonly services: Services;
  readonly surface: Surface;
  /** With the API key and the token version of its token, if it has one. */
  readonly company: Caller;
  /** What the key of the caller may do; none without a token. */
  readonly scopes: ReadonlySet<Scope>;
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  /** The idempotency key, if the endpoint reads one and the caller sent one. */
  readonly key: string | undefined;
  /** @throws {Error} unless the endpoint declares `guessLimit` */
  readonly lookUpVoucher: VoucherLookUp;
  readonly headers: IncomingHttpHeaders;
  /** Whether the caller prefers a file for spreadsheets to JSON, by its header Accept. */
  readonly prefersCsv: boolean;
  /** The bytes of the body, for signatures; empty where there is none. */
  readonly rawBody: Buffer;
  /** The normalised source address. */
  readonly sourceAddress: string;
  /** The path with its base, without the query; for links. */
  readonly path: string;
}

/**
 * Who may call an endpoint. `public` needs no token; `signed` needs a token and x-signature over the
 * body. A token's key needs the scope; `any` key will do where nothing but itself is shown.
 */
type EndpointAccess =
  | { readonly access: 'public' }
  | { readonly access: 'token' | 'signed'; readonly scope: Scope | 'any' };

/** The declaration of an endpoint; routes and documentation are derived from it. */
export type Endpoint<
  Body extends ZodType = ZodType,
  Query extends ZodType = ZodType,
  Params extends ZodType = ZodType,
> = EndpointDefinition<Body, Query, Params> & EndpointAccess;

/** The scope that the key of a caller needs; undefined where none is needed. */
export const scopeOf = (endpoint: Endpoint): Scope | undefined =>
  endpoint.access === 'public' || endpoint.scope === 'any' ? undefined : endpoint.scope;

interface EndpointDefinition<
  Body extends ZodType = ZodType,
  Query extends ZodType = ZodType,
  Params extends ZodType = ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below the base of the surface, as @koa/router writes paths. */
  readonly path: string;
  /** Further paths of this endpoint. */
  readonly aliases?: readonly string[];
  readonly operation: Operation;
  readonly summary: string;
  readonly description: string;
  /**
   * Where the idempotency key stands: in the optional header, or in the field `idempotencyKey` of
   * the body. Absent where a repeated request changes nothing.
   */
  readonly idempotency?: 'header' | 'body';
  /**
   * The guesses that the endpoint limits. Without it, a handler cannot look vouchers up by their
   * codes.
   */
  readonly guessLimit?: 'voucher-code';
  readonly body?: Body;
  /** The body is a form of texts, and not JSON. */
  readonly isForm?: true;
  /** The largest body, where the usual limit is too small. */
  readonly bodyLimitBytes?: number;
  /** An array of the body that is read in blocks, because it may be long. */
  readonly longArray?: LongArray;
  /** The reason for a missing part of the body that has one of its own (specification 7.2). */
  lacks?(body: JsonObject): Reason | undefined;
  readonly query?: Query;
  readonly params?: Params;
  /** Schema of `data`, or of the whole body where `bare` is set. */
  readonly answer: ZodType;
  /** The answer has no envelope (login and the test endpoints). */
  readonly bare?: true;
  /** The answer has no body: 204. */
  readonly noContent?: true;
  /** The answer has the `meta` and `links` of a list without being one (specification 2.2). */
  readonly hasMeta?: true;
  /** What the query of a list may use. */
  readonly list?: ListOptions;
  /** A POST or PUT that changes nothing: it is served while the database is being recovered, too. */
  readonly changesNothing?: true;
  /** Answers carry an ETag; a caller that has the current answer gets 304. */
  readonly isConditional?: true;
  /** The answer is a file where the caller prefers one. */
  readonly csv?: true;
  /** The reasons of this endpoint besides those of the guards. */
  readonly reasons: readonly Reason[];
  handle(
    request: EndpointRequest<z.output<Body>, z.output<Query>, z.output<Params>>,
  ): Promise<Reply | RefusalReply>;
}

/** Infers the types of an endpoint's schemas for its handler. */
export const endpoint = <
  Body extends ZodType = ZodType<undefined>,
  Query extends ZodType = ZodType<undefined>,
  Params extends ZodType = ZodType<undefined>,
>(
  definition: Endpoint<Body, Query, Params>,
): Endpoint => definition as unknown as Endpoint;

const HEADER = 'Idempotency-Key';

/**
 * Reads the idempotency key of a request where its endpoint declares it: in a partner's
 * optional header, or in the field `idempotencyKey` of a merchant's body.
 */
export function readIdempotencyKey(
  { idempotency }: Endpoint,
  { headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>,
  body: Validated,
): Validated {
  if (idempotency === 'header') return readHeader(headersDistinct[HEADER.toLowerCase()]);
  const { idempotencyKey } = Object(idempotency === 'body' && body.ok && body.value);
  return { ok: true, value: idempotencyKey };
}

/** Node.js joins the lines of a header with commas, and a comma may be part of a key. */
function readHeader(lines: readonly string[] = []): Validated {
  const [line] = lines;
  if (line === undefined) return { ok: true, value: undefined };
  const key = validate(idempotencyKeyField, line);
  const messages = key.ok ? [] : key.issues.map(({ message }) => message);
  if (lines.length > 1) messages.push('must be sent once');
  if (messages.length === 0) return key;
  return { ok: false, issues: messages.map((message) => ({ path: HEADER, message })) };
}
