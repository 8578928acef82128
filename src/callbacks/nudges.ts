import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { reverseRedemptionId } from '../../workflows/workflow-ids.ts';
import type { Config } from '../config/config.ts';
import { callbackProviders } from '../config/settings/provider-settings.ts';
import { isSameBytes } from '../crypto/digests.ts';
import { doubt } from '../db/positions/placements.ts';
import type { ReferencedPayment } from '../db/reconciliation.ts';
import { attemptOfReference } from '../db/topups/attempts.ts';
import type { AirtimeProviderName, MobileMoneyProviderName } from '../domain/providers.ts';
import { type Refusal, refuse } from '../domain/refusals.ts';
import { createAddressMatcher } from '../http/access/source-address.ts';
import type { CallbackAccess, NudgeWithinLimit, Services } from '../http/services.ts';
import { isUnreachable, WorkflowsUnavailableError } from '../operations/call-errors.ts';
import { redemptionWorkflowId } from '../runtime/temporal/workflow-starts.ts';

/** Who may call back, by provider. */
export function createCallbackAccess({
  callbackSecrets,
  callbackAddresses,
}: Config['callbacks']): Services['callbackAccess'] {
  const entries = callbackProviders.map((provider): [string, CallbackAccess] => {
    const { [provider]: addresses = [] } = callbackAddresses;
    return [
      provider,
      {
        secret: callbackSecrets[provider] ?? '',
        isAddress: addresses.length === 0 ? () => true : createAddressMatcher(addresses),
      },
    ];
  });
  return Object.fromEntries(entries) as Services['callbackAccess'];
}

/**
 * Whether a provider may call back so. Callbacks are not signed: only a secret part of the path and
 * the source address tell who calls. A wrong path says no more than an unknown path.
 */
export function refuseCallback(
  provider: keyof Services['callbackAccess'],
  {
    services,
    params,
    sourceAddress,
  }: {
    readonly services: Pick<Services, 'callbackAccess'>;
    readonly params: z.output<typeof secretParams>;
    readonly sourceAddress: string;
  },
): Refusal | undefined {
  const { secret, isAddress } = services.callbackAccess[provider];
  if (!isSameBytes(params.secret ?? '', secret)) return refuse('route-not-found');
  return isAddress(sourceAddress) ? undefined : refuse('address-not-registered');
}

/** The secret part of the path, where the settings have one. */
export const secretParams = z.object({ secret: z.string().optional() });

const NUDGES_PER_HOUR = 20;
const HOUR_MS = 3_600_000;
const MAXIMUM_SUBJECTS = 20_000;

/**
 * Limits the callbacks of a subject that reach its workflow: they are not signed, and each one adds
 * to the workflow's history. A dropped callback costs nothing, since the workflow polls the
 * provider. A callback that reached no workflow does not count: its sender repeats it.
 * rate-limiter-flexible does not fit: its memory store has a timer per subject and no bound.
 */
export function createCallbackLimit(): NudgeWithinLimit {
  const nudges = new LRUCache<string, { count: number }>({ max: MAXIMUM_SUBJECTS, ttl: HOUR_MS });
  return async (subject, nudge) => {
    const counted = nudges.get(subject) ?? { count: 0 };
    if (counted.count >= NUDGES_PER_HOUR) return undefined;
    if (counted.count === 0) nudges.set(subject, counted);
    // Before it is given, so that those that come at the same moment count.
    counted.count += 1;
    try {
      return await nudge();
    } catch (error) {
      if (!mayHaveArrived(error)) counted.count -= 1;
      throw error;
    }
  };
}

const mayHaveArrived = (error: unknown): boolean =>
  error instanceof WorkflowsUnavailableError && !error.isCertain && !isUnreachable(error);

/** An order or a reversal that a callback is about. */
interface Nudged {
  readonly operationId: string;
  /** Ours, towards the provider. */
  readonly reference: string;
  readonly isOpen: boolean;
  /** Who has it now. */
  readonly provider: string;
  readonly workflowId: string;
}

/**
 * Passes a callback on as a nudge: the workflow or the next reconciliation asks the provider that calls before it
 * changes anything. A nudge that comes during the sending waits in the workflow, because the answer may leave the
 * outcome open.
 */
async function nudge(
  { database, workflows, nudgeWithinLimit }: Services,
  { operationId, reference, isOpen, provider, workflowId }: Nudged,
  from: AirtimeProviderName | MobileMoneyProviderName,
): Promise<void> {
  await nudgeWithinLimit(`${operationId} ${from}`, async () => {
    if (isOpen && provider === from) await workflows.tell(workflowId);
    else await doubt(database, { reference, provider: from });
  });
}

/** Nudges a top-up. An unknown reference costs one query. */
export async function nudgeAttempt(
  services: Services,
  reference: string,
  from: AirtimeProviderName,
): Promise<void> {
  const attempt = await attemptOfReference(services.database, reference);
  if (attempt) await nudge(services, { ...attempt, reference }, from);
}

/** Nudges a payment or a reversal. */
export const nudgePayment = (
  services: Services,
  payment: ReferencedPayment,
  from: MobileMoneyProviderName,
): Promise<void> =>
  nudge(
    services,
    {
      ...payment,
      workflowId:
        payment.kind === 'payment'
          ? redemptionWorkflowId(payment)
          : reverseRedemptionId(payment.redemptionId, payment.operationId),
    },
    from,
  );
