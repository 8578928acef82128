import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  readAdminConfig,
  readApiConfig,
  readCodecServerConfig,
  readConfig,
  readMigrationConfig,
} from '../../src/config/config.ts';
import { interpolate } from './compose-file.ts';

const runFile = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      environment: z.record(z.string(), z.coerce.string()).default({}),
      secrets: z.array(z.string()).default([]),
    }),
  ),
  secrets: z.record(z.string(), z.object({ file: z.string() })).default({}),
  configs: z.record(z.string(), z.object({ file: z.string() })).default({}),
});
type Compose = z.infer<typeof composeSchema>;

let folder: string;
let base: Compose;
let overlay: Compose;
let dotEnv: Record<string, string>;

async function readCompose(name: string): Promise<Compose> {
  return composeSchema.parse(parse(await readFile(join(root, name), 'utf8'), { merge: true }));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compose-secrets-'));
  await runFile(join(root, 'deploy/make-secrets.sh'), { cwd: folder });
  base = await readCompose('docker-compose.yml');
  overlay = await readCompose('deploy/compose.secrets.yml');
  const lines = (await readFile(join(folder, '.env'), 'utf8')).trim().split('\n');
  dotEnv = Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a service has with both files, and the folder made here in place of the container's. */
function environmentOf(service: string): Record<string, string> {
  const own = overlay.services[service]?.environment ?? {};
  const merged = { ...base.services[service]?.environment, ...own };
  const paths = Object.entries(merged).map(([name, text]) => [
    name,
    interpolate(text, dotEnv)
      .replace('/run/secrets', join(folder, 'secrets'))
      .replace('/promo-images', folder),
  ]);
  return Object.fromEntries(paths);
}

describe('compose with secrets in files', () => {
  it('gives each process its login and its secrets', () => {
    const api = readApiConfig(environmentOf('api'));
    expect(api.database.databaseUrl).toMatch(/^postgres:\/\/api:[0-9a-f]{48}@postgres:5432\//);
    expect(api).toMatchObject({
      providers: { smsApiKey: 'sandbox' },
      email: { smtpUrl: 'smtp://sandbox:3025?tls=off' },
    });
    const worker = readConfig(environmentOf('worker'));
    expect(worker.database.databaseUrl).toMatch(/^postgres:\/\/worker:/);
    expect(worker.secrets.payloadKeys).toEqual(api.secrets.payloadKeys);
    expect(worker.secrets).not.toHaveProperty('copyKeys');
    const migration = readMigrationConfig(environmentOf('migrate'));
    expect(migration.database.databaseUrl).toMatch(/^postgres:\/\/voucher_topup:/);
    const admin = readAdminConfig(environmentOf('admin'));
    expect(admin.database.databaseUrl).toMatch(/^postgres:\/\/operator:/);
    expect(admin.secrets.dataKeys).toEqual(api.secrets.dataKeys);
    const codec = readCodecServerConfig(environmentOf('codec-server'));
    expect(codec.codec.codecServerOperators).toMatchObject([{ name: 'support' }]);
  });

  it('mounts for each process the files that its settings name, and no others', async () => {
    for (const [name, service] of Object.entries(overlay.services)) {
      if (name === 'postgres') continue;
      const named = Object.entries(service.environment)
        .filter(([setting]) => setting.endsWith('_FILE'))
        .map(([, path]) => path.replace('/run/secrets/', ''));
      expect([...service.secrets].sort(), name).toEqual(named.sort());
    }
    const made = await readdir(join(folder, 'secrets'));
    expect(Object.keys(overlay.secrets).sort()).toEqual(made.sort());
    for (const [name, { file }] of Object.entries(overlay.secrets))
      expect(file).toBe(`./secrets/${name}`);
  });

  it('lets the database make its roles with the passwords of the files', async () => {
    const { environment, secrets } = overlay.services.postgres ?? { environment: {}, secrets: [] };
    expect(environment.POSTGRES_PASSWORD_FILE).toBe('/run/secrets/POSTGRES_PASSWORD');
    const script = await readFile(join(root, base.configs.databases?.file ?? ''), 'utf8');
    const loop = script
      .slice(0, script.indexOf('psql '))
      .replace('/run/secrets', join(folder, 'secrets'));
    const words = ['-c', `${loop}\nprintf %s "$API_DATABASE_PASSWORD"`];
    const { stdout } = await runFile('sh', words, { env: { PATH: process.env.PATH } });
    expect(readApiConfig(environmentOf('api')).database.databaseUrl).toContain(`:${stdout}@`);
    expect(stdout).toHaveLength(48);
    expect(secrets.filter((name) => name.endsWith('_DATABASE_PASSWORD'))).toHaveLength(5);
  });

  it('makes files that only the owner of the folder reaches, once', async () => {
    expect((await stat(join(folder, 'secrets'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, '.env'))).mode & 0o777).toBe(0o600);
    const again = runFile(join(root, 'deploy/make-secrets.sh'), { cwd: folder });
    await expect(again).rejects.toThrow('exists already');
  });
});
