/** What a mistake in a workflow could look like: it never gives its thread back. */
export async function endless(): Promise<never> {
  for (;;);
}

export async function short(): Promise<'ended'> {
  return 'ended';
}
