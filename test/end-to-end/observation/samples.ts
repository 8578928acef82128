/** One value of the exposition format of Prometheus. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The values of a scrape. */
export const samplesOf = (text: string): readonly Sample[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] =
        /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === '') throw new Error(`This is no sample: ${line}`);
      const pairs = labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
      return {
        name,
        labels: Object.fromEntries([...pairs].map(([, label = '', text = '']) => [label, text])),
        value: Number(value.replace('Inf', 'Infinity')),
      };
    });

/** How many series of HTTP requests there are; others may appear meanwhile. */
export const requestSeries = (text: string): number =>
  samplesOf(text).filter(({ name }) => name.startsWith('voucher_service_http_')).length;

/** The sum of the samples that have these labels; undefined where there is none. */
export function sampleValue(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (one) =>
      one.name === name &&
      Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
