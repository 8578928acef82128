import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type AddressMatcher, addressGroup } from '../access/source-address.ts';

/** Limits on the open connections of a server. */
export interface ConnectionLimits {
  /** In total; the server closes further connections unread. */
  readonly total: number;
  /** Per address, trusted proxies excepted. An IPv6 network counts as one address. */
  readonly perAddress: number;
  /** Reserved for addresses with few connections and for trusted proxies; at most a quarter. */
  readonly reserve: number;
  readonly isTrustedProxy: AddressMatcher;
}

/** An address with at most this many connections may use the reserve: a browser opens six. */
const FEW_CONNECTIONS = 8;

/**
 * Closes connections beyond the limits, unread, so that a few addresses cannot take all connections
 * (fault F66). Callers behind a trusted proxy share its address, so only the total limits them.
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
    // A socket that is already closed has no address.
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
