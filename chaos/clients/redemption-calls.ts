import { randomUUID } from 'node:crypto';
import { type Random, recent } from '../random.ts';
import type { World } from '../world.ts';
import type { ClientCall } from './client-log.ts';

interface Making {
  readonly random: Random;
  readonly world: World;
}

/** The newest redemptions of a merchant that was paid lately; undefined where nobody was. */
export function listRedemptions({ random, world }: Making): ClientCall | undefined {
  const id = recent(random, world.paid);
  if (id === undefined) return undefined;
  return {
    operation: 'list-redemptions',
    company: { kind: 'merchant', id },
    path: '/redemptions?limit=5',
  };
}

/** Reverses a redemption that its merchant has found in its list. */
export function reverseRedemption({ random, world }: Making): ClientCall | undefined {
  const redemption = recent(random, world.redemptions);
  if (!redemption) return undefined;
  return {
    operation: 'reverse-redemption',
    company: { kind: 'merchant', id: redemption.merchantId },
    path: `/redemptions/${redemption.id}/reverse`,
    body: random.chance(0.5) ? {} : { reason: 'Chaos' },
    key: randomUUID(),
  };
}
