import {
  DOUBLE_DELIVERY,
  DOUBLE_SETTLEMENT,
  FEE_REVERSAL,
  LATE_SUCCESS_SETTLEMENT,
  RECOVERY_SETTLEMENT,
  REVERSAL_FEE,
  REVERSAL_SETTLEMENT,
} from '../statements/statement-labels.ts';

/** The kinds of accounts in the order of reports: those of partners, then the platform's. */
export const ledgerAccountKinds = [
  'gift',
  'reserved',
  'gift-hold',
  'airtime',
  'airtime-hold',
  'funding',
  'mobile-money-clearing',
  'airtime-clearing',
  'service-fees',
  'suspense',
] as const;

export type LedgerAccountKind = (typeof ledgerAccountKinds)[number];

/** By "from → to", in the order of reports. */
const labels: Readonly<Record<string, string>> = {
  'funding → gift': 'Deposits to gift wallets',
  'funding → airtime': 'Deposits to airtime wallets',
  'gift → funding': 'Deposits to gift wallets, taken back',
  'airtime → funding': 'Deposits to airtime wallets, taken back',
  'gift → reserved': 'Vouchers generated',
  'reserved → gift-hold': 'Redemptions begun',
  'gift-hold → mobile-money-clearing': 'Redemptions: paid to merchants',
  'gift-hold → service-fees': 'Redemptions: service fees',
  'gift-hold → reserved': 'Redemptions refused, returned',
  'mobile-money-clearing → reserved': 'Payments reversed, back to vouchers',
  'mobile-money-clearing → gift': 'Payments reversed, back to partners',
  'airtime → airtime-hold': 'Top-ups begun',
  'airtime-hold → airtime-clearing': 'Top-ups delivered',
  'airtime-hold → airtime': 'Top-ups failed, returned',
  'suspense → mobile-money-clearing': 'Payments made after a refusal',
  'suspense → airtime-clearing': 'Top-ups delivered after a refusal',
  'mobile-money-clearing → suspense': 'Payments taken back by the provider',
  'airtime-clearing → suspense': 'Top-ups taken back by the provider',
  'service-fees → mobile-money-clearing': 'Fees of mobile money',
  'service-fees → airtime-clearing': 'Fees of airtime',
  'mobile-money-clearing → service-fees': 'Fees of mobile money, corrected',
  'airtime-clearing → service-fees': 'Fees of airtime, corrected',
};

/** The steps that tell kinds of movements apart; others are one. */
export const tellingSteps = [
  DOUBLE_DELIVERY,
  DOUBLE_SETTLEMENT,
  LATE_SUCCESS_SETTLEMENT,
  RECOVERY_SETTLEMENT,
  REVERSAL_SETTLEMENT,
  REVERSAL_FEE,
  FEE_REVERSAL,
] as const;

const settlements: Readonly<Record<string, string>> = {
  [LATE_SUCCESS_SETTLEMENT]: 'Late successes settled',
  [DOUBLE_DELIVERY]: 'Done by two providers',
  [DOUBLE_SETTLEMENT]: 'Done by two providers, settled',
  [RECOVERY_SETTLEMENT]: 'Recovered payments settled',
  [REVERSAL_SETTLEMENT]: 'Reversals settled',
  [REVERSAL_FEE]: 'Fees of reversals settled',
  [FEE_REVERSAL]: 'Fees of reversed payments, returned',
};

/** A movement by its accounts, the step where it tells, and what ended a voucher. */
export interface MovementKind {
  readonly from: LedgerAccountKind;
  readonly to: LedgerAccountKind;
  readonly step: string;
  readonly ended: 'cancel' | 'expire' | null;
}

/** The name of a movement; of one that has none, its accounts. */
export function movementLabel({ from, to, step, ended }: MovementKind): string {
  const settlement = settlements[step];
  if (settlement) return settlement;
  if (from === 'reserved' && to === 'gift') {
    if (ended === null) return 'Value of vouchers returned';
    return ended === 'cancel' ? 'Vouchers cancelled' : 'Vouchers expired';
  }
  return labels[`${from} → ${to}`] ?? `${from} → ${to}`;
}

const order = Object.keys(labels);

/** The place of a movement in reports: named ones first, in the order of the table. */
export function movementRank({ from, to }: Pick<MovementKind, 'from' | 'to'>): number {
  const rank = order.indexOf(`${from} → ${to}`);
  return rank < 0 ? order.length : rank;
}
