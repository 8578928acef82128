/** Every kind of fault that a run can make; `chaos/faults/faults.ts` makes them. */
export const faultNames = [
  'kill-api',
  'kill-worker',
  'end-database-sessions',
  'crash-database',
  'kill-temporal',
  'empty-temporal',
  'provider-unreachable',
  'provider-hangs',
  'provider-down',
  'provider-slow',
  'provider-drops-answers',
  'provider-loses-callbacks',
  'provider-reverses-later',
  'provider-answers-wrong',
  'suspend-partner',
  'change-service-fee',
  'short-reserve',
  'forget-redemption',
  'reverse-delivery',
  'deliver-late',
] as const;

export type FaultName = (typeof faultNames)[number];
