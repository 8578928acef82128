import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type AccessRow, readAccess } from '../../db/access/access.ts';
import type { Database } from '../../db/connection.ts';
import type { Scope } from '../../domain/access/scope.ts';
import type { Company } from '../../domain/voucher.ts';
import { parsePublicKey } from '../signature/public-key.ts';
import { createSourceCheck, type SourceCheck } from './allowlist-entries.ts';
import type { AllowlistHostnames } from './allowlist-hostnames.ts';

/** An API key: what it may do, and whether its spending is counted against daily limits. */
interface KnownKey {
  readonly scopes: ReadonlySet<Scope>;
  readonly isLimited: boolean;
}

/** The facts of a company that admission checks. */
export interface Access {
  readonly status: AccessRow['status'];
  readonly tokenVersion: number;
  /** The valid keys by their ids. */
  readonly apiKeys: ReadonlyMap<number, KnownKey>;
  readonly source: SourceCheck;
  readonly publicKeys: readonly KeyObject[];
}

/**
 * Reads a company's access; undefined where the company does not exist. `fresh` bypasses the cache.
 */
export type AccessDirectory = (
  company: Company,
  freshness?: 'fresh',
) => Promise<Access | undefined>;

const MAXIMUM_ENTRIES = 10_000;

/**
 * Caches access for `cacheSeconds`, the longest that a process may accept a revoked key or a
 * suspended company (design 8).
 */
export function createAccessDirectory(
  database: Database,
  names: AllowlistHostnames,
  cacheSeconds: number,
): AccessDirectory {
  const entries = new LRUCache<string, Promise<Access | undefined>>({
    max: MAXIMUM_ENTRIES,
    ttl: Math.max(1, Math.floor(cacheSeconds * 1_000)),
  });

  return (company, freshness) => {
    const key = `${company.kind} ${company.id}`;
    const known = freshness === 'fresh' ? undefined : entries.get(key);
    if (known !== undefined) return known;
    const access = readAccess(database, company).then((row) => row && toAccess(row, names));
    entries.set(key, access);
    // A failed look-up is not cached.
    access.catch(() => entries.delete(key));
    return access;
  };
}

const toAccess = (row: AccessRow, names: AllowlistHostnames): Access => ({
  status: row.status,
  tokenVersion: row.token_version,
  apiKeys: new Map(
    Object.entries(row.api_keys).map(([id, { scopes, isLimited }]) => [
      Number(id),
      { scopes: new Set(scopes), isLimited },
    ]),
  ),
  source: createSourceCheck(row.addresses, names),
  publicKeys: row.public_keys.map(parsePublicKey),
});
