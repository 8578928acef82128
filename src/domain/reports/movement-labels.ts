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
  'suspense → mobile-money-clearing': 'Payments made, and paid by nobody yet',
  'suspense → airtime-clearing': 'Top-ups delivered, and paid by nobody yet',
  'mobile-money-clearing → suspense': 'Payments taken back by the provider',
  'airtime-clearing → suspense': 'Top-ups taken back by the provider',
  'reserved → suspense': 'Payments settled: charged to vouchers',
  'gift → suspense': 'Payments settled: charged to partners',
  'suspense → reserved': 'Payments settled: back to vouchers',
  'suspense → gift': 'Payments settled: back to partners',
  'airtime → suspense': 'Top-ups settled: charged to partners',
  'suspense → airtime': 'Top-ups settled: back to partners',
  'service-fees → suspense': 'Settled: borne by the platform',
  'suspense → service-fees': 'Settled: kept by the platform',
  'reserved → service-fees': 'Service fees of payments charged later',
  'service-fees → reserved': 'Service fees of reversed payments, back to vouchers',
  'service-fees → gift': 'Service fees of reversed payments, back to partners',
  'service-fees → mobile-money-clearing': 'Fees of mobile money',
  'service-fees → airtime-clearing': 'Fees of airtime',
  'mobile-money-clearing → service-fees': 'Fees of mobile money, corrected',
  'airtime-clearing → service-fees': 'Fees of airtime, corrected',
};

/** A movement by its accounts, and what ended a voucher. */
export interface MovementKind {
  readonly from: LedgerAccountKind;
  readonly to: LedgerAccountKind;
  readonly ended: 'cancel' | 'expire' | null;
}

/** The name of a movement; of one that has none, its accounts. */
export function movementLabel({ from, to, ended }: MovementKind): string {
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
