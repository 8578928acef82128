import type { KeyObject } from 'node:crypto';
import { setImmediate as turnIsOver } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import {
  type AccessRow,
  type FoundApiKey,
  findApiKeys,
  readAccess,
} from '../../db/access/access.ts';
import type { Database } from '../../db/connection.ts';
import type { Scope } from '../../domain/access.ts';
import type { Company, CompanyKind } from '../../domain/vouchers/voucher.ts';
import { parsePublicKey } from '../signature/public-key.ts';
import { type AllowlistHostnames, createSourceCheck, type SourceCheck } from './allowlist.ts';

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
 * suspended company.
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

/** Each reading of a company brings the same texts of its keys, and parsing is slow. */
const publicKeys = new LRUCache<string, KeyObject>({
  max: MAXIMUM_ENTRIES,
  memoMethod: (text) => parsePublicKey(text),
});

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
  publicKeys: row.public_keys.map((text) => publicKeys.memo(text)),
});

/** Finds the API key with a digest; undefined for an unknown key. */
export type ApiKeyLookup = (kind: CompanyKind, digest: Buffer) => Promise<FoundApiKey | undefined>;

interface Turn {
  readonly digests: Buffer[];
  readonly found: Promise<FoundApiKey[]>;
}

/**
 * Batches the look-ups of one turn of the event loop, so that simultaneous log-ins need one query.
 */
export function createApiKeyLookup(database: Database): ApiKeyLookup {
  const turns = new Map<CompanyKind, Turn>();

  function beginTurn(kind: CompanyKind): Turn {
    const digests: Buffer[] = [];
    const found = turnIsOver().then(() => {
      turns.delete(kind);
      return findApiKeys(database, kind, digests);
    });
    const turn = { digests, found };
    turns.set(kind, turn);
    return turn;
  }

  return async (kind, digest) => {
    const turn = turns.get(kind) ?? beginTurn(kind);
    turn.digests.push(digest);
    return (await turn.found).find((key) => key.digest.equals(digest));
  };
}
