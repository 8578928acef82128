import type { ClientLog } from '../clients/client-log.js';
import type { Random } from '../random.js';
import type { ThrowawayStack } from '../throwaway-stack.js';
import type { World } from '../world.js';

/** What a fault is made with. */
export interface FaultScene {
  readonly stack: ThrowawayStack;
  readonly world: World;
  readonly random: Random;
  readonly log: ClientLog;
}
