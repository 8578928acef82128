/**
 * Does it with each, so many at the same time; those beside one that fails are done all the same.
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
    // All take from one iterator, so each item is taken once.
    for (const item of rest) await work(item).catch((error: unknown) => failures.push(error));
  });
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
}
