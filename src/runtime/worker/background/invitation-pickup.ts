import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { inviteMerchant } from '../../../../workflows/invite-merchant.ts';
import { inviteMerchantId } from '../../../../workflows/workflow-ids.ts';
import type { Database } from '../../../db/connection.ts';
import { invitationsToTakeUp } from '../../../db/people/invitations.ts';
import { startOf } from '../../temporal/workflow-starts.ts';
import { pickUp, startOnce } from './pick-up.ts';
import type { Repetition } from './repeat.ts';

/** Starts the workflows of invitations that operators have written. */
export function createInvitationPickup(options: {
  readonly database: Database;
  readonly client: Client;
  readonly logger: Logger;
  readonly taskQueue: string;
  readonly lifetimeMs: number;
  readonly intervalMs: number;
}): Repetition {
  const { lifetimeMs } = options;
  return pickUp({
    ...options,
    rows: 'invitations',
    find: (batchSize) => invitationsToTakeUp(options.database, batchSize),
    start: ({ id, merchantId }) =>
      startOnce(
        options,
        startOf<typeof inviteMerchant>('inviteMerchant', {
          operation: 'invite-merchant',
          workflowId: inviteMerchantId(id),
          args: [{ invitationId: id, merchantId, lifetimeMs }],
          names: { merchantId },
          summary: `Invitation of merchant ${merchantId}`,
        }),
      ),
  });
}
