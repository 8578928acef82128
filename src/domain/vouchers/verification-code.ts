/** Wrong codes over the whole life of a voucher, after which its codes become longer. */
export interface CodeLimits {
  readonly wrongCodesBeforeLongCodes: number;
}

/** Digits of a verification code: a million codes of six, a hundred million of eight. */
export type CodeDigits = 6 | 8;

/** The length of the next code, given the wrong codes of the voucher. */
export const codeDigits = (wrongCodesOfVoucher: number, limits: CodeLimits): CodeDigits =>
  wrongCodesOfVoucher < limits.wrongCodesBeforeLongCodes ? 6 : 8;
