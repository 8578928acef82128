import type { Digests } from '../crypto/digests.js';
import { addAuditEntry } from '../db/access/audit.js';
import { type FoundCases, findCases } from '../db/cases/find-cases.js';
import type { Database } from '../db/connection.js';
import { searchKeysOf } from '../domain/phone.js';
import { auditedTerm, readSearchTerm } from '../domain/staff/search-term.js';

const SHOWN = 20;

/** What somebody looked for found. */
export interface SearchResult extends FoundCases {
  /** The text is nothing that the service has: neither a number nor a code, reference or id. */
  readonly isUnknown: boolean;
}

/** Finds cases by whatever text a customer has given, and records in the audit log who looked for what. */
export async function searchCases(
  { database, digests }: { readonly database: Database; readonly digests: Digests },
  text: string,
  asked: { readonly actor: string; readonly details?: Readonly<Record<string, unknown>> },
): Promise<SearchResult> {
  const term = readSearchTerm(text);
  const { msisdn, voucherCode, ...plain } = term ?? {};
  const found = await findCases(
    database,
    {
      ...plain,
      ...(msisdn !== undefined && { numberKeys: searchKeysOf(digests.numberHash(msisdn), msisdn) }),
      ...(voucherCode !== undefined && { codeDigests: digests.stored.voucherCode(voucherCode) }),
    },
    SHOWN,
  );
  const { more, cases } = found;
  await database.transaction().execute((transaction) =>
    addAuditEntry(transaction, {
      actor: asked.actor,
      action: 'find case',
      subjectKind: 'search',
      subjectId: 0,
      details: {
        ...auditedTerm(term, digests.numberHash),
        found: cases.length + more,
        ...asked.details,
      },
    }),
  );
  return { ...found, isUnknown: term === undefined };
}
