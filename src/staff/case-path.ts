import { SUPPORT_PATH } from './page.ts';

export type CaseKind = 'voucher' | 'top-up';

/** What a case is about. */
export interface SupportCaseName {
  readonly kind: CaseKind;
  readonly id: number;
}

/** The list of the cases that a person must settle. */
export const CASES_PATH = `${SUPPORT_PATH}/cases`;

/** The page on which one of them is settled. */
export const openCasePath = (id: number): string => `${CASES_PATH}/${id}`;

/** The page of a case. */
export const casePath = ({ kind, id }: SupportCaseName): string =>
  `${SUPPORT_PATH}/${kind === 'voucher' ? 'vouchers' : 'top-ups'}/${id}`;
