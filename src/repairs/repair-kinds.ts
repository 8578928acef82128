import type { Database } from '../db/connection.ts';
import { redemptionsOfVoucher } from '../db/repairs/facts.ts';
import type { RepairSubject } from '../domain/repairs.ts';
import {
  reverseRedemptionRepair,
  settleCaseRepair,
  settlePaymentRepair,
} from './payment-repairs.ts';
import type { RepairKind } from './repair-kind.ts';
import { retryTopupRepair, settleTopupRepair } from './top-up-repairs.ts';
import {
  cancelClaimRepair,
  cancelVoucherRepair,
  correctNumberRepair,
  extendClaimRepair,
  extendVoucherRepair,
  releaseClaimRepair,
  resendMessageRepair,
} from './voucher-repairs.ts';
import { correctDepositRepair, creditGoodwillRepair } from './wallet-repairs.ts';

/** Every kind of repair, in the order of forms and help. */
export const repairKinds: readonly RepairKind[] = [
  resendMessageRepair,
  extendClaimRepair,
  cancelClaimRepair,
  releaseClaimRepair,
  extendVoucherRepair,
  cancelVoucherRepair,
  correctNumberRepair,
  settlePaymentRepair,
  reverseRedemptionRepair,
  retryTopupRepair,
  settleTopupRepair,
  correctDepositRepair,
  creditGoodwillRepair,
  settleCaseRepair,
];

/** The kind with this name; undefined where there is none, such as one of a later version. */
export const findRepairKind = (name: string): RepairKind | undefined =>
  repairKinds.find((kind) => kind.name === name);

/** Every repair of a voucher with its newest redemptions, or of a top-up, whether it is possible now or not. */
export async function repairsOf(
  database: Database,
  { kind, id }: { readonly kind: 'voucher' | 'top-up'; readonly id: number },
): Promise<readonly { readonly kind: RepairKind; readonly subjectId: string }[]> {
  const redemptions = kind === 'voucher' ? await redemptionsOfVoucher(database, id) : [];
  const subjects: readonly (readonly [subject: RepairSubject, id: number])[] = [
    [kind, id],
    ...redemptions.map((redemption) => ['redemption', redemption] as const),
  ];
  return subjects.flatMap(([subject, subjectId]) =>
    repairKinds
      .filter((one) => one.subject === subject)
      .map((one) => ({ kind: one, subjectId: String(subjectId) })),
  );
}
