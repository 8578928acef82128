import type { Break } from '../../../db/provider-statements/breaks.ts';
import { formatAmount, parseMoney } from '../../../domain/money.ts';
import { badge } from '../../../portal/layout/parts.ts';
import type { Html } from '../../../rendering/html.ts';
import { SUPPORT_PATH } from '../../page.ts';

export const BREAKS_PATH = `${SUPPORT_PATH}/breaks`;

/** The page of one break. */
export const breakPath = (id: number): string => `${BREAKS_PATH}/${id}`;

const states: Readonly<
  Record<Break['state'], readonly [tone: Parameters<typeof badge>[0], word: string]>
> = {
  OPEN: ['warning', 'Open'],
  CLOSED: ['plain', 'Closed itself'],
  SETTLED: ['success', 'Settled'],
};

/** The states with their words, in the order of choices. */
export const stateChoices = Object.entries(states).map(
  ([state, [, word]]) => [state, word] as const,
);

export const breakBadge = ({ state }: Pick<Break, 'state'>): Html => badge(...states[state]);

const kinds: Readonly<Record<Break['kind'], string>> = {
  payment: 'Payment',
  reversal: 'Reversal of a payment',
  'top-up': 'Top-up',
};

export const kindOf = ({ kind }: Pick<Break, 'kind'>): string => kinds[kind];

/** One side of a break: its status and its amount. */
export const sideOf = (
  status: string | null,
  amount: string | null,
  currency: string | null,
): string =>
  [status ?? 'Nothing', ...(amount === null ? [] : [`${currency ?? ''} ${shown(amount)}`.trim()])]
    .join(', ')
    .replace(/^./, (first) => first.toUpperCase());

/** Amounts of providers may have more decimals than money here. */
const shown = (amount: string): string => {
  const short = amount.replace(/(\.\d\d\d*?)0+$/, '$1');
  return /^\d+(\.\d{1,2})?$/.test(short) ? formatAmount(parseMoney(short)) : short;
};
