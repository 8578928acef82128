import { parseMsisdn } from './phone.ts';
import { type Remedy, reasons } from './reasons.ts';
import { messageOf, quoted, type Refusal } from './refusals.ts';
import { parseVoucherCode } from './vouchers/voucher.ts';

/** A number or a code is written in so many pieces at most, such as "+251 911 23 45 67". */
const PIECES = 6;
/** A voucher code in pieces is in those of its groups: other words have sixteen characters together by chance. */
const GROUP = 4;
/** A code of an SMS, after the word. */
const SPOKEN_CODE = /\b(?:code|otp|pin)\b\D{0,20}\b(\d{6}(?:\d\d)?)\b/di;

/** The text in place of personal data that is taken out. */
const substitutes = {
  'a phone number': '[number]',
  'a code': '[code]',
  'the code of a voucher': '[code]',
} as const;

/** A part of a text. */
interface Part {
  readonly from: number;
  readonly to: number;
}

interface Personal extends Part {
  readonly what: keyof typeof substitutes;
}

/** The pieces of a text, and as many together as may be one number or code; the longest first. */
function runsOf(words: string): readonly (Part & { readonly text: string })[] {
  const pieces = [...words.matchAll(/[^\s,;:/()[\]"'“”‘’]+/g)].map(({ 0: piece, index }) => ({
    text: piece,
    from: index,
    to: index + piece.length,
  }));
  return pieces.flatMap(({ from }, start) =>
    Array.from({ length: PIECES }, (_one, fewer) => {
      const run = pieces.slice(start, start + PIECES - fewer);
      const text = run.map((piece) => piece.text).join(' ');
      const trimmed = text.replace(/[.!?-]+$/, '');
      return { text: trimmed, from, to: (run.at(-1)?.to ?? from) - (text.length - trimmed.length) };
    }),
  );
}

/** The first personal data that a text names; undefined for none. */
function personalIn(words: string): Personal | undefined {
  const runs = runsOf(words);
  const among = (what: Personal['what'], isIt: (text: string) => boolean) => {
    const found = runs.find(({ text }) => isIt(text));
    return found && { what, from: found.from, to: found.to };
  };
  const [from, to] = SPOKEN_CODE.exec(words)?.indices?.[1] ?? [];
  return (
    among('a phone number', (text) => parseMsisdn(text) !== undefined) ??
    (from === undefined || to === undefined ? undefined : { what: 'a code', from, to }) ??
    among('the code of a voucher', isVoucherCode)
  );
}

function isVoucherCode(text: string): boolean {
  const groups = text.split(' ').map((piece) => piece.replace(/\p{Dash_Punctuation}/gu, ''));
  return groups.every(({ length }) => length % GROUP === 0) && parseVoucherCode(text) !== undefined;
}

/**
 * Why a text is refused that is kept in clear, for as long as the audit log: nothing of a customer belongs into it.
 * It ends a sentence that begins with the name of the text.
 */
export function refuseKeptText(text: string): string | undefined {
  const named = personalIn(text)?.what;
  return named && `names ${named}: leave it out and name the ticket, because it is kept in clear`;
}

/** Takes the numbers and codes of customers out of a reason, which is kept in clear, too. */
export function keptReason(given: string): string {
  let why = given;
  for (let found = personalIn(why); found; found = personalIn(why))
    why = why.slice(0, found.from) + substitutes[found.what] + why.slice(found.to);
  return why;
}

/** Tells people that something was taken out of a kept reason; undefined where nothing was. */
export const takenOutOf = (why: string): string | undefined =>
  Object.values(substitutes).some((substitute) => why.includes(substitute))
    ? 'A phone number or a code was taken out of the reason, because it is kept in clear.'
    : undefined;

type Reason = Refusal['reason'];

/** The remedy of staff, where it differs from that of partners and merchants. */
const insteadByReason: Readonly<Partial<Record<Reason, string>>> = {
  'account-suspended': 'Ask an operator whether the company may go on, then ask again.',
  'database-failed': 'Ask again. If it fails again, call an operator.',
  'internal-error': 'Ask again. If it fails again, call an operator.',
  'money-insufficient': 'Ask the partner to deposit, then ask again.',
  'topup-not-failed': 'Read the case: the top-up has ended otherwise.',
  'topup-failed':
    'Compare the number and its operator with the customer, then retry to a number that is right.',
  'topup-delivered-since': 'Tell the customer that it was delivered.',
  'topup-retried-since': 'Read the case: it shows how the other attempt ends.',
  'number-erased': 'Ask the customer for the number, and retry to that one.',
  'number-not-served': 'Ask the customer for a number of another operator, and retry to that one.',
  'operator-mismatch': 'Ask the customer for a number of the operator of the package.',
  'amount-out-of-range': 'Ask the partner to send another top-up with another amount.',
  'voucher-redeemed': 'If the merchant should not have been paid, reverse the redemption.',
  'voucher-expired':
    'Its value is back in the gift wallet of its partner: ask the partner for a new voucher.',
  'voucher-being-redeemed': 'Wait for the end of the payment, or settle it.',
  'nothing-to-resend': 'Ask the merchant to claim: that sends a new code.',
  'resend-too-soon': 'Ask the owner to look among all messages. If it is not there, send it again.',
  'messages-exhausted': 'The merchant claims again later: that sends a new code.',
  'messages-refused':
    'Compare the number with the owner. If it is right, the merchant claims again later.',
  'company-messages-exhausted':
    'Ask an operator for a higher limit, or let the merchant claim again later.',
  'number-limit-reached': 'The customer waits.',
  'message-not-queued': 'Compare the number with the owner, then ask again.',
};

const insteadByRemedy: Readonly<Record<Remedy, string>> = {
  none: 'Read the case: it says what to do next.',
  correct: 'Read the case: it says what to do next.',
  resolve: 'Read the case: it says what to do next.',
  repeat: 'Ask again in a minute.',
  'log-in': 'Ask again in a minute.',
  support: 'Ask an operator to correct the records, then ask again.',
  'claim-again': 'Read the case: it says what to do next.',
  retry: 'Retry it.',
  wait: 'Ask again later.',
};

/** The message for staff, where that for companies speaks to the company. */
const saidByReason: Readonly<Partial<Record<Reason, string>>> = {
  'company-messages-exhausted': 'The company has reached its daily message limit',
  'messages-refused': 'The provider refused too many messages to this number',
};

/** A time in its greatest unit, rounded up. */
function waitWords(seconds: number): string {
  const [size, unit] =
    seconds > 2 * 3_600 ? [3_600, 'hour'] : seconds > 2 * 60 ? [60, 'minute'] : [1, 'second'];
  const count = Math.ceil(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Why the operation of a repair was refused, what to do instead, and when it is possible, as staff read it. */
export const refusedCallWords = ({ reason, detail, retryAfterSeconds }: Refusal): string => {
  const said = saidByReason[reason] ?? quoted(messageOf(reason, detail));
  const instead = insteadByReason[reason] ?? insteadByRemedy[reasons[reason].remedy];
  const after = retryAfterSeconds ? ` It is possible in ${waitWords(retryAfterSeconds)}.` : '';
  return `${said}. ${instead}${after}`;
};

/** ASKED waits for the confirmation of a second person; READY and RUNNING are carried out. */
export const repairStates = ['ASKED', 'READY', 'RUNNING', 'DONE', 'REFUSED', 'EXPIRED'] as const;
export type RepairState = (typeof repairStates)[number];

/** The states in words for people. */
export const repairStateWords: Readonly<Record<RepairState, string>> = {
  ASKED: 'Waits for confirmation',
  READY: 'Begins',
  RUNNING: 'Under way',
  DONE: 'Done',
  REFUSED: 'Not done',
  EXPIRED: 'Not confirmed in time',
};

/**
 * The end of a repair that waited for a second person: withdrawn by its asker, or declined by
 * another person.
 */
export const waitingEnds = { WITHDRAWN: 'Withdrawn', DECLINED: 'Declined' } as const;
type WaitingEnd = keyof typeof waitingEnds;

/** The result of a repair that somebody ended while it waited, and why. */
export const resultOfWaiting = (end: WaitingEnd, why: string): string =>
  `${waitingEnds[end]}: ${why}`;

/** Reads such a result; undefined for any other end. */
export function readWaitingEnd({
  state,
  result,
}: {
  readonly state: RepairState;
  readonly result: string | null;
}): { readonly end: WaitingEnd; readonly why: string } | undefined {
  for (const [end, word] of Object.entries(waitingEnds))
    if (state === 'REFUSED' && result?.startsWith(`${word}: `))
      return { end: end as WaitingEnd, why: result.slice(word.length + 2) };
  return undefined;
}

/** The subject of a repair. */
export const repairSubjects = [
  'voucher',
  'redemption',
  'top-up',
  'deposit',
  'partner',
  'case',
] as const;
export type RepairSubject = (typeof repairSubjects)[number];
