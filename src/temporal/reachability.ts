import { connect } from 'node:net';

const PROBE_MS = 500;
const DEFAULT_PORT = 7233;

export type Reachability = ReturnType<typeof createReachability>;

/**
 * Whether a server accepts connections. The client's own calls fail only after seconds of retries,
 * and cannot tell whether the first attempt arrived. So after a failed call this probes the
 * connection first; a refused connection proves that nothing was sent.
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
    /** Called after a failed call; the next calls probe first. */
    doubt(): void {
      isDoubted = true;
    },

    /** Without doubt it costs nothing. Concurrent callers share one probe. */
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
