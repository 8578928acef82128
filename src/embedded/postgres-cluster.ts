import { randomBytes } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type PostgresAccount, postgresAccount } from './postgres-account.ts';
import { findPostgresPrograms, type PostgresPrograms } from './postgres-programs.ts';

/** A database cluster on disk with everything needed to run it. */
export interface PostgresCluster {
  readonly directory: string;
  readonly password: string;
  readonly programs: PostgresPrograms;
  readonly account: PostgresAccount;
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

async function readOrMakePassword(file: string, account: PostgresAccount): Promise<string> {
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known !== '') return known.trim();
  const password = randomBytes(24).toString('base64url');
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  await account.own(file);
  return password;
}

/** The absolute path of a data folder, which its server is started with. */
export async function clusterDirectory(dataDirectory: string): Promise<string> {
  const parent = resolve(dirname(dataDirectory));
  await mkdir(parent, { recursive: true });
  return join(await realpath(parent), basename(dataDirectory));
}

/**
 * Opens a data folder: finds the programs, their account and the password. The password is created
 * on first use, in a file beside the folder named `<folder>.password`.
 */
export async function openCluster(dataDirectory: string): Promise<PostgresCluster> {
  const directory = await clusterDirectory(dataDirectory);
  const programs = await findPostgresPrograms();
  const account = await postgresAccount(directory, [programs.postgres, programs.template]);
  const password = await readOrMakePassword(`${directory}.password`, account);
  return { directory, password, programs, account };
}

/**
 * Creates the cluster under a temporary name, so that an interrupted start leaves no incomplete
 * one.
 */
export async function initialiseCluster(cluster: PostgresCluster, durable: boolean): Promise<void> {
  const { directory, programs, account } = cluster;
  if (await exists(join(directory, 'PG_VERSION'))) return;
  const unfinished = `${directory}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await account.own(unfinished);
  const { exitCode, output } = await account.run(programs.initdb, [
    `--pgdata=${unfinished}`,
    '--username=postgres',
    `--pwfile=${directory}.password`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ]);
  if (exitCode !== 0) throw new Error(`PostgreSQL's initdb failed:\n${output}`);
  await rename(unfinished, directory);
}
