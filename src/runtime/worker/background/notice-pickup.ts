import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { tellOwners } from '../../../../workflows/tell-owners.ts';
import { tellOwnersId } from '../../../../workflows/workflow-ids.ts';
import { unsentAccessNotices } from '../../../db/access/access-notices.ts';
import type { Database } from '../../../db/connection.ts';
import { namesOfCompany, searchAttributesOf } from '../../temporal/workflow-starts.ts';
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
  const { client, taskQueue } = options;
  return pickUp({
    ...options,
    rows: 'notices',
    find: (batchSize) => unsentAccessNotices(options.database, batchSize),
    start: ({ id, company }) =>
      startOnce(options, (common) =>
        client.workflow.start<typeof tellOwners>('tellOwners', {
          ...common,
          workflowId: tellOwnersId(id, taskQueue),
          args: [{ auditId: id }],
          staticSummary: `Changed access ${id} of ${company.kind} ${company.id}`,
          ...searchAttributesOf('tell-owners', namesOfCompany(company)),
        }),
      ),
  });
}
