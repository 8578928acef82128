import { expect, test } from 'vitest';
import { definitions, PREFIX } from '../../../src/runtime/metrics/definitions.ts';
import { createMetrics } from '../../../src/runtime/metrics/metrics.ts';
import { requestSeries, samplesOf } from '../../end-to-end/observation/samples.ts';

const request = {
  surface: 'partner',
  route: '/api/x',
  method: 'GET',
  status: '200',
  reason: 'none',
} as const;

test('a value that the definition of a label does not name makes no series', async () => {
  const metrics = createMetrics();
  metrics.count('http_requests_total', { ...request, method: 'BREW', reason: 'whatever' });
  const before = requestSeries(await metrics.read());
  for (let index = 0; index < 1_000; index += 1)
    metrics.count('http_requests_total', {
      ...request,
      method: `M${index}`,
      reason: `+251911${index}`,
      surface: 'partner',
    });
  expect(requestSeries(await metrics.read())).toBe(before);
  expect(await metrics.read()).toContain('method="other",status="200",reason="other"} 1001');
});

test('a metric of each definition can be collected, with the process beside it', async () => {
  const metrics = createMetrics();
  metrics.observe('http_request_duration_seconds', { surface: 'partner', route: '/api/x' }, 0.2);
  metrics.beforeScrape(() => metrics.set('needs_action', { state: 'running' }, 3));
  const text = await metrics.read();
  for (const name of Object.keys(definitions)) expect(text).toContain(`# HELP ${PREFIX}${name} `);
  expect(text).toContain(`${PREFIX}needs_action{state="running"} 3`);
  expect(text).toContain('le="0.25",surface="partner",route="/api/x"} 1');
  expect(text).toContain('nodejs_eventloop_lag_seconds');
});

test('a process tells nothing of what it has not read', async () => {
  const text = await createMetrics().read();
  const told = samplesOf(text).filter(({ name }) => name.startsWith(PREFIX));
  expect(told).toEqual([]);
});
