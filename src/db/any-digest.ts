import { type RawBuilder, sql } from 'kysely';

/** SQL expression: one of the digests that a secret may be stored as, for `=`. */
export const anyDigest = (digests: readonly Buffer[]): RawBuilder<Buffer> =>
  sql<Buffer>`any(${digests}::bytea[])`;
