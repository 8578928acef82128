import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PORTS_IN_A_ROW } from '../../src/config/local-ports.ts';
import { freePorts } from '../../src/local/processes.ts';
import type { Bench, Benchmark, SecondsMeasurement } from '../benchmark.ts';

const NODE = ['--max-semi-space-size=64', '--import', './deploy/require-node.mjs'];

/** One start, and the commands against it: seconds. */
interface Round {
  readonly cold: number;
  readonly warm: number;
  readonly firstLine: number;
  readonly help: number;
  readonly command: number;
}

/**
 * Start: `npm start` into an empty data folder and again into the same one, and the CPU of the command
 * line. The packages, the Temporal CLI and Node's cache of compiled sources are there.
 */
export const startBenchmark: Benchmark = {
  name: 'start',
  run: (bench) =>
    bench.progress.step('start: cold, warm, and the command line', async (note) => {
      const rounds: Round[] = [];
      for (let round = 1; round <= bench.options.rounds; round += 1) {
        note(`round ${round} of ${bench.options.rounds}`);
        bench.signal.throwIfAborted();
        rounds.push(await measureRound(bench, round));
      }
      const of = (part: keyof Round) => rounds.map((one) => one[part]);
      const line = (title: string, part: keyof Round, most: number): SecondsMeasurement => ({
        title,
        seconds: of(part),
        most,
      });
      return [
        line('npm start, empty data folder, until ready', 'cold', 60),
        line('npm start, again, until ready', 'warm', 5),
        line('npm start, again, until its first line', 'firstLine', 0.5),
        line('CPU of npm run admin -- --help', 'help', 0.7),
        line('CPU of npm run admin -- partner list', 'command', 1),
      ];
    }),
};

async function measureRound({ backing }: Bench, round: number): Promise<Round> {
  const directory = join(backing.directory, `start-${round}`);
  const { TEMPORAL_CLI_PATH, XDG_CACHE_HOME } = backing.startConfig;
  const { PATH, HOME } = process.env;
  const environment = {
    PATH,
    HOME,
    TEMPORAL_CLI_PATH,
    XDG_CACHE_HOME,
    DATA_DIR: directory,
    PORT_BASE: String(await freePorts(PORTS_IN_A_ROW)),
  };
  try {
    const cold = await startAndStop(environment, async () => undefined);
    const warm = await startAndStop(environment, async () => ({
      help: await cpuOf(['--help'], environment),
      command: await cpuOf(['partner', 'list'], environment),
    }));
    return { cold: cold.ready, warm: warm.ready, firstLine: warm.firstLine, ...warm.result };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Starts everything, does the work once it is ready, and stops it as Ctrl-C does. */
async function startAndStop<Result>(env: NodeJS.ProcessEnv, work: () => Promise<Result>) {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  const child = spawn(process.execPath, [...NODE, 'src/start.ts'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let firstLine: number | undefined;
  let ready: number | undefined;
  let said = '';
  child.stdout.setEncoding('utf8');
  try {
    for await (const chunk of child.stdout) {
      firstLine ??= seconds();
      said += chunk;
      if (!said.includes('Stop everything with Ctrl-C')) continue;
      ready = seconds();
      break;
    }
    if (firstLine === undefined || ready === undefined) throw new Error(`No start:\n${said}`);
    return { firstLine, ready, result: await work() };
  } finally {
    child.kill('SIGINT');
    await ended;
  }
}

/** The CPU seconds of a command of the operators. @throws where it fails */
async function cpuOf(words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(
    process.execPath,
    [...NODE, '--import', './bench/cpu/tell-cpu.mjs', 'src/admin.ts', ...words],
    { env, stdio: ['ignore', 'ignore', 2, 'pipe'] },
  );
  const told = text(child.stdio[3] as NodeJS.ReadableStream);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`"${words.join(' ')}" ended with ${code}`);
  return Number(await told);
}
