import { readdirSync, readFileSync } from 'node:fs';

/** Of Linux, as `getconf CLK_TCK` says it everywhere. */
const TICKS_PER_SECOND = 100;
const PAGES_PER_MEGABYTE = 256;

/** Fields of /proc/<pid>/stat after the name of the command, counted from the state. */
const PARENT = 1;
const TIMES = [11, 12, 13, 14];
const RESIDENT_PAGES = 21;

/** What uses CPU and memory in a run, by the command line of the process or of an ancestor. */
const parts = {
  'API and worker': /service-process\.ts service/,
  API: /service-process\.ts api/,
  worker: /service-process\.ts worker/,
  'Temporal server': /temporal/,
  PostgreSQL: /postgres/,
} as const;

export type RunPart = keyof typeof parts | 'others';

/** CPU milliseconds by part; a part that is not there has none. */
export type CpuTimes = Readonly<Partial<Record<RunPart, number>>>;

interface SeenProcess {
  readonly parent: number;
  readonly command: string;
  readonly ticks: number;
  readonly pages: number;
}

/**
 * The CPU milliseconds that all processes of a run have used so far, those of their ended children
 * included.
 *
 * @throws where there is no /proc
 */
export const cpuTimesOf = (directory: string): CpuTimes =>
  usageOf(directory, ({ ticks }) => (ticks * 1_000) / TICKS_PER_SECOND);

/**
 * The megabytes of memory that the processes of a run hold; pages that processes share count for each of them.
 *
 * @throws where there is no /proc
 */
export const memoryOf = (directory: string): Readonly<Partial<Record<RunPart, number>>> =>
  usageOf(directory, ({ pages }) => pages / PAGES_PER_MEGABYTE);

/**
 * The processes of a run are the service, and the servers on the run's folder, of which PostgreSQL is no child of
 * ours. This process, which makes the load, is none of them.
 */
function usageOf(
  directory: string,
  read: (seen: SeenProcess) => number,
): Partial<Record<RunPart, number>> {
  const processes = readProcesses();
  const isOfRun = (id: number): boolean => {
    const { parent = 0, command = '' } = processes.get(id) ?? {};
    return command.includes(directory) || parent === process.pid || (parent > 1 && isOfRun(parent));
  };
  const partOf = (id: number): RunPart => {
    const seen = processes.get(id);
    if (!seen || id === process.pid) return 'others';
    const part = Object.entries(parts).find(([, pattern]) => pattern.test(seen.command));
    return part ? (part[0] as RunPart) : partOf(seen.parent);
  };
  const usage: Partial<Record<RunPart, number>> = {};
  for (const [id, seen] of processes) {
    if (!isOfRun(id)) continue;
    const part = partOf(id);
    usage[part] = (usage[part] ?? 0) + read(seen);
  }
  return usage;
}

/** All parts together. */
export const totalOf = (times: CpuTimes): number =>
  Object.values(times).reduce((sum, one) => sum + one, 0);

/** Begins to measure; what was used by part until it is read, for each of so many calls. */
export function startCpuMeter(readCpu: () => CpuTimes): (calls: number) => CpuTimes {
  const before = readCpu();
  return (calls) =>
    Object.fromEntries(
      (Object.entries(readCpu()) as [RunPart, number][]).map(([part, now]) => [
        part,
        (now - (before[part] ?? 0)) / calls,
      ]),
    );
}

function readProcesses(): Map<number, SeenProcess> {
  const processes = new Map<number, SeenProcess>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    const fields = fieldsOf(name);
    if (fields)
      processes.set(Number(name), {
        parent: Number(fields[PARENT]),
        command: readOf(name, 'cmdline').replaceAll('\0', ' '),
        ticks: TIMES.reduce((sum, place) => sum + Number(fields[place]), 0),
        pages: Number(fields[RESIDENT_PAGES]),
      });
  }
  return processes;
}

/** Undefined where the process has ended meanwhile. */
function fieldsOf(id: string): string[] | undefined {
  const text = readOf(id, 'stat');
  // The name of the command may have spaces and brackets.
  return text === '' ? undefined : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Empty where the process has ended meanwhile. */
function readOf(id: string, name: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${id}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
