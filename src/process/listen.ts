import type { AddressInfo, Server } from 'node:net';

/**
 * Listens, and answers the port; rejects where that is impossible. A running server emits an error
 * for each connection that it could not accept, for example without free file descriptors:
 * `onError` handles them, since an unhandled error ends the process.
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
