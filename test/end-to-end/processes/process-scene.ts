import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type Environment, readApiConfig } from '../../../src/config/config.ts';
import { localPortsOf, PORTS_IN_A_ROW } from '../../../src/config/local-ports.ts';
import { createDigests } from '../../../src/crypto/digests.ts';
import { connectDatabase } from '../../../src/db/connection.ts';
import { groupRole } from '../../../src/db/rights/roles.ts';
import type { ProcessRole } from '../../../src/db/rights/table-rights.ts';
import { freePorts } from '../../../src/local/processes.ts';
import { makeSecrets } from '../../../src/local/start/backing-services.ts';
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { killAllProcesses } from '../../harness/child-process.ts';
import { type ServiceProcess, startProcess } from '../../harness/service-process.ts';
import { call } from '../../support/clients.ts';
import { providerSettings, type Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

/** What the simulated provider says of a payment. */
interface PayoutRow {
  readonly reference: string;
  readonly status: string;
}

const scripts = {
  migrate: 'src/migrate.ts',
  sandbox: 'src/sandbox.ts',
  worker: 'src/worker.ts',
  api: 'src/api.ts',
  /** Worker and API in one, which start quickly. */
  service: 'src/service.ts',
  codec: 'src/codec-server.ts',
  'halting-worker': 'test/end-to-end/crashes/halting-worker.ts',
} as const;

type ProcessName = keyof typeof scripts;

export type ProcessScene = Awaited<ReturnType<typeof setProcessScene>>;

/**
 * An empty database and the service's settings, as somebody would give them to processes in
 * production; nothing is started yet.
 */
export async function setProcessScene() {
  const admin = new pg.Client({ connectionString: inject('databaseAdminUrl') });
  await admin.connect();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await admin.query(`create database ${name}`);
  const databaseUrl = new URL(inject('databaseAdminUrl'));
  databaseUrl.pathname = name;

  const portBase = await freePorts(PORTS_IN_A_ROW);
  const { url: sandboxUrl, settings: providers } = await sandboxAddresses(portBase);
  const settings: Environment = {
    ...makeSecrets(),
    ...providers,
    SMS_API_KEY: `sms-${randomUUID()}`,
    MOBILE_MONEY_SECRET: `mobile-money-${randomUUID()}`,
    DATABASE_URL: databaseUrl.href,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `test-${randomUUID()}`,
    WORKFLOW_BUNDLE: inject('workflowBundlePath'),
    PORT: '0',
    PORT_BASE: String(portBase),
    SANDBOX_DELAY_SCALE: '0.02',
    LOG_LEVEL: 'info',
    CALLER_WAIT_SECONDS: '3',
    DRAIN_SECONDS: '0',
    MESSAGE_COOLDOWN_SECONDS: '0',
    PAYMENT_INQUIRY_INTERVAL_SECONDS: '0.2',
  };
  const config = readApiConfig(settings, settings);
  const database = connectDatabase(databaseUrl.href, { poolSize: 2 });
  const started: ServiceProcess[] = [];

  return {
    settings,
    sandboxUrl,
    database,

    start(process: ProcessName, changes: Environment = {}): ServiceProcess {
      const child = startProcess(scripts[process], { ...settings, ...changes });
      started.push(child);
      return child;
    },

    /**
     * The address of the database for a login that has the rights of one process; there are such
     * roles once the migration has run.
     */
    async databaseUrlFor(role: ProcessRole): Promise<string> {
      const url = new URL(databaseUrl);
      url.username = `login_${role}_${randomUUID()}`;
      url.password = randomUUID();
      await admin.query(`create role "${url.username}" login password '${url.password}'
        in role "${groupRole(name, role)}"`);
      return url.href;
    },

    /** What all processes have written. */
    output: () => started.map((child) => child.output()).join('\n'),

    /** As much of a stack as the clients and companies of tests need, with the API at a port. */
    stackAt: (port: unknown) =>
      ({
        url: `http://127.0.0.1:${port}`,
        config,
        database,
        digests: createDigests(config.secrets),
        sandbox: { url: sandboxUrl },
      }) as Stack,

    /** Waits until the provider has taken payments to a number; all of them. */
    payoutsTo: (number: string) =>
      until(async (): Promise<PayoutRow[]> => {
        const { body } = await call(`${sandboxUrl}/books?to=${encodeURIComponent(number)}`);
        if (body.payouts.length === 0) throw new Error('The provider has taken no payment');
        return body.payouts;
      }),

    async stop() {
      killAllProcesses();
      await Promise.all(started.map(({ ended }) => ended));
      await database.destroy();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

/**
 * The addresses of a sandbox on ports that the sandbox's process is to take some time later: none that the
 * system gives to whoever asks for any.
 */
async function sandboxAddresses(portBase: number) {
  const ports = localPortsOf({ PORT_BASE: portBase });
  const sandbox = await startSandbox({
    port: ports.sandbox,
    smtpPort: ports.smtp,
    smppPort: ports.smpp,
  });
  await sandbox.close();
  return { url: sandbox.url, settings: providerSettings(sandbox) };
}
