import { log } from '@temporalio/activity';
import { takeDueFailovers } from '../../src/db/providers/failover-inquiries.ts';
import { type EndedPayment, findEnded } from '../../src/db/reconciliation/ended-payments.ts';
import { bookLateSuccess, recentLateTopups } from '../../src/db/reconciliation/late-successes.ts';
import {
  databaseMoment,
  noteDisagreement,
  postponeInquiry,
  type TakenInquiry,
  takeDueInquiries,
} from '../../src/db/reconciliation/refusal-inquiries.ts';
import { bookReversal } from '../../src/db/reconciliation/reversals.ts';
import { formatAmount, parseMoney } from '../../src/domain/money.ts';
import type { ProviderInquiry } from '../../src/providers/outcome.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeat } from '../provider-call.ts';
import { severalAtOnce } from '../several-at-once.ts';
import { createAskAgain } from './ask-again.ts';
import { createFailoverInquiry } from './double-deliveries.ts';

/** Of each kind. */
const PAGE_SIZE = 100;
/** Concurrent inquiries. */
const CONCURRENCY = 10;
/** Time limit of one batch; the next batch does the rest. */
const BATCH_MS = 60_000;

/** A late success in words for support staff. */
interface Contradiction {
  readonly description: string;
}

/** What one batch of inquiries did. */
export interface InquiryBatch {
  readonly asked: number;
  /** The time limit ended the batch early. */
  readonly isMore: boolean;
}

export function createRefusalInquiryActivities(dependencies: ActivityDependencies) {
  const { database } = dependencies;
  const { inquire, tellLateTopUps } = createRefusalInquiry(dependencies);
  const inquireFailover = createFailoverInquiry(dependencies);

  /**
   * Asks the providers once more about what came to its end, and those that were asked in vain before
   * another one, until nothing is due or its time is over.
   * What fails stays due behind all the rest, which is asked about all the same.
   *
   * @throws the failure of the first that failed, when the rest is done
   */
  const recheckDue = (): Promise<InquiryBatch> =>
    withHeartbeat(async () => {
      await tellLateTopUps();
      const endsAt = Date.now() + BATCH_MS;
      const dueBy = await databaseMoment(database);
      const failures: unknown[] = [];
      let asked = 0;
      let isMore = true;
      while (isMore && Date.now() < endsAt) {
        const due = await takeDueInquiries(database, dueBy, PAGE_SIZE);
        await severalAtOnce(due, CONCURRENCY, inquire).catch((error: unknown) =>
          failures.push(error),
        );
        const dueFirst = await takeDueFailovers(database, dueBy, PAGE_SIZE);
        await severalAtOnce(dueFirst, CONCURRENCY, inquireFailover).catch((error: unknown) =>
          failures.push(error),
        );
        asked += due.length + dueFirst.length;
        isMore = due.length + dueFirst.length > 0;
      }
      if (failures.length > 0) throw failures[0];
      return { asked, isMore };
    });

  return { recheckDue };
}

/** One inquiry, and what follows from its answer. */
function createRefusalInquiry(dependencies: ActivityDependencies) {
  const { database, resumption, limits } = dependencies;
  const ask = createAskAgain(dependencies);

  /**
   * Asks again about one completed operation. A late success or a reversal is booked once against
   * suspense, for a person to settle.
   */
  async function inquire(inquiry: TakenInquiry): Promise<Contradiction | undefined> {
    const ended = await findEnded(database, inquiry);
    if (!ended) return undefined;
    const { takenAt } = inquiry;
    const watch = { watchSeconds: limits.reversalWatchSeconds, takenAt };
    const postpone = async (answer: 'as-before' | 'unknown'): Promise<undefined> => {
      if (await postponeInquiry(database, ended, answer, watch))
        log.error('A provider does not explain its news of an operation', describe(ended));
    };
    if (ended.is_reversed_on_request) return postpone('as-before');
    const answer = await ask(ended);
    const difference = differenceOf(ended, answer);
    if (difference !== undefined) {
      await noteDisagreement(database, inquiry, difference);
      log.error('A provider says something else than our books', {
        payment: describe(ended).description,
        difference,
      });
      return postpone('unknown');
    }
    if (ended.is_booked) return postpone(saysOf(answer) === 'nothing' ? 'unknown' : 'as-before');
    if (ended.status === 'POSTED') {
      // "Never seen" may only mean that the provider has deleted it.
      const isTakenBack =
        answer.kind === 'refused' || (answer.kind === 'delivered' && answer.reversal !== undefined);
      if (!isTakenBack) return postpone(answer.kind === 'delivered' ? 'as-before' : 'unknown');
      await database.transaction().execute((transaction) => bookReversal(transaction, inquiry));
      log.error('A provider reversed a completed operation', describe(ended));
      return describe(ended);
    }
    if (answer.kind !== 'delivered')
      return postpone(isRefusal(answer.kind) ? 'as-before' : 'unknown');
    // Reversed since, so it is refused as before.
    if (answer.reversal !== undefined) return postpone('as-before');
    await database
      .transaction()
      .execute((transaction) => bookLateSuccess(transaction, inquiry, answer.providerReference));
    log.error('A provider completed an operation after refusing it', describe(ended));
    await tellTopUp(ended);
    return describe(ended);
  }

  /**
   * Tells the top-ups of the last hour's late successes again: a worker may have died between a booking
   * and its hint. One that was told has ended, and is told nothing.
   */
  const tellLateTopUps = async (): Promise<void> =>
    severalAtOnce(await recentLateTopups(database, PAGE_SIZE), CONCURRENCY, hint);

  async function tellTopUp({ workflow_id: workflowId }: EndedPayment): Promise<void> {
    if (workflowId !== null) await hint(workflowId);
  }

  /** It may be waiting for a retry, which is no longer wanted. */
  async function hint(workflowId: string): Promise<void> {
    try {
      await resumption.hintTopUp(workflowId);
    } catch (error) {
      log.warn('Could not signal a late delivery to a top-up workflow', { error });
    }
  }

  return { inquire, tellLateTopUps };
}

/** Whether a provider has done it, or has not, by its answer. "Never seen" may only mean that it has deleted it. */
function saysOf(answer: ProviderInquiry): 'done' | 'not-done' | 'nothing' {
  if (answer.kind === 'delivered') return answer.reversal === undefined ? 'done' : 'not-done';
  return answer.kind === 'refused' ? 'not-done' : 'nothing';
}

/** What is booked once, and is another case when it changes once more: by the first answer, and how it stands now. */
const changedAgain: Readonly<Record<`${EndedPayment['status']} ${boolean}`, string>> = {
  'VOIDED true':
    'The provider says that it is taken back, which it had done after refusing it (`list late-successes --all`). ' +
    'Where that is open, settle it with the provider.',
  'VOIDED false':
    'The provider says that it is done, which was settled as taken back (`list late-successes --all`).',
  'POSTED true':
    'The provider says that it is taken back, whose reversal was settled as repeated (`list reversals --all`).',
  'POSTED false':
    'The provider says that it is done again, which it had taken back (`list reversals --all`). ' +
    'Where that is open, settle it with the provider.',
};

/** Another content under our reference, or another word about what is booked. */
function differenceOf(ended: EndedPayment, answer: ProviderInquiry): string | undefined {
  if (answer.kind === 'unknown' && answer.disagrees) return answer.message;
  if (!ended.is_booked || saysOf(answer) !== (ended.stands ? 'not-done' : 'done')) return undefined;
  return changedAgain[`${ended.status} ${ended.stands}`];
}

const isRefusal = (kind: string): boolean => kind === 'refused' || kind === 'never-seen';

function describe(ended: EndedPayment): Contradiction {
  const what =
    ended.topup_id === null
      ? `payment of redemption ${ended.platform_reference}`
      : `top-up ${ended.topup_id}, attempt ${ended.attempt}`;
  const amount = formatAmount(parseMoney(ended.amount));
  return { description: `${what}, ETB ${amount}, our reference ${ended.reference}` };
}
