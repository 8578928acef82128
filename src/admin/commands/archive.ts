import {
  archiveDays,
  firstMonthKept,
  listArchivedMonths,
  MINIMUM_MONTHS,
  RESTORED_DAYS,
  restoreMonth,
} from '../../db/ledger/archives.ts';
import { type Month, monthsBetween, parseMonth } from '../../domain/statements.ts';
import { type AdminCommand, lookCommand, recordChanges } from '../command.ts';
import { AdminError, argument, byConversion } from '../fields.ts';
import { column, moneyText, numbers, textTable } from '../tables.ts';

const month = byConversion('month', 'must be a month such as 2025-03', parseMonth);

/** Months and their numbers for the audit log, such as 202503. */
const subjectOf = (of: Month) => ({ kind: 'ledger-archive', id: Number(of.replace('-', '')) });

/** Moves days in transactions of their own, so it may be interrupted and run again. */
export const createArchiveCommand: AdminCommand = {
  name: 'money archive create',
  details:
    'Moves the usual transfers of the month, and of all months before it, from the ledger to files in ' +
    'ARCHIVE_FOLDER, as the Schedule does every night after 18 months. Statements, lists and checks ' +
    'read the files. It may be interrupted and run again.',
  fields: { month: argument(month, `The last month; at least ${MINIMUM_MONTHS} months ago`) },
  examples: ['money archive create 2025-03'],
  async run(context, given) {
    const last = given.month as Month;
    const folder = context.settings.schedules.archiveFolder;
    if (folder === undefined)
      throw new AdminError('Set ARCHIVE_FOLDER to the folder of the files.');
    const youngest = firstMonthKept(new Date(), MINIMUM_MONTHS);
    if (last >= youngest) throw new AdminError(`The month must be before ${youngest}.`);
    const [, before = last] = monthsBetween(last, youngest);
    const actor = context.actor();
    const transfers = await context.progress.step('Archiving', (note) =>
      archiveDays(context.database, {
        ...{ folder, before },
        note: (count) => note(`${count} transfers`),
      }),
    );
    if (transfers === 0) {
      const message = `No change: the transfers up to ${last} are archived, or were restored.`;
      return { text: message, json: { changed: false, message } };
    }
    const change = { subject: subjectOf(last), details: { transfers, folder } };
    await context.database
      .transaction()
      .execute((transaction) => recordChanges(transaction, actor, 'archive transfers', [change]));
    return {
      text: `Archived ${transfers} transfers up to ${last}.`,
      json: { changed: true, month: last, ...change.details },
    };
  },
};

export const restoreArchiveCommand: AdminCommand = {
  name: 'money archive restore',
  details:
    'Brings the transfers of a month from their files back to the ledger, where day reports and changes of ' +
    `old payments need them. They are archived again after ${RESTORED_DAYS} days. It may be interrupted and ` +
    'run again.',
  fields: { month: argument(month, 'The month: see money archive list') },
  examples: ['money archive restore 2025-03'],
  async run(context, given) {
    const restored = given.month as Month;
    const actor = context.actor();
    const transfers = await context.progress.step('Restoring', (note) =>
      restoreMonth(context.database, restored, (count) => note(`${count} transfers`)),
    );
    if (transfers === 0) {
      const message = `No change: no transfer of ${restored} is in the archive alone.`;
      return { text: message, json: { changed: false, message } };
    }
    const change = { subject: subjectOf(restored), details: { transfers } };
    await context.database
      .transaction()
      .execute((transaction) => recordChanges(transaction, actor, 'restore transfers', [change]));
    return {
      text: `Restored ${transfers} transfers of ${restored}.`,
      json: { changed: true, month: restored, transfers },
    };
  },
};

export const listArchivesCommand = lookCommand({
  name: 'money archive list',
  fields: {},
  examples: ['money archive list'],
  async look(database) {
    const months = await listArchivedMonths(database);
    return {
      json: months,
      text: textTable(months, [
        column('month', (row) => row.month),
        numbers('partners', (row) => row.partners),
        numbers('days', (row) => row.days),
        numbers('transfers', (row) => row.transfers),
        numbers('etb', (row) => moneyText(row.amount)),
        numbers('restored', (row) => row.restored),
      ]),
    };
  },
});
