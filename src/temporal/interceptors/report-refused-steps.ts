import { log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { STEP_REFUSED } from '../../../workflows/steps/refused-steps.ts';

/**
 * Fails a step for now that the database refuses, such as for a missing right: its workflow tries it again
 * and calls a person. Repeated inside itself, it would tell nobody. Only a step whose options name this
 * failure fails so: the workflow that asked for another one would not take it. `isRefusal` knows a
 * definite error of the database.
 */
export const reportRefusedSteps =
  (
    isRefusal: (error: unknown) => error is Error & { code?: string | undefined },
  ): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          if (!info.retryPolicy?.nonRetryableErrorTypes?.includes(STEP_REFUSED)) throw error;
          const refusal = [error, (error as Error | undefined)?.cause].find(isRefusal);
          if (!refusal) throw error;
          log.error('The database refuses a step', { error });
          throw ApplicationFailure.nonRetryable(
            `The database refuses ${info.activityType} with SQLSTATE ${refusal.code}`,
            STEP_REFUSED,
          );
        }
      },
    },
  });
