import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

const BLOCK_SIZE = 8;
const PARALLELISM = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Of libuv's four threads; each hash at the usual cost takes 128 MiB of memory. */
const CONCURRENT_HASHES = 2;
/** At the usual cost the last of them waits some four seconds. */
const MAXIMUM_WAITING = 20;

/** The cost that is set where no other is: N = 2^17 (RFC 7914, with r = 8). */
export const USUAL_PASSWORD_COST = 17;

/** So many hashes wait that another would take too long: try again in a moment. */
export class TooManyHashesError extends Error {
  override readonly name = 'TooManyHashesError';
}

export type PasswordHashes = ReturnType<typeof createPasswordHashes>;

/**
 * Hashes of passwords by scrypt, which needs much memory on purpose, so only a few are made at a
 * time. A hash is text with its parameters, "scrypt$17$8$1$salt$hash", so that old ones stay valid
 * when `cost` (the power of two of scrypt's N) is raised.
 */
export function createPasswordHashes(cost: number) {
  const turns = createTurns();
  const derive = (password: string, parameters: Parameters, salt: Buffer) =>
    turns(() => deriveKey(password, parameters, salt));

  const own: Parameters = { cost, blockSize: BLOCK_SIZE, parallelism: PARALLELISM };
  /** Nothing fits it, and finding that out takes as long as with any other. */
  const unknown: ParsedHash = {
    parameters: own,
    salt: randomBytes(SALT_BYTES),
    hash: randomBytes(HASH_BYTES),
  };

  async function make(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await derive(password, own, salt);
    const parameters = `scrypt$${cost}$${BLOCK_SIZE}$${PARALLELISM}`;
    return `${parameters}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  }

  return {
    make,
    /**
     * Whether a password fits a hash. Without a hash the answer is no, after the same work, so that
     * nobody learns from the time whether an account exists.
     */
    async fits(password: string, hash: string | null | undefined): Promise<boolean> {
      const parsed = typeof hash === 'string' ? parse(hash) : unknown;
      const derived = await derive(password, parsed.parameters, parsed.salt);
      return timingSafeEqual(derived, parsed.hash) && typeof hash === 'string';
    },
    /** Whether a hash was made at another cost and should be made anew. */
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

function deriveKey(password: string, parameters: Parameters, salt: Buffer): Promise<Buffer> {
  const { cost, blockSize, parallelism } = parameters;
  const N = 2 ** cost;
  const options: ScryptOptions = {
    N,
    r: blockSize,
    p: parallelism,
    // Twice what the algorithm uses; Node.js refuses more than 32 MiB unless told.
    maxmem: 256 * N * blockSize,
  };
  // The same character can be typed in several ways.
  const text = password.normalize('NFKC');
  return new Promise((resolve, reject) => {
    scrypt(text, salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** Lets a few run at a time; the others wait in order, and too many are refused. */
function createTurns() {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < CONCURRENT_HASHES) running += 1;
    else if (waiting.length >= MAXIMUM_WAITING) throw new TooManyHashesError();
    // Whoever ends hands its turn on, so the count stays.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
