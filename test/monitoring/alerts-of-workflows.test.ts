import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { GENERATE } from '../end-to-end/gift/gift-scene.ts';
import { samplesOf, sampleValue } from '../end-to-end/observation/samples.ts';
import { type ProcessScene, setProcessScene } from '../end-to-end/processes/process-scene.ts';
import { shiftedClock } from '../end-to-end/processes/shifted-clock.ts';
import { partnerClient } from '../support/clients.ts';
import { makeMerchant, makePartner } from '../support/companies.ts';
import { until } from '../support/until.ts';
import { alertProofs } from './alert-proofs.ts';
import { findPromtool, PROMTOOL_LIMIT_MS } from './promtool.ts';

const { allHaveFired, expectAlert } = alertProofs('alerts-of-workflows');

let scene: ProcessScene;
let folder: string;
beforeAll(async () => {
  await findPromtool();
  folder = await mkdtemp(join(tmpdir(), 'voucher-topup-service-bundle-'));
  scene = await setProcessScene();
  expect(await scene.start('migrate').ended).toBe(0);
}, PROMTOOL_LIMIT_MS);
afterAll(async () => {
  await scene?.stop();
  await rm(folder, { recursive: true });
});

/** The workflows of this release, of which one throws: a fault of its code. */
async function brokenBundle(): Promise<string> {
  const code = await readFile(inject('workflowBundlePath'), 'utf8');
  const broken = code.replace(
    /async function generateVoucher\((\w+)\) \{/,
    (start) => `${start} throw new Error('A fault of the code');`,
  );
  expect(broken).not.toBe(code);
  const file = join(folder, 'bundle.js');
  await writeFile(file, broken);
  return file;
}

/** What Prometheus reads of a process. */
async function metricsAt(port: unknown): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  return `up 1\n${await response.text()}`;
}

test('a release whose workflows fail', async () => {
  const service = await scene
    .start('service', { METRICS_PORT: '0', WORKFLOW_BUNDLE: await brokenBundle() })
    .logged('Service is running');
  const read = () => metricsAt(service.metricsPort);
  const scrapes = { at: new Date(), before: await read(), after: '' };
  const stack = scene.stackAt(service.port);
  const partner = await makePartner(stack, { giftWallet: '1000' });
  const client = await partnerClient(stack, partner);
  const generating = client.post(GENERATE, {
    denominationId: partner.denominations[100],
    merchantId: (await makeMerchant(stack)).id,
    msisdn: null,
    isRestricted: true,
  });
  await until(async () => {
    scrapes.after = await read();
    const failed = sampleValue(
      samplesOf(scrapes.after),
      'temporal_workflow_task_execution_failed_total',
      { workflow_type: 'generateVoucher' },
    );
    if (!failed) throw new Error('No task has failed');
  });
  await expectAlert(scrapes, 15, 'WorkflowTasksFail');
  expect((await generating).body.success).toBe(false);
});

test.each([
  ['service', 'Service is running', 600],
  ['api', 'API is listening', -600],
  ['worker', 'Worker is running', 600],
] as const)('the clock of the process %s is wrong', async (name, isRunning, seconds) => {
  const wrong = scene.start(name, { METRICS_PORT: '0', ...shiftedClock(seconds) });
  const { metricsPort } = await wrong.logged(isRunning);
  // A look at the clock of the database that takes too long says nothing: the next one does.
  const text = await until(async () => {
    const scraped = await metricsAt(metricsPort);
    const offset = sampleValue(samplesOf(scraped), 'voucher_service_clock_offset_seconds') ?? 0;
    expect(Math.abs(offset - seconds)).toBeLessThan(1);
    return scraped;
  });
  const scrapes = { at: new Date(), before: text, after: text };
  await expectAlert(scrapes, 5, 'ClockWrong');
  expect(await wrong.stop()).toBe(0);
});

allHaveFired();
