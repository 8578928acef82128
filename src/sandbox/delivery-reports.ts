import type { ReportBehaviour, SmsBehaviour } from './behaviours.ts';
import type { Waiting } from './delays.ts';
import { lateSeconds, shortlySeconds } from './scenarios.ts';

/** What a provider reports of a message that it took. */
export type ReportState = 'delivered' | 'not-delivered' | 'under-way';

interface Plan {
  readonly seconds: number;
  readonly states: readonly ReportState[];
}

const plans: Readonly<Record<ReportBehaviour, Plan>> = {
  once: { seconds: shortlySeconds, states: ['delivered'] },
  'before-the-answer': { seconds: 0, states: ['delivered'] },
  twice: { seconds: shortlySeconds, states: ['delivered', 'delivered'] },
  lost: { seconds: 0, states: [] },
  'out-of-order': { seconds: shortlySeconds, states: ['delivered', 'under-way'] },
  late: { seconds: lateSeconds, states: ['delivered'] },
  'not-delivered': { seconds: shortlySeconds, states: ['under-way', 'not-delivered'] },
};

/**
 * Sends the delivery reports of a message, one after the other, as its number demands. Resolves when
 * the answer to the message may follow.
 */
export async function announceReports(
  { report = 'once' }: SmsBehaviour,
  waiting: Waiting,
  send: (state: ReportState) => Promise<void>,
): Promise<void> {
  const { seconds, states } = plans[report];
  const sending = (async () => {
    if (report !== 'before-the-answer') await waiting.wait(seconds);
    for (const state of states) if (!waiting.ending.aborted) await send(state);
  })();
  if (report === 'before-the-answer') await sending;
}
