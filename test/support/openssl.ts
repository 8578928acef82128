import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Runs the openssl command; what it prints. */
export const openSsl = (args: readonly string[], input?: Uint8Array): Buffer =>
  execFileSync('openssl', args, { input, stdio: ['pipe', 'pipe', 'ignore'] });

/** Keys and signatures exactly as a merchant makes them on the command line, in a folder. */
export function openSslKeys(folder: string, name: string, curve = 'secp256k1') {
  const file = join(folder, `${name}.pem`);
  openSsl(['ecparam', '-name', curve, '-genkey', '-noout', '-out', file]);
  /** The public key; `options` are those of `openssl ec`. */
  const publicPem = (...options: string[]) =>
    openSsl(['ec', '-in', file, '-pubout', ...options]).toString();
  /** A signature in DER. */
  const sign = (bytes: Uint8Array) => openSsl(['dgst', '-sha256', '-sign', file], bytes);
  return { file, publicPem, sign };
}
