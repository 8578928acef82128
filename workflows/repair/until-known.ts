import { condition, upsertSearchAttributes } from '@temporalio/workflow';
import { DATABASE_REFUSES } from '../../src/domain/repairs/repair.ts';
import { showDetails } from '../current-details.ts';
import { needsAction } from '../search-attributes.ts';
import { stepFailed } from '../steps/book-until-done.ts';
import { failureType } from '../steps/failure-type.ts';
import { lengthenPause } from '../steps/lengthen-pause.ts';

const LONGEST_PAUSE_MS = 5 * 60 * 1_000;

/** How a repair waits. */
export interface Patience {
  /** Whether somebody asks to look at once. */
  readonly takeHint: () => boolean;
  /** How long its steps may fail until a person is called. */
  readonly alarmAfterMs: number;
}

/**
 * Looks again with growing pauses until something is known. A look that fails is repeated as well, and a
 * person is called when that lasts, or at once where the database refuses it, such as for a missing right.
 */
export async function untilKnown<Known>(
  firstPauseMs: number,
  { takeHint, alarmAfterMs }: Patience,
  look: () => Promise<Known | undefined>,
): Promise<Known> {
  const startedAt = Date.now();
  let failingSince: number | undefined;
  let wasRaised = false;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const known = await look();
      failingSince = undefined;
      if (known !== undefined) {
        if (wasRaised) upsertSearchAttributes([{ key: needsAction, value: false }]);
        return known;
      }
    } catch (error) {
      stepFailed(error);
      failingSince ??= Date.now();
      const isOverdue =
        failureType(error) === DATABASE_REFUSES || Date.now() - failingSince >= alarmAfterMs;
      showFailing(isOverdue);
      if (isOverdue && !wasRaised) {
        upsertSearchAttributes([{ key: needsAction, value: true }]);
        wasRaised = true;
      }
    }
    await condition(takeHint, lengthenPause(pauseMs, Date.now() - startedAt), {
      summary: 'Not known yet: look again',
    });
  }
}

const showFailing = (isOverdue: boolean): void =>
  showDetails(
    '**A step of this repair fails**: it is repeated, and nothing is done twice. To try now, send the ' +
      'signal `providerHint`.',
    ...(isOverdue
      ? ['**A person is needed**: the log of the worker has the error of the database.']
      : []),
  );
