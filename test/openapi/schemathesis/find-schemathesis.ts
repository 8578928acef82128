import { join } from 'node:path';
import { cachedTool, runInstallation } from '../../support/cached-tool.ts';

const VERSION = '4.32.5';
/** Signs for merchants in hooks.py. */
const CRYPTOGRAPHY = '50.0.2';
const INSTALLATION_SECONDS = 300;

/**
 * The program that tests a service from its OpenAPI document (schemathesis.io). pip installs it once.
 *
 * @throws an Error where Python is not installed, or the installation fails
 */
export async function findSchemathesis(): Promise<string> {
  const folder = await cachedTool(`schemathesis-${VERSION}`, async (environment) => {
    await runInstallation('python3', ['-m', 'venv', environment], INSTALLATION_SECONDS);
    const packages = [`schemathesis==${VERSION}`, `cryptography==${CRYPTOGRAPHY}`];
    const pip = join(environment, 'bin', 'pip');
    await runInstallation(pip, ['install', '--quiet', ...packages], INSTALLATION_SECONDS);
  });
  return join(folder, 'bin', 'schemathesis');
}
