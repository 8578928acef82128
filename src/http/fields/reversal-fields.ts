import { z } from 'zod';
import type { ShownReversal } from '../../db/vouchers/shown-reversal.ts';
import { reversalStates } from '../../domain/vouchers/reversal.ts';
import { textAnswer, timeAnswer } from './answer-fields.ts';

/** Who got the value of a reversal. */
export const creditedAnswer = z.enum(['VOUCHER', 'PARTNER']).meta({ title: 'CreditedTo' });

/** The reversal of a redemption, as merchants and partners see it. */
export const reversalAnswer = z
  .object({
    status: z.enum(reversalStates).meta({
      description:
        'PENDING: the provider has not confirmed it; NEEDS_ACTION: pending, and support looks at ' +
        'it; SUCCESS: the payment and its fee went back; FAILED: refused, the payment stands',
      examples: ['SUCCESS'],
    }),
    requestedAt: timeAnswer('When the merchant asked for it'),
    settledAt: timeAnswer('When it ended; null while it is pending').nullable(),
    creditedTo: creditedAnswer.nullable().meta({
      description:
        'Where the value went: on the voucher again, or to the gift wallet of the partner; null ' +
        'unless it succeeded',
      examples: ['VOUCHER'],
    }),
    reason: textAnswer('Why, in the words of the merchant', 'Wrong amount at the till').nullable(),
    referenceNumber: textAnswer(
      "The mobile-money provider's reference of the reversal",
      'MM0123456789AB',
    ).nullable(),
  })
  .meta({ title: 'Reversal' })
  .nullable()
  .meta({ description: 'The newest reversal that the merchant asked for; null without one' });

const creditNames = { voucher: 'VOUCHER', gift: 'PARTNER' } as const;

/** Who got the value of a reversal, as answers name it. */
export const creditedToAnswer = (creditedTo: 'voucher' | 'gift') => creditNames[creditedTo];

const isoTime = (text: string): string => new Date(text).toISOString();

export const presentReversal = (reversal: ShownReversal | null): z.output<typeof reversalAnswer> =>
  reversal && {
    status: reversal.status,
    requestedAt: isoTime(reversal.requestedAt),
    settledAt: reversal.settledAt === null ? null : isoTime(reversal.settledAt),
    creditedTo: reversal.creditedTo && creditNames[reversal.creditedTo],
    reason: reversal.reason,
    referenceNumber: reversal.providerReference,
  };
