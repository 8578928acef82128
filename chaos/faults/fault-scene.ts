import type { ClientLog } from '../clients/client-log.ts';
import type { Random } from '../random.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';
import type { World } from '../world.ts';

/** What a fault is made with. */
export interface FaultScene {
  readonly stack: ThrowawayStack;
  readonly world: World;
  readonly random: Random;
  readonly log: ClientLog;
}
