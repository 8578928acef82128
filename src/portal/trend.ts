import { formatMoney, parseMoney } from '../domain/money.ts';
import { type Html, html, phrase } from '../rendering/html.ts';
import { locale } from './language/language.ts';
import { money } from './layout/money.ts';

/** The sum of a time, and of the equally long time before it; decimal strings of ETB. */
export interface Trend {
  readonly name: string;
  readonly now: { readonly count: number; readonly sum: string };
  readonly before: { readonly count: number; readonly sum: string };
  /** The page with the figures, as a path. */
  readonly path: string;
}

/** A card that compares a time with the one before. */
export const trendCard = ({ name, now, before, path }: Trend): Html =>
  html`<section class="card figure"><h2>${phrase(name)}</h2>
<p class="amount">${money(now.sum)}</p>
<p class="quiet">${now.count.toLocaleString(locale())} in the last 7 days, ${changeOf(now.sum, before.sum)}</p>
<p><a href="${path}">Figures<span class="visually-hidden"> (${phrase(name)})</span></a></p></section>`;

/** How much more or less it is, in words. */
function changeOf(now: string, before: string): Html {
  const [later, earlier] = [parseMoney(now), parseMoney(before)];
  if (earlier === 0n)
    return phrase(later === 0n ? 'as in the 7 days before' : 'nothing in the 7 days before');
  const percent = Number(((later - earlier) * 1_000n) / earlier) / 10;
  const rounded =
    Math.abs(percent) < 10 ? Math.abs(percent).toFixed(1) : Math.round(Math.abs(percent));
  if (percent === 0) return phrase('as in the 7 days before');
  return percent > 0
    ? html`${rounded} % more than in the 7 days before`
    : html`${rounded} % less than in the 7 days before`;
}

/** The sums of the first and the second half of some days. */
export function halves<Day>(
  days: readonly Day[],
  valuesOf: (day: Day) => { readonly count: number; readonly sum: string },
): Pick<Trend, 'now' | 'before'> {
  const half = days.length / 2;
  const total = (part: readonly Day[]) => ({
    count: part.reduce((count, day) => count + valuesOf(day).count, 0),
    sum: formatMoney(part.reduce((sum, day) => sum + parseMoney(valuesOf(day).sum), 0n)),
  });
  return { before: total(days.slice(0, half)), now: total(days.slice(half)) };
}
