/** What one reconciliation did, as it stands in the Temporal UI. */
export interface ReconcileResult {
  /** Payments and top-ups on hold whose workflows had gone and were started anew. */
  readonly resumedPayments: number;
  readonly resumedTopUps: number;
  /** What had come to an end and the providers were asked about once more. */
  readonly rechecked: number;
}
