import { SUPPORT_PATH } from './page.js';
import type { CaseKind } from './support-case.js';

/** The page of a case. */
export const casePath = (kind: CaseKind, id: number): string =>
  `${SUPPORT_PATH}/${kind === 'voucher' ? 'vouchers' : 'top-ups'}/${id}`;
