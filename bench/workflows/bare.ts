import { proxyActivities } from '@temporalio/workflow';
import type { BareActivities } from '../bare-worker.js';

const { doNothing } = proxyActivities<BareActivities>({ startToCloseTimeout: '10s' });

/** The least that a workflow with a normal activity can be: the baseline of P1. */
export async function bare(): Promise<void> {
  await doNothing();
}
