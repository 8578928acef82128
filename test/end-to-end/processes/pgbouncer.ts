import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../src/local/processes.ts';
import { superviseChild } from '../../harness/child-process.ts';
import { cachedTool, runInstallation } from '../../support/cached-tool.ts';
import { until } from '../../support/until.ts';

const INSTALLATION_SECONDS = 300;
/** For the hook of a file of tests that may be the first to need it. */
export const PGBOUNCER_LIMIT_MS = 2 * INSTALLATION_SECONDS * 1_000;

const installation = fileURLToPath(new URL('install-pgbouncer.sh', import.meta.url));

export interface Pgbouncer {
  /** The same database and login by way of PgBouncer. */
  pooled(databaseUrl: string): string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer before a server. Each transaction gets the connection that has been idle for longest, so that
 * two transactions of a client rarely share one.
 *
 * @param logins addresses of the server, one for each login
 * @throws an Error with the end of the output where the machine cannot have Debian's package
 */
export async function startPgbouncer(logins: readonly string[]): Promise<Pgbouncer> {
  const program = await cachedTool('pgbouncer-trixie', (folder) =>
    runInstallation(installation, [folder], INSTALLATION_SECONDS),
  );
  const folder = await mkdtemp(join(tmpdir(), 'voucher-topup-service-pgbouncer-'));
  const port = await freePort();
  const urls = logins.map((login) => new URL(login));
  await writeFile(
    join(folder, 'users.txt'),
    urls.map(({ username, password }) => `"${username}" "${password}"\n`).join(''),
  );
  await writeFile(join(folder, 'pgbouncer.ini'), settings(folder, port, urls[0]));
  // As root it takes another user, who reads the files.
  await chmod(folder, 0o755);
  const child = spawn(join(program, 'pgbouncer'), [join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-2_000);
  });
  const server = superviseChild(child);
  await Promise.race([
    until(() => reached(port)),
    server.ended.then((code) =>
      Promise.reject(new Error(`PgBouncer ended with ${code}:\n${output}`)),
    ),
  ]);
  return {
    pooled(databaseUrl) {
      const url = new URL(databaseUrl);
      url.port = String(port);
      return url.href;
    },
    async stop() {
      await server.kill();
      await rm(folder, { recursive: true });
    },
  };
}

/** The three lines from `pool_mode` on are those of docs/reference/database.md. */
const settings = (folder: string, port: number, server?: URL) => `
[databases]
* = host=${server?.hostname} port=${server?.port}
[pgbouncer]
pool_mode = transaction
max_prepared_statements = 200
ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout
server_round_robin = 1
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder}/users.txt
max_client_conn = 500
default_pool_size = 40
${process.getuid?.() === 0 ? 'user = nobody' : ''}
`;

const reached = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(void socket.destroy()));
    socket.once('error', reject);
  });
