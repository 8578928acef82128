import { heartbeat, log } from '@temporalio/activity';
import { findBrokenInvariants } from '../src/db/invariants.js';
import { bookLateSuccess } from '../src/db/late-successes.js';
import {
  type HeldAttempt,
  type HeldRedemption,
  heldAttempts,
  heldRedemptions,
} from '../src/db/open-payments.js';
import {
  dueRechecks,
  findGivenBack,
  type GivenBack,
  postponeRecheck,
  type Recheck,
} from '../src/db/rechecks.js';
import { redemptionPayment } from '../src/db/redemptions.js';
import { findAttempt } from '../src/db/topup-attempts.js';
import { formatAmount, parseMoney } from '../src/domain/money.js';
import type { RedeemCommand, TopUpInput } from '../workflows/messages.js';
import { runUnhurried } from './database-step.js';
import type { ActivityDependencies } from './dependencies.js';
import { paymentOf } from './payments.js';
import { withHeartbeat } from './provider-call.js';
import { orderOf } from './topups.js';

const PAGE_SIZE = 200;
const MAXIMUM_RECHECKS = 100;
/** Just below the time limit of the activity that checks the books. */
const BOOKS_STATEMENT_TIMEOUT_MS = 290_000;

/** What the provider did although its money had been given back, in words for support staff. */
export interface Contradiction {
  readonly description: string;
}

export function createReconciliationActivities(dependencies: ActivityDependencies) {
  const { database, airtime, mobileMoney, resumption } = dependencies;

  /** Takes up payments on hold whose workflows do not run any more; returns how many. */
  const resumeRedemptions = (): Promise<number> =>
    resumeAll(
      (afterId) => heldRedemptions(database, { afterId, limit: PAGE_SIZE }),
      ({ id }) => id,
      (held) =>
        resumption.resumeRedemption(
          {
            generationId: held.generation_id,
            claimOperationId: held.claim_operation_id,
            claimWorkflowId: held.claim_workflow_id,
          },
          redeemCommandOf(held),
        ),
    );

  /** The same for top-ups. */
  const resumeTopUps = (): Promise<number> =>
    resumeAll(
      (afterId) => heldAttempts(database, { afterId, limit: PAGE_SIZE }),
      ({ topup_id }) => topup_id,
      (held) => resumption.resumeTopUp(held.creation_id, beginOf(held)),
    );

  /** What the providers refused and are to be asked about once more. */
  const listRechecks = (): Promise<Recheck[]> => dueRechecks(database, MAXIMUM_RECHECKS);

  /**
   * Asks once more about what was refused. Done after all, the platform has paid for it and nobody
   * was charged: that is booked against suspense, for a person to settle, and never twice.
   */
  async function recheckRefused(recheck: Recheck): Promise<Contradiction | undefined> {
    const found = await findGivenBack(database, recheck);
    if (!found) return undefined;
    if (found.is_contradicted) return describe(found);
    if (found.is_settled) {
      await postponeRecheck(database, recheck, 'still-refused');
      return undefined;
    }
    const answer = await withHeartbeat(() =>
      recheck.kind === 'redemption'
        ? redemptionPayment(database, recheck.operationId).then((payment) =>
            mobileMoney.findPayment(paymentOf(payment)),
          )
        : findAttempt(database, recheck.operationId).then((attempt) =>
            airtime.findOrder(orderOf({ ...attempt, amount: found.amount })),
          ),
    );
    if (answer.kind !== 'delivered') {
      const isRefused = answer.kind === 'refused' || answer.kind === 'never-seen';
      await postponeRecheck(database, recheck, isRefused ? 'still-refused' : 'unknown');
      return undefined;
    }
    await database.transaction().execute((transaction) => bookLateSuccess(transaction, recheck));
    const contradiction = describe(found);
    log.error('A provider did what it had refused', { contradiction: contradiction.description });
    return contradiction;
  }

  /** Checks the ledger; one line per broken invariant, none when all is well. */
  async function checkInvariants(): Promise<string[]> {
    const faults = await withHeartbeat(() =>
      runUnhurried(database, BOOKS_STATEMENT_TIMEOUT_MS, findBrokenInvariants),
    );
    if (faults.length > 0) log.error('The books do not agree', { faults });
    return faults;
  }

  return { resumeRedemptions, resumeTopUps, listRechecks, recheckRefused, checkInvariants };
}

/** Goes through all that is on hold, page by page. */
async function resumeAll<Held>(
  pageAfter: (id: number) => Promise<Held[]>,
  idOf: (held: Held) => number,
  resume: (held: Held) => Promise<boolean>,
): Promise<number> {
  let resumed = 0;
  for (let afterId = 0; ; ) {
    const page = await pageAfter(afterId);
    for (const held of page) {
      if (await resume(held)) resumed += 1;
      afterId = idOf(held);
      heartbeat();
    }
    if (page.length < PAGE_SIZE) return resumed;
  }
}

const requestOf = (held: HeldRedemption | HeldAttempt) => ({
  operationId: held.operation_id,
  requestId: held.request_id,
  requestDigest: held.request_digest,
  company: { kind: held.company_kind, id: held.company_id },
});

/** What was asked for is in the redemption's row by now; only who asked is needed again. */
const redeemCommandOf = (held: HeldRedemption): RedeemCommand => ({
  ...requestOf(held),
  voucherId: held.voucher_id,
  // Its own answer must not be taken for one that another request left behind.
  hasKey: true,
  merchantId: null,
  amount: null,
  verificationCodeDigest: null,
  msisdn: null,
});

function beginOf(held: HeldAttempt): TopUpInput['begin'] {
  const command = { ...requestOf(held), transactionId: held.topup_id };
  return held.operation_id === held.creation_id
    ? { kind: 'create', command }
    : { kind: 'retry', command: { ...command, attempt: held.attempt, msisdn: null } };
}

function describe(found: GivenBack): Contradiction {
  const what =
    found.topup_id === null
      ? `payment of redemption ${found.platform_reference}`
      : `top-up ${found.topup_id}, attempt ${found.attempt}`;
  const amount = formatAmount(parseMoney(found.amount));
  return { description: `${what}, ETB ${amount}, our reference ${found.reference}` };
}
