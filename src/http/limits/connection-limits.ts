import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type AddressMatcher, addressGroup } from '../access/source-address.js';

/** How many connections a server keeps open, and for whom. */
export interface ConnectionLimits {
  /** In all; further ones are closed unread. */
  readonly total: number;
  /** Of one address, unless a trusted proxy has it. A network of IPv6 counts as one address. */
  readonly perAddress: number;
  /** Kept free for addresses with few connections and for trusted proxies; a quarter at most. */
  readonly reserve: number;
  readonly isTrustedProxy: AddressMatcher;
}

/** An address with at most so many connections may use the reserve: a browser opens six. */
const FEW_CONNECTIONS = 8;

/**
 * Closes connections beyond the limits, unread, so that one address, or a few, can never take the
 * places of all others (fault F66). Callers behind a trusted proxy share its address, which is
 * therefore limited by the total alone.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { total, perAddress, isTrustedProxy } = limits;
  const unreserved = total - Math.min(limits.reserve, Math.floor(total / 4));
  const counts = new Map<string, number>();
  let open = 0;
  server.maxConnections = total;

  const isTooMany = (ofAddress: number): boolean =>
    ofAddress > perAddress || (open > unreserved && ofAddress > FEW_CONNECTIONS);

  server.on('connection', (socket: Socket) => {
    // Whoever is gone already has no address.
    const address = socket.remoteAddress ?? '';
    const group = isTrustedProxy(address) ? undefined : addressGroup(address);
    const ofAddress = group === undefined ? 0 : (counts.get(group) ?? 0) + 1;
    open += 1;
    if (group !== undefined) counts.set(group, ofAddress);
    socket.once('close', () => {
      open -= 1;
      if (group === undefined) return;
      const left = (counts.get(group) ?? 1) - 1;
      if (left > 0) counts.set(group, left);
      else counts.delete(group);
    });
    if (isTooMany(ofAddress)) socket.destroy();
  });
}
