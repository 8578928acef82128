import { ApplicationFailure, upsertSearchAttributes } from '@temporalio/workflow';
import type { Contradiction } from '../activities/reconciliation.js';
import { reconciliation } from './activity-options.js';
import { showDetails } from './current-details.js';
import { needsAction } from './search-attributes.js';

/** So many inquiries run at the same time. */
const CONCURRENCY = 10;
const MAXIMUM_SHOWN = 20;

/** What one reconciliation did, as it stands in the Temporal UI. */
export interface ReconcileResult {
  /** Payments and top-ups on hold whose workflows had gone and were started anew. */
  readonly resumedPayments: number;
  readonly resumedTopUps: number;
  /** Refusals that the providers were asked about once more. */
  readonly rechecked: number;
}

/**
 * Holds the service's state against what runs and against what the providers say (design 7). A
 * Schedule starts it. It fails, and so is red, when a person is needed: when the books do not agree,
 * or when a provider did what it had refused.
 *
 * @throws ApplicationFailure that names what is wrong
 */
export async function reconcile(): Promise<ReconcileResult> {
  const resumedPayments = await reconciliation.resumeRedemptions();
  const resumedTopUps = await reconciliation.resumeTopUps();
  const { rechecked, contradictions } = await recheckAll();
  const faults = await reconciliation.checkInvariants();

  if (faults.length > 0 || contradictions.length > 0) {
    const found = contradictions.map(({ description }) => description);
    upsertSearchAttributes([{ key: needsAction, value: true }]);
    showDetails(...explainFaults(faults), ...explainContradictions(found));
    const words = [...faults, ...found.map((one) => `done after it was refused: ${one}`)];
    throw ApplicationFailure.nonRetryable(words.slice(0, MAXIMUM_SHOWN).join('\n'), 'NeedsAction');
  }
  showDetails(
    `**In order.** Taken up again: ${resumedPayments} payments and ${resumedTopUps} top-ups. ` +
      `Asked about once more: ${rechecked} refusals.`,
  );
  return { resumedPayments, resumedTopUps, rechecked };
}

async function recheckAll() {
  const due = await reconciliation.listRechecks();
  const contradictions: Contradiction[] = [];
  for (let start = 0; start < due.length; start += CONCURRENCY) {
    const answers = await Promise.all(
      due.slice(start, start + CONCURRENCY).map((one) => reconciliation.recheckRefused(one)),
    );
    contradictions.push(...answers.filter((one) => one !== undefined && one !== null));
  }
  return { rechecked: due.length, contradictions };
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
          'charged; the amount stands in the account *suspense*. Settle with the company whether it ' +
          'pays, or with the provider whether it is taken back.',
        listed(found),
      ];
