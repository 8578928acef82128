import type { Logger } from 'pino';
import type { OutboxSender } from '../../../../activities/outbox/outbox.ts';
import { type Repetition, repeat } from './repeat.ts';

/**
 * Sends the messages of the outbox at an interval. A stop, and the fence of a restored database, let no
 * further message begin.
 */
export function startOutbox(options: {
  readonly outbox: readonly OutboxSender[];
  readonly isFenced: () => boolean;
  readonly logger: Logger;
  readonly intervalMs: number;
}): Repetition {
  const { outbox, isFenced, logger, intervalMs } = options;
  let isStopped = false;
  const mayGoOn = () => !isStopped && !isFenced();
  const repetitions = outbox.map(({ kind, send }) =>
    repeat({
      work: () => send(mayGoOn),
      ...{ intervalMs, logger, failure: `Could not send ${kind}` },
    }),
  );
  return {
    async stop() {
      isStopped = true;
      await Promise.all(repetitions.map((repetition) => repetition.stop()));
    },
  };
}
