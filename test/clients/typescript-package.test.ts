import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocks, guide } from '../docs/guides.ts';
import { type ClientScene, startClientScene } from './client-scene.ts';
import { referencePages, referenceProgram, tokenFor } from './reference-program.ts';

const run = promisify(execFile);

let scene: ClientScene;
/** Of a program that has installed the package. */
let directory: string;
let files: string[];

beforeAll(async () => {
  scene = await startClientScene();
  directory = await mkdtemp(join(tmpdir(), 'package-'));
  const url = `${scene.stack.url}/docs/downloads/voucher-topup-client-1.0.0.tgz`;
  const archive = join(directory, 'client.tgz');
  await writeFile(archive, Buffer.from(await (await fetch(url)).arrayBuffer()));
  const { stdout } = await run('tar', ['-tzf', archive]);
  files = stdout
    .trim()
    .split('\n')
    .map((name) => name.replace('package/', ''));
  const folder = join(directory, 'node_modules/@voucher-topup/client');
  await mkdir(folder, { recursive: true });
  await run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1']);
});
afterAll(async () => {
  if (directory) await rm(directory, { recursive: true, force: true });
  await scene?.stop();
});

/** The output of a plain program beside the installed package. */
async function outputOf(program: string, apiKey: string): Promise<string> {
  const file = join(directory, 'program.mjs');
  await writeFile(file, program);
  const env = { ...process.env, VOUCHER_API_KEY: apiKey };
  return (await run(process.execPath, [file], { cwd: directory, env })).stdout;
}

test('the package has its programs, its types and its page, and nothing else', () => {
  expect(files).toContain('README.md');
  expect(files).toContain('dist/index.js');
  expect(files).toContain('dist/index.d.ts');
  expect(
    files.filter((file) => !/^(dist\/.+\.(js|d\.ts)|README\.md|package\.json)$/.test(file)),
  ).toEqual([]);
});

const [asPartner = '', asMerchant = '', list = ''] = codeBlocks(guide('use-a-client.md'), 'js');
const local = (program: string) => program.replace('http://localhost:3000', scene.stack.url);

test('the programs of the guide run with it: a partner', async () => {
  const output = await outputOf(local(asPartner + list), scene.partner.apiKey);
  expect(output).toMatch(/^SUCCESS \S+\n$/);
});

test('the programs of the guide run with it: a merchant', async () => {
  const pem = scene.merchant.privateKey.export({ type: 'sec1', format: 'pem' });
  await writeFile(join(directory, 'private-key.pem'), pem);
  const output = await outputOf(local(asMerchant), scene.merchant.apiKey);
  expect(output).toBe('4041 There is no voucher with this code\n');
});

test('its types are those of the documents', async () => {
  const program = [
    "import { PartnerClient, type PartnerApi } from '@voucher-topup/client';",
    "const partner = new PartnerClient({ baseUrl: '', apiKey: '' });",
    'const order: PartnerApi.GenerateVoucherRequest = { denominationId: 1, msisdn: null };',
    'export const code: Promise<string> = partner.vouchers',
    '  .generate(order)',
    '  .then(({ voucher }) => voucher.voucherCode);',
    '// @ts-expect-error a top-up has an amount',
    "partner.topUps.sendAirtime({ msisdn: '0911234567' });",
  ].join('\n');
  await writeFile(join(directory, 'program.mts'), program);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];
  const types = ['--types', 'node', '--typeRoots', join(process.cwd(), 'node_modules/@types')];
  const compiler = join(process.cwd(), 'node_modules/.bin/tsc');
  await expect(
    run(compiler, [...options, ...types, 'program.mts'], { cwd: directory }),
  ).resolves.toMatchObject({ stdout: '' });
});

test.each(referencePages)(
  'the programs of the reference run in a shell and in Node.js: %s',
  async (page, answer) => {
    const token = await tokenFor(scene, page);
    const pem = scene.merchant.privateKey.export({ type: 'sec1', format: 'pem' });
    await writeFile(join(directory, 'private-key.pem'), pem);
    const options = { cwd: directory, env: { ...process.env, token } };
    const shell = await referenceProgram(scene, page, 'sh');
    expect((await run('bash', ['-c', shell], options)).stdout).toContain(answer);
    const node = await referenceProgram(scene, page, 'js');
    const file = join(directory, 'reference.mjs');
    await writeFile(file, node.replace("'x-api-token': token", `'x-api-token': '${token}'`));
    expect((await run(process.execPath, [file], options)).stdout).toContain(answer);
  },
);
