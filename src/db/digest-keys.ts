import { type RawBuilder, sql } from 'kysely';
import { allRows, changedRows, type Database } from './connection.ts';

/** SQL expression: one of the digests that a secret may be stored as, for `=`. */
export const anyDigest = (digests: readonly Buffer[]): RawBuilder<Buffer> =>
  sql<Buffer>`any(${digests}::bytea[])`;

/** The secrets of a kind that are still of use, by the key of their digests. */
interface DigestCount {
  readonly kind: string;
  /** Empty for `DIGEST_KEY`. */
  readonly keyId: string;
  readonly count: number;
}

/** SQL expression: the id of the key of a digest, which stands behind the 32 bytes. */
const keyIdOf = (column: string) =>
  sql`convert_from(substring(${sql.ref(column)} from 33), 'UTF8')`;

/** Where digests of secrets are. A verification code of a claim has its digest as text. */
const kinds = {
  vouchers: sql`select ${keyIdOf('code_digest')} from vouchers`,
  'open claims': sql`select split_part(code_digest, ':', 2) from voucher_claims
    where status = 'OPEN'`,
  invitations: sql`select ${keyIdOf('token_digest')} from merchant_invitations
    where status = 'OPEN' and expires_at > now()`,
  'portal sessions': sql`select ${keyIdOf('token_digest')} from portal_sessions`,
  'sign-ins without their second factor': sql`select ${keyIdOf('token_digest')} from portal_half_sign_ins`,
  'unused recovery codes': sql`select ${keyIdOf('code_digest')} from portal_recovery_codes
    where used_at is null`,
};

/** Counts the secrets of every kind by the key of their digests; reads all vouchers. */
export async function countByDigestKey(database: Database): Promise<DigestCount[]> {
  const counts: DigestCount[] = [];
  for (const [kind, keyIds] of Object.entries(kinds)) {
    const rows = await allRows<DigestCount>(database)`
      select ${kind} as kind, key_id as "keyId", count(*) as count
      from (${keyIds}) as digests (key_id) group by key_id order by key_id`;
    counts.push(...rows);
  }
  return counts;
}

/** A voucher with the digest of its code. */
type DigestedVoucher = Awaited<ReturnType<typeof vouchersAfter>>[number];

/** The next vouchers in the order of their ids. */
export const vouchersAfter = (database: Database, id: number, batchSize: number) =>
  database
    .selectFrom('vouchers')
    .select([
      'id',
      'operation_id as operationId',
      'code_digest as codeDigest',
      'code_ciphertext as codeCiphertext',
    ])
    .where('id', '>', id)
    .orderBy('id')
    .limit(batchSize)
    .execute();

/** Replaces the digests of these vouchers' codes, in one statement; returns how many changed. */
export const replaceCodeDigests = (
  database: Database,
  vouchers: readonly (Pick<DigestedVoucher, 'id' | 'codeDigest'> & { readonly renewed: Buffer })[],
) =>
  changedRows(database)`
    update vouchers set code_digest = made.renewed
    from unnest(${vouchers.map(({ id }) => id)}::bigint[],
      ${vouchers.map(({ renewed }) => renewed)}::bytea[]) as made (id, renewed)
    where vouchers.id = made.id
      and code_digest = ${anyDigest(vouchers.map(({ codeDigest }) => codeDigest))}
  `;
