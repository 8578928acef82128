import { type KeyObject, randomUUID } from 'node:crypto';
import { ApiError, NoAnswerError, OpenRequestError } from './errors.ts';
import { List, type Page, queryText } from './list.ts';
import { nameOf, type Operation } from './operation.ts';
import { isOfAccess, isRepeated, leavesOpen, pause, pauseSeconds } from './repetition.ts';
import { Session } from './session.ts';
import type { CallOptions, ChangeOptions, ClientSettings } from './settings.ts';
import { signatureHeader } from './signature.ts';
import { sendOnce, type WireAnswer } from './transport.ts';

/** What an operation takes besides its options. */
interface CallInput<Request> {
  /** The value in the path. */
  readonly parameter?: string | number;
  /** The body; of an operation that only reads, the query. */
  readonly request?: Request | undefined;
}

/** One call: the same in each of its requests. */
interface Call {
  readonly operation: Operation;
  readonly url: string;
  readonly body: string | undefined;
  readonly key: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The types of operations, by their names: `Operations` of `generated/`. */
type OperationTypes<Name extends string> = Record<Name, { request: unknown; result: unknown }>;

/** Makes the calls of one surface: with a token, signed, and repeated where that is safe. */
export class Connection<Name extends string, Types extends OperationTypes<Name>> {
  readonly #settings: Required<ClientSettings>;
  readonly #operations: Readonly<Record<Name | 'logIn', Operation>>;
  readonly #privateKey: KeyObject | undefined;
  readonly #session = new Session(() => this.#logIn());

  constructor(
    settings: Required<ClientSettings>,
    operations: Readonly<Record<Name | 'logIn', Operation>>,
    privateKey?: KeyObject,
  ) {
    this.#settings = settings;
    this.#operations = operations;
    this.#privateKey = privateKey;
  }

  /**
   * Calls an operation and returns its result.
   *
   * @throws {ApiError} for a refusal
   * @throws {OpenRequestError} where the operation may have been carried out without a known result
   * @throws {NoAnswerError} without an answer to an operation that changes nothing
   */
  async call<Called extends Name>(
    name: Called,
    { parameter, request }: CallInput<Types[Called]['request']> = {},
    { signal, idempotencyKey }: ChangeOptions = {},
  ): Promise<Types[Called]['result']> {
    const operation: Operation = this.#operations[name];
    const given = idempotencyKey ?? keyInBody(operation, request);
    const key = operation.key === 'none' ? undefined : checkedKey(given ?? randomUUID());
    const isAsked = operation.method === 'GET' && request !== undefined;
    const search = isAsked ? queryText(request as object) : '';
    const sent = isAsked ? undefined : request;
    const fields = operation.key === 'body' ? { ...(sent as object), idempotencyKey: key } : sent;
    const path = operation.path.replace(/\{\w+\}/, () => encodeURIComponent(parameter ?? ''));
    const body = fields === undefined ? undefined : JSON.stringify(fields);
    const url = this.#settings.baseUrl + path + search;
    const answer = await this.#repeat({ operation, url, body, key, signal });
    return (operation.isBare ? answer.body : answer.body.data) as Types[Called]['result'];
  }

  /** The method that sends what an operation is about. */
  sending<Called extends Name>(name: Called) {
    return (request: Types[Called]['request'], options?: ChangeOptions) =>
      this.call(name, { request }, options);
  }

  /** The method that reads what is asked for. */
  asking<Called extends Name>(name: Called) {
    return (query?: Types[Called]['request'], options?: CallOptions) =>
      this.call(name, { request: query }, options);
  }

  /** The method that gives a list; nothing is sent before the first item or page is asked for. */
  listing<Called extends Name>(name: Called) {
    const operation: Operation = this.#operations[name];
    return (
      query?: Types[Called]['request'],
      { signal }: CallOptions = {},
    ): List<Types[Called]['result']> => {
      const readPage = async (search: string, isFirst: boolean) => {
        const url = this.#settings.baseUrl + operation.path + search;
        const call = { operation, url, body: undefined, key: undefined, signal };
        try {
          const { data, meta, links } = (await this.#repeat(call)).body;
          return { items: data, meta, links } as Page<Types[Called]['result']>;
        } catch (error) {
          // The list has become shorter since its last page named this one.
          if (!isFirst && error instanceof ApiError && error.statusCode === 404) return undefined;
          throw error;
        }
      };
      return new List(queryText(query ?? {}), operation.identifier ?? 'id', readPage);
    };
  }

  /** The access token that the next call is sent with, for requests that no method makes. */
  async accessToken(signal?: AbortSignal): Promise<string> {
    // A call that has been aborted logs in for nobody.
    signal?.throwIfAborted();
    return beforeAbort(this.#session.token(), signal);
  }

  async #logIn(): Promise<string> {
    const operation = this.#operations.logIn;
    const url = this.#settings.baseUrl + operation.path;
    const body = JSON.stringify({ key: this.#settings.apiKey });
    const call = { operation, url, body, key: undefined, signal: undefined };
    return String((await this.#repeat(call)).body.accessToken);
  }

  /** Sends a call until its answer is final, or attempts or time are used up. */
  async #repeat(call: Call): Promise<WireAnswer> {
    const { operation, key, signal } = call;
    const end = performance.now() + this.#settings.totalSeconds * 1_000;
    let isOpen = false;
    let hasLoggedIn = operation === this.#operations.logIn;
    const failure = (error: unknown): unknown =>
      isOpen && key !== undefined && (isRepeated(operation, error) || isOfAccess(error))
        ? new OpenRequestError(nameOf(operation), key, error)
        : error;
    for (let attempt = 1; ; attempt += 1) {
      const token = await this.#tokenFor(operation, signal).catch((error) => {
        throw isOpen && key !== undefined && isOfService(error)
          ? new OpenRequestError(nameOf(operation), key, error)
          : error;
      });
      // The log-in may have taken all of it.
      if (performance.now() > end) throw failure(noTimeLeft(operation));
      try {
        return await this.#send(call, token, (end - performance.now()) / 1_000);
      } catch (error) {
        if (token && isRefusedToken(error) && !hasLoggedIn) {
          hasLoggedIn = true;
          await this.#session.forget(token);
          continue;
        }
        isOpen ||= leavesOpen(operation, error);
        const seconds = pauseSeconds(attempt, error, this.#settings);
        const isLast = attempt >= this.#settings.attempts;
        if (isLast || performance.now() + seconds * 1_000 > end || !isRepeated(operation, error))
          throw failure(error);
        await pause(seconds, signal);
      }
    }
  }

  async #tokenFor(operation: Operation, signal: AbortSignal | undefined) {
    return operation === this.#operations.logIn ? undefined : this.accessToken(signal);
  }

  /** One request; a signature is made for each, because its time must be near the service's. */
  #send({ operation, url, body, key, signal }: Call, token: string | undefined, seconds: number) {
    const { fetch, timeoutSeconds } = this.#settings;
    const headers = {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(token === undefined ? {} : { 'x-api-token': token }),
      ...(operation.key === 'header' && key !== undefined ? { 'Idempotency-Key': key } : {}),
      ...(operation.isSigned && this.#privateKey && body !== undefined
        ? { 'x-signature': signatureHeader(this.#privateKey, body) }
        : {}),
    };
    const request = { url, headers, body, signal };
    const atMost = Math.max(Math.min(timeoutSeconds, seconds), 0.001);
    return sendOnce(fetch, operation, { ...request, timeoutSeconds: atMost });
  }
}

const isOfService = (error: unknown): boolean =>
  error instanceof ApiError || error instanceof NoAnswerError;

const isRefusedToken = (error: unknown): boolean =>
  error instanceof ApiError && error.statusCode === 401;

const noTimeLeft = (operation: Operation): NoAnswerError =>
  new NoAnswerError(nameOf(operation), new Error('no time was left for the request'));

/** The reference has the key of a merchant among the fields of the body. */
const keyInBody = ({ key }: Operation, request: unknown): string | undefined =>
  key === 'body' ? (request as { readonly idempotencyKey?: string })?.idempotencyKey : undefined;

function checkedKey(key: string): string {
  if (/^[\x20-\x7e]{1,200}$/.test(key)) return key;
  throw new TypeError('idempotencyKey must have 1 to 200 printable ASCII characters');
}

/** Waits for something that other calls may wait for, too: an abort ends only this waiting. */
async function beforeAbort<Result>(
  result: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return result;
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}
