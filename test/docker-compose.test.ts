import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import ipaddr from 'ipaddr.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  constantNames,
  type Environment,
  readAdminConfig,
  readApiConfig,
  readCodecServerConfig,
  readConfig,
  readMigrationConfig,
  readSandboxConfig,
} from '../src/config/config.ts';
import { camelCase, inCamelCase } from '../src/config/setting-names.ts';
import { temporalArguments } from '../src/local/temporal-server.ts';
import {
  type Compose,
  composeEnvironment,
  interpolate,
  readComposeFile,
  composeSecrets as SECRETS,
} from './config/compose-file.ts';
import { RELEASED_TEMPORAL } from './support/released-temporal/find-programs.ts';

const root = new URL('..', import.meta.url);

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

let document: unknown;
let compose: Compose;

beforeAll(async () => {
  ({ document, compose } = await readComposeFile());
});

function environmentOf(service: string, given = SECRETS): Record<string, string> {
  const values = Object.entries(composeEnvironment(compose, service, given));
  // A folder of the container stands for one that is there.
  return Object.fromEntries(
    values.map(([name, value]) => [name, value === PROMO_IMAGES ? tmpdir() : value]),
  );
}

const constants = new Set<string>([...constantNames].map(camelCase));

/** The settings in the groups that a process has read; its constants are none. */
const settingsIn = (groups: object): string[] =>
  Object.values(groups)
    .flatMap((settings) => Object.keys(settings))
    .filter((name) => !constants.has(name))
    .sort();

const namesOf = (environment: Record<string, string>): string[] =>
  Object.keys(environment).map(camelCase).sort();

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
    expect(settingsIn(read(Object.fromEntries(all)))).toEqual(namesOf(environment));
  });

  test('starts with nothing but the secrets', () => {
    const config = read(environmentOf(service));
    const password = service === 'api' ? 'p4' : 'p5';
    expect(config.database.databaseUrl).toBe(
      `postgres://${service}:${password}@postgres:5432/voucher_topup`,
    );
    expect(config.temporal.temporalAddress).toBe('temporal:7233');
    expect(config.providers.smsUrl).toContain('http://sandbox:3001/');
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

test('the folder of old transfers is mounted for writing, and is a setting once .env names it', () => {
  for (const service of ['api', 'worker', 'admin']) {
    const { environment = {}, volumes = [] } = compose.services[service] ?? {};
    const volume = volumes.at(-1) ?? '';
    const named = { ...SECRETS, ARCHIVE_FOLDER: '/srv/archive' };
    expect(interpolate(environment.ARCHIVE_FOLDER ?? '', SECRETS)).toBe('');
    expect(interpolate(environment.ARCHIVE_FOLDER ?? '', named)).toBe('/archive');
    expect(interpolate(volume, named)).toBe('/srv/archive:/archive');
  }
});

test('only the API has the key that API keys are kept under, and needs it to keep them', () => {
  expect(environmentOf('worker')).not.toHaveProperty('COPY_KEYS');
  const without = { ...SECRETS, COPY_KEYS: '' };
  expect(() => readApiConfig(environmentOf('api', without))).toThrow('COPY_KEYS: is not set');
  const off = environmentOf('api', { ...without, COPY_KEYS: 'off' });
  expect(readApiConfig(off).secrets.copyKeys).toBe('off');
});

/** Values for the optional settings that are empty by default. */
const VALUES: Record<string, string> = {
  ARCHIVE_FOLDER: tmpdir(),
  TEMPORAL_TLS_CA: '-----BEGIN CERTIFICATE-----',
  TEMPORAL_TLS_CERT: '-----BEGIN CERTIFICATE-----',
  TEMPORAL_TLS_KEY: '-----BEGIN PRIVATE KEY-----',
  TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
  TEMPORAL_API_KEY: 'key',
  SMS_SENDER: 'GIFTS',
  CALLBACK_URL: 'https://service.example/callbacks',
  CALLBACK_SECRETS: 'dt-one=abcdefghijklmnop',
  CALLBACK_ADDRESSES: 'dt-one=203.0.113.0/24',
  CODEC_SERVER_TOKEN_ISSUER: 'https://identity.example',
  CODEC_SERVER_TOKEN_AUDIENCE: 'temporal-ui',
  CODEC_SERVER_TOKEN_KEYS_URL: 'https://identity.example/keys',
  CODEC_SERVER_TOKEN_CLAIMS: 'decode:groups=support,decode:groups=engineers',
};

test.each([
  ['migrate', readMigrationConfig],
  ['sandbox', (given: Environment) => ({ sandbox: inCamelCase(readSandboxConfig(given)) })],
  ['codec-server', readCodecServerConfig],
])('%s has every setting that the process reads, and no other', (service, read) => {
  const environment = environmentOf(service);
  const all = Object.entries(environment).map(([name, value]) => [name, value || VALUES[name]]);
  expect(settingsIn(read(Object.fromEntries(all)))).toEqual(namesOf(environment));
});

test("the operator's commands have every setting that they read, and no other", () => {
  const environment = environmentOf('admin');
  const all = Object.entries(environment).map(([name, value]) => [name, value || VALUES[name]]);
  const { start, ...read } = readAdminConfig(Object.fromEntries(all));
  // The folder is that of `npm start`, which is not in a container.
  expect(start.dataDir).toBeDefined();
  expect(settingsIn(read)).toEqual(namesOf(environment));
  expect(read.providers.smsUrl).toBe(environmentOf('worker').SMS_URL);
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
    'node src/sandbox.ts',
  ]);
});

test('two APIs stand behind a balancer that they trust, and two workers beside them', () => {
  const { services } = compose;
  expect(services['api-2']).toEqual(services.api);
  expect(services['worker-2']).toEqual(services.worker);
  const { environment, networks } = services.balancer ?? {};
  expect(environment?.API_ADDRESSES).toBe('api:3000 api-2:3000');
  const trusted = readApiConfig(environmentOf('api')).http.trustedProxies;
  expect(trusted).toEqual([networks?.default?.ipv4_address]);
});

test('the runbook stops every worker', async () => {
  const workers = Object.entries(compose.services)
    .filter(([, { command }]) => command?.includes('src/worker.js'))
    .map(([name]) => name);
  const runbook = await readFile(new URL('docs/guides/runbook/README.md', root), 'utf8');
  expect(runbook).toContain(`\`docker compose stop ${workers.join(' ')}\``);
});

const foreignServices = () =>
  Object.entries(compose.services).filter(([, { build }]) => build === undefined);

test('what runs in a container changes no file, has no rights, and fills neither memory nor disk', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    expect(service, name).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      logging: { options: { 'max-size': '20m', 'max-file': '5' } },
    });
    expect(service.mem_limit, name).toMatch(/^\d+[mg]$/);
    expect(service.cap_add, name).toEqual(
      service.image.startsWith('caddy:') ? ['NET_BIND_SERVICE'] : [],
    );
  }
  // As root its start changes owners and users, which needs rights.
  expect(compose.services.postgres?.user).toBe('postgres');
});

test('every file that a container gets is there', () => {
  for (const { configs } of Object.values(compose.services))
    for (const { source } of configs) {
      const file = interpolate(compose.configs[source]?.file ?? '', SECRETS);
      expect(existsSync(new URL(file, root)), source).toBe(true);
    }
});

test('the profile `monitoring` has Prometheus, Alertmanager and Grafana, and nothing waits for them', () => {
  const monitoring = Object.entries(compose.services).filter(([, { profiles }]) =>
    profiles.includes('monitoring'),
  );
  expect(monitoring.map(([name]) => name)).toEqual(['prometheus', 'alertmanager', 'grafana']);
  const awaited = Object.values(compose.services).flatMap(({ depends_on }) =>
    Object.keys(depends_on),
  );
  for (const [name] of monitoring) expect(awaited).not.toContain(name);
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
  const schema = compose.services['temporal-schema']?.image;
  expect(schema).toBe(`temporalio/admin-tools:${RELEASED_TEMPORAL}`);
  const text = await readFile(new URL('deploy/temporal/server.yaml', root), 'utf8');
  const read = new Set([...text.matchAll(/env "(\w+)"/g)].map(([, name]) => name));
  expect(Object.keys(environment).filter((name) => !read.has(name))).toEqual([]);
});

test('nothing is published beyond the machine itself, and every image has a version', () => {
  for (const { ports, image } of Object.values(compose.services)) {
    for (const published of ports) expect(published).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    expect(image).toMatch(/:v?\d/);
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

test('production can do without a provider that the file has in the sandbox', () => {
  const production = {
    ...SECRETS,
    ENVIRONMENT: 'production',
    PUBLIC_URL: 'https://vouchers.example',
    SMS_PROVIDER: 'smpp',
    SMS_URL: '',
    SMPP_URL: 'smpp://service:password@smsc.example:2775',
    SMTP_URL: 'smtps://mail.example',
    MOBILE_MONEY_PROVIDER: 'gsma',
    MOBILE_MONEY_URL: 'https://momo.example/v1.2/mm',
    MOBILE_MONEY_TOKEN_URL: '',
    CALLBACK_SECRETS: 'gsma=reports-of-payments',
    AIRTIME_PROVIDER: 'reloadly',
    AIRTIME_URL: '',
    RELOADLY_URL: 'https://topups.reloadly.com',
    RELOADLY_CLIENT_ID: 'id',
    RELOADLY_CLIENT_SECRET: 'secret',
    RELOADLY_OPERATORS: 'ETHIO_TELECOM=1,SAFARICOM_ETHIOPIA=2',
  };
  const config = readConfig(environmentOf('worker', production));
  expect(config.providers.smsUrl).toBeUndefined();
  expect(config.providers.airtimeUrl).toBeUndefined();
});

test('the Temporal UI is reached by those who have signed in, and Temporal by nobody outside', async () => {
  const published = Object.entries(compose.services).filter(([, { ports }]) => ports.length > 0);
  expect(published.map(([name]) => name).sort()).toEqual([
    'alertmanager',
    'balancer',
    'grafana',
    'prometheus',
    'sandbox',
    'temporal-ui-gate',
  ]);
  const file = compose.configs['temporal-ui-gate']?.file ?? '';
  const gate = await readFile(new URL(file, root), 'utf8');
  const [beforeTheUi = ''] = gate.split('reverse_proxy {$TEMPORAL_UI_ADDRESS}');
  expect(beforeTheUi).toContain('forward_auth {$CODEC_SERVER_ADDRESS}');
  expect(beforeTheUi).toContain('uri /authenticate');
  const { environment } = compose.services['temporal-ui-gate'] ?? {};
  const named = new Set([...gate.matchAll(/\{\$(\w+)\}/g)].map(([, name]) => name));
  expect(Object.keys(environment ?? {}).sort()).toEqual([...named].sort());
  expect(environment).toMatchObject({
    CODEC_SERVER_ADDRESS: 'codec-server:8234',
    TEMPORAL_UI_ADDRESS: 'temporal-ui:8080',
  });
});

test.each([
  ['balancer', 'API_ADDRESSES', 1],
  ['temporal-ui-gate', 'CODEC_SERVER_ADDRESS', 2],
])(
  'the %s lets go of an idle connection before our process does',
  async (name, upstream, times) => {
    const file = await readFile(new URL(compose.configs[name]?.file ?? '', root), 'utf8');
    const [, ...proxied] = file.split(`{$${upstream}} {`);
    expect(proxied).toHaveLength(times);
    for (const part of proxied)
      expect(Number(/^\s*keepalive (\d+)s$/m.exec(part)?.[1])).toBeLessThan(
        readCodecServerConfig(environmentOf('codec-server')).http.idleTimeoutSeconds,
      );
  },
);

test('no container can take the address of the balancer before it starts', () => {
  const [pool] = compose.networks.default.ipam.config;
  const own = ipaddr.parse(compose.services.balancer?.networks.default?.ipv4_address ?? '');
  expect(own.match(ipaddr.parseCIDR(pool.subnet))).toBe(true);
  expect(own.match(ipaddr.parseCIDR(pool.ip_range))).toBe(false);
  expect(own.toString()).not.toBe(pool.gateway);
});

test('each container of the image checks the port that its process answers on, or nothing', () => {
  const portOf = (name: string) => {
    const { PORT, WORKER_HEALTH_PORT, CODEC_SERVER_PORT } = environmentOf(name);
    return WORKER_HEALTH_PORT ?? CODEC_SERVER_PORT ?? PORT;
  };
  const own = Object.entries(compose.services).filter(([, { image }]) =>
    image.startsWith('voucher-topup-service:'),
  );
  expect(own).toHaveLength(7);
  for (const [name, { healthcheck }] of own) {
    if (healthcheck?.disable) {
      expect(['admin', 'migrate']).toContain(name);
      continue;
    }
    const [, , script, port = '3000'] = healthcheck?.test ?? [];
    expect([script, port], name).toEqual(['check-health.mjs', portOf(name)]);
  }
});

test('what is waited for can come true, and no check depends on what `localhost` is', () => {
  for (const { depends_on, healthcheck } of Object.values(compose.services)) {
    expect(healthcheck?.test ?? []).not.toContain('localhost');
    for (const [name, { condition }] of Object.entries(depends_on)) {
      const awaited = compose.services[name];
      if (condition === 'service_healthy')
        expect(awaited?.healthcheck?.test?.length, name).toBeGreaterThan(0);
      if (condition === 'service_completed_successfully')
        expect(awaited, name).not.toHaveProperty('restart');
    }
  }
});

test('Prometheus reads every process that has metrics', async () => {
  const text = await readFile(new URL('monitoring/prometheus.yml', root), 'utf8');
  const jobs = z
    .object({ scrape_configs: z.array(z.object({ static_configs: z.unknown() })) })
    .parse(parse(text)).scrape_configs;
  const targets = Object.keys(compose.services)
    .filter((name) => 'METRICS_PORT' in environmentOf(name))
    .map((name) => `${name}:${environmentOf(name).METRICS_PORT}`);
  expect(jobs.map((job) => job.static_configs)).toEqual([[{ targets }]]);
});

test('every image that is not ours has its digest, or the guide to release gives it one', async () => {
  const guide = await readFile(new URL('docs/guides/release.md', root), 'utf8');
  const [, named = ''] = /for service in ([^;]+); do/.exec(guide) ?? [];
  const foreign = foreignServices().map(([name, { image }]) => ({ name, image }));
  const [pinned, others] = [true, false].map((isPinned) =>
    foreign.filter(({ image }) => image.includes('@') === isPinned),
  );
  expect(named.split(' ').sort()).toEqual(others?.map(({ name }) => name).sort());
  for (const { image } of pinned ?? []) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
  expect(pinned).toHaveLength(6);
});

/** A file of the profile `monitoring`. */
const readMonitoring = async (name: string): Promise<unknown> =>
  parse(await readFile(new URL(`monitoring/${name}`, root), 'utf8'));

const addressesIn = z.object({
  alerting: z.object({
    alertmanagers: z.tuple([
      z.object({ static_configs: z.tuple([z.object({ targets: z.array(z.string()) })]) }),
    ]),
  }),
});

test('Prometheus sends alerts to Alertmanager, and Grafana asks Prometheus', async () => {
  const { alerting } = addressesIn.parse(await readMonitoring('prometheus.yml'));
  const [
    {
      static_configs: [{ targets }],
    },
  ] = alerting.alertmanagers;
  expect(targets).toEqual(['alertmanager:9093']);
  const { datasources } = z
    .object({ datasources: z.array(z.object({ url: z.string(), isDefault: z.boolean() })) })
    .parse(await readMonitoring('grafana/data-source.yml'));
  expect(datasources).toEqual([{ url: 'http://prometheus:9090', isDefault: true }]);
  const { providers } = z
    .object({ providers: z.array(z.object({ options: z.object({ path: z.string() }) })) })
    .parse(await readMonitoring('grafana/dashboards.yml'));
  const { configs = [], environment } = compose.services.grafana ?? {};
  const dashboard = configs.find(({ source }) => source === 'dashboard')?.target;
  expect(providers.map(({ options }) => `${options.path}/voucher-service.json`)).toEqual([
    dashboard,
  ]);
  expect(environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(dashboard);
});

test('alerts of each severity have people of their own', async () => {
  const rules = z.object({
    groups: z.array(
      z.object({ rules: z.array(z.object({ labels: z.object({ severity: z.string() }) })) }),
    ),
  });
  const { groups } = rules.parse(await readMonitoring('alerts.yml'));
  const severities = groups.flatMap((group) => group.rules.map(({ labels }) => labels.severity));
  const { route, receivers } = z
    .object({
      route: z.object({
        routes: z.array(z.object({ matchers: z.tuple([z.string()]), receiver: z.string() })),
      }),
      receivers: z.array(
        z.object({ name: z.string(), email_configs: z.array(z.unknown()).min(1) }),
      ),
    })
    .parse(await readMonitoring('alertmanager.yml'));
  expect(route.routes.map(({ matchers: [matcher] }) => matcher).sort()).toEqual(
    [...new Set(severities)].sort().map((severity) => `severity = ${severity}`),
  );
  expect(route.routes.map(({ receiver }) => receiver)).toEqual(receivers.map(({ name }) => name));
});
