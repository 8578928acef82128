import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config/config.ts';
import { withinTime } from '../../runtime/process/within-time.ts';
import { type AddressMatcher, addressGroup } from '../access/source-address.ts';

/** Limits on the open connections of a server. */
export type ConnectionLimits = Pick<
  Config['http'],
  'connectionLimit' | 'connectionsPerAddress' | 'connectionReserve'
>;

/** An address with at most this many connections may use the reserve: a browser opens six. */
const FEW_CONNECTIONS = 8;

/**
 * Closes connections beyond the limits, unread, so that a few addresses cannot take all connections
 *. Callers behind a trusted proxy share its address, so only the total limits them.
 */
export function limitConnections(
  server: Server,
  { connectionLimit: total, connectionsPerAddress, connectionReserve }: ConnectionLimits,
  isTrustedProxy: AddressMatcher,
): void {
  const unreserved = total - Math.min(connectionReserve, Math.floor(total / 4));
  const ofGroups = createRunningCounts();
  let open = 0;
  server.maxConnections = total;

  const isTooMany = (ofAddress: number): boolean =>
    ofAddress > connectionsPerAddress || (open > unreserved && ofAddress > FEW_CONNECTIONS);

  server.on('connection', (socket: Socket) => {
    // A socket that is already closed has no address.
    const address = socket.remoteAddress ?? '';
    const group = isTrustedProxy(address) ? undefined : addressGroup(address);
    open += 1;
    if (group !== undefined) ofGroups.begin(group);
    socket.once('close', () => {
      open -= 1;
      if (group !== undefined) ofGroups.end(group);
    });
    if (isTooMany(group === undefined ? 0 : ofGroups.of(group))) socket.destroy();
  });
}

/**
 * Counts the running work of each subject in this process, and notifies waiters. A subject without running or waiting
 * work uses no memory.
 */
export function createRunningCounts() {
  const counts = new Map<string, number>();
  const ends = new Map<string, PromiseWithResolvers<void>>();

  const add = (subject: string, difference: 1 | -1): void => {
    const count = (counts.get(subject) ?? 0) + difference;
    if (count > 0) counts.set(subject, count);
    else counts.delete(subject);
  };
  return {
    of: (subject: string): number => counts.get(subject) ?? 0,
    begin(...subjects: readonly string[]): void {
      for (const subject of subjects) add(subject, 1);
    },
    end(...subjects: readonly string[]): void {
      for (const subject of subjects) {
        add(subject, -1);
        ends.get(subject)?.resolve();
        ends.delete(subject);
      }
    },
    /** Resolves when work of the subject ends, or after `waitMs`. */
    nextEnd(subject: string, waitMs: number): Promise<void> {
      const end = ends.get(subject) ?? Promise.withResolvers<void>();
      ends.set(subject, end);
      return withinTime(waitMs, end.promise, () => {});
    },
  };
}
