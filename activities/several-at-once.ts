import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Processes items with limited concurrency; a failed item does not stop the others.
 *
 * @throws the first failure, when all are done
 */
export async function severalAtOnce<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const [failure] = await failuresOf(items, concurrency, work);
  if (failure) throw failure.error;
}

interface Failure {
  readonly error: unknown;
}

/** The failures of all items, each wrapped, since anything can be thrown. */
async function failuresOf<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<unknown>,
): Promise<Failure[]> {
  const rest = items.values();
  const failures: Failure[] = [];
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, async () => {
    // All workers share one iterator, so each item is processed once.
    for (const item of rest) await work(item).catch((error: unknown) => failures.push({ error }));
  });
  await Promise.all(workers);
  return failures;
}

/** Lets callers through one by one, with a pause between them. */
export function oneByOne(pauseMs: number): () => Promise<void> {
  let next = 0;
  return async () => {
    const now = performance.now();
    const at = Math.max(next, now);
    next = at + pauseMs;
    if (at > now) await sleep(at - now);
  };
}

/** Rows that are read in the order of their ids, and processed several at a time. */
export interface Pages<Row extends { readonly id: number }> {
  readonly size: number;
  readonly concurrency: number;
  read(page: { readonly afterId: number; readonly limit: number }): Promise<Row[]>;
  work(row: Row): Promise<unknown>;
}

/**
 * Processes all pages after an id. A row that fails stops neither its page nor the later ones. If
 * every row of a page fails, the work ends, because then the cause is not a row.
 *
 * @param note told after each row and page the id from which a repetition has to begin
 * @throws the first failure, when the rest is done
 */
export async function pageByPage<Row extends { readonly id: number }>(
  { size, concurrency, read, work }: Pages<Row>,
  startAfterId: number,
  note: (afterId: number) => void = () => {},
): Promise<void> {
  let first: (Failure & { readonly afterId: number }) | undefined;
  for (let afterId = startAfterId; ; ) {
    const rows = await read({ afterId, limit: size });
    const repeatAfterId = first?.afterId ?? afterId;
    const failures = await failuresOf(rows, concurrency, async (row) => {
      await work(row);
      note(repeatAfterId);
    });
    const [failure] = failures;
    if (failure) first ??= { ...failure, afterId };
    const last = rows.at(-1);
    if (last === undefined || rows.length < size || failures.length === rows.length) break;
    afterId = last.id;
    note(first?.afterId ?? afterId);
  }
  if (first) throw first.error;
}
