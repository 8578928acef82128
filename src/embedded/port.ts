import { connect, createServer } from 'node:net';

/** A port cannot be used; the message names its setting. */
export class PortUnavailableError extends Error {
  override readonly name = 'PortUnavailableError';
}

/** The system's error code; undefined when the port is usable. */
function whyUnusable(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      probe.close(() => resolve(undefined));
    });
  });
}

/**
 * Checks that a server can listen on a loopback port before it is started.
 *
 * @param settingName the setting a person changes to use another port, such as `PORT`
 * @throws {PortUnavailableError}
 */
export async function requireFreePort(port: number, settingName: string): Promise<void> {
  const reason = await whyUnusable(port);
  if (reason === undefined) return;
  const state = reason === 'EADDRINUSE' ? 'taken' : `not usable (${reason})`;
  throw new PortUnavailableError(`Port ${port} is ${state}: set ${settingName} to another one`);
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
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    given += 1;
    const port = 20_000 + (given % 10_000);
    if ((await whyUnusable(port)) === undefined) return port;
  }
  throw new PortUnavailableError('No free port was found between 20000 and 30000');
}
