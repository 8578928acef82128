import { OTHER, sdkLabelValues } from './sdk-label-values.ts';

const BOUNDED = new RegExp(
  `\\b(${Object.keys(sdkLabelValues).join('|')})="((?:[^"\\\\]|\\\\.)*)"`,
  'g',
);

/**
 * The text of the SDK's metrics, with `other` in the place of names that this release does not know.
 * Series that become one are added up.
 */
export function boundSeries(text: string): string {
  const lines: string[] = [];
  let others = new Map<string, number>();
  const endFamily = () => {
    for (const [series, value] of others) lines.push(`${series} ${value}`);
    others = new Map();
  };
  for (const line of text.split('\n')) {
    const bounded = line.startsWith('#') ? line : line.replace(BOUNDED, knownOrOther);
    if (bounded !== line) {
      const end = bounded.lastIndexOf(' ');
      const series = bounded.slice(0, end);
      others.set(series, (others.get(series) ?? 0) + Number(bounded.slice(end + 1)));
    } else {
      // The samples of a metric stand together, after its comments.
      if (line === '' || line.startsWith('#')) endFamily();
      lines.push(line);
    }
  }
  endFamily();
  return lines.join('\n');
}

const knownOrOther = (label: string, name: string, value: string): string =>
  sdkLabelValues[name]?.has(value) ? label : `${name}="${OTHER}"`;
