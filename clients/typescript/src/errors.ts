/** A problem of one field of a request. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** A top-up that failed and cost nothing: retry it by its number. */
export interface FailedTopUp {
  readonly transactionId: number;
  /** Why, where the provider says so. */
  readonly message: string | null;
}

/** What a refusal says. */
export interface RefusalFacts {
  /** Method and path with names of parameters, not their values. */
  readonly operation: string;
  readonly httpStatus: number;
  /** Decide by this: merchants' codes are finer than the HTTP status. */
  readonly statusCode: number;
  /** `voucher-redeemed`, for example: decide by it where several reasons share a code. New ones can be added. */
  readonly reason: string | undefined;
  readonly message: string;
  readonly data: unknown;
  /** Name it in questions to support. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Where the reason is explained. */
  readonly helpUrl: string | undefined;
}

/** The service refused the request; a repetition helps only once the cause is gone. */
export class ApiError extends Error implements RefusalFacts {
  override readonly name = 'ApiError';
  readonly operation: string;
  readonly httpStatus: number;
  readonly statusCode: number;
  readonly reason: string | undefined;
  readonly data: unknown;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly helpUrl: string | undefined;

  constructor(facts: RefusalFacts) {
    super(facts.message);
    this.operation = facts.operation;
    this.httpStatus = facts.httpStatus;
    this.statusCode = facts.statusCode;
    this.reason = facts.reason;
    this.data = facts.data;
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.helpUrl = facts.helpUrl;
  }

  /** The fields of an invalid request; merchants find them in `message`. */
  get issues(): readonly Issue[] {
    const { issues } = (this.data ?? {}) as { readonly issues?: readonly Issue[] };
    return Array.isArray(issues) ? issues : [];
  }

  /** The top-up of a 424: `topUps.retry({ transactionId })`. */
  get failedTopUp(): FailedTopUp | undefined {
    const { transactionId, message = null } = (this.data ?? {}) as Partial<FailedTopUp>;
    if (this.statusCode !== 424 || transactionId === undefined) return undefined;
    return { transactionId, message };
  }
}

/** No answer of the service arrived, and the request changes nothing, or nothing that counts. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly operation: string;

  constructor(operation: string, cause: unknown) {
    super(`${operation} got no answer: ${messageOf(cause)}`, { cause });
    this.operation = operation;
  }
}

/**
 * The request may have been carried out, and its result is not known: the order is open, not failed.
 * Repeat the same request later with `idempotencyKey`; never refund and never use a new key before.
 */
export class OpenRequestError extends Error {
  override readonly name = 'OpenRequestError';
  readonly operation: string;
  readonly idempotencyKey: string;

  constructor(operation: string, idempotencyKey: string, cause: unknown) {
    super(
      `${operation} has no result yet: repeat the same request with the same idempotency key ` +
        `(last answer: ${messageOf(cause)})`,
      { cause },
    );
    this.operation = operation;
    this.idempotencyKey = idempotencyKey;
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
