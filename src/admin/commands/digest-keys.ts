import type { Digests } from '../../crypto/digests.ts';
import type { SecretBox } from '../../crypto/secret-box.ts';
import type { Database } from '../../db/connection.ts';
import {
  countByDigestKey,
  type DigestCount,
  replaceCodeDigests,
  vouchersAfter,
} from '../../db/digest-keys.ts';
import { type AdminCommand, lookCommand, recordChanges } from '../command.ts';
import { column, numbers, textTable } from '../tables.ts';

/** Vouchers whose rows one transaction locks. */
const BATCH_SIZE = 1_000;

const columns = [
  column<DigestCount>('kind', ({ kind }) => kind),
  column<DigestCount>('key', ({ keyId }) => keyId || 'DIGEST_KEY'),
  numbers<DigestCount>('secrets', ({ count }) => count),
];

export const listDigestKeysCommand = lookCommand({
  name: 'privacy list-digest-keys',
  details:
    'A key that no row names can be dropped. "privacy rotate-digests" renews the vouchers; sessions, ' +
    'invitations and claims end by themselves.',
  fields: {},
  readsEverything: true,
  examples: ['privacy list-digest-keys'],
  async look(database) {
    const counts = await countByDigestKey(database);
    return { json: counts, text: textTable(counts, columns) };
  },
});

/** Renews all vouchers whose digests are not under the first key; returns how many. */
async function renewVouchers(
  database: Database,
  { digests, secretBox }: { readonly digests: Digests; readonly secretBox: SecretBox },
  note: (done: number) => void,
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
    if (outdated.length > 0) renewedCount += await replaceCodeDigests(database, outdated);
    after = last.id;
    note(renewedCount);
  }
}

/** Works in many short transactions while requests go on; it may be interrupted and run again. */
export const rotateDigestsCommand: AdminCommand = {
  name: 'privacy rotate-digests',
  details:
    'Run it when every process has the new key first. Needs the settings DIGEST_KEY, DIGEST_KEYS ' +
    'and DATA_KEYS of the service. It may be interrupted and run again.',
  fields: {},
  examples: ['privacy rotate-digests'],
  async run(context) {
    const actor = context.actor();
    const settings = context.digestSettings();
    const renewed = await context.progress.step('Vouchers', (note) =>
      renewVouchers(context.database, settings, (done) => note(`${done} renewed`)),
    );
    if (renewed === 0) {
      const message = 'No change: the digests of all voucher codes are under the first key.';
      return { text: message, json: { changed: false, message } };
    }
    const details = { key: settings.digests.currentKeyId, vouchers: renewed };
    await context.database
      .transaction()
      .execute((transaction) =>
        recordChanges(transaction, actor, 'rotate digests', [
          { subject: { kind: 'digest-key', id: 0 }, details },
        ]),
      );
    return {
      text: `Renewed the digests of ${renewed} voucher codes.`,
      json: { changed: true, ...details },
    };
  },
};
