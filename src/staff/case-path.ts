import { SUPPORT_PATH } from './page.ts';

export type CaseKind = 'voucher' | 'top-up';

/** What a case is about. */
export interface SupportCaseName {
  readonly kind: CaseKind;
  readonly id: number;
}

/** The page of a case. */
export const casePath = ({ kind, id }: SupportCaseName): string =>
  `${SUPPORT_PATH}/${kind === 'voucher' ? 'vouchers' : 'top-ups'}/${id}`;
