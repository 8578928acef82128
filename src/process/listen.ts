import type { AddressInfo, Server } from 'node:net';

/**
 * Listens, and answers the port; rejects where that is impossible. Later a server tells of connections
 * that it could not accept, such as when the process has no more files: `onError` hears of each, since
 * an error that nobody hears ends the process.
 */
export const listen = (
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  onError: (error: Error) => void,
): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      server.on('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
