import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a provider that can fail. */
export interface CuttableWay {
  /** Where the provider is to be called. */
  readonly url: string;
  /** Says where the way leads, because the provider may be started later. */
  setTarget(url: string): void;
  /** Refuses connections from now on, so that a request provably does not arrive. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Takes connections and requests and passes nothing on, in neither direction. */
  hang(): void;
  /** Ends what hangs, broken off, and lets new connections through. */
  flow(): void;
  close(): Promise<void>;
}

/** Makes a way that leads through, once it has a target. */
export async function makeCuttableWay(): Promise<CuttableWay> {
  let targetPort = 0;
  let isHanging = false;
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
      if (!isHanging) end.pipe(other);
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
    setTarget(url) {
      targetPort = Number(new URL(url).port);
    },
    cut,
    async restore() {
      server = await listen(port);
    },
    hang() {
      isHanging = true;
      for (const socket of sockets) socket.unpipe();
    },
    flow() {
      isHanging = false;
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      if (server.listening) await cut();
    },
  };
}
