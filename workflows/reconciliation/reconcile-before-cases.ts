import { ApplicationFailure, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { books, reconciliation } from '../activity-options.ts';
import { showDetails } from '../current-details.ts';
import { needsAction } from '../search-attributes.ts';
import { raiseFailures } from '../steps/raise-failures.ts';
import type { ReconcileResult } from './reconcile-result.ts';

/** Concurrent inquiries. */
const CONCURRENCY = 10;
const MAXIMUM_SHOWN = 20;

/**
 * The reconciliation before each case had its own workflow, for runs in progress at that time. It
 * fails (red) when a person is needed: when the books are inconsistent, or after a late success. A
 * late success is reported only once, so a failed step prevents neither the other steps nor their
 * reports.
 *
 * @throws ApplicationFailure that names the findings, or the failures of steps
 */
export async function reconcileBeforeCases(): Promise<ReconcileResult> {
  const failures: unknown[] = [];
  const otherwise =
    <Result>(result: Result) =>
    (error: unknown): Result => {
      failures.push(error);
      return result;
    };
  const resumedPayments = await reconciliation.resumeRedemptions().catch(otherwise(0));
  const resumedTopUps = await reconciliation.resumeTopUps().catch(otherwise(0));
  const due = await reconciliation.listRechecks().catch(otherwise([]));
  const { contradictions, unanswered } = await recheckAll(due);
  failures.push(...unanswered);
  const faults = await books.checkInvariants().catch(otherwise([]));

  if (faults.length > 0 || contradictions.length > 0) raise(faults, contradictions, failures);
  raiseFailures(failures);
  showDetails(
    `**In order.** Taken up again: ${resumedPayments} payments and ${resumedTopUps} top-ups. ` +
      `Asked about once more: ${due.length} refusals.`,
  );
  return { resumedPayments, resumedTopUps, rechecked: due.length };
}

/**
 * Asks about them; a failed inquiry does not prevent the concurrent ones. The next run does the
 * rest: many consecutive failures would delay it.
 */
async function recheckAll(due: Awaited<ReturnType<Activities['listRechecks']>>) {
  const contradictions: string[] = [];
  const unanswered: unknown[] = [];
  for (let start = 0; start < due.length && unanswered.length === 0; start += CONCURRENCY) {
    const answers = await Promise.allSettled(
      due.slice(start, start + CONCURRENCY).map((one) => reconciliation.recheckRefused(one)),
    );
    for (const answer of answers) {
      if (answer.status === 'rejected') unanswered.push(answer.reason);
      else if (answer.value) contradictions.push(answer.value.description);
    }
  }
  return { contradictions, unanswered };
}

function raise(
  faults: readonly string[],
  contradictions: readonly string[],
  failures: readonly unknown[],
): never {
  upsertSearchAttributes([{ key: needsAction, value: true }]);
  showDetails(
    ...explainFaults(faults),
    ...explainContradictions(contradictions),
    ...explainFailures(failures),
  );
  // Findings that are reported only once come before those that the next run finds again.
  const words = [...contradictions.map((one) => `done after it was refused: ${one}`), ...faults];
  throw ApplicationFailure.create({
    message: words.slice(0, MAXIMUM_SHOWN).join('\n'),
    type: 'NeedsAction',
    nonRetryable: true,
    ...(failures[0] instanceof Error ? { cause: failures[0] } : {}),
  });
}

const listed = (lines: readonly string[]): string =>
  lines
    .slice(0, MAXIMUM_SHOWN)
    .map((line) => `- ${line}`)
    .join('\n');

const explainFaults = (faults: readonly string[]): string[] =>
  faults.length === 0
    ? []
    : [
        `**The books do not agree**: ${faults.length} found. Look at each with ` +
          '`npm run admin -- check-ledger`; until then pay nothing out by hand.',
        listed(faults),
      ];

const explainContradictions = (found: readonly string[]): string[] =>
  found.length === 0
    ? []
    : [
        '**A provider did what it had refused.** The money had been given back, so nobody was ' +
          'charged; the amount stands in the account *suspense*. Agree with the company whether it ' +
          'pays, or with the provider whether it is taken back, then tell the books: ' +
          '`npm run admin -- settle late-success --help`.',
        listed(found),
      ];

const explainFailures = (failures: readonly unknown[]): string[] =>
  failures.length === 0
    ? []
    : [
        `**Not everything could be looked at**: ${failures.length} steps failed. The next run does.`,
      ];
