import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../support/clients.ts';

export type OperationKind =
  | 'generate'
  | 'bulk'
  | 'claim'
  | 'redeem'
  | 'reverse'
  | 'topup'
  | 'retry';

/** One operation as its client knows it: a request that is repeated, unchanged, until it has an end. */
interface ClientOperation {
  readonly kind: OperationKind;
  /** Sends the request, always under the same key. */
  readonly send: () => Promise<Answer>;
  /** Every answer that came, in order; the last one is the end of it. */
  readonly answers: Answer[];
  /** The longest that an answer took, or that none came. */
  longestMs: number;
}

/** As long as any chain of crashes; the time limit of the test comes first. */
const PATIENCE_MS = 600_000;
const PAUSE_MS = 100;

/** What all clients of a test did and were told: one side of the three that must agree. */
export function createClientLog() {
  const operations: ClientOperation[] = [];

  /** Carries a request out as a careful client does: repeated until the answer is definite. */
  async function runOnce(kind: OperationKind, send: () => Promise<Answer>): Promise<Answer> {
    const operation: ClientOperation = { kind, send, answers: [], longestMs: 0 };
    operations.push(operation);
    const deadline = Date.now() + PATIENCE_MS;
    while (Date.now() < deadline) {
      const startedAt = Date.now();
      const answer = await send().catch(() => undefined);
      operation.longestMs = Math.max(operation.longestMs, Date.now() - startedAt);
      if (answer) operation.answers.push(answer);
      if (answer && isDefinite(kind, answer)) return answer;
      await sleep(PAUSE_MS);
    }
    throw new Error(
      `No definite answer to ${kind}: ${JSON.stringify(operation.answers.at(-1)?.body)}`,
    );
  }

  /** Reads something; repeated until it is there, because the processes die meanwhile. */
  async function retried(read: () => Promise<Answer>): Promise<Answer> {
    const deadline = Date.now() + PATIENCE_MS;
    while (Date.now() < deadline) {
      const answer = await read().catch(() => undefined);
      if (answer?.status === 200) return answer;
      await sleep(PAUSE_MS);
    }
    throw new Error('Nothing could be read');
  }

  /** The last answer of each operation of a kind. */
  const endsOf = (kind: OperationKind): Answer[] =>
    operations
      .filter((operation) => operation.kind === kind)
      .flatMap(({ answers }) => answers.slice(-1));

  return { operations, runOnce, retried, endsOf };
}

/** Whether an answer is the end of it; else the request is to be repeated as it is. */
function isDefinite(kind: OperationKind, { status, body }: Answer): boolean {
  if (body.statusCode === 5031) return true;
  if (status >= 500 || status === 409) return false;
  // The same request tells how far the order is.
  if (kind === 'bulk' && status === 200) return body.data.bulkOrder.endedAt !== null;
  const isTopup = kind === 'topup' || kind === 'retry';
  return !(isTopup && status === 200 && body.data.status === undefined);
}
