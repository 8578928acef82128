import { execFile } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { openSslKeys } from '../../../support/openssl.ts';
import { findJava, findPython, javaProgram, type Tool } from './foreign-tools.ts';

/** A signature in its two forms; not always of the same numbers. */
export interface Signature {
  readonly der: Buffer;
  /** 64 bytes r‖s. */
  readonly compact: Buffer;
}

/** A merchant's own program with a key pair that it made itself. */
export interface ForeignSigner {
  /** The same public key, in the forms that the program writes. */
  readonly publicKeys: readonly string[];
  /** A signature of each of the texts. */
  sign(texts: readonly Buffer[]): Promise<readonly Signature[]>;
}

export interface ForeignProgram {
  readonly name: string;
  /** Undefined where the program is not on this machine and cannot be installed. */
  start(folder: string): Promise<ForeignSigner | undefined>;
}

export const foreignPrograms: readonly ForeignProgram[] = [
  { name: 'the openssl command', start: async (folder) => opensslSigner(folder) },
  {
    name: 'Python with cryptography',
    async start(folder) {
      const python = await findPython();
      return python && programSigner([...python, fileOf('./sign.py')], folder);
    },
  },
  {
    name: 'Java, or Java with Bouncy Castle',
    async start(folder) {
      const java = await findJava();
      return java && programSigner([...java, javaProgram], folder);
    },
  },
  { name: 'Node.js', start: async () => nodeSigner() },
  { name: '@noble/curves', start: async () => nobleSigner() },
];

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** OpenSSL makes a high s half of the time, and has no other form than DER. */
function opensslSigner(folder: string): ForeignSigner {
  const keys = openSslKeys(folder, 'private');
  return {
    publicKeys: [
      keys.publicPem(),
      keys.publicPem('-conv_form', 'compressed'),
      keys.publicPem('-param_enc', 'explicit'),
    ],
    sign: async (texts) =>
      texts.map((text) => {
        const der = keys.sign(text);
        const { r, s } = secp256k1.Signature.fromBytes(der, 'der');
        return { der, compact: Buffer.from(new secp256k1.Signature(r, s).toBytes('compact')) };
      }),
  };
}

/** Of `sign.py` and `Sign.java`, which say how they are spoken to. */
async function programSigner([command, ...args]: Tool, folder: string): Promise<ForeignSigner> {
  // The service runs in this process, too, and goes on meanwhile.
  const run = async (action: 'make' | 'sign', input = ''): Promise<string> => {
    const running = promisify(execFile)(command, [...args, action, folder]);
    running.child.stdin?.end(input);
    return (await running).stdout;
  };
  const decode = (text = '') => Buffer.from(text, 'base64');
  return {
    publicKeys: (await run('make')).split(/\n\s*\n/),
    async sign(texts) {
      const lines = texts.map((text) => `${text.toString('base64')}\n`);
      const output = await run('sign', lines.join(''));
      return output
        .trim()
        .split(/\r?\n/)
        .map((line) => {
          const [der, compact] = line.split(' ');
          return { der: decode(der), compact: decode(compact) };
        });
    },
  };
}

function nodeSigner(): ForeignSigner {
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return {
    publicKeys: [
      publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      der.toString('base64url'),
    ],
    sign: async (texts) =>
      texts.map((text) => ({
        der: sign('sha256', text, key),
        compact: sign('sha256', text, { key, dsaEncoding: 'ieee-p1363' }),
      })),
  };
}

/** Signs with a low s, and the high one is as good. */
function nobleSigner(): ForeignSigner {
  const { secretKey, publicKey } = secp256k1.keygen();
  const point = secp256k1.Point.fromBytes(publicKey);
  return {
    publicKeys: [point.toHex(true), point.toHex(false)],
    sign: async (texts) =>
      texts.map((text) => ({
        der: Buffer.from(secp256k1.sign(text, secretKey, { format: 'der' })),
        compact: Buffer.from(secp256k1.sign(text, secretKey, { lowS: false })),
      })),
  };
}
