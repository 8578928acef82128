import type { Digests } from '../../crypto/digests.ts';
import type { SecretBox } from '../../crypto/secret-box.ts';
import type { Database } from '../../db/connection.ts';
import { countByDigestKey, replaceCodeDigests, vouchersAfter } from '../../db/digest-keys.ts';
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
import { numberGivenBy } from '../../repairs/repair-kind.ts';
import { changeCommand, type LongContext, longCommand, lookCommand } from '../command.ts';
import { AdminError, argument, msisdn, reason, required } from '../fields.ts';
import { digestsAndBox, numberBoxOf } from '../keys.ts';
import { column, tableReport } from '../tables.ts';

/** Vouchers whose rows one transaction locks. */
const BATCH_SIZE = 1_000;

interface StoredCount {
  readonly table: string;
  /** A key's id, or "erased". */
  readonly stored: string;
  readonly count: number;
}

export const commands = {
  'privacy list-number-storage': lookCommand({
    details:
      '"privacy reseal-numbers" renews those under older keys. A key of DATA_KEYS that no row names seals no number.',
    fields: {},
    async look(database) {
      const counts: StoredCount[] = [];
      for (const numberColumn of numberColumns)
        for (const [stored, count] of await countNumbers(database, numberColumn))
          counts.push({ table: numberColumn.table, stored, count });
      return tableReport(counts, ['table', 'stored', 'count']);
    },
  }),

  'privacy reseal-numbers': longCommand({
    action: 'reseal numbers',
    details:
      'After a rotation of DATA_KEYS, when every process has the new key first. Needs the settings ' +
      'DIGEST_KEY and DATA_KEYS of the service. It may be interrupted and run again.',
    fields: {},
    subject: () => ({ kind: 'number-storage', id: 0 }),
    async change(_input, { database, settings, progress, begin }) {
      const box = numberBoxOf(settings);
      let sealed = 0;
      for (const numberColumn of numberColumns)
        sealed += await progress.step(`Numbers of ${numberColumn.table}`, (note) =>
          resealColumn(database, numberColumn, box.resealed, {
            begin,
            note: (done) => note(`${done} sealed`),
          }),
        );
      if (sealed === 0)
        return { unchanged: 'No change: all phone numbers are sealed under the first key.' };
      return {
        details: { sealed },
        text: `Sealed ${sealed} phone numbers. Run it again until it changes nothing.`,
      };
    },
  }),

  'privacy erase-number': changeCommand({
    action: 'erase number',
    details:
      'Vouchers, top-ups, amounts and transfers stay, without the number. The command is refused ' +
      'while the number has a voucher with value or a running top-up. Encrypted payloads of ' +
      'workflows end with the retention of the Temporal namespace. The command decrypts each repair ' +
      'that still has a number, 100,000 in a second, to find those with this number.',
    fields: {
      msisdn: argument(msisdn, 'The phone number'),
      why: required(reason, 'The reason, and the ticket; recorded in the audit log'),
    },
    examples: ['0911234567 --why "Asked by letter of 2026-11-20"'],
    async change(transaction, input, context) {
      const box = numberBoxOf(context.settings);
      const { digests, secretBox } = digestsAndBox(context.settings);
      const repairIds = new Set<number>();
      for await (const repairs of repairsWithNumbers(transaction))
        for (const repair of repairs)
          if (numberGivenBy(repair, secretBox) === input.msisdn) repairIds.add(repair.id);
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
        details: { erased, why: input.why },
        text: `Erased ${shown} from ${rows} rows.`,
      };
    },
  }),

  'privacy list-digest-keys': lookCommand({
    details:
      'A key that no row names can be dropped. "privacy rotate-digests" renews the vouchers; sessions, ' +
      'invitations and claims end by themselves.',
    fields: {},
    look: async (database) =>
      tableReport(await countByDigestKey(database), [
        'kind',
        column('key', ({ keyId }) => keyId || 'DIGEST_KEY'),
        'count',
      ]),
  }),

  'privacy rotate-digests': longCommand({
    action: 'rotate digests',
    details:
      'Run it when every process has the new key first. Needs the settings DIGEST_KEY, DIGEST_KEYS ' +
      'and DATA_KEYS of the service. It may be interrupted and run again.',
    fields: {},
    subject: () => ({ kind: 'digest-key', id: 0 }),
    async change(_input, { database, settings, progress, begin }) {
      const keys = digestsAndBox(settings);
      const renewed = await progress.step('Vouchers', (note) =>
        renewVouchers(database, keys, { begin, note: (done) => note(`${done} renewed`) }),
      );
      if (renewed === 0)
        return {
          unchanged: 'No change: the digests of all voucher codes are under the first key.',
        };
      return {
        details: { key: keys.digests.currentKeyId, vouchers: renewed },
        text: `Renewed the digests of ${renewed} voucher codes.`,
      };
    },
  }),
};

/** What must be done before a number can be erased. */
const remedies: Readonly<Record<LiveUse['kind'], string>> = {
  voucher: 'cancel it ("voucher cancel"), or wait until it has been redeemed or has expired',
  'top-up': 'wait until it has ended, and its provider has not been asked about it for a while',
  'bulk order': 'wait until it has ended',
  message: 'wait until it has been sent',
  repair: 'confirm it, or wait until it has ended',
};

/** Renews all vouchers whose digests are not under the first key; returns how many. */
async function renewVouchers(
  database: Database,
  { digests, secretBox }: { readonly digests: Digests; readonly secretBox: SecretBox },
  { begin, note }: Pick<LongContext, 'begin'> & { readonly note: (done: number) => void },
): Promise<number> {
  let renewedCount = 0;
  let after = 0;
  for (;;) {
    const vouchers = await vouchersAfter(database, after, BATCH_SIZE);
    const last = vouchers.at(-1);
    if (!last) return renewedCount;
    const outdated = vouchers
      .filter(({ codeDigest }) => codeDigest.subarray(32).toString() !== digests.currentKeyId)
      .map((voucher) => {
        const code = secretBox.open(voucher.codeCiphertext, `voucher ${voucher.operationId}`);
        return { ...voucher, renewed: digests.voucherCode(code) };
      });
    if (outdated.length > 0) {
      await begin();
      renewedCount += await replaceCodeDigests(database, outdated);
    }
    after = last.id;
    note(renewedCount);
  }
}
