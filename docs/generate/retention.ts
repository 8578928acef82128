import { EVENT_DAYS, OPERATION_DAYS } from '../../activities/expiry.ts';
import { MINIMUM_MONTHS, RESTORED_DAYS } from '../../src/db/ledger/archives.ts';
import { FORGET_LEFT_REQUESTS_HOURS, keptDays, type PrunedRows } from '../../src/db/pruning.ts';
import { code, GENERATED, page, table } from './markdown.ts';

const days = (count: number): string => (count === 1 ? '1 day' : `${count} days`);

/** What is never deleted. */
const permanent: readonly (readonly [rows: string, kept: string])[] = [
  ['Vouchers, claims, redemptions and their reversals, top-ups, bulk orders', 'permanently'],
  [
    'Transfers',
    'permanently; the usual transfers of a life stand in [files](ledger.md#the-archive) after 18 months',
  ],
  [
    'Files of old transfers',
    `permanently. Restored transfers are in the database as well for ${days(RESTORED_DAYS)}; nothing younger than ${MINIMUM_MONTHS} months is archived`,
  ],
  ['Sums of days and hours, numbers of rows, changes of vouchers, audit log', 'permanently'],
  [
    'Placements, observations, settlements and cases; comparisons of statements',
    'permanently: they say why money was booked or a case settled',
  ],
];

const asOperations = days(OPERATION_DAYS);
const lifetime = 'their lifetime';
const numbers = `${code('NUMBER_RETENTION_DAYS')} after the expiry date or the last change; then the column has ${code('erased')}`;

/** The compiler asks for each kind of rows that is pruned. */
const pruned: Readonly<Record<PrunedRows, string>> = {
  operations: `${asOperations}, and as long as they run; requests for a claim as long as the claim is open. Afterwards the voucher, redemption or top-up still holds the digest of its request`,
  'what signed requests were bound to': asOperations,
  'counts of sign-ins': 'their window',
  'sessions of the portal': lifetime,
  'sign-ins without a second factor': lifetime,
  'challenges for passkeys': lifetime,
  'messages to people': `${asOperations} after they were queued; invitations permanently`,
  "lines of providers' statements": days(keptDays.statementLines),
  'messages to another provider': asOperations,
  'readings of balances': days(keptDays.balances),
  'left requests': `${FORGET_LEFT_REQUESTS_HOURS} hours`,
  'wrong verification codes': `${days(keptDays.wrongCodes)}; the row of the voucher holds the count over its life`,
  'daily counts of companies': days(keptDays.dailyCounts),
  'daily spending': days(keptDays.dailyCounts),
  'daily counts of numbers': days(keptDays.numberCounts),
  'results of M-Pesa': days(keptDays.mpesaResults),
  'early delivery reports': days(keptDays.earlyReports),
  'webhook deliveries': days(EVENT_DAYS),
  'refused calls': days(keptDays.refusedCalls),
  events: days(EVENT_DAYS),
  'sent messages': `${code('MESSAGE_RETENTION_DAYS')}, with the records of resends`,
  'webhook secrets': '24 hours after their rotation',
  'numbers of vouchers': numbers,
  'numbers of messages': numbers,
  'numbers of top-ups': numbers,
  'numbers of bulk lines': numbers,
  'numbers of repairs': numbers,
};

/** Rows that their writers delete. */
const replaced: readonly (readonly [rows: string, kept: string])[] = [
  ['Accepted calls', 'the newest 20 of a company'],
  [
    'Noted changes of the books',
    'until the next [check](ledger.md#the-check-of-the-books) has found them in order',
  ],
];

const capital = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;

export const retentionPage = (): string =>
  page(
    '# Retention',
    GENERATED,
    'The table has every subject of the database, from `src/db/pruning.ts` and `docs/generate/retention.ts`. An expiry ' +
      'run deletes rows in batches, and the Schedule of the archive moves transfers to files ' +
      '([decision 37](../decisions/0037-prune-and-archive.md)).',
    table(
      ['Rows', 'Kept'],
      [
        ...permanent,
        ...Object.entries(pruned).map(([rows, kept]) => [capital(rows), kept]),
        ...replaced,
      ],
    ),
  );
