/** Codes are longer once a voucher has had this many wrong ones, over its whole life. */
export interface CodeLimits {
  readonly wrongCodesBeforeLongCodes: number;
}

/** The digits of a verification code; a million of six, a hundred million of eight. */
export type CodeDigits = 6 | 8;

/** How long the codes of a voucher must be, after so many wrong ones. */
export const codeDigits = (wrongCodesOfVoucher: number, limits: CodeLimits): CodeDigits =>
  wrongCodesOfVoucher < limits.wrongCodesBeforeLongCodes ? 6 : 8;
