import type { Outbox, OutboxSender } from '../../../../activities/outbox/outbox.ts';
import { type Background, logsFirstFailure, type Repetition, repeat } from './repeat.ts';

/**
 * Looks for messages of the outbox at an interval, and sends them. A look is one statement for all senders, and a
 * sender that is at work delays none of the others. A stop, and the fence of a restored database, let no further
 * message begin.
 */
export function startOutbox({
  outbox,
  ...background
}: Background & { readonly outbox: Outbox }): Repetition {
  const { isFenced, logger } = background;
  let isStopped = false;
  const mayGoOn = () => !isStopped && !isFenced();
  const atWork = new Map<OutboxSender, Promise<void>>();
  const attempts = new Map(
    outbox.senders.map((sender) => [
      sender,
      logsFirstFailure(logger, `Could not send ${sender.kind}`),
    ]),
  );

  async function send(sender: OutboxSender): Promise<void> {
    await attempts.get(sender)?.(() => sender.send(mayGoOn));
    atWork.delete(sender);
  }

  async function lookForMessages(): Promise<void> {
    for (const sender of await outbox.findDue())
      if (!atWork.has(sender)) atWork.set(sender, send(sender));
  }

  const failure = 'Could not read the outbox';
  const looks = repeat({ ...background, work: lookForMessages, failure });
  return {
    async stop() {
      isStopped = true;
      await looks.stop();
      await Promise.all(atWork.values());
    },
  };
}
