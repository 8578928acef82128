import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The secret settings of a stack on one machine (src/config/config.ts). */
export interface Secrets {
  readonly ACCESS_TOKEN_PRIVATE_KEY: string;
  readonly DIGEST_KEY: string;
  readonly DATA_KEYS: string;
  readonly PAYLOAD_KEYS: string;
  readonly COPY_KEYS: string;
}

/**
 * The secrets in `secrets.json` of the data folder. They are created on the first start and kept,
 * because the codes in the database cannot be decrypted without them.
 */
export async function readOrMakeSecrets(dataDirectory: string): Promise<Secrets> {
  const file = join(dataDirectory, 'secrets.json');
  const known = await readSecrets(file);
  if (known) return known;
  const secrets = makeSecrets();
  // Written atomically, even if the process ends.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
  return secrets;
}

async function readSecrets(file: string): Promise<Secrets | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Fresh secrets. */
export function makeSecrets(): Secrets {
  const { privateKey } = generateKeyPairSync('ed25519');
  const symmetricKey = () => randomBytes(32).toString('base64');
  return {
    ACCESS_TOKEN_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    DIGEST_KEY: symmetricKey(),
    DATA_KEYS: `data-1:${symmetricKey()}`,
    PAYLOAD_KEYS: `payload-1:${symmetricKey()}`,
    COPY_KEYS: `copy-1:${symmetricKey()}`,
  };
}
