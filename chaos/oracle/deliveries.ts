import { isDeepStrictEqual } from 'node:util';
import type { WebhookEvent } from '../../clients/typescript/src/index.ts';
import type { Database } from '../../src/db/connection.ts';
import type { ChaosReceiver } from '../receiver.ts';
import type { ToldEvent } from './voucher-replay.ts';

/**
 * Compares what receivers have accepted with the log of events (I17): every event came at least once
 * and as the log has it, those of one object in their order, and nothing else came. One line for each
 * that did not.
 */
export async function compareDeliveries(
  database: Database,
  logs: ReadonlyMap<string, readonly ToldEvent[]>,
  { accepted, wrong }: ChaosReceiver,
): Promise<string[]> {
  const rows = await database.selectFrom('redemptions').select('id').execute();
  const redemptions = new Set(rows.map(({ id }) => id));
  return [
    ...wrong,
    ...[...accepted].flatMap(([owner, events]) =>
      compareOne(logs.get(owner) ?? [], events, redemptions).map((fault) => `${owner}: ${fault}`),
    ),
  ];
}

function compareOne(
  log: readonly ToldEvent[],
  events: readonly WebhookEvent[],
  redemptions: ReadonlySet<number>,
): string[] {
  // A repetition may come late, after an interrupted attempt; the first acceptance counts.
  const first = new Map<string, WebhookEvent>();
  for (const event of events) if (!first.has(event.id)) first.set(event.id, event);
  const known = new Map(log.map((event) => [event.id, event]));
  const faults: string[] = [];
  const newest = new Map<string, number>();
  for (const event of first.values()) {
    const { id, type, subject, data } = event;
    const told = known.get(id);
    // A fault lets the database forget redemptions that their companies were told of.
    if (!told) {
      if (typeof data.redemptionId !== 'number' || redemptions.has(data.redemptionId))
        faults.push(`${id} (${type}) was delivered and is not in the log`);
    } else if (told.type !== type || !isDeepStrictEqual(told.data, data))
      faults.push(`${id} (${type}) was delivered otherwise than the log has it`);
    const number = Number(id.replace('evt_', ''));
    if (number < (newest.get(subject) ?? 0)) faults.push(`${id} of ${subject} came too late`);
    newest.set(subject, number);
  }
  for (const { id, type } of log)
    if (!first.has(id)) faults.push(`${id} (${type}) was never delivered`);
  return faults;
}
