import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { type Sample, samplesOf } from '../end-to-end/observation/samples.ts';
import { runPromtool } from './promtool.ts';

const RULES = ['monitoring/objectives.yml', 'monitoring/alerts.yml'];
const INTERVAL_SECONDS = 30;

/** Two scrapes of a running service, and when the first was made. */
export interface Scrapes {
  readonly at: Date;
  readonly before: string;
  readonly after: string;
  /** What happened between them does not happen again. */
  readonly isOver?: boolean;
  /** A state that has changed changes back and forth, at each scrape. */
  readonly alternates?: boolean;
  /** How many scrapes apart it happens again; at each one by default. */
  readonly everyScrapes?: number;
}

/** The metrics that rules and the dashboard read. */
const isRead = ({ name }: Sample): boolean =>
  /^(voucher_service_|temporal_|nodejs_eventloop_lag_p99|process_cpu_seconds_total|up$)/.test(name);

const keyOf = ({ name, labels }: Sample): string =>
  `${name}{${Object.entries({ job: 'voucher-service', instance: 'test', ...labels })
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join(',')}}`;

/**
 * The series of a cause that goes on: what a counter gained between the scrapes it gains again and again,
 * an age that grew goes on growing, and a time that stood still stands still.
 */
function seriesOf({ before, after, isOver, alternates, everyScrapes = 1 }: Scrapes, count: number) {
  const earlier = new Map(samplesOf(before).map((one) => [keyOf(one), one.value]));
  return samplesOf(after)
    .filter(isRead)
    .filter(({ value }) => Number.isFinite(value))
    .map((sample) => {
      const series = keyOf(sample);
      const first = earlier.get(series) ?? (isCounter(sample) ? 0 : sample.value);
      const change = sample.value - first;
      if (isCounter(sample))
        return {
          series,
          values: isOver
            ? `${first} ${steps(sample.value, 0, count)}`
            : repeatedSteps(first, change, { count, everyScrapes }),
        };
      if (alternates && change !== 0 && !isTime(sample))
        return { series, values: `${sample.value} ${first} `.repeat(count / 2).trim() };
      const step = isTime(sample) && change > 0 ? INTERVAL_SECONDS : 0;
      return { series, values: steps(sample.value, step, count) };
    });
}

const isCounter = ({ name }: Sample): boolean => /_(total|count|bucket|sum)$/.test(name);

/** An age, or a moment. */
const isTime = ({ name }: Sample): boolean =>
  /_oldest_seconds$|_timestamp_seconds$|oldest_hold_seconds$/.test(name);

const steps = (first: number, step: number, count: number): string => `${first}+${step}x${count}`;

/** A counter that gains the same at every so many scrapes. */
const repeatedSteps = (
  first: number,
  change: number,
  { count, everyScrapes }: { readonly count: number; readonly everyScrapes: number },
): string =>
  everyScrapes === 1 || change === 0
    ? steps(first, change, count)
    : Array.from({ length: Math.ceil(count / everyScrapes) }, (_, turn) =>
        steps(first + turn * change, 0, everyScrapes - 1),
      ).join(' ');

/**
 * What promtool says of expressions for which it expects nothing, after some minutes in which the service
 * goes on as between two scrapes; undefined where it found nothing.
 *
 * @throws where promtool does not accept the rules or the series
 */
async function evaluated(
  scrapes: Scrapes,
  minutes: number,
  expressions: readonly string[],
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'voucher-topup-service-rules-'));
  try {
    const file = join(folder, 'test.yml');
    await writeFile(file, stringify(documentOf(scrapes, minutes, expressions)));
    const { isGood, output } = await runPromtool('test', 'rules', file);
    if (isGood) return undefined;
    if (!output.includes('got:')) throw new Error(output);
    return output;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The names of the alerts that fire, by the rules as they are deployed. */
export async function firingAlerts(scrapes: Scrapes, minutes: number): Promise<string[]> {
  const alerts = 'count by (alertname) (ALERTS{alertstate="firing"})';
  const output = (await evaluated(scrapes, minutes, [alerts])) ?? '';
  const [, got = ''] = /got:(.*)/s.exec(output) ?? [];
  return [...got.matchAll(/alertname="(\w+)"/g)].map(([, name = '']) => name).sort();
}

/** The expressions that have no value, of those that a dashboard shows. */
export async function unanswered(
  scrapes: Scrapes,
  expressions: readonly string[],
): Promise<string[]> {
  const output = (await evaluated(scrapes, 10, expressions)) ?? '';
  return expressions.filter(
    (expression) => !output.includes(`expr: ${JSON.stringify(expression)}`),
  );
}

/** Expects nothing, so that promtool names what there is. */
const documentOf = (scrapes: Scrapes, minutes: number, expressions: readonly string[]) => ({
  rule_files: RULES.map((file) => resolve(file)),
  evaluation_interval: `${INTERVAL_SECONDS}s`,
  tests: [
    {
      interval: `${INTERVAL_SECONDS}s`,
      start_timestamp: scrapes.at.toISOString(),
      input_series: seriesOf(scrapes, (minutes * 60) / INTERVAL_SECONDS),
      promql_expr_test: expressions.map((expr) => ({
        expr,
        eval_time: `${minutes}m`,
        exp_samples: [],
      })),
    },
  ],
});
