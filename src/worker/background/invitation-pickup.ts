import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { inviteMerchant } from '../../../workflows/invite-merchant.js';
import { inviteMerchantId } from '../../../workflows/workflow-ids.js';
import type { Database } from '../../db/connection.js';
import { invitationsToTakeUp } from '../../db/portal/invitations.js';
import { searchAttributesOf } from '../../temporal/workflow-starts.js';
import { pickUp, startOnce } from './pick-up.js';
import type { Repetition } from './repeat.js';

/** Starts the workflows of invitations that operators have written. */
export function createInvitationPickup(options: {
  readonly database: Database;
  readonly client: Client;
  readonly logger: Logger;
  readonly taskQueue: string;
  readonly lifetimeMs: number;
  readonly intervalMs: number;
}): Repetition {
  const { client, lifetimeMs } = options;
  return pickUp({
    ...options,
    rows: 'invitations',
    find: (batchSize) => invitationsToTakeUp(options.database, batchSize),
    start: ({ id, merchantId }) =>
      startOnce(options, (common) =>
        client.workflow.start<typeof inviteMerchant>('inviteMerchant', {
          ...common,
          workflowId: inviteMerchantId(id),
          args: [{ invitationId: id, merchantId, lifetimeMs }],
          staticSummary: `Invitation of merchant ${merchantId}`,
          ...searchAttributesOf('invite-merchant', { merchantId }),
        }),
      ),
  });
}
