import type { ShownRepair } from '../db/repairs/repair-lists.js';
import type { TopupDetail } from '../db/topups/topup-detail.js';
import { maskStored } from '../domain/phone.js';
import { type Html, html } from '../rendering/html.js';
import { CHECK_PROVIDERS, last, type NextStep, nextOfOpenRepair, wordsOf } from './next-step.js';

/** What a support agent does next about a top-up. */
export function nextStepOfTopup(topup: TopupDetail, repairs: readonly ShownRepair[]): NextStep {
  const open = nextOfOpenRepair(repairs);
  if (open !== undefined) return open;
  if (topup.late_delivery && !topup.late_delivery.is_settled)
    return {
      happened: html`It failed at first, and was delivered later.`,
      toDo: html`Do not retry it: an operator settles the late success.`,
    };
  if (topup.reversal && !topup.reversal.is_credited)
    return {
      happened: html`The provider took it back after the delivery.`,
      toDo: html`Ask an operator to settle the reversal.`,
    };
  return nextByTopup[topup.status](topup);
}

const nextByTopup: Readonly<Record<TopupDetail['status'], (topup: TopupDetail) => NextStep>> = {
  PENDING: () => ({
    happened: html`It is about to be sent.`,
    toDo: html`Look again in a minute.`,
  }),
  PROCESSING: () => ({
    happened: html`It was sent, and the provider has not answered yet.`,
    toDo: html`Look again in a minute.`,
  }),
  UNKNOWN: (topup) => ({
    happened: html`The provider has not said whether it was delivered. The money is on hold.`,
    toDo: html`Send no other. Ask ${providerOf(topup)} about <code>${last(topup.attempts)?.reference}</code>.
Then book its answer:`,
    first: 'settle-top-up',
  }),
  SUCCESS: (topup) => ({
    happened: html`It was delivered to ${maskStored(topup.msisdn)}.`,
    toDo: html`Compare the number, and give the customer the provider’s reference
<code>${topup.provider_reference ?? '–'}</code>.`,
  }),
  FAILED: (topup) =>
    last(topup.attempts)?.notDoneBy === 'service'
      ? {
          happened: html`It was not sent${wordsOfEnd(topup)}. Nothing was charged.`,
          toDo: html`${CHECK_PROVIDERS} Retry:`,
          first: 'retry-top-up',
        }
      : {
          happened: html`It failed${wordsOfEnd(topup)}. Nothing was charged.`,
          toDo: html`Compare the number with the customer, then retry:`,
          first: 'retry-top-up',
        },
};

/** A top-up of a time before routes names none. */
const providerOf = ({ attempts }: TopupDetail): string =>
  last(attempts)?.provider ?? 'the provider';

const wordsOfEnd = ({ attempts, message }: TopupDetail): Html | undefined => {
  const attempt = last(attempts);
  const words = attempt?.providerMessage ?? message;
  return words ? wordsOf(words, attempt?.notDoneBy) : undefined;
};
