import { type Refusal, refuse } from '../refusals.ts';
import { type Count, refuseMessage } from './claim.ts';

/** The message that an owner may miss. */
export interface MissedMessage {
  readonly kind: 'VERIFICATION_CODE' | 'REDEMPTION_CONFIRMATION';
  /** Of its newest sending. */
  readonly status: 'QUEUED' | 'SENDING' | 'SENT' | 'REFUSED' | 'UNKNOWN' | 'CANCELLED';
  readonly secondsUntilNext: number;
  /** Messages of its kind to its number today. */
  readonly messagesToday: Count;
  /** Codes to its number that the provider refused within an hour. */
  readonly refusedMessages: Count;
}

/**
 * Whether an owner may miss a message. A code can be lost after the provider has accepted it; a
 * confirmation is only for information.
 */
export const isMissed = ({ kind, status }: Pick<MissedMessage, 'kind' | 'status'>): boolean =>
  kind === 'VERIFICATION_CODE' || status !== 'SENT';

/** Facts read for a resend, with the voucher's row and the number locked. */
export interface ResendFacts {
  /** Whether the caller's API key and token are still valid. */
  readonly isAdmitted: boolean;
  readonly partnerIsActive: boolean;
  readonly hasVoucher: boolean;
  /** The code of the open claim, else the confirmation of the last paid redemption. */
  readonly message: MissedMessage | undefined;
  /** Messages that the partner sent today. */
  readonly companyMessages: Count & { readonly budget: number };
}

export interface ResendLimits {
  readonly messagesPerNumberAndDay: number;
  readonly refusedMessagesPerNumberAndHour: number;
}

/** Checks a resend: the first failing rule is the refusal, undefined permits the resend. */
export function refuseResend(facts: ResendFacts, limits: ResendLimits): Refusal | undefined {
  const { message, companyMessages } = facts;
  if (!facts.isAdmitted) return refuse('token-invalid');
  if (!facts.partnerIsActive) return refuse('account-suspended');
  if (!facts.hasVoucher) return refuse('voucher-id-not-found');
  if (!message || !isMissed(message)) return refuse('nothing-to-resend');
  if (message.status === 'QUEUED' || message.status === 'SENDING')
    return refuse('resend-too-soon', { retryAfterSeconds: 1 });
  if (message.secondsUntilNext > 0)
    return refuse('resend-too-soon', { retryAfterSeconds: message.secondsUntilNext });
  const { messagesToday, refusedMessages } = message;
  if (messagesToday.count >= limits.messagesPerNumberAndDay)
    return refuse('messages-exhausted', { retryAfterSeconds: messagesToday.retryAfterSeconds });
  if (refusedMessages.count >= limits.refusedMessagesPerNumberAndHour)
    return refuse('messages-refused', { retryAfterSeconds: refusedMessages.retryAfterSeconds });
  return companyMessages.count >= companyMessages.budget
    ? refuseMessage(companyMessages)
    : undefined;
}
