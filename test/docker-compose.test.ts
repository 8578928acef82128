import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  readAdminConfig,
  readApiConfig,
  readCodecServerConfig,
  readConfig,
  readMigrationConfig,
  readSandboxConfig,
} from '../src/config/config.js';
import { temporalArguments } from '../src/embedded/temporal-arguments.js';
import { makeSecrets } from '../src/start/secrets.js';
import { RELEASED_TEMPORAL } from './support/released-temporal/find-programs.js';

const root = new URL('..', import.meta.url);

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      command: z.array(z.string()).optional(),
      environment: z.record(z.string(), scalar).default({}),
      ports: z.array(z.string()).default([]),
      volumes: z.array(z.string()).default([]),
      networks: z.record(z.string(), z.object({ ipv4_address: z.string() })).default({}),
      build: z.unknown().optional(),
      read_only: z.boolean().default(false),
      cap_drop: z.array(z.string()).default([]),
      security_opt: z.array(z.string()).default([]),
    }),
  ),
  configs: z.record(
    z.string(),
    z.object({ content: z.string().optional(), file: z.string().optional() }),
  ),
});

let document: unknown;
let compose: z.infer<typeof composeSchema>;

beforeAll(async () => {
  document = parse(await readFile(new URL('docker-compose.yml', root), 'utf8'), { merge: true });
  compose = composeSchema.parse(document);
});

const key = Buffer.alloc(32, 1).toString('base64');

/** What a person puts into .env, as the head of docker-compose.yml says. */
const SECRETS: Record<string, string> = {
  POSTGRES_PASSWORD: 'p1',
  SERVICE_DATABASE_PASSWORD: 'p2',
  TEMPORAL_DATABASE_PASSWORD: 'p3',
  API_DATABASE_PASSWORD: 'p4',
  WORKER_DATABASE_PASSWORD: 'p5',
  OPERATOR_DATABASE_PASSWORD: 'p6',
  ACCESS_TOKEN_PRIVATE_KEY: makeSecrets().ACCESS_TOKEN_PRIVATE_KEY.replaceAll('\n', '\\n'),
  DIGEST_KEY: key,
  DATA_KEYS: `k1:${key}`,
  PAYLOAD_KEYS: `k1:${key}`,
  COPY_KEYS: `k1:${key}`,
  CODEC_SERVER_OPERATORS: `support:decode:${'0'.repeat(64)}`,
};

/** Interpolates as Compose does: `${NAME:-default}` and `${NAME:?error}`. */
function interpolate(text: string, given: Record<string, string>): string {
  return text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, name: string, kind, rest: string) => {
    const value = given[name];
    if (value) return value;
    if (kind === '?') throw new Error(`required variable ${name} is missing a value: ${rest}`);
    return rest;
  });
}

function environmentOf(service: string, given = SECRETS): Record<string, string> {
  const environment = Object.entries(compose.services[service]?.environment ?? {});
  const values = environment.map(([name, text]) => [name, interpolate(text, given)] as const);
  // A folder of the container stands for one that is there.
  return Object.fromEntries(
    values.map(([name, value]) => [name, value === PROMO_IMAGES ? tmpdir() : value]),
  );
}

/** Where a container finds the images of promos. */
const PROMO_IMAGES = '/promo-images';

test('it is valid by the schema of the Compose Specification', async () => {
  const folder = dirname(createRequire(import.meta.url).resolve('dclint/package.json'));
  const text = await readFile(join(folder, 'schemas', 'compose.schema.json'), 'utf8');
  const { $schema, ...schema } = JSON.parse(text);
  // Its formats, such as durations, are Compose's own.
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  expect($schema).toContain('draft-07');
  expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ services: { api: { ports: 3000 } } })).toBe(false);
});

describe.each([
  ['api', readApiConfig],
  ['worker', readConfig],
])('%s', (service, read) => {
  test('has every setting that the process reads, and no other', () => {
    const environment = environmentOf(service);
    // Optional settings show up only when they have a value.
    const all = Object.entries(environment).map(([name, value]) => [name, value || VALUES[name]]);
    expect(Object.keys(read(Object.fromEntries(all))).sort()).toEqual(
      Object.keys(environment).sort(),
    );
  });

  test('starts with nothing but the secrets', () => {
    const config = read(environmentOf(service));
    const password = service === 'api' ? 'p4' : 'p5';
    expect(config.DATABASE_URL).toBe(
      `postgres://${service}:${password}@postgres:5432/voucher_topup`,
    );
    expect(config.TEMPORAL_ADDRESS).toBe('temporal:7233');
    expect(config.SMS_URL).toContain('http://sandbox:3001/');
  });

  test.each(Object.keys(SECRETS).filter((name) => name.includes('KEY') && name !== 'COPY_KEYS'))(
    'says so when %s is missing',
    (name) => {
      expect(() => environmentOf(service, { ...SECRETS, [name]: '' })).toThrow(
        `required variable ${name} is missing a value`,
      );
    },
  );
});

test('the folder of promo images is mounted for reading, from where .env says', () => {
  for (const service of ['api', 'worker']) {
    const { environment = {}, volumes = [] } = compose.services[service] ?? {};
    expect(environment.PROMO_IMAGE_FOLDER).toBe(PROMO_IMAGES);
    const [volume = ''] = volumes;
    expect(interpolate(volume, SECRETS)).toBe(`./promo-images:${PROMO_IMAGES}:ro`);
    const named = { ...SECRETS, PROMO_IMAGE_FOLDER: '/srv/images' };
    expect(interpolate(volume, named)).toBe(`/srv/images:${PROMO_IMAGES}:ro`);
  }
});

test('only the API has the key that API keys are kept under, and needs it to keep them', () => {
  expect(environmentOf('worker')).not.toHaveProperty('COPY_KEYS');
  const without = { ...SECRETS, COPY_KEYS: '' };
  expect(() => readApiConfig(environmentOf('api', without))).toThrow('COPY_KEYS: is not set');
  const off = environmentOf('api', { ...without, PORTAL_KEY_COPY: 'off' });
  expect(readApiConfig(off).COPY_KEYS).toBeUndefined();
});

/** Values for the optional settings that are empty by default. */
const VALUES: Record<string, string> = {
  TEMPORAL_TLS_CA: '-----BEGIN CERTIFICATE-----',
  TEMPORAL_TLS_CERT: '-----BEGIN CERTIFICATE-----',
  TEMPORAL_TLS_KEY: '-----BEGIN PRIVATE KEY-----',
  TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
  TEMPORAL_API_KEY: 'key',
  SMS_SENDER: 'GIFTS',
  AIRTIME_CALLBACK_URL: 'https://service.example/callbacks',
  AIRTIME_CALLBACK_SECRET: 'abcdefghijklmnop',
  AIRTIME_CALLBACK_ADDRESSES: '203.0.113.0/24',
  CODEC_SERVER_TOKEN_ISSUER: 'https://identity.example',
  CODEC_SERVER_TOKEN_AUDIENCE: 'temporal-ui',
  CODEC_SERVER_TOKEN_KEYS_URL: 'https://identity.example/keys',
  CODEC_SERVER_TOKEN_DECODE: 'groups=support',
  CODEC_SERVER_TOKEN_ENCODE: 'groups=engineers',
};

test.each([
  ['migrate', readMigrationConfig],
  ['sandbox', readSandboxConfig],
  ['codec-server', readCodecServerConfig],
])('%s has every setting that the process reads, and no other', (service, read) => {
  const environment = environmentOf(service);
  const all = Object.entries(environment).map(([name, value]) => [name, value || VALUES[name]]);
  expect(Object.keys(read(Object.fromEntries(all))).sort()).toEqual(
    Object.keys(environment).sort(),
  );
});

test("the operator's commands have every setting that they read, and no other", () => {
  const environment = environmentOf('admin');
  const all = Object.entries(environment).map(([name, value]) => [name, value || VALUES[name]]);
  const { DATA_DIR, ...read } = readAdminConfig(Object.fromEntries(all));
  // The folder is that of `npm start`, which is not in a container.
  expect(DATA_DIR).toBeDefined();
  expect(Object.keys(read).sort()).toEqual(Object.keys(environment).sort());
  expect(read).toMatchObject({ SMS_URL: environmentOf('worker').SMS_URL });
});

test('each process is started by the command that the guide names', () => {
  const names = ['api', 'api-2', 'worker', 'worker-2', 'migrate', 'codec-server', 'sandbox'];
  expect(names.map((name) => compose.services[name]?.command?.join(' '))).toEqual([
    'node src/api.js',
    'node src/api.js',
    'node src/worker.js',
    'node src/worker.js',
    'node src/migrate.js',
    'node src/codec-server.js',
    'node --import tsx src/sandbox.ts',
  ]);
});

test('two APIs stand behind a balancer that they trust, and two workers beside them', () => {
  const { services } = compose;
  expect(services['api-2']).toEqual(services.api);
  expect(services['worker-2']).toEqual(services.worker);
  const { environment, networks } = services.balancer ?? {};
  expect(environment?.API_ADDRESSES).toBe('api:3000 api-2:3000');
  const trusted = readApiConfig(environmentOf('api')).TRUSTED_PROXIES;
  expect(trusted).toEqual([networks?.default?.ipv4_address]);
});

test('what runs in a container of the service changes no file and has no rights', () => {
  const own = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);
  expect(own.map(([name]) => name).sort()).toEqual(
    ['admin', 'api', 'api-2', 'codec-server', 'migrate', 'sandbox', 'worker', 'worker-2'].sort(),
  );
  for (const [, service] of own)
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
});

test('Temporal has the settings of the development server, from the files that tests use', async () => {
  expect(compose.configs['temporal-server']?.file).toBe('./deploy/temporal/server.yaml');
  const file = compose.configs['temporal-dynamic-config']?.file ?? '';
  const content = parse(await readFile(new URL(file, root), 'utf8'));
  const words = temporalArguments({ port: 7233, namespaces: [] });
  const expected = words
    .filter((_word, index) => words[index - 1] === '--dynamic-config-value')
    .map((word) => word.split('='));
  const actual = Object.entries(
    z.record(z.string(), z.array(z.object({ value: scalar }))).parse(content),
  );
  expect(actual.map(([name, [first]]) => [name, first?.value])).toEqual(expected);
});

test('the Temporal server has the version that tests build, and what its file reads', async () => {
  const { image, environment = {} } = compose.services.temporal ?? {};
  expect(image).toBe(`temporalio/server:${RELEASED_TEMPORAL}`);
  const text = await readFile(new URL('deploy/temporal/server.yaml', root), 'utf8');
  const read = new Set([...text.matchAll(/env "(\w+)"/g)].map(([, name]) => name));
  expect(Object.keys(environment).filter((name) => !read.has(name))).toEqual([]);
});

test('nothing is published beyond the machine itself, and every image has a version', () => {
  for (const { ports, image } of Object.values(compose.services)) {
    for (const published of ports) expect(published).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    expect(image).toMatch(/:\d/);
  }
});

test('the base of the image is the tested Node.js, by its digest', async () => {
  const version = (await readFile(new URL('.node-version', root), 'utf8')).trim();
  const dockerfile = await readFile(new URL('Dockerfile', root), 'utf8');
  const [, base] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile) ?? [];
  expect(base).toMatch(new RegExp(`^node:${version}-bookworm-slim@sha256:[0-9a-f]{64}$`));
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name);
  expect(new Set(bases)).toEqual(new Set(['$' + '{NODE_IMAGE}', 'build']));
});

test('production accepts the network of the containers only because the file says so', () => {
  const production = { ...SECRETS, ENVIRONMENT: 'production' };
  expect(() => readMigrationConfig(environmentOf('migrate', production))).not.toThrow();
  const asked = environmentOf('migrate', { ...production, TRUST_UNENCRYPTED_NETWORK: 'no' });
  expect(() => readMigrationConfig(asked)).toThrow(/DATABASE_URL: .*[\s\S]*TEMPORAL_ADDRESS: /);
});

test('the Temporal UI is reached by those who have signed in, and Temporal by nobody outside', () => {
  const published = Object.entries(compose.services).filter(([, { ports }]) => ports.length > 0);
  expect(published.map(([name]) => name).sort()).toEqual([
    'balancer',
    'sandbox',
    'temporal-ui-gate',
  ]);
  const gate = compose.configs['temporal-ui-gate']?.content ?? '';
  const beforeTheUi = gate.slice(0, gate.indexOf('reverse_proxy temporal-ui'));
  expect(beforeTheUi).toContain('forward_auth codec-server:8234');
  expect(beforeTheUi).toContain('uri /authenticate');
});
