import {
  countNumbers,
  eraseNumber,
  type LiveUse,
  liveUses,
  numberColumns,
  repairsWithNumbers,
  resealColumn,
} from '../../db/phone-numbers.ts';
import { maskMsisdn } from '../../domain/phone.ts';
import { isGivenNumber } from '../../repairs/repair-kind.ts';
import { type AdminCommand, changeCommand, lookCommand, recordChanges } from '../command.ts';
import { AdminError, argument, msisdn, reason, required } from '../fields.ts';
import { column, numbers, textTable } from '../tables.ts';

interface StoredCount {
  readonly table: string;
  /** A key's id, or "erased". */
  readonly stored: string;
  readonly count: number;
}

export const listNumberStorageCommand = lookCommand({
  name: 'privacy list-number-storage',
  details:
    '"privacy reseal-numbers" renews those under older keys. A key of DATA_KEYS that no row names seals no number.',
  fields: {},
  readsEverything: true,
  examples: ['privacy list-number-storage'],
  async look(database) {
    const counts: StoredCount[] = [];
    for (const numberColumn of numberColumns)
      for (const [stored, count] of await countNumbers(database, numberColumn))
        counts.push({ table: numberColumn.table, stored, count });
    return {
      json: counts,
      text: textTable(counts, [
        column('table', (row) => row.table),
        column('stored', (row) => row.stored),
        numbers('numbers', (row) => row.count),
      ]),
    };
  },
});

/** Works in many short transactions while requests go on; it may be interrupted and run again. */
export const resealNumbersCommand: AdminCommand = {
  name: 'privacy reseal-numbers',
  details:
    'After a rotation of DATA_KEYS, when every process has the new key first. Needs the settings ' +
    'DIGEST_KEY and DATA_KEYS of the service. It may be interrupted and run again.',
  fields: {},
  examples: ['privacy reseal-numbers'],
  async run(context) {
    const { database } = context;
    const actor = context.actor();
    const box = context.numbers();
    let sealed = 0;
    for (const numberColumn of numberColumns)
      sealed += await context.progress.step(`Numbers of ${numberColumn.table}`, (note) =>
        resealColumn(database, numberColumn, box.resealed, (done) => note(`${done} sealed`)),
      );
    if (sealed === 0) {
      const message = 'No change: all phone numbers are sealed under the first key.';
      return { text: message, json: { changed: false, message } };
    }
    await database
      .transaction()
      .execute((transaction) =>
        recordChanges(transaction, actor, 'reseal numbers', [
          { subject: { kind: 'number-storage', id: 0 }, details: { sealed } },
        ]),
      );
    return {
      text: `Sealed ${sealed} phone numbers. Run it again until it changes nothing.`,
      json: { changed: true, sealed },
    };
  },
};

/** What must be done before a number can be erased. */
const remedies: Readonly<Record<LiveUse['kind'], string>> = {
  voucher: 'cancel it ("voucher cancel"), or wait until it has been redeemed or has expired',
  'top-up': 'wait until it has ended, and its provider has not been asked about it for a while',
  'bulk order': 'wait until it has ended',
  message: 'wait until it has been sent',
  repair: 'confirm it, or wait until it has ended',
};

export const eraseNumberCommand = changeCommand({
  name: 'privacy erase-number',
  action: 'erase number',
  details:
    'Vouchers, top-ups, amounts and transfers stay, without the number. It is refused while the ' +
    'number has a voucher with value or a running top-up. Payloads of workflows, which are ' +
    'encrypted, end with the retention of the Temporal namespace. Only the keys of the service tell which ' +
    'repair was given the number: each that still has one is opened, 100,000 in ' +
    'a second.',
  fields: {
    msisdn: argument(msisdn, 'The phone number'),
    note: required(reason, 'The reason; recorded in the audit log'),
  },
  examples: ['privacy erase-number 0911234567 --note "Asked by letter of 2026-11-20"'],
  async change(transaction, input, context) {
    const box = context.numbers();
    const { digests, secretBox } = context.digestSettings();
    const repairIds = new Set<number>();
    for await (const repairs of repairsWithNumbers(transaction))
      for (const repair of repairs)
        if (isGivenNumber(repair, input.msisdn, secretBox)) repairIds.add(repair.id);
    const sought = { hash: box.hashOf(input.msisdn), repairIds: [...repairIds] };
    const [use, ...others] = await liveUses(transaction, sought);
    const shown = maskMsisdn(input.msisdn);
    if (use) {
      const more = others.length > 0 ? ` (and ${others.length} more uses)` : '';
      throw new AdminError(
        `${shown} cannot be erased: ${use.kind} ${use.id} needs it${more}. First ${remedies[use.kind]}.`,
      );
    }
    const erased = await eraseNumber(transaction, sought, digests.ownerNumber(input.msisdn));
    const rows = Object.values(erased).reduce((sum, count) => sum + count, 0);
    if (rows === 0) return { unchanged: `No change: ${shown} is not in the database.` };
    return {
      subject: { kind: 'number', id: 0 },
      // Not even its hash, which would tell that it was here.
      details: { erased, note: input.note },
      text: `Erased ${shown} from ${rows} rows.`,
    };
  },
});
