import { chown, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type CommandResult, runCommand } from './command.ts';

/** PostgreSQL's programs need no environment, and a person's PG* variables would affect them. */
const ENVIRONMENT = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' };

/** The account of PostgreSQL's programs. */
export interface PostgresAccount {
  /** Runs one of PostgreSQL's programs, outside our process group. */
  run(file: string, commandArguments: readonly string[]): Promise<CommandResult>;
  /** Gives a file or folder to the account. */
  own(path: string): Promise<void>;
}

/** Every account can enter the root folder; our working directory may be closed. */
const OPTIONS = { timeoutSeconds: 180, environment: ENVIRONMENT, directory: '/', detached: true };

const ordinaryAccount: PostgresAccount = {
  run: (file, commandArguments) => runCommand(file, commandArguments, OPTIONS),
  own: () => Promise.resolve(),
};

async function numberOf(option: '-u' | '-g'): Promise<number | undefined> {
  const { exitCode, output } = await runCommand('id', [option, 'postgres'], { timeoutSeconds: 10 });
  return exitCode === 0 ? Number(output) : undefined;
}

/** The ids of the user `postgres`, created where it does not exist. */
async function postgresUser(): Promise<{ userId: number; groupId: number }> {
  if ((await numberOf('-u')) === undefined) {
    const commandArguments = ['--system', '--user-group', '--no-create-home', 'postgres'];
    await runCommand('useradd', commandArguments, { timeoutSeconds: 30 }).catch(() => undefined);
  }
  const [userId, groupId] = await Promise.all([numberOf('-u'), numberOf('-g')]);
  if (userId !== undefined && groupId !== undefined) return { userId, groupId };
  throw new Error(
    'PostgreSQL refuses to run as root, and the user "postgres" could not be made. ' +
      'Start as another user, or set DATABASE_URL to a running PostgreSQL.',
  );
}

/** The file, or the folder above it, that ordinary users cannot access, if any. */
async function closedPart(file: string): Promise<string | undefined> {
  if (((await stat(file)).mode & 0o004) === 0) return file;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * The command prefix that runs a program as another user with access to all files. access(2), which
 * PostgreSQL uses to find its programs, respects that right only with the secure bit
 * `no_setuid_fixup`.
 */
const enteringAll = (userId: number, groupId: number): string[] => [
  'setpriv',
  ...[`--reuid=${userId}`, `--regid=${groupId}`, '--clear-groups'],
  '--securebits=+no_setuid_fixup',
  ...['--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override'],
];

async function isInstalled(program: string): Promise<boolean> {
  const result = await runCommand(program, ['--version'], { timeoutSeconds: 10 }).catch(() => null);
  return result?.exitCode === 0;
}

/**
 * The account for a data folder. PostgreSQL refuses to run as root, so root uses the owner of an
 * existing data folder, else the user `postgres`. If this user may not enter the project's folder,
 * such as /root, the tool `setpriv` grants the right.
 *
 * @param dataDirectory absolute; may not exist yet @param programs absolute paths of files that
 * PostgreSQL reads
 */
export async function postgresAccount(
  dataDirectory: string,
  programs: readonly string[],
): Promise<PostgresAccount> {
  if (process.getuid?.() !== 0) return ordinaryAccount;
  const existing = await stat(dataDirectory).catch(() => undefined);
  const { userId, groupId } =
    existing === undefined || existing.uid === 0
      ? await postgresUser()
      : { userId: existing.uid, groupId: existing.gid };

  const read = [...programs, dirname(dataDirectory)];
  const closed = (await Promise.all(read.map(closedPart))).find((path) => path !== undefined);
  const plain = closed === undefined;
  if (!plain && !(await isInstalled('setpriv'))) {
    throw new Error(
      `PostgreSQL refuses to run as root, and the user "postgres" may not enter ${closed}. ` +
        'Install setpriv (util-linux), start as another user, or set DATABASE_URL.',
    );
  }
  const prefix = plain ? [] : enteringAll(userId, groupId);
  return {
    run(file, commandArguments) {
      const [first = file, ...rest] = [...prefix, file, ...commandArguments];
      return runCommand(first, rest, plain ? { ...OPTIONS, userId, groupId } : OPTIONS);
    },
    own: (path) => chown(path, userId, groupId),
  };
}
