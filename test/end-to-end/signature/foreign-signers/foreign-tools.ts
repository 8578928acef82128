import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Where tools that tests install are kept, beside the Temporal CLI. */
const cache = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'voucher-topup-service',
);
const BOUNCY_CASTLE = 'org.bouncycastle:bcprov-jdk18on:1.78.1';
const bouncyCastleJar = join(cache, `${BOUNCY_CASTLE.replaceAll(':', '-')}.jar`);
const INSTALLATION_MILLISECONDS = 90_000;

/** A command and the arguments that go before those of the program to be run. */
export type Tool = readonly [command: string, ...args: string[]];

const run = promisify(execFile);

async function succeeds(...[command, ...args]: Tool): Promise<boolean> {
  try {
    await run(command, args, { timeout: INSTALLATION_MILLISECONDS });
    return true;
  } catch {
    return false;
  }
}

/** Python with the package cryptography, which pip puts into the cache; or undefined. */
export async function findPython(): Promise<Tool | undefined> {
  const folder = join(cache, 'python');
  const own = join(folder, 'bin', 'python');
  const hasCryptography = (python: string) => succeeds(python, '-c', 'import cryptography');
  if (await hasCryptography('python3')) return ['python3'];
  if (await hasCryptography(own)) return [own];
  const isInstalled =
    (await succeeds('python3', '-m', 'venv', '--clear', folder)) &&
    (await succeeds(own, '-m', 'pip', 'install', '--quiet', 'cryptography'));
  return isInstalled ? [own] : undefined;
}

/**
 * Java of one of the JDKs of the machine: with Bouncy Castle of the cache, or else one whose own provider has
 * secp256k1, or else with Bouncy Castle, which Maven puts into the cache; or undefined.
 */
export async function findJava(): Promise<Tool | undefined> {
  const machines = '/usr/lib/jvm';
  const folders = existsSync(machines) ? readdirSync(machines) : [];
  const installed = folders
    .map((name) => join(machines, name, 'bin', 'java'))
    .filter((file) => existsSync(file));
  const commands = ['java', ...new Set(installed.map((file) => realpathSync(file)))];
  const firstWith = async (...options: string[]): Promise<Tool | undefined> => {
    for (const command of commands)
      if (await makesKeys(command, ...options)) return [command, ...options];
    return undefined;
  };
  const ofCache = existsSync(bouncyCastleJar) && (await firstWith('-cp', bouncyCastleJar));
  if (ofCache) return ofCache;
  return (
    (await firstWith()) ??
    ((await installBouncyCastle()) ? firstWith('-cp', bouncyCastleJar) : undefined)
  );
}

export const javaProgram = fileURLToPath(new URL('./Sign.java', import.meta.url));

async function makesKeys(...java: Tool): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'java-'));
  try {
    return await succeeds(...java, javaProgram, 'make', folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Downloads into a folder of its own, so that nobody finds half a file. */
async function installBouncyCastle(): Promise<boolean> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(`${bouncyCastleJar}.`);
  try {
    const goal = ['dependency:copy', `-Dartifact=${BOUNCY_CASTLE}`, `-DoutputDirectory=${folder}`];
    if (!(await succeeds('mvn', '--quiet', '--batch-mode', ...goal))) return false;
    const [downloaded] = readdirSync(folder).filter((name) => name.endsWith('.jar'));
    if (!downloaded) return false;
    renameSync(join(folder, downloaded), bouncyCastleJar);
    return true;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
