import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A way to a provider that can be cut: while it is, connections are refused, so a request provably
 * does not arrive. `setTarget` says where it leads, because the provider may be started later.
 */
export async function makeCuttableWay() {
  let targetPort = 0;
  const sockets = new Set<Socket>();
  const connectThrough = (socket: Socket) => {
    const onward = connect(targetPort, '127.0.0.1');
    for (const [end, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(end);
      end.on('error', () => other.destroy());
      end.on('close', () => {
        sockets.delete(end);
        other.destroy();
      });
      end.pipe(other);
    }
  };
  const listen = async (port: number): Promise<Server> => {
    const server = createServer(connectThrough).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;

  async function cut(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    setTarget(url: string) {
      targetPort = Number(new URL(url).port);
    },
    cut,
    async restore() {
      server = await listen(port);
    },
  };
}
