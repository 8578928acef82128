import { randomBytes, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { createHashTurns, type HashPriority } from './digests.ts';

interface ScryptWork {
  readonly text: string;
  readonly salt: Buffer;
  readonly length: number;
  readonly options: ScryptOptions;
}

type Answer = { readonly key: Uint8Array } | { readonly problem: string };

/** An idle thread ends after this time, and never keeps the process alive. */
const IDLE_MS = 10_000;

/**
 * Computes scrypt in separate threads. In libuv's four threads, which also read files and resolve
 * names, each hash would occupy one for half a second. There is one thread per concurrent
 * computation; the caller limits these. `nicerBy` lowers their scheduling priority (Linux; 3 is
 * half the weight).
 */
function createScryptThreads(options: {
  readonly nicerBy: number;
}): (work: ScryptWork) => Promise<Buffer> {
  const idle = new Map<Worker, NodeJS.Timeout>();

  function takeThread(): Worker {
    const [known] = idle.keys();
    if (known === undefined)
      return new Worker(new URL('./scrypt-thread.cjs', import.meta.url), {
        execArgv: [],
        workerData: options,
      });
    clearTimeout(idle.get(known));
    idle.delete(known);
    known.ref();
    return known;
  }

  function leaveIdle(thread: Worker): void {
    thread.unref();
    const end = (): void => {
      idle.delete(thread);
      void thread.terminate();
    };
    idle.set(thread, setTimeout(end, IDLE_MS).unref());
  }

  return (work) =>
    new Promise((resolve, reject) => {
      const thread = takeThread();
      const fail = (error: unknown): void =>
        reject(error instanceof Error ? error : new Error('A hashing thread has ended'));
      const finish = (answer: Answer): void => {
        // Removes only our listeners; the thread needs its own to receive messages.
        thread.off('error', fail).off('exit', fail);
        leaveIdle(thread);
        if ('key' in answer) resolve(Buffer.from(answer.key));
        else reject(new Error(`A password could not be hashed: ${answer.problem}`));
      };
      thread.once('message', finish).once('error', fail).once('exit', fail);
      thread.postMessage(work);
    });
}

const BLOCK_SIZE = 8;
const PARALLELISM = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** At the usual cost each hash takes 128 MiB of memory and a thread for half a second. */
const USUAL_THREADS = 2;
/** At the usual cost the last of them waits about four seconds. */
const MAXIMUM_WAITING = 20;

/** The default cost: N = 2^17 (RFC 7914, with r = 8). */
export const USUAL_PASSWORD_COST = 17;

export type PasswordHashes = ReturnType<typeof createPasswordHashes>;

/**
 * Hashes passwords with scrypt, which needs much memory on purpose. Only a few hashes run at a
 * time, in separate threads; TooManyHashesError when too many are waiting. A hash contains its
 * parameters, "scrypt$17$8$1$salt$hash", so that old ones stay valid when `cost` (the power of two
 * of scrypt's N) is raised.
 */
export function createPasswordHashes(cost: number, threads = USUAL_THREADS) {
  const inTurn = createHashTurns({ running: threads, waitingOfAKind: MAXIMUM_WAITING });
  const compute = {
    known: createScryptThreads({ nicerBy: 0 }),
    // A flood of unknown browsers must leave the processors to the requests of the APIs.
    stranger: createScryptThreads({ nicerBy: 3 }),
  };
  const derive = (
    password: string,
    parameters: Parameters,
    salt: Buffer,
    priority: HashPriority,
  ): Promise<Buffer> =>
    inTurn(priority, () => compute[priority](scryptOf(password, parameters, salt)));

  const own: Parameters = { cost, blockSize: BLOCK_SIZE, parallelism: PARALLELISM };
  /** No password matches it, and the comparison takes the usual time. */
  const unknown: ParsedHash = {
    parameters: own,
    salt: randomBytes(SALT_BYTES),
    hash: randomBytes(HASH_BYTES),
  };

  async function make(password: string, priority: HashPriority = 'known'): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await derive(password, own, salt, priority);
    const parameters = `scrypt$${cost}$${BLOCK_SIZE}$${PARALLELISM}`;
    return `${parameters}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  }

  return {
    make,
    /**
     * Whether a password matches a hash. Without a hash the answer is no, after the same work, so
     * that the response time does not reveal whether an account exists.
     */
    async fits(
      password: string,
      hash: string | null | undefined,
      priority: HashPriority = 'known',
    ): Promise<boolean> {
      const parsed = typeof hash === 'string' ? parse(hash) : unknown;
      const derived = await derive(password, parsed.parameters, parsed.salt, priority);
      return timingSafeEqual(derived, parsed.hash) && typeof hash === 'string';
    },
    /** Whether a hash has a different cost and should be renewed. */
    isOutdated: (hash: string): boolean => parse(hash).parameters.cost !== cost,
  };
}

interface Parameters {
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelism: number;
}

interface ParsedHash {
  readonly parameters: Parameters;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const FORMAT = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/;

function parse(text: string): ParsedHash {
  const [, cost, blockSize, parallelism, salt = '', hash = ''] = FORMAT.exec(text) ?? [];
  if (cost === undefined) throw new Error('A password hash is not in a known format.');
  return {
    parameters: {
      cost: Number(cost),
      blockSize: Number(blockSize),
      parallelism: Number(parallelism),
    },
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
}

function scryptOf(password: string, parameters: Parameters, salt: Buffer): ScryptWork {
  const { cost, blockSize, parallelism } = parameters;
  const N = 2 ** cost;
  return {
    // One character can have several encodings.
    text: password.normalize('NFKC'),
    salt,
    length: HASH_BYTES,
    // Twice the memory of the algorithm; the default limit of Node.js is 32 MiB.
    options: { N, r: blockSize, p: parallelism, maxmem: 256 * N * blockSize },
  };
}
