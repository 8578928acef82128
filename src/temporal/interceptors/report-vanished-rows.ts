import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { ROWS_VANISHED } from '../../../workflows/steps/vanished-rows.ts';

/**
 * Fails an activity for good whose row does not exist. A workflow writes its rows before it asks for
 * them, so that only a restored database lacks one, and no repetition finds it.
 */
export const reportVanishedRows =
  (isRowMissing: (error: unknown) => boolean): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          if (!isRowMissing(error)) throw error;
          throw ApplicationFailure.create({
            message: `${info.activityType} does not find its row: the database was restored`,
            type: ROWS_VANISHED,
            nonRetryable: true,
            ...(error instanceof Error ? { cause: error } : {}),
          });
        }
      },
    },
  });
