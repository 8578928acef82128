type MpesaStatus = 'completed' | 'failed' | 'reversed';

/** The words of M-Pesa for the status of a payment (providers.md 3.1b); others are unknown. */
const meanings: ReadonlyMap<string, MpesaStatus> = new Map([
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['declined', 'failed'],
  ['cancelled', 'failed'],
  ['rejected', 'failed'],
  ['expired', 'failed'],
  ['reversed', 'reversed'],
]);

/** What a status means; undefined where it is not final, or not known to us. */
export const mpesaStatusOf = (status: string | null | undefined): MpesaStatus | undefined =>
  meanings.get(status?.trim().toLowerCase() ?? '');
