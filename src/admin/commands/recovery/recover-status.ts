import { openLostCases } from '../../../db/positions/cases.ts';
import {
  acceptTimeline,
  liftFence,
  readFence,
  replicationSettings,
  standingFence,
} from '../../../db/recovery/fence.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { flag, reason, required } from '../../fields.ts';
import { money, record, time } from '../../tables.ts';

export const recoverStatusCommand = lookCommand({
  name: 'recover status',
  fields: {},
  examples: ['recover status'],
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
          ? `stands since ${time(fence.raisedAt)} UTC`
          : isNewTimeline
            ? 'not raised: "recover fence". Unless SYNCHRONOUS_REPLICATION=yes, nothing is changed or sent'
            : 'none: the service works',
        'timeline of PostgreSQL': `${timeline ?? 'a standby'}${isNewTimeline ? `; accepted: ${acceptedTimeline}` : ''}`,
        'synchronous replication': `synchronous_commit = ${replication.synchronousCommit}, synchronous_standby_names = '${replication.standbyNames}'`,
        ...(fence && {
          'restored to': `${time(fence.restoredTo)} UTC`,
          booked: fence.bookedAt ? `${time(fence.bookedAt)} UTC` : 'not yet: "recover book"',
        }),
        'open cases of what a restore lost': `${count}, ETB ${money(amount)}`,
      }),
    };
  },
});

export const recoverLiftCommand = changeCommand({
  name: 'recover lift',
  details:
    'The processes notice it within a second. It is refused before "recover book" has ' +
    'booked everything that the providers did; --unbooked lifts it nevertheless, for a provider ' +
    'that cannot list, once you have compared its statement by hand. The present timeline of ' +
    'PostgreSQL is accepted.',
  fields: {
    note: required(reason, 'Who checked what; recorded in the audit log'),
    unbooked: flag('Lift it although what the providers did is not booked completely'),
  },
  examples: ['recover lift --note "Listed and booked, 3 payments in suspense"'],
  async change(transaction, { note, unbooked }) {
    const fence = await standingFence(transaction);
    if (!fence) {
      const { timeline, acceptedTimeline } = await readFence(transaction);
      if (timeline === acceptedTimeline) return { unchanged: 'No change: no fence stands.' };
      throw new AdminError(
        'PostgreSQL was promoted or restored, and identities are not advanced: run "recover fence" first.',
      );
    }
    if (fence.bookedAt === null && !unbooked)
      throw new AdminError(
        'The operations of the providers are not booked: run "recover book", or see "recover lift --help".',
      );
    await liftFence(transaction, fence.id);
    await acceptTimeline(transaction);
    return {
      subject: { kind: 'maintenance-fence', id: fence.id },
      details: { note, bookedAt: fence.bookedAt?.toISOString() ?? null },
      text: 'Lifted the fence: the service accepts changes and sends again.',
    };
  },
});
