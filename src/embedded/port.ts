import { connect, createServer } from 'node:net';

/** Why a server cannot listen on a loopback port, as the system's error code; undefined where it can. */
export function whyUnusable(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      probe.close(() => resolve(undefined));
    });
  });
}

/** Whether so many ports in a row, from the first on, can all be used. */
export async function areUsable(first: number, count: number): Promise<boolean> {
  const ports = Array.from({ length: count }, (_, place) => first + place);
  return (await Promise.all(ports.map(whyUnusable))).every((reason) => reason === undefined);
}

/** Whether something accepts connections at `host:port`. */
export function isListening(address: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${address}`);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const settle = (isAccepted: boolean) => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

/** Processes that start together begin far from each other, since their numbers follow one another. */
const DISTANCE = 97;
let given = process.pid * DISTANCE;

/**
 * A free loopback port for a server that cannot choose one itself. It is below the range of
 * outgoing connections, and a process is given it once, so it is unlikely to be taken before its use.
 */
export const freePort = (): Promise<number> => freePorts(1);

/** The first of so many free ports in a row; the same holds for them. */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const first = 20_000 + (given % 10_000);
    given += count;
    if (await areUsable(first, count)) return first;
  }
  throw new Error(`No ${count} free ports in a row were found between 20000 and 30000`);
}
