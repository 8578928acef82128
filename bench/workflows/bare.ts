import { proxyActivities } from '@temporalio/workflow';
import type { BareActivities } from '../baselines/bare-worker.ts';

const { doNothing, waitLikeProvider } = proxyActivities<BareActivities>({
  startToCloseTimeout: '10s',
});

/** The least that a workflow with a normal activity can be: the baseline of P1. */
export async function bare(): Promise<void> {
  await doNothing();
}

/** The same with an activity as slow as the provider: the baseline of P7. */
export async function bareSlow(): Promise<void> {
  await waitLikeProvider();
}
