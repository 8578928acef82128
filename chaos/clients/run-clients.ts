import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../random.ts';
import type { World } from '../world.ts';
import { updateWorld } from '../world-updates.ts';
import { changedCall } from './changed-call.ts';
import type { ClientCall, ClientLog, LogEntry } from './client-log.ts';
import { type Making, operations } from './operations.ts';
import type { SendCall } from './send-call.ts';

/** How long a client thinks, in milliseconds; while the service is away it hesitates. */
const THINKING = 150;
const HESITATION = 2_000;

/** How many of the last keyed calls a client may send again. */
const REMEMBERED = 300;

const weights = {
  ...Object.fromEntries(Object.entries(operations).map(([name, [weight]]) => [name, weight])),
  repeat: 8,
  'repeat twice at once': 3,
  'change under the same key': 4,
};

/** What the clients of a run share. */
export interface Clients {
  readonly world: World;
  readonly log: ClientLog;
  readonly send: SendCall;
  readonly codeOf: Making['codeOf'];
}

/** Lets so many clients do random operations, one after the other each, until the signal comes. */
export async function runClients(
  clients: Clients,
  options: { readonly seed: number; readonly count: number; readonly until: AbortSignal },
): Promise<void> {
  const runOne = async (client: number): Promise<void> => {
    const random = createRandom(options.seed, `client ${client}`);
    while (!options.until.aborted) {
      const entries = await doSomething(clients, client, random);
      for (const entry of entries) updateWorld(clients.world, entry);
      await sleep(random.integer(0, entries.some(isDiscouraging) ? HESITATION : THINKING));
    }
  };
  await Promise.all(Array.from({ length: options.count }, (_, client) => runOne(client)));
}

const isDiscouraging = ({ outcome }: LogEntry): boolean =>
  outcome.kind === 'unheard' ||
  (outcome.kind === 'open' && ['lost', 'unavailable'].includes(outcome.why));

async function doSomething(
  { world, log, send, codeOf }: Clients,
  client: number,
  random: Random,
): Promise<LogEntry[]> {
  const name = random.weighted(weights);
  const [, make] = operations[name] ?? [];
  const call = await (make?.({ random, world, codeOf }) ?? again(log, random));
  if (!call) return [];
  if (name === 'repeat twice at once') {
    return Promise.all([send(client, call), send(client, call)]);
  }
  const isChanged = name === 'change under the same key';
  return [await send(client, isChanged ? changedCall(random, world, call) : call)];
}

/** A call that somebody has sent before. */
function again(log: ClientLog, random: Random): ClientCall | undefined {
  const sent = log.entries.slice(-REMEMBERED).filter(({ call }) => call.key !== undefined);
  return sent.length === 0 ? undefined : random.pick(sent).call;
}
