import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect as connectSocket, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import {
  type Environment,
  readDemoConfig,
  readMigrationConfig,
} from '../../../src/config/config.ts';
import { DemoError, listWorkflowLinks } from '../../../src/local/demo/narration.ts';
import { connectTemporal } from '../../../src/runtime/temporal/connection.ts';
import { prepareTemporal } from '../../../src/runtime/temporal/schedules.ts';
import { temporalServerOf } from '../../../src/runtime/temporal/temporal-server.ts';
import { openSsl } from '../../support/openssl.ts';

/** TLS before the real server, that asks clients for a certificate of its own authority. */
let folder: string;
let server: Server;
let settings: Environment;
const sockets = new Set<Socket>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'voucher-topup-service-tls-'));
  const file = (name: string) => join(folder, name);
  const newKey = (name: string) =>
    openSsl(['genpkey', '-algorithm', 'ed25519', '-out', file(`${name}.key`)]);
  newKey('ca');
  openSsl([
    ...['req', '-x509', '-new', '-key', file('ca.key'), '-out', file('ca.pem'), '-days', '2'],
    ...['-subj', '/CN=Test authority', '-addext', 'basicConstraints=critical,CA:TRUE'],
  ]);
  for (const name of ['server', 'client']) {
    newKey(name);
    const { key, csr } = { key: file(`${name}.key`), csr: file(`${name}.csr`) };
    openSsl([
      ...['req', '-new', '-key', key, '-out', csr, '-subj', `/CN=${name}`],
      ...['-addext', `subjectAltName=DNS:temporal.example`],
    ]);
    openSsl([
      ...['x509', '-req', '-in', csr, '-CA', file('ca.pem'), '-CAkey', file('ca.key')],
      ...['-days', '2', '-copy_extensions', 'copy', '-out', file(`${name}.pem`)],
    ]);
  }
  const [host = '', port = ''] = inject('temporalAddress').split(':');
  server = createServer(
    {
      key: readFileSync(file('server.key')),
      cert: readFileSync(file('server.pem')),
      ca: readFileSync(file('ca.pem')),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (client) => {
      const upstream = connectSocket({ host, port: Number(port) });
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
      }
      client.pipe(upstream).pipe(client);
    },
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  settings = {
    ENVIRONMENT: 'production',
    DATABASE_URL: 'postgres://localhost/service',
    TEMPORAL_ADDRESS: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    TEMPORAL_TLS_CA: file('ca.pem'),
    TEMPORAL_TLS_CERT: file('client.pem'),
    TEMPORAL_TLS_KEY: readFileSync(file('client.key'), 'utf8').replaceAll('\n', '\\n'),
    TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
    TEMPORAL_API_KEY: 'an-api-key',
  };
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const payloadKeys = [{ id: 'k1', key: Buffer.alloc(32, 1) }];
const serverWith = (changes: Environment) =>
  temporalServerOf(readMigrationConfig({ ...settings, ...changes }).temporal);

it('is made by workers and clients alike', async () => {
  await prepareTemporal(serverWith({}));
  const temporal = await connectTemporal({ ...serverWith({}), payloadKeys });
  const missing = temporal.client.workflow.getHandle(randomUUID()).describe();
  await expect(missing).rejects.toBeInstanceOf(WorkflowNotFoundError);
  expect(await temporal.reachability.isReachable()).toBe(true);
  await temporal.connection.close();
});

it.each<[string, Environment]>([
  ['of an unknown authority', { TEMPORAL_TLS_CA: '' }],
  ['with another name', { TEMPORAL_TLS_SERVER_NAME: 'other.example' }],
  ['that wants our certificate', { TEMPORAL_TLS_CERT: '', TEMPORAL_TLS_KEY: '' }],
  [
    'that is spoken to in clear',
    {
      TEMPORAL_TLS_CA: '',
      TEMPORAL_TLS_CERT: '',
      TEMPORAL_TLS_KEY: '',
      TEMPORAL_TLS_SERVER_NAME: '',
      TEMPORAL_API_KEY: '',
    },
  ],
])('is not made to a server %s', async (_name, changes) => {
  await expect(connectTemporal({ ...serverWith(changes), payloadKeys })).rejects.toThrow(
    'Temporal cannot be reached at 127.0.0.1',
  );
});

it('is what the demo looks for its workflows by', async () => {
  const { temporalUiUrl, startedSince } = {
    temporalUiUrl: 'http://ui',
    startedSince: new Date(Date.now() + 3_600_000),
  };
  const look = (given: Environment) => {
    const { TEMPORAL_ADDRESS: temporalAddress = '' } = settings;
    const server = temporalServerOf({ ...readDemoConfig(given).temporal, temporalAddress });
    return listWorkflowLinks({ server, temporalUiUrl, startedSince });
  };
  expect(await look(settings)).toEqual([]);
  await expect(look({ TEMPORAL_NAMESPACE: 'default' })).rejects.toBeInstanceOf(DemoError);
  expect(() => readDemoConfig({ ...settings, TEMPORAL_TLS_KEY: '' })).toThrow('TEMPORAL_TLS_CERT');
});
