import type { Logger } from 'pino';
import type { Outbox, OutboxSender } from '../../../../activities/outbox/outbox.ts';
import { describeError } from '../../process/logger.ts';
import { type Repetition, repeat } from './repeat.ts';

/**
 * Looks for messages of the outbox at an interval, and sends them. A look is one statement for all senders, and a
 * sender that is at work delays none of the others. A stop, and the fence of a restored database, let no further
 * message begin.
 */
export function startOutbox(options: {
  readonly outbox: Outbox;
  readonly isFenced: () => boolean;
  readonly logger: Logger;
  readonly intervalMs: number;
}): Repetition {
  const { outbox, isFenced, logger, intervalMs } = options;
  let isStopped = false;
  const mayGoOn = () => !isStopped && !isFenced();
  const atWork = new Map<OutboxSender, Promise<void>>();
  const failing = new Set<OutboxSender>();

  async function send(sender: OutboxSender): Promise<void> {
    try {
      await sender.send(mayGoOn);
      failing.delete(sender);
    } catch (error) {
      // Logged once, as `repeat` does.
      if (!failing.has(sender)) logger.warn(describeError(error), `Could not send ${sender.kind}`);
      failing.add(sender);
    }
    atWork.delete(sender);
  }

  async function lookForMessages(): Promise<void> {
    if (!mayGoOn()) return;
    for (const sender of await outbox.findDue())
      if (!atWork.has(sender)) atWork.set(sender, send(sender));
  }

  const looks = repeat({
    work: lookForMessages,
    ...{ intervalMs, logger, failure: 'Could not read the outbox' },
  });
  return {
    async stop() {
      isStopped = true;
      await looks.stop();
      await Promise.all(atWork.values());
    },
  };
}
