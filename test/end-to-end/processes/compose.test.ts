import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Compose, readComposeFile } from '../../config/compose-file.ts';
import { wantsReleasedTemporal } from '../../support/released-temporal/start-server.ts';
import { type ComposeEngine, createComposeEngine } from './compose-engine.ts';

/** Needs the Temporal server of production, as `npm run test:temporal` has it. */
describe.skipIf(!wantsReleasedTemporal())('docker-compose.yml', () => {
  let compose: Compose;
  let directory: string;
  let engine: ComposeEngine;

  beforeAll(async () => {
    ({ compose } = await readComposeFile());
    directory = await mkdtemp(join(tmpdir(), 'voucher-topup-service-compose-'));
    engine = await createComposeEngine(compose, {
      directory,
      bundle: inject('workflowBundlePath'),
    });
  }, 1_800_000);
  afterAll(async () => {
    await engine?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test('brings everything up from nothing, each after what it waits for', async () => {
    await Promise.all(['sandbox', 'codec-server'].map((name) => engine.up(name)));
    const { depends_on = {} } = compose.services.balancer ?? {};
    await Promise.all(
      [...Object.keys(depends_on), 'worker', 'worker-2'].map((name) => engine.up(name)),
    );
    const order = engine.started.filter((name) => !['sandbox', 'codec-server'].includes(name));
    expect(order.slice(0, 4)).toEqual(['postgres', 'temporal-schema', 'temporal', 'migrate']);
    expect(order.slice(4).sort()).toEqual(['api', 'api-2', 'worker', 'worker-2']);
  });

  test('logs in with roles of few rights, and warns of none that is missing', () => {
    expect(engine.output('migrate')).not.toContain('The roles of the processes are missing');
    for (const name of ['api', 'worker']) expect(engine.output(name)).not.toContain('"level":50');
  });

  test('answers Prometheus where its example looks', async () => {
    const example = await readFile('monitoring/prometheus.yml', 'utf8');
    const targets = [...example.matchAll(/'([\w-]+):(\d+)'/g)];
    expect(targets).toHaveLength(4);
    for (const [, name = '', port] of targets) {
      const response = await fetch(`http://${engine.addressOf(name)}:${port}/metrics`);
      expect(await response.text(), name).toContain('voucher_service_');
    }
  });

  test("runs the operator's commands, and the steps that end once more at the next start", async () => {
    expect(await engine.run('admin', ['partner', 'list']), engine.output('admin')).toBe(0);
    expect(await engine.run('temporal-schema')).toBe(0);
    expect(await engine.run('migrate'), engine.output('migrate')).toBe(0);
  });
});
