import type { Logger } from 'pino';
import type { Digests } from '../crypto/digests.js';
import type { Database } from '../db/connection.js';
import type { Slowing } from '../db/limits/company-daily-counts.js';
import type { Failpoint } from '../process/failpoint.js';
import type { OperationWaits } from './operation-waits.js';
import type { WorkflowClient } from './workflow-client.js';

/** The dependencies of operations. */
export interface OperationServices {
  readonly database: Database;
  readonly workflows: WorkflowClient;
  readonly waits: OperationWaits;
  readonly digests: Digests;
  readonly logger: Logger;
  readonly failpoint: Failpoint;
  readonly settings: {
    /** For companies that have spent their daily budget of wrong verification codes. */
    readonly slowing: Slowing;
  };
}
