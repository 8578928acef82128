import {
  reverseRedemptionRepair,
  settleCaseRepair,
  settlePaymentRepair,
} from './payment-repairs.ts';
import type { RepairKind } from './repair-kind.ts';
import { retryTopUpRepair, settleTopUpRepair } from './top-up-repairs.ts';
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
  retryTopUpRepair,
  settleTopUpRepair,
  correctDepositRepair,
  creditGoodwillRepair,
  settleCaseRepair,
];

/** The kind with this name; undefined where there is none, such as one of a later version. */
export const findRepairKind = (name: string): RepairKind | undefined =>
  repairKinds.find((kind) => kind.name === name);
