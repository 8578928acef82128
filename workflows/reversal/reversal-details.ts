import type { ReversalBegun } from '../../activities/redemptions/reversal-beginnings.ts';
import { messageOf, quoted, type Refusal } from '../../src/domain/refusals.ts';
import { showDetails } from '../current-details.ts';
import { askedFirst, atProvider } from '../steps/asked-providers.ts';
import { type Urgency, urgencyWords } from '../steps/final-outcome.ts';

/** A reversal as support staff and the provider know it. */
export const describeReversal = (begun: ReversalBegun): string =>
  `ETB ${begun.toMerchant} back from ${begun.merchantName}, reversal reference ${begun.reference}` +
  `${atProvider(askedFirst(begun.provider))}; ` +
  `voucher ${begun.serialNumber}, fee ETB ${begun.serviceFee}, ${begun.platformReference}.`;

export const showRefused = (refusal: Refusal): void =>
  showDetails(
    `**Refused**: ${quoted(messageOf(refusal.reason, refusal.detail))}.`,
    'Nothing was changed.',
  );

export const showUnknown = (begun: ReversalBegun, lastMessage: string, urgency: Urgency): void =>
  showDetails(
    `${urgencyWords[urgency]}**Reversal unknown**: ${describeReversal(begun)}`,
    `The provider's last message: ${lastMessage}. Nothing is credited before the provider has ` +
      'confirmed it, and the service asks the provider again. To ask now, send the signal ' +
      '`providerHint`.',
  );

export const showReversed = (begun: ReversalBegun, providerReference: string): void =>
  showDetails(
    `**Reversed**: ${describeReversal(begun)}`,
    `Provider's reference ${providerReference}.`,
  );

export const showNotReversed = (begun: ReversalBegun, message: string): void =>
  showDetails(
    `**Not reversed**: ${describeReversal(begun)}`,
    `The provider's last message: ${quoted(message)}. The payment stands.`,
  );
