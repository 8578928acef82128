import { setImmediate as turnIsOver } from 'node:timers/promises';
import { type FoundApiKey, findApiKeys } from '../../db/access/access.ts';
import type { Database } from '../../db/connection.ts';
import type { CompanyKind } from '../../db/schema/all-tables.ts';

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
