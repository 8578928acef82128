import type { Placement } from '../../../src/domain/positions/placement.ts';
import type { Order, Position } from '../../../src/domain/positions/position.ts';

export const PRICE = 100n;
export const FEE = 3n;

/** A placement of an order that its provider has not answered. */
export const placed = (changes: Partial<Placement> = {}): Placement => ({
  kind: 'payment',
  provider: 'gsma',
  ordered: PRICE,
  said: 'none',
  done: 0n,
  providerReference: null,
  saidAt: null,
  message: null,
  cleared: null,
  doubtedAt: null,
  silentSince: null,
  ...changes,
});

/** A position of an order that was charged, unless the order says otherwise. */
export const positionOf = (
  order: Partial<Order>,
  placements: readonly Placement[],
  settlements: Position['settlements'] = [],
): Position => ({
  order: {
    price: PRICE,
    fee: FEE,
    state: 'decided',
    isCharged: true,
    creditedTo: 'payer',
    ...order,
  },
  placements,
  settlements,
});
