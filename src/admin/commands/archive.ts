import {
  archiveDays,
  firstMonthKept,
  listArchivedMonths,
  MINIMUM_MONTHS,
  RESTORED_DAYS,
  restoreMonth,
} from '../../db/ledger/archives.ts';
import { type Month, monthsBetween, parseMonth } from '../../domain/statements.ts';
import { longCommand, lookCommand } from '../command.ts';
import { AdminError, argument, byConversion } from '../fields.ts';
import { amounts, tableReport } from '../tables.ts';

const month = byConversion('month', 'must be a month such as 2025-03', parseMonth);

/** Months and their numbers for the audit log, such as 202503. */
const subjectOf = ({ month: of }: { readonly month: Month }) => ({
  kind: 'ledger-archive',
  id: Number(of.replace('-', '')),
});

export const commands = {
  'money archive create': longCommand({
    action: 'archive transfers',
    details:
      'Moves the usual transfers of the month, and of all months before it, from the ledger to ' +
      'files in ARCHIVE_FOLDER. The Schedule does so every night with months that are 18 months ' +
      'old. Statements, lists and checks read the files. An interrupted command can be run again.',
    fields: {
      month: argument(month, `The last month that moves; at least ${MINIMUM_MONTHS} months ago`),
    },
    examples: ['2025-03'],
    subject: subjectOf,
    async change({ month: last }, context) {
      const folder = context.settings.schedules.archiveFolder;
      if (folder === undefined)
        throw new AdminError('Set ARCHIVE_FOLDER to the folder of the files.');
      const youngest = firstMonthKept(new Date(), MINIMUM_MONTHS);
      if (last >= youngest) throw new AdminError(`The month must be before ${youngest}.`);
      const before = monthsBetween(last, youngest).at(-2) ?? last;
      const transfers = await context.progress.step('Archiving', (note) =>
        archiveDays(context.database, {
          folder,
          before,
          begin: context.begin,
          note: (count) => note(`${count} transfers`),
        }),
      );
      if (transfers === 0)
        return {
          unchanged: `No change: the transfers up to ${last} are archived, or were restored.`,
        };
      return {
        details: { month: last, transfers, folder },
        text: `Archived ${transfers} transfers up to ${last}.`,
      };
    },
  }),

  'money archive restore': longCommand({
    action: 'restore transfers',
    details:
      'Brings the transfers of a month from their files back to the ledger, where day reports and changes of ' +
      `old payments need them. They are archived again after ${RESTORED_DAYS} days. It may be interrupted and ` +
      'run again.',
    fields: { month: argument(month, 'The month: see money archive list') },
    examples: ['2025-03'],
    subject: subjectOf,
    async change({ month: restored }, { database, progress, begin }) {
      const transfers = await progress.step('Restoring', (note) =>
        restoreMonth(database, restored, { begin, note: (count) => note(`${count} transfers`) }),
      );
      if (transfers === 0)
        return { unchanged: `No change: no transfer of ${restored} is in the archive alone.` };
      return {
        details: { month: restored, transfers },
        text: `Restored ${transfers} transfers of ${restored}.`,
      };
    },
  }),

  'money archive list': lookCommand({
    fields: {},
    look: async (database) =>
      tableReport(await listArchivedMonths(database), [
        'month',
        'partners',
        'days',
        'transfers',
        amounts('amount'),
        'restored',
      ]),
  }),
};
