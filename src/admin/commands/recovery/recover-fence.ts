import { renewEventEpoch } from '../../../db/events/epoch.ts';
import {
  newestChange,
  raiseFence,
  skipIdentities,
  standingFence,
} from '../../../db/recovery/fence.ts';
import { changeCommand } from '../../command.ts';
import { beginning, optional, wholeNumber } from '../../fields.ts';
import { time } from '../../tables.ts';

/** More rows of a kind than can have been written between a backup and its restore. */
const SKIPPED_NUMBERS = 1_000_000_000;

export const recoverFenceCommand = changeCommand({
  name: 'recover fence',
  details:
    'Until "recover lift" the service serves only reads: it refuses changes with 503, and pays, tops ' +
    'up and tells nothing. It still asks the providers. The command advances every identity and the ' +
    'numbers of events, so that none is given again, and renews the epoch of the log of events.',
  fields: {
    restoredTo: optional(
      beginning,
      'The moment that the database was restored to (UTC); by default that of its newest change, ' +
        'which is never too late',
    ),
    skip: optional(
      wholeNumber(1, 2_000_000_000),
      `Numbers that each identity skips, ${SKIPPED_NUMBERS} by default: more than were given since`,
    ),
  },
  examples: ['recover fence', 'recover fence --restored-to 2026-11-23T10:15:00Z'],
  async change(transaction, { restoredTo, skip = SKIPPED_NUMBERS }) {
    const standing = await standingFence(transaction);
    if (standing)
      return { unchanged: `No change: the fence stands since ${time(standing.raisedAt)} UTC.` };
    const since = restoredTo ?? (await newestChange(transaction)) ?? new Date(0);
    // First, so that the fence and its audit entry have new numbers.
    const identities = await skipIdentities(transaction, skip);
    await renewEventEpoch(transaction);
    const fenceId = await raiseFence(transaction, since);
    return {
      subject: { kind: 'maintenance-fence', id: fenceId },
      details: { restoredTo: since.toISOString(), skipped: skip, identities },
      text:
        `The fence stands: the database is that of ${time(since)} UTC. Advanced ${identities} ` +
        `identities by ${skip}. Next: start the processes, then "recover list".`,
    };
  },
});
