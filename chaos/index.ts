import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStops } from '../src/local/start/stops.ts';
import { createProgress } from '../src/runtime/process/progress.ts';
import { runInterruptibly } from '../test/harness/run-interruptibly.ts';
import { readOptions } from './options.ts';
import { report } from './report.ts';
import { type ChaosRun, runChaos } from './run-chaos.ts';

async function main(signal: AbortSignal): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  process.stdout.write(`Seed ${options.seed}: npm run chaos -- --seed ${options.seed}\n`);
  const stops = createStops();
  const progress = createProgress();
  try {
    const run = await runChaos(options, { progress, stops, signal });
    process.stdout.write(`\n${report(run)}\n`);
    if (run.findings.length === 0) return 0;
    process.stdout.write(`The calls and the processes' output: ${await keep(run)}\n`);
    return 1;
  } catch (error) {
    if (!signal.aborted) process.stderr.write(`It failed with the seed ${options.seed}\n`);
    throw error;
  } finally {
    await progress.step('Stopping', () => stops.run());
  }
}

/** Keeps what a person needs to explain the findings; returns the folder. */
async function keep({ seed, log, output }: ChaosRun): Promise<string> {
  const directory = join(tmpdir(), `voucher-topup-service-chaos-findings-${seed}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lines = log.entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  await writeFile(join(directory, 'calls.jsonl'), lines);
  await writeFile(join(directory, 'processes.log'), output);
  return directory;
}

// `npm run chaos`: random work and random faults; whatever happened must be explained afterwards.
await runInterruptibly(main);
