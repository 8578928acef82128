/**
 * What one complete life of a voucher costs, from which docs/internals/capacity.md derives its sizes,
 * and how far a measurement may be from it.
 */
export const costsOfLife = {
  'transactions of PostgreSQL': { predicted: 22, tolerance: 0.15 },
  'rows inserted': { predicted: 30, tolerance: 0.15 },
  // The images of pages that a checkpoint makes necessary depend on when it comes.
  'kB of write-ahead log': { predicted: 35, tolerance: 0.3 },
  'state transitions of Temporal': { predicted: 8, tolerance: 0.15 },
} as const;

export type CostOfLife = keyof typeof costsOfLife;
