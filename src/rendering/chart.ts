import { type Html, html, phrase } from './html.ts';

/*
 * Charts as SVG, drawn by the server. A canvas that a library draws by script says nothing to screen readers and to the
 * mailed day report. Libraries that make SVG need a DOM, or know only the zone of the process. The axis is one of
 * numbers, such as milliseconds since 1970: each mark stands where its time is, and a time without marks is empty.
 */

/** Something that lasts, such as a day. */
interface Bar {
  readonly from: number;
  readonly to: number;
  readonly value: number;
  /** Its tooltip. */
  readonly words: string;
}

/** A value at one time; a line joins those of a chart. */
interface Point {
  readonly at: number;
  readonly value: number;
  readonly words: string;
}

/** A place of the axis of time with its label. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** What a chart shows of the days or hours of an axis. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** Of the chart as a whole, for screen readers: a table has the figures. */
  readonly description: string;
  /** The ends of the axis of time. */
  readonly span: readonly [from: number, to: number];
  readonly ticks: readonly Tick[];
  readonly bars?: readonly Bar[];
  readonly line?: readonly Point[];
  /** The highest value of the other axis; by default a round one above all marks. */
  readonly top?: number;
  /** The label of a value. */
  readonly valueText: (value: number) => string;
}

const WIDTH = 400;
const HEIGHT = 190;
const EDGE = 8;
/** Room for the labels of values, which marks would hide. */
const LEFT = 72;
const TOP = 26;
const BOTTOM = 26;
const PLOT = HEIGHT - TOP - BOTTOM;
/** Half of the room that the label of a time needs. */
const HALF_LABEL = 20;
/** A value above zero is seen, however low. */
const LOWEST = 1.5;
const STEPS = [1, 2, 2.5, 5, 10];

/** Draws a chart. */
export function drawChart(chart: Chart): Html {
  const { id, span, ticks, bars = [], line = [], valueText } = chart;
  const { top = roundedUp([...bars, ...line].map(({ value }) => value)) } = chart;
  const x = (at: number) => LEFT + ((at - span[0]) / (span[1] - span[0])) * (WIDTH - LEFT - EDGE);
  const y = (value: number) => TOP + PLOT * (1 - value / top);
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"
 aria-labelledby="${id}-title ${id}-description">
<title id="${id}-title">${phrase(chart.title)}</title>
<desc id="${id}-description">${chart.description}</desc>
${[0, 0.5, 1].map((part) => gridLine(y(top * part), part > 0 ? valueText(top * part) : undefined))}
${ticks.map(({ at, label }) => tickAt(x(at), label))}
${bars.map((bar) => column(bar, [x(bar.from), x(bar.to)], y(bar.value)))}
${line.length > 0 && html`<polyline class="line" points="${line.map(({ at, value }) => `${round(x(at))},${round(y(value))}`).join(' ')}"/>`}
${line.map(
  ({ at, value, words }) =>
    html`<circle class="point" cx="${round(x(at))}" cy="${round(y(value))}" r="3"><title>${words}</title></circle>`,
)}
</svg>`;
}

const round = (place: number): string => place.toFixed(2);

function column({ value, words }: Bar, [from, to]: readonly [number, number], y: number): Html {
  const gap = Math.min((to - from) * 0.25, 4);
  const height = value > 0 ? Math.max(TOP + PLOT - y, LOWEST) : 0;
  return html`<rect class="bar" x="${round(from + gap / 2)}" y="${round(TOP + PLOT - height)}"
 width="${round(to - from - gap)}" height="${round(height)}" rx="1.5"><title>${words}</title></rect>`;
}

const gridLine = (y: number, label: string | undefined): Html =>
  html`<line class="grid" x1="${EDGE}" x2="${WIDTH - EDGE}" y1="${round(y)}" y2="${round(y)}"/>${
    label !== undefined && html`<text class="label" x="${EDGE}" y="${round(y - 4)}">${label}</text>`
  }`;

const tickAt = (x: number, label: string): Html =>
  html`<line class="grid" x1="${round(x)}" x2="${round(x)}" y1="${TOP + PLOT}" y2="${TOP + PLOT + 5}"/><text class="label" ${
    x + HALF_LABEL > WIDTH - EDGE
      ? html`text-anchor="end" x="${WIDTH - EDGE}"`
      : html`text-anchor="middle" x="${round(x)}"`
  } y="${HEIGHT - 8}">${label}</text>`;

/** A round value that is at least the highest. */
function roundedUp(values: readonly number[]): number {
  const highest = Math.max(1, ...values);
  const unit = 10 ** Math.floor(Math.log10(highest));
  return unit * (STEPS.find((step) => unit * step >= highest) ?? 10);
}
