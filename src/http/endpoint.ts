import type { IncomingHttpHeaders } from 'node:http';
import type { ZodType, z } from 'zod';
import type { SortBy } from '../db/lists/list-query.js';
import type { Operation, Reason, Surface } from '../domain/errors.js';
import type { Caller } from '../domain/voucher.js';
import type { RefusalReply, Reply } from './envelope.js';
import type { JsonObject } from './json-body.js';
import type { VoucherLookUp } from './limits/voucher-guess-limit.js';
import type { Services } from './services.js';

/** What a handler gets: validated, and sent by whom the token says. */
interface EndpointRequest<Body, Query, Params> {
  readonly services: Services;
  readonly surface: Surface;
  /** With the key and the token version that its token carries, where there is one. */
  readonly company: Caller;
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  /** The idempotency key, where the endpoint takes one and the caller sent it. */
  readonly key: string | undefined;
  /** @throws {Error} unless the endpoint declares `guessLimit` */
  readonly lookUpVoucher: VoucherLookUp;
  readonly headers: IncomingHttpHeaders;
  /** The normalised address that the request came from. */
  readonly sourceAddress: string;
  /** The path with its base, without the query; for links. */
  readonly path: string;
}

/** Everything there is to know of an endpoint: the routes and the API's description are made of it. */
export interface Endpoint<
  Body extends ZodType = ZodType,
  Query extends ZodType = ZodType,
  Params extends ZodType = ZodType,
> {
  readonly method: 'GET' | 'POST';
  /** Below the base of the surface, as @koa/router writes paths. */
  readonly path: string;
  /** Further paths that answer the same. */
  readonly aliases?: readonly string[];
  readonly operation: Operation;
  readonly summary: string;
  readonly description: string;
  /** `public` needs no token; `signed` needs a token and x-signature over the body. */
  readonly access: 'public' | 'token' | 'signed';
  /**
   * Where the idempotency key of a request stands: in the optional header, or in the body's field
   * `idempotencyKey`. Absent where repeating the request changes nothing.
   */
  readonly idempotency?: 'header' | 'body';
  /** What a caller may guess only so often. Without it, a handler can look up no voucher by its code. */
  readonly guessLimit?: 'voucher-code';
  readonly body?: Body;
  /** What a body lacks that is answered before the form of its fields (specification 7.2). */
  lacks?(body: JsonObject): Reason | undefined;
  readonly query?: Query;
  readonly params?: Params;
  /** Of `data`; of the whole body where `bare` is set. */
  readonly answer: ZodType;
  /** Of `data` of what fails after it was accepted; partners are told how it can be retried. */
  readonly failure?: ZodType;
  /** The answer is no envelope (login and the test endpoints). */
  readonly bare?: true;
  /** The answer has `meta` and `links` as lists have them, without being one (specification 2.2). */
  readonly hasMeta?: true;
  /** What the query of a list can name. */
  readonly list?: {
    /** That sort and filter; those that are only looked up included. */
    readonly columns: readonly string[];
    readonly searched: readonly string[];
    /** Beside those of every list. */
    readonly parameters: readonly string[];
    readonly defaultSort: SortBy;
    readonly defaultLimit: number;
  };
  /** Answers carry an ETag, and a caller who has the same answer gets 304 without it. */
  readonly isConditional?: true;
  /** The reasons that this endpoint adds to those of form and access. */
  readonly reasons: readonly Reason[];
  handle(
    request: EndpointRequest<z.output<Body>, z.output<Query>, z.output<Params>>,
  ): Promise<Reply | RefusalReply>;
}

/** Keeps the types of an endpoint's schemas for its handler. */
export const endpoint = <
  Body extends ZodType = ZodType<undefined>,
  Query extends ZodType = ZodType<undefined>,
  Params extends ZodType = ZodType<undefined>,
>(
  definition: Endpoint<Body, Query, Params>,
): Endpoint => definition as unknown as Endpoint;
