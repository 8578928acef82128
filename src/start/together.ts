/** Waits for all, also where one fails: what the others have started by then can be stopped. */
export async function together<Results extends readonly unknown[]>(
  work: {
    readonly [Index in keyof Results]: Promise<Results[Index]>;
  },
): Promise<Results> {
  await Promise.allSettled(work);
  return Promise.all(work) as unknown as Promise<Results>;
}
