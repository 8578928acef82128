import type { Case } from '../../db/positions/cases.ts';
import type { ShownRepair } from '../../db/repairs/repair-lists.ts';
import type { TopupDetail } from '../../db/topups/topups.ts';
import { maskStored } from '../../domain/phone.ts';
import { whoToTell } from '../../domain/positions/case-texts.ts';
import { providerName } from '../../domain/providers.ts';
import { mayStillComeByItself } from '../../domain/staff.ts';
import { type Html, html } from '../../rendering/html.ts';
import { time, unbroken } from '../layout/parts.ts';
import {
  askAbout,
  askedSince,
  CHECK_PROVIDERS,
  last,
  linkToCase,
  type NextStep,
  nextOfOpenRepair,
  openBecause,
  otherAmountOf,
  settledCaseOf,
  WAIT,
} from './next-steps.ts';
import { wordsOf } from './repair-parts.ts';

/** Whether a top-up in this state is retried now or later, so that its page names the other providers. */
export const namesOthers = (status: TopupDetail['status']): boolean =>
  status === 'UNKNOWN' || status === 'FAILED';

/** What a support agent does next about a top-up. A retry may also go to one of the `others`. */
export function nextStepOfTopup(
  topup: TopupDetail,
  repairs: readonly ShownRepair[],
  {
    others,
    closedCases,
    openDifference,
    now,
  }: {
    readonly others: readonly string[];
    readonly closedCases: readonly Case[];
    /** What stands in suspense in its open case, in a sentence. */
    readonly openDifference: string | undefined;
    readonly now: Date;
  },
): NextStep {
  const usual = nextByTopup[topup.status](topup, others, now);
  const next = { ...usual, ...nextOfSettled(topup, usual, closedCases) };
  const isOnHold = last(topup.attempts)?.status === 'HELD';
  return (
    nextOfOpenRepair(repairs, isOnHold ? next : undefined) ??
    nextOfTurned(topup, openDifference) ??
    next
  );
}

/** The case of the last attempt is settled. A failed top-up is retried after that. */
function nextOfSettled(
  { status, attempts, amount }: TopupDetail,
  { toDo }: NextStep,
  closedCases: readonly Case[],
): Partial<NextStep> | undefined {
  const attempt = last(attempts);
  const settled =
    status === 'SUCCESS' || status === 'FAILED'
      ? settledCaseOf(closedCases, attempt?.reference)
      : undefined;
  if (!attempt || !settled) return undefined;
  const words = amount === null ? undefined : otherAmountOf(settled, attempt.placements, amount);
  return {
    ...(words && { happened: html`${unbroken(words)}` }),
    toDo: html`${unbroken(whoToTell(settled))}${status === 'FAILED' && html` ${toDo}`}`,
  };
}

/** A provider has changed what it had said before. */
function nextOfTurned(
  topup: TopupDetail,
  openDifference: string | undefined,
): NextStep | undefined {
  const { caseId, status } = topup;
  if (caseId === null || !(status === 'SUCCESS' || status === 'FAILED')) return undefined;
  const isRetried = status === 'FAILED' || topup.lateDelivery !== null;
  return {
    happened: openDifference ? html`${unbroken(openDifference)}` : changeOfTopup(topup),
    toDo: html`${isRetried && 'Do not retry it. '}An operator settles ${linkToCase(caseId)}.`,
  };
}

/** A provider has news that changes no amount. */
function changeOfTopup({ status, msisdn }: TopupDetail): Html {
  return status === 'SUCCESS'
    ? html`It was delivered to ${maskStored(msisdn)}, and a provider says something else of it since.`
    : html`It failed, and what a provider says of it since is not clear.`;
}

type NextOfTopup = (topup: TopupDetail, others: readonly string[], now: Date) => NextStep;

const nextByTopup: Readonly<Record<TopupDetail['status'], NextOfTopup>> = {
  PENDING: () => ({
    happened: html`It is about to be sent.`,
    toDo: html`Look again in a minute.`,
  }),
  PROCESSING: (topup) => ({
    happened: html`${heldBy(topup)} and has not answered yet.`,
    toDo: html`Look again in a minute.`,
  }),
  UNKNOWN: (topup, others, now) => {
    const attempt = last(topup.attempts);
    const happened = html`${heldBy(topup)} and has not confirmed it${attempt && openBecause(attempt)}. The money is on hold.`;
    if (!attempt || mayStillComeByItself(askedSince(attempt), now))
      return { happened, toDo: WAIT, instead: ['settle-top-up'] };
    const { toDo, asked } = askAbout(attempt.placements, attempt.reference);
    return {
      happened,
      toDo: html`Send no other${
        others.length > 0 &&
        html`: a retry by ${listed(others)} is possible once this attempt is booked as not delivered`
      }. ${toDo}`,
      asked,
      first: 'settle-top-up',
    };
  },
  SUCCESS: (topup) => ({
    happened: html`It was delivered to ${maskStored(topup.msisdn)}.`,
    toDo: html`Compare the number, and give the customer the provider’s reference
<code>${topup.providerReference ?? '–'}</code>.`,
  }),
  FAILED: (topup, others) => {
    const retry = { first: 'retry-top-up' } as const;
    const by = last(topup.attempts)?.notDoneBy;
    if (by === 'service')
      return {
        ...retry,
        happened: html`It was not sent${wordsOfEnd(topup)}. Nothing was charged.`,
        toDo: html`${CHECK_PROVIDERS} Retry${byOthers(others)}:`,
      };
    return {
      ...retry,
      happened: howItFailed(topup),
      toDo: html`Compare the number, then retry${byOthers(others)}:`,
    };
  },
};

/** A decision by hand has its reference in the story. */
function howItFailed(topup: TopupDetail): Html {
  if (topup.reversal)
    return html`The provider took it back after the delivery, and the partner has its money again.`;
  return last(topup.attempts)?.notDoneBy === 'staff'
    ? html`Settled by hand as not delivered: nothing was charged.`
    : html`It failed${wordsOfEnd(topup)}. Nothing was charged.`;
}

/** Who has which attempt, since when, and by what name. */
function heldBy(topup: TopupDetail): Html {
  const attempt = last(topup.attempts);
  if (attempt === undefined) return html`The provider has it,`;
  return html`${providerName(attempt.provider)} has had attempt ${attempt.attempt} since ${time(askedSince(attempt))},
our reference <code>${attempt.reference}</code>,`;
}

const listed = (others: readonly string[]): string => others.map(providerName).join(' or ');

const byOthers = (others: readonly string[]): Html | undefined =>
  others.length === 0 ? undefined : html`, if need be by ${listed(others)}`;

const wordsOfEnd = ({ attempts, message }: TopupDetail): Html | undefined => {
  const attempt = last(attempts);
  const words = attempt?.providerMessage ?? message;
  return words ? wordsOf(words, attempt?.notDoneBy) : undefined;
};
