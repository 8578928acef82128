import { reverseRedemption, settleCase, settlePayment } from './payment-repairs.ts';
import type { RepairKind } from './repair-kind.ts';
import { retryTopUp, settleTopUp } from './top-up-repairs.ts';
import {
  cancelClaim,
  cancelVoucher,
  correctNumber,
  extendClaim,
  extendVoucher,
  releaseClaim,
  resendMessage,
} from './voucher-repairs.ts';
import { creditGoodwill, undoDeposit } from './wallet-repairs.ts';

/** Every kind of repair, in the order of forms and help. */
export const repairKinds: readonly RepairKind[] = [
  resendMessage,
  extendClaim,
  cancelClaim,
  releaseClaim,
  extendVoucher,
  cancelVoucher,
  correctNumber,
  settlePayment,
  reverseRedemption,
  retryTopUp,
  settleTopUp,
  undoDeposit,
  creditGoodwill,
  settleCase,
];

/** The kind with this name; undefined where there is none, such as one of a later version. */
export const findRepairKind = (name: string): RepairKind | undefined =>
  repairKinds.find((kind) => kind.name === name);
