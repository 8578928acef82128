import type { z } from 'zod';
import { usesTls } from '../runtime/temporal/temporal-server.ts';
import type { temporalSettings } from './settings/temporal-settings.ts';

type Settings = Partial<z.infer<z.ZodObject<typeof temporalSettings>>> & {
  readonly ENVIRONMENT?: 'test' | 'production';
  readonly TRUST_UNENCRYPTED_NETWORK?: 'yes' | 'no';
  readonly DATABASE_URL?: string | undefined;
  readonly DATABASE_READ_URL?: string | undefined;
  readonly WORKER_DATABASE_URL?: string | undefined;
};

const databaseSettingNames = ['DATABASE_URL', 'DATABASE_READ_URL', 'WORKER_DATABASE_URL'] as const;
type DatabaseSetting = (typeof databaseSettingNames)[number];

/** Modes in which the server must encrypt; some also verify its identity. */
const SSL_MODES = ['require', 'verify-ca', 'verify-full'];

export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

const mayBeInClear = ({ ENVIRONMENT, TRUST_UNENCRYPTED_NETWORK }: Settings): boolean =>
  ENVIRONMENT !== 'production' || TRUST_UNENCRYPTED_NETWORK === 'yes';

function isDatabaseSafe(settings: Settings, name: DatabaseSetting): boolean {
  const { [name]: text } = settings;
  if (mayBeInClear(settings) || text === undefined || text.startsWith('/')) return true;
  if (!URL.canParse(text)) return false;
  const { hostname, searchParams } = new URL(text);
  const host = searchParams.get('host') ?? hostname;
  // An empty name or a path is a socket in the file system.
  if (host === '' || decodeURIComponent(host).startsWith('/') || isLoopback(host)) return true;
  return SSL_MODES.includes(searchParams.get('sslmode') ?? '');
}

function isTemporalSafe(settings: Settings): boolean {
  const { TEMPORAL_ADDRESS: address } = settings;
  if (mayBeInClear(settings) || address === undefined) return true;
  return usesTls(settings) || isLoopback(address.replace(/:\d+$/, ''));
}

const UNLESS =
  'or, on a network without other participants, set TRUST_UNENCRYPTED_NETWORK to "yes"';

/**
 * The rules of production for connections (design 10): an attacker between the service and
 * PostgreSQL or Temporal could read amounts and numbers, and move money.
 */
export const connectionRules: readonly {
  readonly isKept: (settings: Settings) => boolean;
  readonly path: [string];
  readonly message: string;
}[] = [
  ...databaseSettingNames.map((name) => ({
    isKept: (settings: Settings) => isDatabaseSafe(settings, name),
    path: [name] as [string],
    message: `is on another machine and not encrypted: add sslmode=verify-full, ${UNLESS}`,
  })),
  {
    isKept: isTemporalSafe,
    path: ['TEMPORAL_ADDRESS'],
    message: `is on another machine and not encrypted: set TEMPORAL_TLS to "on", ${UNLESS}`,
  },
  {
    isKept: ({ TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY }) =>
      (TEMPORAL_TLS_CERT === undefined) === (TEMPORAL_TLS_KEY === undefined),
    path: ['TEMPORAL_TLS_CERT'],
    message: 'and TEMPORAL_TLS_KEY belong together: set both',
  },
];
