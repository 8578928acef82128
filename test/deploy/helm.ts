import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildWithGo, cachedTool, runInstallation } from '../support/cached-tool.ts';

const HELM_VERSION = 'v3.22.0';
const BUILD_SECONDS = 1_500;
/** Has the schemas of Kubernetes itself, as Python's package index has them. */
const VALIDATE_VERSION = '1.37.0';
const INSTALLATION_SECONDS = 300;
/** For the hook of a file of tests that may be the first to need both. */
export const HELM_LIMIT_MS = 2 * (BUILD_SECONDS + INSTALLATION_SECONDS) * 1_000;

const CHART = 'deploy/helm';
const run = promisify(execFile);

/**
 * Helm itself, built once with Go.
 *
 * @throws an Error where Go is not installed, or the build fails
 */
export async function findHelm(): Promise<string> {
  const folder = await cachedTool(`helm-${HELM_VERSION}`, (into) =>
    buildWithGo(into, {
      name: 'helm',
      path: 'helm.sh/helm/v3/cmd/helm',
      version: HELM_VERSION,
      seconds: BUILD_SECONDS,
    }),
  );
  return join(folder, 'helm');
}

/**
 * The program that validates resources against the schemas of Kubernetes. pip installs it once.
 *
 * @throws an Error where Python is not installed, or the installation fails
 */
export async function findKubernetesValidate(): Promise<string> {
  const folder = await cachedTool(`kubernetes-validate-${VALIDATE_VERSION}`, async (into) => {
    await runInstallation('python3', ['-m', 'venv', into], INSTALLATION_SECONDS);
    const pip = join(into, 'bin', 'pip');
    const wanted = `kubernetes-validate==${VALIDATE_VERSION}`;
    await runInstallation(pip, ['install', '--quiet', wanted], INSTALLATION_SECONDS);
  });
  return join(folder, 'bin', 'kubernetes-validate');
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
    const { stdout } = await run(await findHelm(), [...words, CHART, '--values', file]);
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}
