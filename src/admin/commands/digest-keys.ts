import type { Digests } from '../../crypto/digests.ts';
import type { SecretBox } from '../../crypto/secret-box.ts';
import type { Database } from '../../db/connection.ts';
import { countByDigestKey, replaceCodeDigests, vouchersAfter } from '../../db/digest-keys.ts';
import { type AdminCommand, type LongContext, longCommand, lookCommand } from '../command.ts';
import { digestsAndBox } from '../keys.ts';
import { column, numbers, tableReport } from '../tables.ts';

/** Vouchers whose rows one transaction locks. */
const BATCH_SIZE = 1_000;

export const commands: Record<string, AdminCommand> = {
  'privacy list-digest-keys': lookCommand({
    details:
      'A key that no row names can be dropped. "privacy rotate-digests" renews the vouchers; sessions, ' +
      'invitations and claims end by themselves.',
    fields: {},
    look: async (database) =>
      tableReport(await countByDigestKey(database), [
        column('kind'),
        column('key', ({ keyId }) => keyId || 'DIGEST_KEY'),
        numbers('secrets', 'count'),
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
