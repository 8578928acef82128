import { cancelClaim, extendClaim, releaseClaim } from './claim-repairs.js';
import { reverseRedemption, settlePayment } from './payment-repairs.js';
import type { RepairKind } from './repair-kind.js';
import { retryTopUp, settleTopUp } from './top-up-repairs.js';
import { cancelVoucher, correctNumber, extendVoucher, resendMessage } from './voucher-repairs.js';
import { creditGoodwill, undoDeposit } from './wallet-repairs.js';

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
];

/** The kind with this name; undefined where there is none, such as one of a later version. */
export const findRepairKind = (name: string): RepairKind | undefined =>
  repairKinds.find((kind) => kind.name === name);
