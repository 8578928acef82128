import { log } from '@temporalio/activity';
import { openWebhookSecret, webhookHeaders } from '../src/crypto/webhook-secrets.ts';
import {
  type DeliveryTarget,
  type DueDelivery,
  listDueDeliveries,
  readDeliveryTarget,
  recordAttempt,
  settleWake,
  switchOffFailing,
} from '../src/db/webhooks/deliveries.ts';
import { readSwitchedOff } from '../src/db/webhooks/endpoints.ts';
import { pauseAfter, webhookBody, webhookHost, webhookMessageId } from '../src/domain/events.ts';
import type { WebhookAnswer } from '../src/providers/webhook-caller.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { withHeartbeat } from './provider-call.ts';
import { severalAtOnce } from './several-at-once.ts';

/** Deliveries that are read at a time. */
const BATCH_SIZE = 50;
/** No batch begins after this time: the workflow calls again, so that its history shows the progress. */
const ROUND_MS = 10_000;
/** How late a workflow may be before its webhook is woken again. */
const GRACE_SECONDS = 60;

/** The result of one round of deliveries. */
interface DeliveryRound {
  /** Only an active webhook has deliveries; the state also tells a webhook that was switched off. */
  readonly state: 'active' | 'inactive' | 'switched-off';
  /** The host of the address; empty for an inactive webhook. */
  readonly host: string;
  /** The problem of the last attempt that failed; null without one. */
  readonly problem: string | null;
  /** Milliseconds until the next delivery is due; null where none waits. */
  readonly remainingMs: number | null;
}

/** Concurrent calls to one receiver. */
const CALLS_PER_ENDPOINT = 4;

export function createWebhookActivities(dependencies: ActivityDependencies) {
  const { database, settings } = dependencies;
  const { webhooks } = settings;

  /**
   * Sends what is due to one webhook, a few at once. An event whose attempt was cut off is sent again:
   * receivers know it by its id.
   */
  const deliverDue = (endpointId: number): Promise<DeliveryRound> =>
    withHeartbeat(() => deliverRound(endpointId));

  async function deliverRound(endpointId: number): Promise<DeliveryRound> {
    const target = await readDeliveryTarget(database, endpointId);
    if (!target) return endedRound(endpointId);
    let problem: string | null = null;
    for (const endsAt = Date.now() + ROUND_MS; Date.now() < endsAt; ) {
      const due = await listDueDeliveries(database, endpointId, BATCH_SIZE);
      await severalAtOnce(due, CALLS_PER_ENDPOINT, async (delivery) => {
        if (Date.now() < endsAt) problem = (await attempt(target, delivery)) ?? problem;
      });
      if (await switchOffFailing(database, endpointId, webhooks.webhookSwitchOffSeconds))
        return endedRound(endpointId);
      if (due.length === 0) break;
    }
    const remainingMs = await settleWake(database, target, GRACE_SECONDS);
    return { state: 'active', host: webhookHost(target.url), problem, remainingMs };
  }

  async function endedRound(endpointId: number): Promise<DeliveryRound> {
    const ended = await readSwitchedOff(database, endpointId);
    const host = ended ? webhookHost(ended.url) : '';
    const state = ended ? 'switched-off' : 'inactive';
    return { state, host, problem: null, remainingMs: null };
  }

  /** Returns the problem of an attempt that failed. */
  async function attempt(target: DeliveryTarget, delivery: DueDelivery): Promise<string | null> {
    // A test event has no data, and neither has an event that is no longer kept: no further attempt helps.
    const isOnly = delivery.data === null;
    const answer = await send(dependencies, target, delivery);
    await recordAttempt(database, target.id, delivery, {
      ...answer,
      pauseSeconds: isOnly ? null : pauseAfter(delivery.attempts, webhooks),
    });
    if (!answer.isDelivered)
      log.info('A webhook was not delivered', {
        endpointId: target.id,
        deliveryId: delivery.id,
        status: answer.status,
        problem: answer.problem,
      });
    return answer.problem;
  }

  return { deliverDue };
}

function send(
  { secretBox, webhookCaller }: ActivityDependencies,
  target: DeliveryTarget,
  delivery: DueDelivery,
): Promise<WebhookAnswer> {
  if (delivery.eventNumber !== null && delivery.data === null) return noLongerKept;
  const id = webhookMessageId(delivery);
  const body = JSON.stringify(webhookBody(delivery));
  const secrets = target.ciphertexts.map((one) => openWebhookSecret(secretBox, target.id, one));
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  return webhookCaller.call({
    url: target.url,
    headers: {
      ...webhookHeaders({ id, timestampSeconds, body }, secrets),
      'Content-Type': 'application/json',
      'User-Agent': 'voucher-topup-webhooks/1',
    },
    body,
  });
}

/** The answer of an attempt without a call. */
const noLongerKept: Promise<WebhookAnswer> = Promise.resolve({
  isDelivered: false,
  status: null,
  milliseconds: 0,
  excerpt: null,
  problem: 'The event is no longer kept.',
});
