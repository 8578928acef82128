import { setCurrentDetails, sleep, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { RedemptionHeld } from '../activities/redemption-holds.js';
import { providers } from './activity-options.js';
import type { RedemptionTiming } from './messages.js';
import { needsAction } from './search-attributes.js';

type SendOutcome = Awaited<ReturnType<Activities['payMerchant']>>;

/** How a payment ended for certain: only these release the hold. */
export type PaymentEnding =
  | { readonly kind: 'paid'; readonly providerReference: string }
  | { readonly kind: 'not-paid'; readonly message: string };

/** So often a payment that provably never left is tried; the caller waits for it meanwhile. */
const MAXIMUM_SENDINGS = 3;
const RESEND_PAUSE_MS = 500;
const MAXIMUM_PAUSE_MS = 60 * 60 * 1_000;

/**
 * Pays the merchant and does not give up before it knows: a payment that may have been made is asked
 * for by our reference, with growing pauses, for as long as it takes (design 7).
 */
export async function payUntilKnown(
  operationId: string,
  hold: RedemptionHeld,
  timing: RedemptionTiming,
): Promise<PaymentEnding> {
  const startedAt = Date.now();
  const summary = `ETB ${hold.toMerchant} to the merchant, ${hold.platformReference}`;
  const send = () =>
    providers.payMerchant.executeWithOptions({ summary: `Pay ${summary}` }, [operationId]);
  const inquire = () =>
    providers.inquirePayment.executeWithOptions({ summary: `Ask about ${summary}` }, [operationId]);

  const first = await sendUntilSent(send);
  if (first.kind === 'paid' || first.kind === 'not-paid') return first;

  // It may have been made. From here on only an inquiry decides: the refusal of a repetition says
  // nothing about the first sending, unless the provider also says that it never saw one.
  let lastWords = first.message;
  let repetitionRefused: string | undefined;
  for (
    let pauseMs = timing.inquiryIntervalMs;
    ;
    pauseMs = Math.min(pauseMs * 2, MAXIMUM_PAUSE_MS)
  ) {
    report(hold, lastWords, startedAt, timing);
    await sleep(pauseMs, { summary: 'Outcome unknown: ask the provider again' });
    const found = await inquire();
    if (found.kind === 'delivered')
      return { kind: 'paid', providerReference: found.providerReference };
    if (found.kind === 'refused') return { kind: 'not-paid', message: found.message };
    if (found.kind !== 'never-seen') {
      lastWords = found.message;
      continue;
    }
    if (repetitionRefused !== undefined) return { kind: 'not-paid', message: repetitionRefused };
    // Never seen under our reference: sending it again cannot pay twice.
    const repeated = await send();
    if (repeated.kind === 'delivered')
      return { kind: 'paid', providerReference: repeated.providerReference };
    if (repeated.kind === 'refused') repetitionRefused = repeated.message;
    lastWords = repeated.message;
  }
}

/** The first sending: what provably never left is tried again a few times. */
async function sendUntilSent(
  send: () => Promise<SendOutcome>,
): Promise<PaymentEnding | { readonly kind: 'unknown'; readonly message: string }> {
  for (let sendings = 1; ; sendings += 1) {
    const outcome = await send();
    if (outcome.kind === 'delivered')
      return { kind: 'paid', providerReference: outcome.providerReference };
    if (outcome.kind === 'refused') return { kind: 'not-paid', message: outcome.message };
    if (outcome.kind === 'unknown') return outcome;
    if (sendings === MAXIMUM_SENDINGS)
      return { kind: 'not-paid', message: 'the provider could not be reached' };
    await sleep(RESEND_PAUSE_MS * sendings, { summary: 'Not sent: try again soon' });
  }
}

function report(
  hold: RedemptionHeld,
  lastWords: string,
  startedAt: number,
  timing: RedemptionTiming,
): void {
  const overdue = Date.now() - startedAt >= timing.alarmAfterMs;
  if (overdue) upsertSearchAttributes([{ key: needsAction, value: true }]);
  setCurrentDetails(
    `**Payment unknown**: ETB ${hold.toMerchant}, fee ETB ${hold.serviceFee}, voucher ` +
      `${hold.serialNumber}, our reference ${hold.platformReference}.\n\n` +
      `The provider's last words: ${lastWords}. The money stays on hold and the provider is asked ` +
      `again by itself.${overdue ? ' **Overdue: ask the provider by phone.**' : ''}`,
  );
}
