import { join } from 'node:path';
import type { StartConfig } from '../../config/config.ts';
import {
  type LocalServerName,
  localPortsOf,
  localServers,
  PORTS_IN_A_ROW,
} from '../../config/local-ports.ts';
import { claimDataDirectory, DataDirectoryInUseError } from '../data-directory.ts';
import { findRunningPostgres } from '../postgres.ts';
import { areUsable, freePorts, whyUnusable } from '../processes.ts';
import { stopOrphanedTemporal } from '../temporal-server.ts';
import { folderWords } from './welcome.ts';

/** Something else uses the data folder or a port; the message has a command for a second stack. */
class PlaceTakenError extends Error {
  override readonly name = 'PlaceTakenError';
}

/**
 * Claims the data folder, and looks at every port before anything starts. A killed start is no obstacle: its
 * Temporal server is stopped here, and PostgreSQL will be adopted.
 *
 * @returns a function that gives the folder back
 * @throws {PlaceTakenError}
 */
export async function claimPlace(config: StartConfig): Promise<() => Promise<void>> {
  const claim = await claimDataDirectory(config.DATA_DIR).catch(ifFolderIsInUse);
  if (claim instanceof Error)
    throw await placeTaken(config, { folder: claim, ports: await takenPorts(config) });
  await stopOrphanedTemporal(config.DATA_DIR);
  const orphan = await findRunningPostgres(join(config.DATA_DIR, 'postgres'));
  const ports = (await takenPorts(config)).filter(
    ({ server, port }) => server !== 'database' || port !== orphan?.port,
  );
  if (ports.length === 0) return claim;
  await claim();
  throw await placeTaken(config, { ports });
}

function ifFolderIsInUse(error: unknown): Error {
  if (error instanceof DataDirectoryInUseError) return error;
  throw error;
}

interface TakenPort {
  readonly server: LocalServerName;
  readonly port: number;
  readonly reason: string;
}

/** The ports that this start needs and cannot have. */
async function takenPorts(config: StartConfig): Promise<TakenPort[]> {
  const ports = localPortsOf(config);
  const wanted = Object.values(ports);
  const looks = Object.keys(localServers).map(async (name): Promise<TakenPort[]> => {
    const server = name as LocalServerName;
    const { [server]: port } = ports;
    if (!port || isElsewhere(config, server)) return [];
    const isTwice = wanted.filter((other) => other === port).length > 1;
    const reason = isTwice ? 'twice' : await whyUnusable(port);
    return reason === undefined ? [] : [{ server, port, reason }];
  });
  return (await Promise.all(looks)).flat();
}

/** Whether a setting names a running server in its place. */
function isElsewhere(config: StartConfig, server: LocalServerName): boolean {
  if (server === 'database') return config.DATABASE_URL !== undefined;
  if (['temporal', 'temporalUi', 'codec'].includes(server))
    return config.TEMPORAL_ADDRESS !== undefined;
  return ['sandbox', 'smtp', 'smpp'].includes(server) && !needsSandbox(config);
}

/** Whether a provider has no address, so that the sandbox stands for it. */
export const needsSandbox = (config: StartConfig): boolean =>
  [
    config.SMS_URL,
    config.SMTP_URL,
    config.MOBILE_MONEY_URL,
    config.AIRTIME_URL,
    config.RELOADLY_URL,
  ].some((address) => address === undefined);

async function placeTaken(
  config: StartConfig,
  { folder, ports }: { readonly folder?: Error; readonly ports: readonly TakenPort[] },
): Promise<PlaceTakenError> {
  const base = ports.length === 0 ? config.PORT_BASE : await freeBase();
  const directory = folder
    ? `${config.DATA_DIR}-${base ?? localServers.api.usual}`
    : config.DATA_DIR;
  const line = [
    ...folderWords(directory),
    ...(base === undefined ? [] : [...ownPortWords(config, ports, base), `PORT_BASE=${base}`]),
    'npm start',
  ].join(' ');
  const names = ports.map(({ server, port, reason }) => {
    const title = `${port} (${localServers[server].title})`;
    return reason === 'EADDRINUSE' ? title : `${title} ${reason}`;
  });
  return new PlaceTakenError(
    [
      ...(folder ? [`${folder.message}.`] : []),
      ...(names.length === 0 ? [] : [`Taken: ${names.join(', ')}.`]),
      `To start a second stack:\n\n  ${line}\n`,
    ].join('\n'),
  );
}

/** A setting that names one taken port would keep it. */
const ownPortWords = (config: StartConfig, ports: readonly TakenPort[], base: number): string[] =>
  ports.flatMap(({ server }) => {
    const { setting } = localServers[server] as { setting?: keyof StartConfig };
    const place = Object.keys(localServers).indexOf(server);
    return setting && config[setting] !== undefined ? [`${setting}=${base + place}`] : [];
  });

const FIRST_BASE = 4_000;
const LAST_BASE = 30_000;

/** The first round number that is followed by free ports. */
async function freeBase(): Promise<number> {
  for (let base = FIRST_BASE; base <= LAST_BASE; base += 1_000)
    if (await areUsable(base, PORTS_IN_A_ROW)) return base;
  return freePorts(PORTS_IN_A_ROW);
}
