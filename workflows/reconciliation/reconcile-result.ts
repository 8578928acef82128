/** The effect of one reconciliation, for the Temporal UI. */
export interface ReconcileResult {
  /** Payments and top-ups on hold whose lost workflows were restarted. */
  readonly resumedPayments: number;
  readonly resumedTopUps: number;
  /** Completed operations whose providers were asked again. */
  readonly rechecked: number;
}
