import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The service's database on the server that `npm start` runs. */
export const LOCAL_DATABASE_NAME = 'voucher_topup';

/** The address of the service's database, derived from the address of its server. */
export function serviceDatabaseUrl(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.pathname = LOCAL_DATABASE_NAME;
  return url.href;
}

/** The line of PostgreSQL's pid file that names its port. */
const PORT_LINE = 3;

const PROVIDERS_FILE = 'providers.json';
const PROVIDER_SETTING = /^(SMS|SMPP|MOBILE_MONEY|MPESA|AIRTIME|RELOADLY|CALLBACK)_/;

/** Keeps the settings of the sandbox's providers for the command line. Only its owner may read them. */
export function writeProviderSettings(
  dataDirectory: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const own = Object.entries(settings).filter(([name]) => PROVIDER_SETTING.test(name));
  const text = `${JSON.stringify(Object.fromEntries(own), null, 2)}\n`;
  return writeFile(join(dataDirectory, PROVIDERS_FILE), text, { mode: 0o600 });
}

/**
 * The settings that `npm start` made for the servers of a data folder: its secrets, the addresses
 * of its database and of the Temporal UI, and the providers of its sandbox. Undefined where no database was started there, or it was stopped cleanly.
 */
export async function findLocalSettings(
  dataDirectory: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  const files = [
    'secrets.json',
    'postgres.password',
    'postgres/postmaster.pid',
    'demo.json',
    PROVIDERS_FILE,
  ];
  const [secrets, password, pidFile, demo, providers] = await Promise.all(
    files.map((name) => readIfThere(join(dataDirectory, name))),
  );
  const port = pidFile?.split('\n')[PORT_LINE];
  if (secrets === undefined || password === undefined || port === undefined) return undefined;
  const server = `postgres://postgres:${password.trim()}@127.0.0.1:${port.trim()}`;
  const { temporalUiUrl = '' } = JSON.parse(demo ?? '{}');
  return {
    ...JSON.parse(providers ?? '{}'),
    ...JSON.parse(secrets),
    DATABASE_URL: serviceDatabaseUrl(server),
    TEMPORAL_UI_URL: temporalUiUrl,
  };
}

/** The text of a file; undefined where there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
