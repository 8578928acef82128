/** What a case of one payment, or of the statement of a provider, is about. */
export type PaymentCaseKind =
  | 'late-success'
  | 'double-delivery'
  | 'reversal'
  | 'disagreement'
  | 'unbooked'
  | 'recovered'
  | 'break'
  | 'statement';
