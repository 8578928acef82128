import { setTimeout as sleep } from 'node:timers/promises';
import type { Stories, StoryName } from './stories.ts';

const NAMES: readonly StoryName[] = ['generate', 'redeem', 'topup', 'retry', 'claim'];

/**
 * Clients that go about their business until they are told to stop, each with one story after the
 * other; they then finish what they have begun. Rejects when a request never came to its end.
 */
export function startLoad(stories: Stories, clients: number) {
  let isOver = false;
  const work = async (client: number) => {
    for (let turn = client; !isOver; turn += 1) {
      const name = NAMES[turn % NAMES.length] as StoryName;
      await stories.stories[name]();
      await sleep(50);
    }
  };
  const working = Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  // It is awaited at its end; until then a failure must not go unheard of.
  working.catch(() => {});
  return {
    async stop(): Promise<void> {
      isOver = true;
      await working;
    },
  };
}
