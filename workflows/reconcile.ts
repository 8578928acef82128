import { continueAsNew } from '@temporalio/workflow';
import { books, reconciliation } from './activity-options.ts';
import { bulletList, showDetails } from './current-details.ts';
import { failureLines, needsPerson, raiseFailures } from './steps/failures.ts';

const MAXIMUM_SHOWN = 20;

/** The effect of one reconciliation, for the Temporal UI. */
export interface ReconcileResult {
  /** Payments and top-ups on hold whose lost workflows were restarted. */
  readonly resumedPayments: number;
  readonly resumedTopups: number;
  /** Completed operations whose providers were asked again. */
  readonly rechecked: number;
}

const nothing: ReconcileResult = { resumedPayments: 0, resumedTopups: 0, rechecked: 0 };

/**
 * Compares the service's state with the running workflows and with the providers. A
 * Schedule starts it. A finding for a person becomes a case with its own workflow; the run that
 * opens one, or finds the books inconsistent, fails (red). A failed step prevents neither the other
 * steps nor their findings. When more is due than one run handles, the next run begins at once,
 * with all steps.
 *
 * @throws ApplicationFailure that names the findings, or the failures of steps
 */
export async function reconcile(before: ReconcileResult = nothing): Promise<ReconcileResult> {
  const failures: unknown[] = [];
  const otherwise =
    <Result>(result: Result) =>
    (error: unknown): Result => {
      failures.push(error);
      return result;
    };
  const resumedPayments = await reconciliation.resumeRedemptions().catch(otherwise(0));
  const resumedTopups = await reconciliation.resumeTopups().catch(otherwise(0));
  const rechecks = await reconciliation.askDue().catch(otherwise({ asked: 0, isMore: false }));
  const faults = await books.checkInvariants().catch(otherwise<string[]>([]));
  const opened = await reconciliation.openCases(faults.length > 0).catch(otherwise<string[]>([]));

  if (faults.length > 0 || opened.length > 0) raise(faults, opened, failures);
  raiseFailures(failures);
  const done = {
    resumedPayments: before.resumedPayments + resumedPayments,
    resumedTopups: before.resumedTopups + resumedTopups,
    rechecked: before.rechecked + rechecks.asked,
  };
  if (rechecks.isMore) await continueAsNew<typeof reconcile>(done);
  showDetails(
    `**In order.** Taken up again: ${done.resumedPayments} payments and ${done.resumedTopups} ` +
      `top-ups. Asked about once more: ${done.rechecked}.`,
  );
  return done;
}

function raise(
  faults: readonly string[],
  opened: readonly string[],
  failures: readonly unknown[],
): never {
  const words = [...opened, ...faults].slice(0, MAXIMUM_SHOWN);
  showDetails(
    '**Cases were opened.** Each case has a workflow, found by `NeedsAction = true` until it is ' +
      'settled; its page says what to do. This run needs no action.',
    bulletList(words),
    ...(failures.length === 0
      ? []
      : [
          `**The reconciliation is incomplete**: ${failures.length} steps failed.`,
          bulletList(failureLines(failures)),
        ]),
  );
  throw needsPerson(words.join('\n'), failures[0]);
}
