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
  const rest = items.values();
  const failures: unknown[] = [];
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, async () => {
    // All workers share one iterator, so each item is processed once.
    for (const item of rest) await work(item).catch((error: unknown) => failures.push(error));
  });
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
}
