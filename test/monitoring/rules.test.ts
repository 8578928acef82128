import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { sdkMetrics } from '../../docs/generate/sdk-metrics.ts';
import { definitions, PREFIX } from '../../src/runtime/metrics/definitions.ts';
import { provenAlerts } from './alert-proofs.ts';
import { findPromtool, PROMTOOL_LIMIT_MS, runPromtool } from './promtool.ts';

beforeAll(async () => {
  await findPromtool();
}, PROMTOOL_LIMIT_MS);

const RUNBOOK = 'docs/guides/runbook';
const ruleFile = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string().optional(),
          record: z.string().optional(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['page', 'ticket', 'info']) }).optional(),
          annotations: z.object({ summary: z.string(), runbook: z.string() }).optional(),
        }),
      ),
    }),
  ),
});

/** Our own metrics by the names that they are scraped with. */
const prefixed = Object.fromEntries(
  Object.entries(definitions).map(([name, definition]) => [PREFIX + name, definition]),
);

const read = (name: string) => readFileSync(`monitoring/${name}`, 'utf8');
const rulesOf = (name: string) =>
  ruleFile.parse(parse(read(name))).groups.flatMap(({ rules }) => rules);
const alerts = rulesOf('alerts.yml');

test.each(['alerts.yml', 'objectives.yml'])('promtool accepts %s', async (name) => {
  expect(await runPromtool('check', 'rules', '--lint-fatal', `monitoring/${name}`)).toMatchObject({
    isGood: true,
  });
});

test('promtool accepts the configuration, and refuses a broken rule', async () => {
  const configuration = await runPromtool('check', 'config', 'monitoring/prometheus.yml');
  expect(configuration).toMatchObject({ isGood: true });
  expect(await runPromtool('check', 'rules', 'docker-compose.yml')).toMatchObject({
    isGood: false,
  });
});

test('every alert has a page of the runbook, which the index names with its severity', () => {
  const index = readFileSync(`${RUNBOOK}/README.md`, 'utf8');
  for (const { alert, annotations, labels } of alerts) {
    const page = readFileSync(annotations?.runbook ?? '', 'utf8');
    expect(page).toContain(`Alert \`${alert}\``);
    const title = page.slice(2, page.indexOf('\n'));
    const file = annotations?.runbook.split('/').at(-1);
    expect(index).toContain(`| \`${alert}\` | [${title}](${file}) | ${labels?.severity} |`);
    for (const part of ['Meaning', 'Impact', 'What to look at', 'What to do'])
      expect(page).toContain(`\n## ${part}\n\n`);
  }
  const pages = readdirSync(RUNBOOK).filter((name) => name !== 'README.md');
  expect(pages.sort()).toEqual(
    alerts.map(({ annotations }) => annotations?.runbook.split('/').at(-1)).sort(),
  );
});

test('every alert has a file of tests that makes its cause, and checks that it has fired', () => {
  const proven = new Set<string>(Object.values(provenAlerts).flat());
  expect([...proven].sort()).toEqual(alerts.map(({ alert = '' }) => alert).sort());
  const files = readdirSync('test/monitoring').filter((name) => name.startsWith('alerts-of-'));
  expect(files.sort()).toEqual(
    Object.keys(provenAlerts)
      .map((name) => `${name}.test.ts`)
      .sort(),
  );
  for (const file of files) {
    const text = readFileSync(`test/monitoring/${file}`, 'utf8');
    expect(text).toContain(`alertProofs('${file.replace('.test.ts', '')}')`);
    expect(text.endsWith('\n\nallHaveFired();\n'), file).toBe(true);
  }
});

test('rules, dashboard and runbook name only metrics that there are', () => {
  const known = new Set([
    ...Object.keys(prefixed),
    ...Object.keys(sdkMetrics),
    ...rulesOf('objectives.yml').flatMap(({ record = '' }) => record),
  ]);
  const pages = readdirSync(RUNBOOK).map((name) => readFileSync(`${RUNBOOK}/${name}`, 'utf8'));
  const texts = [...['alerts.yml', 'objectives.yml', 'dashboard.json'].map(read), ...pages];
  const names = texts.flatMap((text) => [
    ...text.matchAll(/\b(?:voucher_service[_:]|temporal_)[a-z0-9_:]+/g),
  ]);
  expect(names.length).toBeGreaterThan(100);
  const unknown = names
    .map(([name]) => name.replace(/_(bucket|count|sum)$/, ''))
    .filter((name) => !known.has(name));
  expect([...new Set(unknown)]).toEqual([]);
});

test('the runbook shows the reasons of failed redemptions that the alerts count', () => {
  const [counted] = read('objectives.yml').match(/route=~"[^"]*redeem-gift",reason=~"[^"]*"/) ?? [];
  for (const page of ['redemption-budget-burns.md', 'redemption-budget-burns-fast.md'])
    expect(readFileSync(`${RUNBOOK}/${page}`, 'utf8'), page).toContain(counted);
});

test('the runbook names the series of a histogram, since its name alone has no value', () => {
  const isHistogram = (name: string) =>
    ({ ...sdkMetrics, ...prefixed })[name]?.kind === 'histogram';
  const bare = readdirSync(RUNBOOK).flatMap((page) =>
    [...readFileSync(`${RUNBOOK}/${page}`, 'utf8').matchAll(/\b(?:voucher_service_|temporal_)\w+/g)]
      .filter(([name]) => isHistogram(name))
      .map(([name]) => `${page}: ${name}`),
  );
  expect(isHistogram('temporal_request_latency_seconds')).toBe(true);
  expect(bare).toEqual([]);
});
