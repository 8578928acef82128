// Loaded before every script: an older Node.js would only say that it does not know the extension ".ts".
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const needed = readFileSync(new URL('../.node-version', import.meta.url), 'utf8').trim();
const major = (version) => Number.parseInt(version, 10);

if (major(process.versions.node) < major(needed)) {
  process.stderr.write(
    `This service needs Node.js ${major(needed)} or newer, and this is ${process.versions.node}.\n` +
      'On Linux "npm ci" installs it with the packages; elsewhere install it from https://nodejs.org.\n',
  );
  process.exit(1);
}

// Sources without their types, and compiled: half of the time to load the service.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
