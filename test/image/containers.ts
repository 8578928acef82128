import { z } from 'zod';
import type { Environment } from '../../src/config/config.ts';
import { type Compose, readComposeFile } from '../config/compose-file.ts';
import { until } from '../support/until.ts';
import { type Container, type Engine, startEngine } from './engine.ts';

const BUILD_SECONDS = 1_200;
const BASE = 'localhost/node-base';
/** As in docker-compose.yml. */
const STOP_SECONDS = 60;

const imageSchema = z.tuple([
  z.object({ Config: z.object({ User: z.string(), Cmd: z.array(z.string()) }) }),
]);

export type Containers = Awaited<ReturnType<typeof createContainers>>;

export interface ServiceContainer extends Container {
  /** Waits until the health check of the container succeeds. */
  healthy(): Promise<void>;
  /** Runs a command in it; the exit code. */
  execute(...command: string[]): Promise<number | null>;
  /** Asks it to stop as an engine does; the exit code. */
  stop(): Promise<number | NodeJS.Signals>;
}

/** What a container is given beside what docker-compose.yml says. */
interface Changes {
  readonly environment?: Environment;
  /** Replaces the port that its health check asks. */
  readonly healthPort?: number;
  readonly command?: readonly string[];
}

/**
 * Builds the Dockerfile, and runs its image as the services of docker-compose.yml, confined as there. They have this
 * machine's network, for PostgreSQL and Temporal listen on loopback.
 *
 * @throws an Error with the end of the output where a step fails
 */
export async function createContainers() {
  const { compose } = await readComposeFile();
  const engine = await startEngine();
  const image = serviceOf(compose, 'api').image;
  await build(engine, image);
  const [{ Config: config }] = imageSchema.parse(
    JSON.parse(await engine.succeed(['image', 'inspect', image])),
  );
  const files = engine.root + (await engine.succeed(['image', 'mount', image])).trim();
  let started = 0;

  function start(service: string, changes: Changes = {}): ServiceContainer {
    started += 1;
    const name = `${service}-${started}`;
    const words = wordsOf(compose, service, changes);
    const container = engine.run(['--name', name, ...words], changes.environment ?? {});
    const check = () => engine.podman(['healthcheck', 'run', name]);
    return {
      ...container,
      healthy: () =>
        until(async () => {
          const { exitCode, output } = await check();
          if (exitCode !== 0) throw new Error(`${name}: ${output}\n${container.output()}`);
        }),
      execute: async (...command) => (await engine.podman(['exec', name, ...command])).exitCode,
      async stop() {
        await engine.succeed(['stop', '--time', String(STOP_SECONDS), name], STOP_SECONDS + 30);
        return container.ended;
      },
    };
  }

  return {
    /** The file system of the image. */
    files,
    user: config.User,
    command: config.Cmd,
    memoryLimitOf: (service: string) => serviceOf(compose, service).mem_limit,
    start,
    stop: engine.stop,
  };
}

/** Its base is a Debian of the same release with the same Node.js, because no registry of images is needed so. */
async function build(engine: Engine, image: string): Promise<void> {
  const options = ['build', '--isolation', 'chroot', '--pull=never'];
  if ((await engine.podman(['image', 'exists', BASE])).exitCode !== 0) {
    // What a build downloads, it downloads with the authorities of this machine.
    const change = ['--change', 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'];
    await engine.succeed(['import', ...change, '/made/base.tar', BASE], BUILD_SECONDS);
  }
  await engine.succeed(
    [
      ...options,
      '--format',
      'docker',
      '--build-arg',
      `NODE_IMAGE=${BASE}`,
      '--tag',
      image,
      '/source',
    ],
    BUILD_SECONDS,
  );
  await engine.succeed(['image', 'prune', '--force']);
}

/** What `podman run` is told of a service, with its command. */
function wordsOf(compose: Compose, name: string, changes: Changes): string[] {
  const service = serviceOf(compose, name);
  const { healthPort } = changes;
  // Podman adds the first word, CMD, itself.
  const check = service.healthcheck?.test
    ?.slice(1)
    .map((word) => (healthPort !== undefined && /^\d+$/.test(word) ? String(healthPort) : word));
  return [
    ...['--network', 'host', `--read-only=${service.read_only}`, '--read-only-tmpfs=false'],
    ...service.cap_drop.flatMap((capability) => ['--cap-drop', capability]),
    ...service.security_opt.flatMap((option) => ['--security-opt', option]),
    ...(service.mem_limit === undefined ? [] : ['--memory', service.mem_limit]),
    `--init=${service.init}`,
    // The test asks for each check: where systemd does not run, podman repeats none.
    ...(check === undefined ? ['--no-healthcheck'] : ['--health-cmd', JSON.stringify(check)]),
    ...(check === undefined ? [] : ['--health-interval', 'disable']),
    ...(service.entrypoint === undefined
      ? []
      : ['--entrypoint', JSON.stringify(service.entrypoint)]),
    service.image,
    ...(changes.command ?? service.command ?? []),
  ];
}

function serviceOf({ services }: Compose, name: string) {
  const service = services[name];
  if (service === undefined) throw new Error(`docker-compose.yml has no ${name}`);
  return service;
}
