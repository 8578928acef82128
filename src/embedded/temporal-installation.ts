import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './command.ts';

/** An unreachable host must not delay a start: there is an alternative. */
const CONNECT_SECONDS = 5;
const DOWNLOAD_SECONDS = 300;
const BUILD_SECONDS = 1_200;
const MEGABYTE = 1_000_000;
/**
 * The number of packages that `go list -deps` reports for the Temporal CLI; other versions differ
 * slightly.
 */
const BUILD_PACKAGES = 1_297;

const RELEASES = 'https://github.com/temporalio/cli/releases/download';

/** The reason of a failed connection, instead of `fetch failed`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** Downloads a whole file. Connecting has its own, shorter timeout. */
async function fetchFile(url: string, note: (detail: string) => void): Promise<Buffer> {
  const limit = new AbortController();
  const abortAfter = (seconds: number) => setTimeout(() => limit.abort(), seconds * 1_000);
  let timer = abortAfter(CONNECT_SECONDS);
  try {
    const response = await fetch(url, { signal: limit.signal });
    clearTimeout(timer);
    timer = abortAfter(DOWNLOAD_SECONDS);
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    const chunks: Uint8Array[] = [];
    let received = 0;
    for await (const chunk of response.body) {
      chunks.push(chunk);
      received += chunk.length;
      note(`${(received / MEGABYTE).toFixed(0)} MB`);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    throw new Error(`${new URL(url).host} gave no file: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Downloads a release of the Temporal CLI, verifies its published SHA-256 sum and unpacks it.
 *
 * @returns the program's path, in `directory`
 */
export async function downloadTemporal(
  directory: string,
  version: string,
  note: (detail: string) => void,
): Promise<string> {
  const processor = { x64: 'amd64', arm64: 'arm64' }[arch() as string];
  if (processor === undefined || !['linux', 'darwin'].includes(platform())) {
    throw new Error(`there is no release for ${platform()} on ${arch()}`);
  }
  const name = `temporal_cli_${version}_${platform()}_${processor}.tar.gz`;
  const sums = await fetchFile(`${RELEASES}/v${version}/checksums.txt`, () => {});
  const archive = await fetchFile(`${RELEASES}/v${version}/${name}`, note);
  const sum = createHash('sha256').update(archive).digest('hex');
  const line = sums
    .toString()
    .split('\n')
    .find((text) => text.endsWith(` ${name}`));
  if (!line?.startsWith(sum)) throw new Error(`${name} does not match its published checksum`);

  const file = join(directory, name);
  await writeFile(file, archive);
  const { exitCode, output } = await runCommand(
    'tar',
    ['-xzf', file, '-C', directory, 'temporal'],
    {
      timeoutSeconds: 60,
    },
  );
  if (exitCode !== 0) throw new Error(`tar failed: ${output}`);
  return join(directory, 'temporal');
}

/**
 * Builds the Temporal CLI with Go, from the Go module proxy.
 *
 * @returns the program's path, in `directory`
 */
export async function buildTemporal(
  directory: string,
  version: string,
  note: (detail: string) => void,
): Promise<string> {
  // Stripped it is half as large; without cgo no C compiler is needed. `env` adds to Go's
  // environment.
  const linkerFlags = `-s -w -X github.com/temporalio/cli/temporalcli.Version=${version}`;
  const program = `github.com/temporalio/cli/cmd/temporal@v${version}`;
  let built = 0;
  const { exitCode, output } = await runCommand(
    'env',
    [
      ...[`GOBIN=${directory}`, 'CGO_ENABLED=0'],
      ...['go', 'install', '-v', '-ldflags', linkerFlags, program],
    ],
    {
      timeoutSeconds: BUILD_SECONDS,
      onLine(line) {
        // Go prints each package that it compiles.
        if (!line.startsWith('go: ')) built += 1;
        note(`${Math.min(99, Math.floor((100 * built) / BUILD_PACKAGES))} % · ${line}`);
      },
    },
  );
  if (exitCode === 127) throw new Error('Go is not installed');
  if (exitCode !== 0)
    throw new Error(`go install failed:\n${output.split('\n').slice(-5).join('\n')}`);
  return join(directory, 'temporal');
}
