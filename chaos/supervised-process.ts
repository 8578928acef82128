import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../src/config/config.ts';
import { type ServiceProcess, startProcess } from '../test/harness/service-process.ts';

/** A process of the service that is started again whenever it has ended, as in production. */
export interface SupervisedProcess {
  /** SIGKILL; it is started again after so many milliseconds. */
  kill(restartAfterMs: number): Promise<void>;
  /** All that it and those before it have written. */
  output(): string;
  /** Ends that nobody had asked for. */
  readonly ownEnds: readonly string[];
  stop(): Promise<void>;
}

const RESTART_MS = 500;

/** What a process says, and all that it says, when a server is down while it starts. */
const CANNOT_START = /^(Temporal|The database) cannot be reached.*$/;

export function superviseProcess(name: string, settings: Environment): SupervisedProcess {
  const processes: ServiceProcess[] = [];
  const ownEnds: string[] = [];
  let isStopping = false;
  let restartMs = RESTART_MS;
  let killed: ServiceProcess | undefined;

  const run = async () => {
    while (!isStopping) {
      const current = startProcess(`src/${name}.ts`, settings);
      processes.push(current);
      const end = await current.ended;
      const said = current.output().trim();
      if (!isStopping && current !== killed && !CANNOT_START.test(said))
        ownEnds.push(`${name} ended with ${end}: ${said.slice(-400)}`);
      await sleep(restartMs);
      restartMs = RESTART_MS;
    }
  };
  const running = run();
  return {
    async kill(restartAfterMs) {
      restartMs = restartAfterMs;
      killed = processes.at(-1);
      await killed?.kill();
    },
    output: () => processes.map((one) => one.output()).join(''),
    ownEnds,
    async stop() {
      isStopping = true;
      await processes.at(-1)?.stop();
      await running;
    },
  };
}
