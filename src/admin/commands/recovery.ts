import type { Database } from '../../db/connection.ts';
import { renewEventEpoch } from '../../db/events.ts';
import { endAllInvitations } from '../../db/people/invitations.ts';
import { endAllSessions } from '../../db/people/sign-ins.ts';
import { openLostCases } from '../../db/positions/cases.ts';
import {
  acceptTimeline,
  askAboutListed,
  bookLost,
  type Fence,
  type ListedOrder,
  liftFence,
  markBooked,
  newestRequest,
  raiseFence,
  readFence,
  replicationSettings,
  skipIdentities,
  standingFence,
} from '../../db/recovery.ts';
import { amountText } from '../../domain/money.ts';
import { maskMsisdn } from '../../domain/phone.ts';
import {
  type AdminCommand,
  type AdminContext,
  changeCommand,
  lookCommand,
  recordChanges,
} from '../command.ts';
import {
  type ComparedBooks,
  compareBooks,
  lostPaymentOf,
  readMpesaStatement,
} from '../compare-books.ts';
import {
  AdminError,
  beginning,
  flag,
  givenFile,
  type InputOf,
  optional,
  reason,
  required,
  wholeNumber,
  withDefault,
} from '../fields.ts';
import { amounts, column, record, textTable, timeText } from '../tables.ts';

/** The clocks of provider and database may differ, and a payment takes time. */
const MARGIN_MS = 30 * 60 * 1_000;

const since = optional(
  beginning,
  'List from this moment (UTC); by default half an hour before the moment of the restore',
);

const fields = {
  since,
  mpesaStatement: optional(
    givenFile,
    "M-Pesa's organisation statement in CSV, or - for standard input: M-Pesa cannot list what it paid",
  ),
  empty: flag('Accept a file without payments of that time: M-Pesa paid nothing'),
};

/** Lists the books of the providers; the fence must stand, so that nothing is added meanwhile. */
async function compare({ database, settings }: AdminContext, given: InputOf<typeof fields>) {
  const { marketTimeZone: zone } = settings.market;
  const fence = await requireFence(database);
  const from = given.since ?? new Date(fence.restoredTo.getTime() - MARGIN_MS);
  const file = given.mpesaStatement;
  const mpesa =
    file === undefined
      ? undefined
      : await readMpesaStatement(file, { since: from, zone, mayBeEmpty: given.empty });
  const { providersOf } = await import('../provider-adapters.ts');
  const since = { since: from, statements: { mpesa } };
  const { comparisons, gaps } = await compareBooks(database, providersOf(settings), since);
  const skipped =
    from > fence.restoredTo
      ? ['Only a part was compared: leave --since out, or name a moment before the restored one.']
      : [];
  return { fence, books: { comparisons, gaps: [...gaps, ...skipped] } };
}

async function requireFence(database: Database): Promise<Fence> {
  const fence = await standingFence(database);
  if (!fence) throw new AdminError('No fence stands: run "recovery fence" after a restore first.');
  return fence;
}

/** More rows of a kind than can have been written between a backup and its restore. */
const SKIPPED_NUMBERS = 1_000_000_000;

export const commands: Record<string, AdminCommand> = {
  'recovery list': {
    details:
      'Changes nothing. lost: the provider did it, or may still do it, and our row is gone; ' +
      '"recovery book" books it. open: the money is on hold, and a workflow asks the provider. ' +
      'differs: the next reconciliation asks the provider and books its answer. foreign: the ' +
      'transaction has no reference of ours. Needs the settings of the providers, as the worker has ' +
      'them (MOBILE_MONEY_…, MPESA_…, AIRTIME_…, RELOADLY_…).',
    fields,
    examples: ['', '--since 2026-11-23T10:00:00Z --json', '--mpesa-statement statement.csv'],
    async run(context, input: InputOf<typeof fields>) {
      const { books } = await compare(context, input);
      return {
        json: {
          counts: countsOf(books),
          gaps: books.gaps,
          transactions: books.comparisons.map(shown),
        },
        text: [
          textTable(
            books.comparisons.filter(({ verdict }) => verdict !== 'agrees'),
            [
              'at',
              'kind',
              'reference',
              'status',
              amounts('amount'),
              column('party', (one) => shown(one).party),
              'verdict',
            ],
          ),
          '',
          summaryOf(books),
        ].join('\n'),
      };
    },
  },

  'recovery book': {
    details:
      'Books each lost payment and top-up from suspense to the account of its provider, and opens a ' +
      'case for it. The case ends when the caller repeats the request, or with "cases settle"; ' +
      'until then the voucher pays nothing else. The next reconciliation asks the provider again ' +
      'where its answer differs from our row. A repetition of the command books nothing twice.',
    fields,
    examples: ['', '--mpesa-statement statement.csv'],
    async run(context, input: InputOf<typeof fields>) {
      const actor = context.actor();
      const { fence, books } = await compare(context, input);
      const { comparisons, gaps } = books;
      const wanted = await Promise.all(
        comparisons
          .filter(({ verdict }) => verdict === 'lost')
          .map((found) => lostPaymentOf(context.database, found)),
      );
      const lost = wanted.filter((one) => one !== undefined);
      const unpriced = wanted.length - lost.length;
      const differing = comparisons.filter(({ verdict }) => verdict === 'differs');
      const isComplete = unpriced === 0 && gaps.length === 0;
      const booked = await context.database.transaction().execute(async (transaction) => {
        let count = 0;
        for (const one of lost)
          if (await bookLost(transaction, one, context.settings.topups)) count += 1;
        for (const { reference, provider, isAsked } of comparisons)
          if (isAsked && reference !== null)
            await askAboutListed(transaction, { reference, provider });
        if (isComplete) await markBooked(transaction, fence.id);
        const details = { booked: count, unpriced, asked: differing.length, gaps };
        await recordChanges(transaction, actor, 'recover book', [
          { subject: { kind: 'maintenance-fence', id: fence.id }, details },
        ]);
        return count;
      });
      const words = [
        `Booked ${booked} lost payments and top-ups in suspense: see "cases list".`,
        `${differing.length} will be asked about once more.`,
        ...(unpriced > 0
          ? [`${unpriced} have no amount at the provider: ask it, and book them by hand.`]
          : []),
        ...gaps,
        isComplete
          ? 'Everything is booked: next "recovery lift".'
          : 'Not everything is booked, so that "recovery lift" needs --unbooked.',
      ];
      return {
        json: { changed: true, booked, unpriced, asked: differing.length, gaps, isComplete },
        text: words.join('\n'),
      };
    },
  },

  'recovery fence': changeCommand({
    action: 'recover fence',
    details:
      'Until "recovery lift" the service serves only reads: it refuses changes with 503, and sends ' +
      'no payment, top-up or message. It still asks the providers. The command advances every ' +
      'identity and the numbers of events, so that none is given again, and renews the epoch of the ' +
      'event log. It ends sessions and invitations, because they may have ended after the restored moment. ' +
      'If a fence of an earlier restore still stands, --restored-to replaces it.',
    fields: {
      restoredTo: optional(
        beginning,
        'The moment that the database was restored to (UTC). That of its newest request is never too late, and ' +
          'counts by default, or in place of a later one',
      ),
      skip: withDefault(
        wholeNumber(1, 2_000_000_000),
        'Numbers that each identity skips: more than were given since',
        SKIPPED_NUMBERS,
      ),
    },
    examples: ['', '--restored-to 2026-11-23T10:15:00Z'],
    async change(transaction, { restoredTo, skip }) {
      const standing = await standingFence(transaction);
      if (standing && restoredTo === undefined)
        return {
          unchanged:
            `No change: the fence stands since ${timeText(standing.raisedAt)}. After another restore or ` +
            'promotion, give its moment by --restored-to.',
        };
      const since = earliest([
        restoredTo,
        // Never later, as by a time of another zone: what the providers did before it would be passed over.
        await newestRequest(transaction),
        // The earlier recovery may not have booked everything.
        standing?.restoredTo,
      ]);
      if (standing) await liftFence(transaction, standing.id);
      // First, so that the fence and its audit entry have new numbers.
      const identities = await skipIdentities(transaction, skip);
      await renewEventEpoch(transaction);
      const endedSessions = await endAllSessions(transaction);
      const endedInvitations = await endAllInvitations(transaction);
      const fenceId = await raiseFence(transaction, since);
      return {
        subject: { kind: 'maintenance-fence', id: fenceId },
        details: {
          restoredTo: since.toISOString(),
          skipped: skip,
          identities,
          endedSessions,
          endedInvitations,
        },
        text:
          `The fence stands: the database is that of ${timeText(since)}. Advanced ${identities} ` +
          `identities by ${skip}. Ended sessions: ${endedSessions}, invitations: ${endedInvitations}. Next: start the processes, then "recovery list".`,
      };
    },
  }),

  'recovery status': lookCommand({
    fields: {},
    async look(database) {
      const fence = await standingFence(database);
      const { timeline, acceptedTimeline } = await readFence(database);
      const replication = await replicationSettings(database);
      const isNewTimeline = timeline !== acceptedTimeline;
      const { count, amount } = await openLostCases(database);
      return {
        json: {
          fence: fence ?? null,
          timeline,
          acceptedTimeline,
          replication,
          openLostOrders: count,
          inSuspense: amount,
        },
        text: record({
          fence: fence
            ? `stands since ${timeText(fence.raisedAt)}`
            : isNewTimeline
              ? 'not raised: "recovery fence". Unless SYNCHRONOUS_REPLICATION=yes, nothing is changed or sent'
              : 'none: the service works',
          'timeline of PostgreSQL': `${timeline ?? 'a standby'}${isNewTimeline ? `; accepted: ${acceptedTimeline}` : ''}`,
          'synchronous replication': `synchronous_commit = ${replication.synchronousCommit}, synchronous_standby_names = '${replication.standbyNames}'`,
          ...(fence && {
            'restored to': fence.restoredTo,
            booked: fence.bookedAt ?? 'not yet: "recovery book"',
          }),
          'open cases of what a restore lost': `${count}, ETB ${amountText(amount)}`,
        }),
      };
    },
  }),

  'recovery lift': changeCommand({
    action: 'recover lift',
    details:
      'The processes notice the lifted fence within a second. The command is refused before ' +
      '"recovery book" has booked everything that the providers did. With --unbooked it lifts the ' +
      'fence nevertheless, for a provider that cannot list its payments; compare the statement of ' +
      'that provider by hand first. The command accepts the present timeline of PostgreSQL.',
    fields: {
      why: required(reason, 'The reason, and who checked the books; recorded in the audit log'),
      unbooked: flag('Lift the fence although some payments of the providers are not booked'),
    },
    examples: ['--why "Listed and booked, 3 payments in suspense"'],
    async change(transaction, { why, unbooked }) {
      const fence = await standingFence(transaction);
      if (!fence) {
        const { timeline, acceptedTimeline } = await readFence(transaction);
        if (timeline === acceptedTimeline) return { unchanged: 'No change: no fence stands.' };
        throw new AdminError(
          'PostgreSQL was promoted or restored, and identities are not advanced: run "recovery fence" first.',
        );
      }
      if (fence.bookedAt === null && !unbooked)
        throw new AdminError(
          'The operations of the providers are not booked: run "recovery book", or see "recovery lift --help".',
        );
      await liftFence(transaction, fence.id);
      await acceptTimeline(transaction);
      return {
        subject: { kind: 'maintenance-fence', id: fence.id },
        details: { why, bookedAt: fence.bookedAt?.toISOString() ?? null },
        text: 'Lifted the fence: the service accepts changes and sends again.',
      };
    },
  }),

  'recovery renew-event-epoch': changeCommand({
    action: 'renew event-epoch',
    details:
      'Run the command after a restore from a backup, before the processes start: readers of the ' +
      'event log get 410 and begin again.',
    fields: {},
    async change(transaction) {
      const epochId = await renewEventEpoch(transaction);
      return {
        subject: { kind: 'event-epoch', id: epochId },
        details: {},
        text: 'Renewed the epoch of the event log: earlier cursors are refused.',
      };
    },
  }),
};

/** The earliest of some moments; 1970 where there is none. */
const earliest = (moments: readonly (Date | null | undefined)[]): Date =>
  moments
    .flatMap((moment) => moment ?? [])
    .toSorted((one, other) => one.getTime() - other.getTime())[0] ?? new Date(0);

const shown = ({
  kind,
  reference,
  providerReference,
  status,
  amount,
  at,
  party,
  verdict,
}: ListedOrder) => ({
  kind,
  reference,
  providerReference,
  status,
  amount,
  at,
  party: party ? maskMsisdn(party) : null,
  verdict,
});

function countsOf({ comparisons }: ComparedBooks): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verdict } of comparisons) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

const summaryOf = (books: ComparedBooks): string =>
  [
    `${books.comparisons.length} transactions of the providers: ` +
      `${
        Object.entries(countsOf(books))
          .map(([verdict, count]) => `${count} ${verdict}`)
          .join(', ') || 'none'
      }.`,
    ...books.gaps,
  ].join('\n');
