import type { KeyObject } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { signatureHeader } from '../clients/typescript/src/index.ts';

/** One call as it is sent. */
export interface BenchCall {
  /** POST where it is not given. */
  readonly method?: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The answer is all data, in no envelope. */
  readonly isPlain?: true;
  /** Whether the answer's `data` say that the work is done, where success alone does not. */
  readonly isDone?: (data: unknown) => boolean;
}

type Headers = BenchCall['headers'];

/** A read. */
export const get = (url: string, headers: Headers = {}): BenchCall => ({
  method: 'GET',
  url,
  headers,
  body: '',
});

/** A POST of JSON. */
export const post = (url: string, content: object, headers: Headers = {}): BenchCall => ({
  url,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(content),
});

/** The same by a merchant, who signs it. */
export function postSigned(
  url: string,
  content: object,
  { privateKey, headers = {} }: { readonly privateKey: KeyObject; readonly headers?: Headers },
): BenchCall {
  const call = post(url, content, headers);
  const signature = signatureHeader(privateKey, call.body);
  return { ...call, headers: { ...call.headers, 'x-signature': signature } };
}

/** One of the items for each lane, in turn. */
export const inTurn =
  <Item>(items: readonly Item[]) =>
  (lane: number): Item => {
    const item = items[lane % items.length];
    if (item === undefined) throw new RangeError('There is nothing to take in turn');
    return item;
  };

/** Sends a call and returns the `data` of its answer. */
export type SendBenchCall = (call: BenchCall) => Promise<unknown>;

/** Calls that follow from one another and count as one, e.g. the whole life of a voucher. */
export type CallSequence = (send: SendBenchCall) => Promise<void>;

/** What one of the lanes, which are numbered from 0, does next. */
export type Calls = (lane: number) => BenchCall | CallSequence;

export interface LoadResult {
  /** Per second, of completed calls. */
  readonly rate: number;
  /** Of each completed call. */
  readonly milliseconds: readonly number[];
}

interface Lane {
  /** Of each completed call. */
  readonly milliseconds: readonly number[];
  /** Milliseconds from the start to the last answer. */
  readonly total: number;
}

/** Thrown when a call is not answered with 200, `success` and done work: only that may be counted. */
export class FailedCallError extends Error {
  override readonly name = 'FailedCallError';
}

/**
 * Keeps `lanes` calls, or sequences of calls, in flight for some seconds or until `count` have begun,
 * each lane beginning its next one when the last was answered. The rate is the sum of the lanes' own rates, so neither the beginning nor the last
 * answers, when not all lanes are busy, distort it.
 *
 * @throws {FailedCallError} and, once the others have ended too, whatever made a lane fail
 */
export async function runLoad(options: {
  readonly calls: Calls;
  readonly lanes: number;
  readonly seconds: number;
  /** Without it there is no limit. */
  readonly count?: number;
  /** Each lane opens its connection by a call that is not counted, before any lane begins. */
  readonly opensFirst?: boolean;
  readonly signal: AbortSignal;
}): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.lanes });
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  let left = options.count ?? Number.POSITIVE_INFINITY;

  const perform = async (lane: number): Promise<void> => {
    const next = options.calls(lane);
    await (typeof next === 'function'
      ? next((call) => sendCall(agent, call))
      : sendCall(agent, next));
  };
  const inLanes = <Result>(work: (lane: number) => Promise<Result>) =>
    Promise.allSettled(Array.from({ length: options.lanes }, (_, lane) => work(lane)));
  const opened = options.opensFirst ? await inLanes(perform) : [];
  const start = performance.now();
  const end = start + options.seconds * 1_000;

  const runLane = async (lane: number): Promise<Lane> => {
    const milliseconds: number[] = [];
    try {
      while (
        left > 0 &&
        (milliseconds.length === 0 || performance.now() < end) &&
        !signal.aborted
      ) {
        left -= 1;
        const startedAt = performance.now();
        await perform(lane);
        milliseconds.push(performance.now() - startedAt);
      }
      return { milliseconds, total: performance.now() - start };
    } catch (error) {
      failure.abort();
      throw error;
    }
  };

  const isOpen = opened.every(({ status }) => status === 'fulfilled');
  const lanes = isOpen ? await inLanes(runLane) : [];
  agent.destroy();
  options.signal.throwIfAborted();
  const failed = [...opened, ...lanes].find((lane) => lane.status === 'rejected');
  if (failed) throw failed.reason;
  return resultOf(lanes.flatMap((lane) => (lane.status === 'fulfilled' ? [lane.value] : [])));
}

const resultOf = (lanes: readonly Lane[]): LoadResult => ({
  rate: lanes.reduce(
    (sum, { milliseconds, total }) =>
      sum + (milliseconds.length > 0 ? (milliseconds.length * 1_000) / total : 0),
    0,
  ),
  milliseconds: lanes.flatMap((lane) => lane.milliseconds),
});

/**
 * Sends one call; its `data`.
 *
 * @throws {FailedCallError}
 */
export const sendCall = (agent: Agent, call: BenchCall): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const headers = { ...call.headers, 'Content-Length': Buffer.byteLength(call.body) };
    const { method = 'POST' } = call;
    const outgoing = request(call.url, { method, agent, headers }, (incoming) => {
      dataOf(call, incoming).then(resolve, reject);
    });
    outgoing.once('error', reject);
    outgoing.end(call.body);
  });

async function dataOf(call: BenchCall, incoming: IncomingMessage): Promise<unknown> {
  incoming.setEncoding('utf8');
  let text = '';
  for await (const chunk of incoming) text += chunk;
  if (incoming.statusCode === 200) {
    const content = JSON.parse(text);
    if (call.isPlain) return content;
    const { success, data } = content;
    if (success === true && (call.isDone?.(data) ?? true)) return data;
  }
  throw new FailedCallError(`${call.url} answered ${incoming.statusCode}: ${text}`);
}
