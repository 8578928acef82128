import { randomInt } from 'node:crypto';
import { copyFile, mkdir, readFile, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningPostgres, startPostgres, withSession } from '../../../src/local/postgres.ts';
import { runProgram } from '../../../src/local/processes.ts';
import { launchTemporal, type TemporalProcess } from '../../../src/local/temporal-server.ts';
import { silentProgress } from '../../../src/runtime/process/progress.ts';
import { type Compose, composeEnvironment } from '../../config/compose-file.ts';
import { type ServiceProcess, startProcess } from '../../harness/service-process.ts';
import { call } from '../../support/clients.ts';
import { findReleasedTemporal } from '../../support/released-temporal/find-programs.ts';
import { until } from '../../support/until.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const STEP_SECONDS = 120;
/** Where the containers of Temporal find their files. */
const TEMPORAL_FOLDER = '/etc/temporal-service';

export interface ComposeEngine {
  /** Starts a container after those that it waits for, once; ends when it is as healthy as its check says. */
  up(name: string): Promise<void>;
  /** Runs a container to its end, as an engine does at each `up`, or with words after its command. */
  run(name: string, words?: readonly string[]): Promise<number>;
  /** Where a container would be reached. */
  addressOf(name: string): string;
  /** Names in the order in which the containers were started. */
  readonly started: readonly string[];
  /** All that a container of the service has written. */
  output(name: string): string;
  stop(): Promise<void>;
}

/**
 * What an engine makes of docker-compose.yml, with processes in place of containers: each has its command and its
 * environment, and an address of loopback (127/8) in place of its name. PostgreSQL has a port of its
 * own, and Temporal's files a folder of their own.
 */
export async function createComposeEngine(
  compose: Compose,
  options: { readonly directory: string; readonly bundle: string },
): Promise<ComposeEngine> {
  const { directory, bundle } = options;
  const names = Object.keys(compose.services);
  const network = `127.${randomInt(1, 255)}.${randomInt(0, 256)}`;
  const programs = join(directory, 'bin');
  const processes = new Map<string, ServiceProcess>();
  const starts = new Map<string, Promise<void>>();
  const started: string[] = [];
  let postgres: RunningPostgres | undefined;
  let temporal: TemporalProcess | undefined;
  await installTemporal(programs);

  const addressOf = (name: string) => `${network}.${names.indexOf(name) + 1}`;
  const wordsOf = (name: string) => {
    const { entrypoint = [], command = [] } = compose.services[name] ?? {};
    return [...entrypoint, ...command].map((word) => word.replaceAll('$$', '$'));
  };

  /** The environment of a container, with addresses in place of the names of its network. */
  function environmentOf(name: string): Record<string, string> {
    const database = new URL(postgres?.url ?? 'postgres://postgres:5432');
    const translate = (text: string) =>
      names
        .reduce(
          (value, other) =>
            value.replaceAll(new RegExp(`\\b${other}(?=:\\d)`, 'g'), addressOf(other)),
          text.replaceAll('postgres:5432', database.host),
        )
        .replace(/^0\.0\.0\.0$/, addressOf(name))
        .replace(/^\/(promo-images|books)$/, directory);
    const environment = Object.fromEntries(
      Object.entries(composeEnvironment(compose, name)).map(([key, text]) => [
        key,
        translate(text),
      ]),
    );
    if (environment.SQL_HOST === 'postgres')
      Object.assign(environment, { SQL_HOST: database.hostname, SQL_PORT: database.port });
    return environment;
  }

  async function startDatabase(): Promise<void> {
    postgres = await startPostgres({
      dataDirectory: join(directory, 'postgres'),
      port: 0,
      settings: { max_connections: maxConnections(wordsOf('postgres')) },
      progress: silentProgress,
    });
    await initialise(postgres.url, compose);
  }

  async function startTemporal(): Promise<void> {
    const folder = join(directory, 'temporal');
    await mkdir(folder);
    for (const name of ['temporal-server', 'temporal-dynamic-config']) {
      const file = compose.configs[name]?.file ?? '';
      await copyFile(join(root, file), join(folder, basename(file)));
    }
    const [program = '', ...words] = wordsOf('temporal').map((word) =>
      word.replace(TEMPORAL_FOLDER, folder),
    );
    temporal = await launchTemporal(join(programs, program), words, directory, {
      ...environmentOf('temporal'),
      // Each part of the server is on the one address of the container.
      BROADCAST_ADDRESS: addressOf('temporal'),
      DYNAMIC_CONFIG_FILE: join(folder, 'dynamic-config.yaml'),
    });
  }

  const startService = (name: string, words: readonly string[] = []) => {
    const script = wordsOf(name).find((word) => word.startsWith('src/')) ?? '';
    const environment = { ...environmentOf(name), WORKFLOW_BUNDLE: bundle };
    const child = startProcess(script.replace(/\.js$/, '.ts'), environment, words);
    processes.set(name, child);
    return child;
  };

  const starters: Record<string, () => Promise<void>> = {
    postgres: startDatabase,
    temporal: startTemporal,
  };

  async function run(name: string, more: readonly string[] = []): Promise<number> {
    if (name !== 'temporal-schema') return Number(await startService(name, more).ended);
    const [program = '', ...words] = wordsOf(name);
    const environment = { ...environmentOf(name), PATH: `${programs}:${process.env.PATH}` };
    const { exitCode } = await runProgram(program, words, {
      timeoutSeconds: STEP_SECONDS,
      environment,
    });
    return exitCode ?? -1;
  }

  /** The health check of a container, by what its command asks. */
  async function becomesHealthy(name: string): Promise<void> {
    const words = compose.services[name]?.healthcheck?.test ?? [];
    const [, program, script, port = '3000'] = words;
    if (name === 'postgres') return;
    if (program === 'nc') return until(() => accepts(addressOf(name), Number(words.at(-1))));
    if (script !== 'check-health.mjs') throw new Error(`The check of ${name} is not known`);
    await until(async () => {
      const { status } = await call(`http://${addressOf(name)}:${port}/health/ready`);
      if (status !== 200) throw new Error(`${name}: ${status}\n${processes.get(name)?.output()}`);
    });
  }

  async function bring(name: string): Promise<void> {
    const { depends_on = {}, healthcheck } = compose.services[name] ?? {};
    const awaited = Object.entries(depends_on);
    await Promise.all(awaited.map(([other]) => up(other)));
    started.push(name);
    if (awaited.length > 0 && isAwaitedToEnd(name)) {
      const code = await run(name);
      if (code !== 0)
        throw new Error(`${name} ended with ${code}\n${processes.get(name)?.output()}`);
      return;
    }
    await (starters[name] ?? (async () => void startService(name)))();
    if (healthcheck?.test) await becomesHealthy(name);
  }

  const isAwaitedToEnd = (name: string) =>
    Object.values(compose.services).some(
      ({ depends_on }) => depends_on[name]?.condition === 'service_completed_successfully',
    );

  function up(name: string): Promise<void> {
    const start = starts.get(name) ?? bring(name);
    starts.set(name, start);
    return start;
  }

  return {
    up,
    run,
    addressOf,
    started,
    output: (name) => processes.get(name)?.output() ?? '',
    async stop() {
      await Promise.all([...processes.values()].map((each) => each.stop()));
      await temporal?.stop();
      await postgres?.stop();
    },
  };
}

async function installTemporal(folder: string): Promise<void> {
  const { server, sqlTool } = await findReleasedTemporal();
  await mkdir(folder);
  await symlink(server, join(folder, 'temporal-server'));
  await symlink(sqlTool, join(folder, 'temporal-sql-tool'));
}

const maxConnections = (words: readonly string[]): string =>
  words.find((word) => word.startsWith('max_connections='))?.split('=')[1] ?? '100';

/** Makes the roles and databases as the script of an empty volume does, with its variables filled in. */
async function initialise(url: string, compose: Compose): Promise<void> {
  const script = await readFile(join(root, compose.configs.databases?.file ?? ''), 'utf8');
  const [, statements = ''] = /<<'SQL'\n([\s\S]*)\nSQL/.exec(script) ?? [];
  const passwords = composeEnvironment(compose, 'postgres');
  await withSession(url, async (client) => {
    for (const statement of statements
      .replaceAll(/^--.*$/gm, '')
      .split(';')
      .slice(0, -1))
      await client.query(
        statement.replace(/:'(\w+)_password'/, (_all, role: string) =>
          client.escapeLiteral(passwords[`${role.toUpperCase()}_DATABASE_PASSWORD`] ?? ''),
        ),
      );
  });
}

const accepts = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
