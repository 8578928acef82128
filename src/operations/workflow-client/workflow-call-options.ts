import type { Client } from '@temporalio/client';
import type { RedemptionTiming, TopUpTiming } from '../../../workflows/contracts.ts';
import type { NumberBox, StoredNumber } from '../../domain/phone.ts';
import type { Failpoint } from '../../runtime/process/failpoint.ts';
import type { Reachability } from '../../runtime/temporal/connection.ts';
import type { StartNames } from '../../runtime/temporal/workflow-starts.ts';

export interface WorkflowCallOptions {
  readonly client: Client;
  readonly reachability: Reachability;
  readonly taskQueue: string;
  /** Whether a worker of this process shares the client's connection, which allows eager starts. */
  readonly eager: boolean;
  readonly callerWaitMs: number;
  readonly timing: RedemptionTiming & TopUpTiming;
  readonly failpoint: Failpoint;
  /** Makes the hashes of numbers by which workflows are found. */
  readonly numbers: Pick<NumberBox, 'hashOf' | 'hashOfStored'>;
}

/** Temporal routes a repeated start to the running workflow. */
export const USE_EXISTING = { workflowIdConflictPolicy: 'USE_EXISTING' } as const;

/** The names by which a workflow of a number is found: given in clear, or as it is stored. */
export const namesOfNumber =
  ({ numbers }: Pick<WorkflowCallOptions, 'numbers'>) =>
  (given: string | null, owner: StoredNumber | null = null): StartNames => {
    if (owner !== null) return { numberHash: numbers.hashOfStored(owner) };
    return given === null ? {} : { numberHash: numbers.hashOf(given) };
  };
