import { join } from 'node:path';
import { cachedTool, runInstallation } from '../support/cached-tool.ts';

const VERSION = '4.1.0';
const INSTALLATION_SECONDS = 300;

/**
 * The command line of Bruno (usebruno.com), which runs collections. npm installs it once.
 *
 * @throws an Error where the installation fails
 */
export async function findBruno(): Promise<string> {
  const folder = await cachedTool(`bruno-${VERSION}`, (prefix) => {
    const install = ['install', '--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund'];
    const args = [...install, `@usebruno/cli@${VERSION}`];
    return runInstallation('npm', args, INSTALLATION_SECONDS);
  });
  return join(folder, 'node_modules', '.bin', 'bru');
}
