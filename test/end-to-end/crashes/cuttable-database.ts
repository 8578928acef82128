import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A way to PostgreSQL that is cut when told to: after a message of ours that holds `text` has been
 * carried out, its answer is dropped together with the connection, so that nobody here knows.
 */
export async function makeCuttableDatabase(url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let wanted: { readonly text: string; cut: () => void } | undefined;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isLost = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let onCut = () => {};
    client.on('data', (bytes) => {
      if (wanted && !isLost && bytes.includes(wanted.text)) {
        isLost = true;
        onCut = wanted.cut;
        wanted = undefined;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!isLost) {
        client.write(bytes);
        return;
      }
      // PostgreSQL has answered, so it is done; the answer goes no further.
      onCut();
      client.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);

  return {
    url: through.href,
    /** Resolves when the next message that holds the text has lost its answer. */
    loseAnswerTo: (text: string) =>
      new Promise<void>((resolve) => {
        wanted = { text, cut: resolve };
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
