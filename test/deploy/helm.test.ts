import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import {
  type Environment,
  readApiConfig,
  readCodecServerConfig,
  readConfig,
  readMigrationConfig,
} from '../../src/config/config.ts';
import { HEALTH_LIMIT_MS } from '../../src/runtime/process/health.ts';
import { composeSecrets } from '../config/compose-file.ts';
import { codeBlocks } from '../docs/guides.ts';
import { type ChartValues, findHelmTools, HELM_LIMIT_MS, runHelm } from './helm.ts';

const variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) }).optional(),
});
const probe = z.object({
  httpGet: z.object({ path: z.string() }),
  // That of Kubernetes.
  timeoutSeconds: z.number().default(1),
});
const pod = z.object({
  serviceAccountName: z.string(),
  automountServiceAccountToken: z.literal(false),
  securityContext: z.unknown(),
  containers: z.tuple([
    z.object({
      image: z.string(),
      command: z.array(z.string()),
      securityContext: z.unknown(),
      envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }) })),
      env: z.array(variable),
      ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
      resources: z.object({ limits: z.object({ memory: z.string() }) }),
      startupProbe: probe.optional(),
      readinessProbe: probe.optional(),
      livenessProbe: probe.optional(),
      volumeMounts: z.array(z.object({ mountPath: z.string(), readOnly: z.boolean() })).default([]),
    }),
  ]),
});
const resource = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.looseObject({}).optional(),
});
type Resource = z.infer<typeof resource>;

/** Helm takes an older version for that of the cluster. */
const TEMPLATE = ['template', 'sale', '--kube-version', '1.37.0'];

/** The least that somebody fills in. */
const GIVEN = {
  image: { repository: 'registry.example/voucher' },
  postgresql: { host: 'db.example' },
  temporal: { address: 'temporal.example:7233' },
  settings: {
    PUBLIC_URL: 'https://vouchers.example',
    TEMPORAL_TLS: 'on',
    EMAIL_FROM: 'Vouchers <vouchers@mail.example>',
    SMS_PROVIDER: 'smpp',
    MOBILE_MONEY_PROVIDER: 'gsma',
    MOBILE_MONEY_URL: 'https://momo.example/v1.2/mm',
    MOBILE_MONEY_ACCOUNT: 'service',
    AIRTIME_PROVIDER: 'reloadly',
    RELOADLY_URL: 'https://topups.reloadly.com',
    RELOADLY_OPERATORS: 'ETHIO_TELECOM=1,SAFARICOM_ETHIOPIA=2',
  },
} satisfies ChartValues;

const secretOf = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, composeSecrets[name] ?? '']));

/** What the Secrets that the values name hold. */
const SECRETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'voucher-service': {
    ...secretOf('ACCESS_TOKEN_PRIVATE_KEY', 'DIGEST_KEY', 'DATA_KEYS', 'PAYLOAD_KEYS'),
    SMPP_URL: 'smpp://service:password@smsc.example:2775',
    SMTP_URL: 'smtps://mail.example',
    MOBILE_MONEY_KEY: 'key',
    MOBILE_MONEY_SECRET: 'secret',
    CALLBACK_SECRETS: 'gsma=reports-of-payments',
    RELOADLY_CLIENT_ID: 'id',
    RELOADLY_CLIENT_SECRET: 'secret',
  },
  'voucher-api': { DATABASE_PASSWORD: 'p4', ...secretOf('COPY_KEYS') },
  'voucher-worker': { DATABASE_PASSWORD: 'p5' },
  'voucher-migrate': { DATABASE_PASSWORD: 'p2' },
  'voucher-codec-server': secretOf('PAYLOAD_KEYS', 'CODEC_SERVER_OPERATORS'),
};

let folder: string;
beforeAll(async () => {
  await findHelmTools();
  folder = await mkdtemp(join(tmpdir(), 'voucher-topup-service-helm-'));
}, HELM_LIMIT_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** As Helm's own parser, which knows octal numbers. */
const resourcesIn = (text: string): Resource[] =>
  parseAllDocuments(text, { version: '1.1' })
    .map((document) => document.toJS())
    .filter((document) => document !== null)
    .map((document) => resource.parse(document));

const render = async (values: ChartValues = {}): Promise<Resource[]> =>
  resourcesIn(await runHelm(TEMPLATE, { ...GIVEN, ...values }));

const find = (resources: readonly Resource[], kind: string, name: string): Resource => {
  const found = resources.find((one) => one.kind === kind && one.metadata.name === `sale-${name}`);
  if (!found) throw new Error(`${kind} sale-${name} is not rendered`);
  return found;
};

const COMPONENTS = {
  api: 'Deployment',
  worker: 'Deployment',
  'codec-server': 'Deployment',
  migrate: 'Job',
} as const;
type Component = keyof typeof COMPONENTS;
const components = Object.keys(COMPONENTS) as Component[];

const podOf = (resources: readonly Resource[], component: Component) =>
  z
    .object({ template: z.object({ spec: pod }) })
    .parse(find(resources, COMPONENTS[component], component).spec).template.spec;

/** What a process finds: the keys of its Secrets, then its variables, each with those before it. */
function environmentOf(
  resources: readonly Resource[],
  component: Component,
  secrets = SECRETS,
): Environment {
  const [container] = podOf(resources, component).containers;
  const environment: Record<string, string> = {};
  for (const { secretRef } of container.envFrom)
    Object.assign(environment, secrets[secretRef.name] ?? expect.fail(secretRef.name));
  for (const { name, value, valueFrom } of container.env) {
    const reference = valueFrom?.secretKeyRef;
    const text = reference ? secrets[reference.name]?.[reference.key] : value;
    environment[name] = (text ?? '').replaceAll(
      /\$\((\w+)\)/g,
      (_all, other: string) => environment[other] ?? '',
    );
  }
  return environment;
}

const EVERYTHING = {
  promoImages: { existingClaim: 'images' },
  archive: { existingClaim: 'archive' },
  secrets: { certificates: 'certificates' },
  serviceMonitors: { enabled: true, labels: { release: 'prometheus' } },
  serviceAccounts: { annotations: { 'cloud.example/role': 'voucher' } },
  worker: { autoscaling: { scheduleToStart: { enabled: true, selector: { namespace: 'sale' } } } },
  codecServer: { replicas: 2, settings: { TEMPORAL_UI_URL: 'https://temporal.example' } },
  networkPolicies: {
    apiFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    postgresqlTo: [{ ipBlock: { cidr: '10.0.0.0/24' } }],
    furtherEgress: [{ ports: [{ port: 4318, protocol: 'TCP' }] }],
  },
  image: { ...GIVEN.image, digest: `sha256:${'0'.repeat(64)}`, pullSecrets: ['registry'] },
  nodeSelector: { pool: 'service' },
  tolerations: [{ key: 'service', operator: 'Exists' }],
} satisfies ChartValues;

describe.each([
  ['with the least that is given', {}],
  ['with everything that can be given', EVERYTHING],
  [
    'without what can be switched off',
    {
      codecServer: { enabled: false },
      networkPolicies: { enabled: false },
      api: { autoscaling: { enabled: false } },
      worker: { autoscaling: { enabled: false } },
    },
  ],
])('%s', (name, values) => {
  test('Helm finds nothing wrong', async () => {
    await runHelm(['lint', '--strict'], { ...GIVEN, ...values });
  });

  test('every resource is valid by the schemas of Kubernetes', async () => {
    const text = await runHelm(TEMPLATE, { ...GIVEN, ...values });
    const documents = text
      .split(/^---$/m)
      .filter(
        (document) => /^kind:/m.test(document) && !document.includes('monitoring.coreos.com'),
      );
    expect(documents.length).toBeGreaterThan(5);
    const file = join(folder, `${name.replaceAll(' ', '-')}.yaml`);
    await writeFile(file, documents.join('\n---\n'));
    await promisify(execFile)(join(await findHelmTools(), 'kubernetes-validate'), [
      '--strict',
      file,
    ]);
  });
});

describe('the pods', () => {
  test('run without rights, write no file, and get no token of Kubernetes', async () => {
    const resources = await render();
    for (const component of components) {
      const { securityContext, containers, serviceAccountName } = podOf(resources, component);
      expect(securityContext, component).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      const [container] = containers;
      expect(container.securityContext, component).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.image).toBe('registry.example/voucher:1.0.0');
      expect(container.resources.limits.memory, component).toMatch(/^\d+[MG]i$/);
      find(resources, 'ServiceAccount', serviceAccountName.replace(/^sale-/, ''));
    }
  });

  test('start the commands of docker-compose.yml, with what each process needs', async () => {
    const resources = await render();
    const [api, worker, codec, migrate] = components.map((component) =>
      environmentOf(resources, component),
    );
    const commands = components.map(
      (component) => podOf(resources, component).containers[0].command,
    );
    expect(commands).toEqual(
      ['api', 'worker', 'codec-server', 'migrate'].map((script) => ['node', `src/${script}.js`]),
    );
    const address = (login: string) =>
      `postgres://${login}@db.example:5432/voucher_topup?sslmode=verify-full`;
    expect(readApiConfig(api ?? {}).database.databaseUrl).toBe(address('api:p4'));
    expect(readConfig(worker ?? {}).database.databaseUrl).toBe(address('worker:p5'));
    expect(readMigrationConfig(migrate ?? {}).database.databaseUrl).toBe(
      address('voucher_topup:p2'),
    );
    expect(readCodecServerConfig(codec ?? {}).codec.codecServerPort).toBe(8234);
    for (const [environment = {}, secret] of [
      [worker, 'COPY_KEYS'],
      [migrate, 'DATA_KEYS'],
      [codec, 'DATABASE_PASSWORD'],
    ] as const)
      expect(environment).not.toHaveProperty(secret);
  });

  test('start with the values and the Secrets of the guide', async () => {
    const guide = await readFile('docs/guides/deploy-on-kubernetes.md', 'utf8');
    const [values = ''] = codeBlocks(guide, 'yaml');
    const ofProviders: Readonly<Record<string, string>> = {
      ...Object.assign({}, ...Object.values(SECRETS)),
      SMS_API_KEY: 'key',
      AIRTIME_KEY: 'key',
      AIRTIME_SECRET: 'secret',
      CALLBACK_SECRETS: ['africas-talking', 'gsma', 'dt-one']
        .map((provider) => `${provider}=secret-of-callbacks`)
        .join(','),
    };
    const secrets = Object.fromEntries(
      [...guide.matchAll(/^\| `(voucher-[a-z-]+)` \| (.+) \|$/gm)].map(
        ([, name = '', keys = '']) => [
          name,
          Object.fromEntries(
            [...keys.matchAll(/`([A-Z_]+)`/g)].map(([, key = '']) => [key, ofProviders[key] ?? '']),
          ),
        ],
      ),
    );
    const given = parse(values.replace('sha256:…', `sha256:${'0'.repeat(64)}`));
    const resources = resourcesIn(await runHelm(TEMPLATE, given));
    const readers = {
      api: readApiConfig,
      worker: readConfig,
      'codec-server': readCodecServerConfig,
      migrate: readMigrationConfig,
    } satisfies Record<Component, (environment: Environment) => unknown>;
    for (const component of components)
      readers[component](environmentOf(resources, component, secrets));
  });

  test('are asked on the ports that their processes answer on', async () => {
    const resources = await render();
    for (const component of ['api', 'worker', 'codec-server'] as const) {
      const [{ ports, ...probes }] = podOf(resources, component).containers;
      const { PORT, WORKER_HEALTH_PORT, CODEC_SERVER_PORT } = environmentOf(resources, component);
      const own = WORKER_HEALTH_PORT ?? CODEC_SERVER_PORT ?? PORT;
      expect(ports.find(({ name }) => name === 'health')?.containerPort).toBe(Number(own));
      expect(probes.livenessProbe?.httpGet.path).toBe('/health/live');
      for (const { httpGet, timeoutSeconds } of [
        probes.startupProbe,
        probes.readinessProbe,
      ].flatMap((one) => one ?? [])) {
        expect(httpGet.path).toBe('/health/ready');
        expect(timeoutSeconds * 1_000).toBeGreaterThan(HEALTH_LIMIT_MS);
      }
    }
  });

  test('have certificates, images of promos and the archive only where they are given', async () => {
    const mountsOf = (resources: Resource[]) =>
      components.map((component) =>
        podOf(resources, component).containers[0].volumeMounts.map(({ mountPath }) => mountPath),
      );
    expect(mountsOf(await render()).flat()).toEqual([]);
    const all = ['/run/secrets', '/promo-images', '/archive'];
    expect(mountsOf(await render(EVERYTHING))).toEqual([all, all, [], ['/run/secrets']]);
  });
});

describe('the chart', () => {
  test('migrates before everything else, with an account that is there by then', async () => {
    const resources = await render();
    const hooks = resources.filter(({ metadata }) => 'helm.sh/hook' in metadata.annotations);
    expect(hooks.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
      ['ServiceAccount', 'sale-migrate'],
      ['Job', 'sale-migrate'],
    ]);
    const [account, job] = hooks.map(({ metadata }) => metadata.annotations);
    for (const one of [account, job]) expect(one?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(Number(account?.['helm.sh/hook-weight'])).toBeLessThan(
      Number(job?.['helm.sh/hook-weight']),
    );
  });

  test('has no secret, and none of its values is one', async () => {
    const resources = await render(EVERYTHING);
    expect(resources.filter(({ kind }) => ['Secret', 'ConfigMap'].includes(kind))).toEqual([]);
    const text = JSON.stringify(resources);
    for (const secret of Object.values(SECRETS).flatMap((one) => Object.values(one)))
      if (secret.length > 10) expect(text).not.toContain(secret);
  });

  test('scales by CPU, and by waiting tasks where that is asked for', async () => {
    const metrics = (resources: Resource[], component: Component) =>
      z
        .object({ metrics: z.array(z.object({ type: z.string() })) })
        .parse(find(resources, 'HorizontalPodAutoscaler', component).spec)
        .metrics.map(({ type }) => type);
    const plain = await render();
    expect([metrics(plain, 'api'), metrics(plain, 'worker')]).toEqual([['Resource'], ['Resource']]);
    expect(find(plain, 'Deployment', 'worker').spec).not.toHaveProperty('replicas');
    expect(metrics(await render(EVERYTHING), 'worker')).toEqual(['Resource', 'External']);
    const fixed = await render({ worker: { replicas: 3, autoscaling: { enabled: false } } });
    expect(find(fixed, 'Deployment', 'worker').spec).toMatchObject({ replicas: 3 });
  });

  test('lets a node be drained, and gives each component a policy', async () => {
    const resources = await render();
    const namesOf = (kind: string) =>
      resources.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name.slice(5));
    expect(namesOf('PodDisruptionBudget').sort()).toEqual(['api', 'worker']);
    expect(namesOf('NetworkPolicy').sort()).toEqual([...components].sort());
    const { spec } = find(resources, 'NetworkPolicy', 'migrate');
    expect(spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
    expect(spec).not.toHaveProperty('ingress');
  });

  test('gives the processes the job by which alerts know them', async () => {
    const monitors = (await render(EVERYTHING)).filter(({ kind }) => kind === 'ServiceMonitor');
    expect(monitors.map(({ metadata }) => metadata.name)).toEqual(['sale-api', 'sale-worker']);
    for (const { spec } of monitors)
      expect(spec).toMatchObject({
        endpoints: [{ relabelings: [{ targetLabel: 'job', replacement: 'voucher-service' }] }],
      });
  });

  test.each<[string, ChartValues]>([
    ['postgresql.host is the address of the database', { postgresql: {} }],
    ['temporal.address is host:port', { temporal: {} }],
    ['replica', { api: { replica: 3 } }],
    [
      'Property name of "public-url" does not match',
      { settings: { 'public-url': 'https://vouchers.example' } },
    ],
  ])('refuses values without sense: %s', async (message, values) => {
    await expect(render(values)).rejects.toThrow(message);
  });

  test('has the version of the image, and a schema that names every value', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const chart = parse(await readFile('deploy/helm/Chart.yaml', 'utf8'));
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
    const schema = JSON.parse(await readFile('deploy/helm/values.schema.json', 'utf8'));
    const values = parse(await readFile('deploy/helm/values.yaml', 'utf8'));
    expect(new Ajv().validate(schema, values)).toBe(true);
    const { global: _ofHelm, ...properties } = schema.properties;
    expect(Object.keys(properties)).toEqual(Object.keys(values));
  });
});
