/** What a line of a provider's statement is. */
export type StatementKind = 'payment' | 'reversal' | 'top-up';
