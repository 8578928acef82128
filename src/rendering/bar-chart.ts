import { formatGroupedAmount, type Money, parseMoney } from '../domain/money.ts';
import { type Html, html, phrase } from './html.ts';

/** One day or hour of a chart. */
export interface Bar {
  /** What is written below the first and the last bar: YYYY-MM-DD, or an hour. */
  readonly label: string;
  /** Decimal string. */
  readonly amount: string;
  /** The tooltip of the bar. */
  readonly words: string;
}

const WIDTH = 420;
const HEIGHT = 190;
const LEFT = 8;
/** Room for the labels of grid lines, which bars would hide. */
const BARS_LEFT = 76;
const TOP = 26;
const BOTTOM = 26;
const PLOT = HEIGHT - TOP - BOTTOM;
/** Width of a label below the chart. */
const LABEL = 90;
/** A bar at most: few bars make no walls. */
const SLOT = 40;
const STEPS = [100n, 200n, 250n, 500n, 1_000n];

/**
 * A chart of ETB per day or hour as SVG. The page shows the figures also as a table, so the description for
 * screen readers covers only the chart as a whole.
 */
export function barChart(chart: {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly bars: readonly Bar[];
}): Html {
  const { id, bars } = chart;
  const top = roundedUp(bars.map(({ amount }) => parseMoney(amount)));
  const slot = Math.min((WIDTH - BARS_LEFT - LEFT) / Math.max(bars.length, 1), SLOT);
  const right = BARS_LEFT + slot * bars.length;
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"
 aria-labelledby="${id}-title ${id}-description">
<title id="${id}-title">${phrase(chart.title)}</title>
<desc id="${id}-description">${chart.description}</desc>
${[0n, 1n, 2n].map((half) => line(top, half))}
${bars.map((bar, index) => column(bar, { top, x: BARS_LEFT + index * slot, slot }))}
${label(bars[0]?.label, BARS_LEFT, 'start')}${
  bars.length > 1 && label(bars.at(-1)?.label, Math.max(right, BARS_LEFT + 2 * LABEL), 'end')
}
</svg>`;
}

const column = (
  { amount, words }: Bar,
  { top, x, slot }: { readonly top: Money; readonly x: number; readonly slot: number },
): Html => {
  const height = Number((parseMoney(amount) * BigInt(PLOT) * 100n) / top) / 100;
  const shown = parseMoney(amount) > 0n ? Math.max(height, 1.5) : 0;
  const gap = Math.min(slot * 0.25, 4);
  return html`<rect class="bar" x="${(x + gap / 2).toFixed(2)}"
 y="${(TOP + PLOT - shown).toFixed(2)}" width="${(slot - gap).toFixed(2)}"
 height="${shown.toFixed(2)}" rx="1.5"><title>${words}</title></rect>`;
};

/** A grid line at zero, half or all of the height, with its label. */
const line = (top: Money, half: bigint): Html => {
  const y = TOP + PLOT - (PLOT * Number(half)) / 2;
  return html`<line class="grid" x1="${LEFT}" x2="${WIDTH - LEFT}" y1="${y}" y2="${y}"/>${
    half > 0n &&
    html`<text class="label" x="${LEFT}" y="${y - 4}">${withoutCents((top * half) / 2n)}</text>`
  }`;
};

const label = (words: string | undefined, x: number, anchor: 'start' | 'end'): Html =>
  html`<text class="label" x="${x}" y="${HEIGHT - 8}" text-anchor="${anchor}">${words}</text>`;

const withoutCents = (amount: Money): string => formatGroupedAmount(amount).replace(/\.00$/, '');

/** A round amount that is at least the highest bar. */
function roundedUp(amounts: readonly Money[]): Money {
  const highest = amounts.reduce((a, b) => (a > b ? a : b), 0n);
  let unit = 10_000n;
  while (unit * 1_000n < highest) unit *= 10n;
  return unit * (STEPS.find((step) => unit * step >= highest) ?? 1_000n);
}
