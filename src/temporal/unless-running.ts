import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { codeDelivery } from '../../workflows/redemption/code-delivery.ts';
import type { ReportedCode } from '../domain/vouchers/delivery.ts';

/** The client itself has no time limit. */
const LIMIT_MS = 10_000;

/**
 * Starts a workflow whose id must be unique among running ones; false where one is already running.
 */
export async function startUnlessRunning(start: () => Promise<unknown>): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** Sends a signal to a workflow; a completed workflow does not need it. */
export async function tellIfRunning(tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/**
 * Tells a waiting claim whether its code was delivered. The row has it already, and the workflow only
 * shows it: a signal that does not arrive harms nothing.
 */
export async function tellCodeDelivery(
  client: Client,
  { workflowId, isDelivered, reason }: ReportedCode,
): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  await client
    .withDeadline(Date.now() + LIMIT_MS, () => handle.signal(codeDelivery, { isDelivered, reason }))
    .catch(() => undefined);
}
