import { connect } from 'node:net';

const PROBE_MS = 500;
const DEFAULT_PORT = 7233;

export type Reachability = ReturnType<typeof createReachability>;

/**
 * Whether a server takes connections at all. The client's own calls find out only after seconds of
 * trying again, and cannot tell whether the first try arrived; so after one has failed, a connection
 * is tried first, and a refused one says for certain that nothing was sent.
 */
export function createReachability(address: string) {
  let isDoubted = false;
  let probing: Promise<boolean> | undefined;

  async function probe(): Promise<boolean> {
    const answers = await takesConnections(address);
    if (answers) isDoubted = false;
    probing = undefined;
    return answers;
  }

  return {
    /** Told of a call that found nobody; the next ones look first. */
    doubt(): void {
      isDoubted = true;
    },

    /** Costs nothing while there is no doubt. Those who ask at the same time look once. */
    isReachable(): Promise<boolean> | true {
      if (!isDoubted) return true;
      probing ??= probe();
      return probing;
    },
  };
}

const takesConnections = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(`tcp://${address}`);
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port || DEFAULT_PORT), timeout: PROBE_MS });
    const end = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
