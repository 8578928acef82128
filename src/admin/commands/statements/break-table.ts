import type { Break } from '../../../db/provider-statements/breaks.ts';
import { column, money, numbers, table } from '../../tables.ts';

/** Breaks for a terminal. */
export const breakTable = (breaks: readonly Break[]): string =>
  table(breaks, [
    numbers('id', ({ id }) => id),
    column('provider', ({ provider }) => provider),
    column('day', ({ day }) => day),
    column('type', ({ type }) => type),
    column('what', ({ kind }) => kind),
    column('our reference', ({ reference }) => reference),
    column('its reference', ({ providerReference }) => providerReference),
    column('ours', ({ ourStatus }) => ourStatus),
    numbers('etb', ({ ourAmount }) => ourAmount && money(ourAmount)),
    column('provider says', ({ providerStatus }) => providerStatus),
    numbers('amount', (one) =>
      one.providerAmount === null
        ? null
        : `${one.providerCurrency ?? ''} ${money(one.providerAmount)}`.trim(),
    ),
    column('state', ({ state, endedBy }) => (endedBy === null ? state : `${state} by ${endedBy}`)),
    column('why', ({ endedWhy }) => endedWhy),
  ]);
