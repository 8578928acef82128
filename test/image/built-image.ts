import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { cachedTool, runInstallation } from '../support/cached-tool.ts';

const TOOLS_SECONDS = 900;
const BUILD_SECONDS = 1_200;

const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const imageSchema = z.object({
  Docker: z.object({
    config: z.object({
      User: z.string(),
      WorkingDir: z.string(),
      Env: z.array(z.string()),
      Cmd: z.array(z.string()),
      Healthcheck: z.object({ Test: z.array(z.string()) }),
    }),
  }),
});

/** The image, as files and configuration. */
export interface BuiltImage {
  /** Its file system. */
  readonly root: string;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  /**
   * Runs a command as a container of production does: as the image's user, without capabilities, on
   * a file system that cannot be written.
   */
  run(command: readonly string[], environment?: Readonly<Record<string, string>>): ImageProcess;
}

export interface ImageProcess {
  /** All that it has written. */
  output(): string;
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly child: ChildProcess;
}

/**
 * Builds the Dockerfile without an engine. Its base is a Debian of the same release with the same
 * Node.js, because no registry of images is needed so.
 *
 * @throws an Error with the end of the output where a step fails
 */
export async function buildImage(directory: string): Promise<BuiltImage> {
  const version = (await readFile('.node-version', 'utf8')).trim();
  const tools = await cachedTool(`image-tools-${version}`, (folder) =>
    runInstallation(script('make-tools.sh'), [folder], TOOLS_SECONDS),
  );
  await runInstallation(script('build-image.sh'), [tools, directory], BUILD_SECONDS);
  const text = await readFile(join(directory, 'image.json'), 'utf8');
  const { config } = imageSchema.parse(JSON.parse(text)).Docker;
  const root = join(directory, 'root');
  return {
    root,
    user: config.User,
    command: config.Cmd,
    healthCheck: config.Healthcheck.Test,
    run: (command, environment = {}) =>
      runIn(root, config.WorkingDir, command, [
        ...config.Env,
        ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      ]),
  };
}

/** The last command of the shell takes its place, so that signals reach the process. */
const CONFINED = `
  root="$1"; folder="$2"; shift 2
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -o remount,ro,bind "$root"
  exec chroot "$root" setpriv --reuid=1000 --regid=1000 --clear-groups --bounding-set=-all \\
    --inh-caps=-all --no-new-privs sh -c 'cd "$0" && exec env -i "$@"' "$folder" "$@"`;

function runIn(
  root: string,
  folder: string,
  command: readonly string[],
  environment: readonly string[],
): ImageProcess {
  const child = spawn(
    'unshare',
    [
      ...['--mount', '--propagation', 'private', 'sh', '-euc', CONFINED, 'sh', root, folder],
      ...environment,
      ...command,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'close').then(([code, signal]) => {
    process.off('exit', kill);
    return code ?? signal;
  });
  return { output: () => output, ended, child };
}
