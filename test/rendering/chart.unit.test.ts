import { expect, test } from 'vitest';
import { drawChart } from '../../src/rendering/chart.ts';

const chart = { id: 'sales', title: 'Sales', description: 'Of a week', valueText: String };

const barsOf = (html: string) =>
  [
    ...html.matchAll(
      /<rect class="bar" x="([\d.]+)" y="([\d.]+)"\s+width="([\d.]+)" height="([\d.]+)"/g,
    ),
  ].map(([, x, , width, height]) => ({
    x: Number(x),
    width: Number(width),
    height: Number(height),
  }));

test('a bar stands where its time is, and a time without bars is empty', () => {
  const bars = [0, 1, 6].map((at) => ({ from: at, to: at + 1, value: 10, words: `day ${at}` }));
  const drawn = barsOf(drawChart({ ...chart, span: [0, 7], ticks: [], bars }).toString());
  const [first, second, last] = drawn.map(({ x }) => x);
  const day = (second ?? 0) - (first ?? 0);
  expect((last ?? 0) - (first ?? 0)).toBeCloseTo(6 * day, 1);
});

test('a longer day has a wider bar', () => {
  const bars = [
    { from: 0, to: 25, value: 1, words: '' },
    { from: 25, to: 49, value: 1, words: '' },
  ];
  const [long, short] = barsOf(drawChart({ ...chart, span: [0, 49], ticks: [], bars }).toString());
  expect(long?.width).toBeGreaterThan(short?.width ?? 0);
});

test.each([
  [
    [10, 5, 0],
    [1, 0.5, 0],
  ],
  [
    [0, 0, 0],
    [0, 0, 0],
  ],
  // A low value is seen.
  [
    [1_000_000, 1, 0],
    [1, 0.01, 0],
  ],
])('the heights of %j are %j of the plot', (values, heights) => {
  const bars = values.map((value, at) => ({ from: at, to: at + 1, value, words: '' }));
  const drawn = barsOf(drawChart({ ...chart, span: [0, 3], ticks: [], bars }).toString());
  const plot = 190 - 26 - 26;
  for (const [place, part] of heights.entries())
    expect((drawn[place]?.height ?? 0) / plot, String(place)).toBeCloseTo(part, 1);
  expect(drawn[1]?.height === 0).toBe(values[1] === 0);
});

test('the labels are round, and words of others are text', () => {
  const html = drawChart({
    ...chart,
    description: '<b>',
    span: [0, 1],
    ticks: [{ at: 0, label: '1 <Nov>' }],
    line: [
      { at: 0, value: 1_740, words: '<i>' },
      { at: 1, value: 3, words: '' },
    ],
  }).toString();
  expect(html).toContain('>2000</text>');
  expect(html).toContain('>1000</text>');
  expect(html).toContain('1 &lt;Nov&gt;');
  expect(html).not.toMatch(/<[bi]>/);
  expect(html).toMatch(/<polyline class="line" points="72\.00,[\d.]+ 392\.00,/);
});
