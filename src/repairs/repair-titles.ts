/**
 * Every kind of repair by its name, with its title, in the order of forms and help: a verb and a noun. The help of
 * the command line lists them without loading what they do.
 */
export const repairTitles = {
  'resend-message': 'Send the message again',
  'extend-claim': 'Extend the claim',
  'cancel-claim': 'Cancel the claim',
  'release-claim': 'Release the claim',
  'extend-voucher': 'Extend the voucher',
  'cancel-voucher': 'Cancel the voucher',
  'correct-number': 'Correct the number of the owner',
  'settle-payment': 'Settle the payment',
  'reverse-redemption': 'Reverse the redemption',
  'retry-top-up': 'Retry the top-up',
  'settle-top-up': 'Settle the top-up',
  'correct-deposit': 'Correct the deposit',
  'credit-goodwill': 'Credit goodwill to the partner',
  'settle-case': 'Settle the case',
} as const;

export type RepairKindName = keyof typeof repairTitles;
