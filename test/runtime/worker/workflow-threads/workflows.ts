import { CancellationScope, sleep } from '@temporalio/workflow';

/** What a mistake in a workflow could look like: it never gives its thread back. */
export async function endless(): Promise<never> {
  for (;;);
}

/** Whether the scope of a timer is still the current one once the timer has ended. */
export async function scoped(): Promise<boolean> {
  const scope = new CancellationScope();
  return scope.run(async () => {
    await sleep(1);
    return CancellationScope.current() === scope;
  });
}
