import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { makeSecrets } from '../../src/local/start/backing-services.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const healthCheck = z.object({
  test: z.array(z.string()).optional(),
  disable: z.boolean().optional(),
});
const condition = z.enum(['service_started', 'service_healthy', 'service_completed_successfully']);

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      entrypoint: z.array(z.string()).optional(),
      command: z.array(z.string()).optional(),
      environment: z.record(z.string(), scalar).default({}),
      depends_on: z.record(z.string(), z.object({ condition })).default({}),
      healthcheck: healthCheck.optional(),
      restart: z.string().optional(),
      ports: z.array(z.string()).default([]),
      volumes: z.array(z.string()).default([]),
      networks: z.record(z.string(), z.object({ ipv4_address: z.string() })).default({}),
      build: z.unknown().optional(),
      read_only: z.boolean().default(false),
      cap_drop: z.array(z.string()).default([]),
      security_opt: z.array(z.string()).default([]),
      cap_add: z.array(z.string()).default([]),
      mem_limit: z.string().optional(),
      logging: z.object({ options: z.record(z.string(), scalar) }).optional(),
      init: z.boolean().default(false),
      user: z.string().optional(),
      profiles: z.array(z.string()).default([]),
      configs: z.array(z.object({ source: z.string(), target: z.string() })).default([]),
    }),
  ),
  // Compose copies other content into a container, which one without a writable file system refuses.
  configs: z.record(z.string(), z.strictObject({ file: z.string() })),
  networks: z.object({
    default: z.object({
      ipam: z.object({
        config: z.tuple([
          z.object({ subnet: z.string(), gateway: z.string(), ip_range: z.string() }),
        ]),
      }),
    }),
  }),
});

export type Compose = z.infer<typeof composeSchema>;

/** docker-compose.yml as it stands, and as far as tests read it. */
export async function readComposeFile(): Promise<{ document: unknown; compose: Compose }> {
  const text = await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  const document: unknown = parse(text, { merge: true });
  return { document, compose: composeSchema.parse(document) };
}

const key = Buffer.alloc(32, 1).toString('base64');

/** What a person puts into .env, as the head of docker-compose.yml says. */
export const composeSecrets: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: 'p1',
  SERVICE_DATABASE_PASSWORD: 'p2',
  TEMPORAL_DATABASE_PASSWORD: 'p3',
  API_DATABASE_PASSWORD: 'p4',
  WORKER_DATABASE_PASSWORD: 'p5',
  OPERATOR_DATABASE_PASSWORD: 'p6',
  REPORTS_DATABASE_PASSWORD: 'p7',
  GRAFANA_PASSWORD: 'p8',
  ACCESS_TOKEN_PRIVATE_KEY: makeSecrets().ACCESS_TOKEN_PRIVATE_KEY.replaceAll('\n', '\\n'),
  DIGEST_KEY: key,
  DATA_KEYS: `k1:${key}`,
  PAYLOAD_KEYS: `k1:${key}`,
  COPY_KEYS: `k1:${key}`,
  CODEC_SERVER_OPERATORS: `support:${'0'.repeat(64)}`,
};

/** Interpolates as Compose does: `${NAME:-default}`, `${NAME-unset}`, `${NAME:+if set}` and `${NAME:?error}`. */
export function interpolate(text: string, given: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(:?[-+?])([^}]*)\}/g, (_all, name: string, kind, rest: string) => {
    const value = given[name];
    if (kind === ':+') return value ? rest : '';
    if (value || (value === '' && kind === '-')) return value;
    if (kind === ':?') throw new Error(`required variable ${name} is missing a value: ${rest}`);
    return rest;
  });
}

/** The environment of a service, with what stands in .env. */
export const composeEnvironment = (
  compose: Compose,
  service: string,
  given: Readonly<Record<string, string>> = composeSecrets,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(compose.services[service]?.environment ?? {}).map(([name, text]) => [
      name,
      interpolate(text, given),
    ]),
  );
