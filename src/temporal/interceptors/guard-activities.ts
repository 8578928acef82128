import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { isForeign } from '../../../workflows/outsiders/foreign-payload.ts';
import { databaseSteps } from '../../../workflows/steps/database-steps.ts';

const localOnly: ReadonlySet<string> = new Set(databaseSteps);

/**
 * Refuses activities that no workflow of the service requested: those with input that the service
 * did not encrypt, and database steps that somebody else put on the task queue.
 */
export const guardActivities: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    async execute(input, next) {
      const isMisplaced = !info.isLocal && localOnly.has(info.activityType);
      if (isMisplaced || input.args.some(isForeign))
        throw ApplicationFailure.nonRetryable(
          `Refused to run ${info.activityType}: no workflow of this service asks for it so`,
          'CommandFromOutside',
        );
      return next(input);
    },
  },
});
