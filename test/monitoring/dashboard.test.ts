import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createCanary } from '../end-to-end/processes/canary.ts';
import { sellGifts, untilAnswered } from '../end-to-end/processes/process-gifts.ts';
import { type ProcessScene, setProcessScene } from '../end-to-end/processes/process-scene.ts';
import { call } from '../support/clients.ts';
import type { Stack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { type Scrapes, unanswered } from './firing-alerts.ts';
import { findPromtool, PROMTOOL_LIMIT_MS } from './promtool.ts';

const dashboard = z
  .object({
    panels: z.array(
      z.object({
        title: z.string(),
        gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
        targets: z.array(z.object({ expr: z.string(), refId: z.string() })).default([]),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('monitoring/dashboard.json', 'utf8')));

const expressions = dashboard.panels.flatMap(({ targets }) =>
  // What Grafana puts in its place for scrapes every 30 seconds.
  targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '2m')),
);

/** What only a fault makes: without one the panel is rightly empty. */
const OF_FAULTS = [
  /^sum by \(reason\) .*status=~"5\.\."/,
  /activity_execution_failed_total/,
  /workflow_task_execution_failed_total/,
  /temporal_request_failure_total/,
  /workflow_ends_total\{outcome!="done"\}/,
  /open_cases/,
];

let scene: ProcessScene;
let scrapes: Scrapes;

beforeAll(async () => {
  await findPromtool();
  scene = await setProcessScene();
  scene.start('sandbox');
  expect(await scene.start('migrate').ended).toBe(0);
  let stack: Stack | undefined;
  const gifts = await sellGifts(scene, createCanary(), () => stack as Stack);
  const service = await scene
    .start('service', {
      METRICS_PORT: '0',
      METRICS_READ_SECONDS: '0.2',
      EXPIRY_RUN_INTERVAL_SECONDS: '1',
      PROVIDER_BALANCE_INTERVAL_SECONDS: '1',
    })
    .logged('Service is running');
  stack = scene.stackAt(service.port);
  const read = async () => {
    const response = await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`);
    return `up 1\n${await response.text()}`;
  };
  const [at, before] = [new Date(), await read()];
  for (const payoutSuffix of ['000', '006']) {
    const redeem = await gifts.claim(await gifts.makeShop(payoutSuffix));
    await untilAnswered(redeem);
  }
  // A payment that hangs is money on hold.
  const hanging = await gifts.claim(await gifts.makeShop('014'));
  // Its caller is still waiting when the processes are stopped.
  void hanging().catch(() => undefined);
  expect((await call(`${stack.url}/api/v1/client/promos`)).status).toBe(401);
  await until(async () => {
    const after = await read();
    expect(after).toMatch(/voucher_service_oldest_hold_seconds\{kind="payment"\} [0-9.]*[1-9]/);
    expect(after).toMatch(/schedule_last_run_succeeded\{schedule="expiry"\} 1/);
    expect(after).toMatch(/provider_balance\{/);
    scrapes = { at, before, after };
  });
}, PROMTOOL_LIMIT_MS);
afterAll(() => scene?.stop());

test('every panel shows something of a service at work, or of a fault', async () => {
  expect(expressions.length).toBeGreaterThan(30);
  const empty = await unanswered(scrapes, expressions);
  expect(empty.filter((expr) => !OF_FAULTS.some((fault) => fault.test(expr)))).toEqual([]);
});

test('no two panels overlap, and the queries of a panel have names of their own', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { title, targets, gridPos } of dashboard.panels) {
    expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
  }
});
