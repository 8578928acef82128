import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { tellOwners } from '../../../../workflows/tell-owners.ts';
import { tellOwnersId } from '../../../../workflows/workflow-ids.ts';
import { unsentAccessNotices } from '../../../db/access/access-notices.ts';
import type { Database } from '../../../db/connection.ts';
import { namesOfCompany, startOf } from '../../temporal/workflow-starts.ts';
import { pickUp, startOnce } from './pick-up.ts';
import type { Repetition } from './repeat.ts';

/** Starts the workflows that tell owners of a changed access. */
export function createNoticePickup(options: {
  readonly database: Database;
  readonly client: Client;
  readonly logger: Logger;
  readonly taskQueue: string;
  readonly intervalMs: number;
}): Repetition {
  return pickUp({
    ...options,
    rows: 'notices',
    find: (batchSize) => unsentAccessNotices(options.database, batchSize),
    start: ({ id, company }) =>
      startOnce(
        options,
        startOf<typeof tellOwners>('tellOwners', {
          operation: 'tell-owners',
          workflowId: tellOwnersId(id, options.taskQueue),
          args: [{ auditId: id }],
          names: namesOfCompany(company),
          summary: `Changed access ${id} of ${company.kind} ${company.id}`,
        }),
      ),
  });
}
