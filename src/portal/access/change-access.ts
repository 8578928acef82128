import { addAuditEntry } from '../../db/access/audit.js';
import { lockCompany } from '../../db/access/company-access.js';
import type { DatabaseTransaction } from '../../db/connection.js';
import type { AccountRequest } from '../page.js';

/** How the audit log names people who act in the portal. */
export const PORTAL_ACTOR = 'portal:';

/**
 * Changes something of a company's access, in one transaction with its row in the audit log. Two
 * people of one company take turns, so that limits hold. `work` answers with what the page shows and
 * what the log keeps (never a secret), or with undefined where there was nothing to change.
 */
export const changeAccess = <Result>(
  request: AccountRequest,
  action: string,
  work: (transaction: DatabaseTransaction) => Promise<
    | {
        readonly result: Result;
        readonly details: Readonly<Record<string, unknown>>;
      }
    | undefined
  >,
): Promise<Result | undefined> =>
  request.services.database.transaction().execute(async (transaction) => {
    const { session, sourceAddress } = request;
    await lockCompany(transaction, session.company);
    const change = await work(transaction);
    if (change === undefined) return undefined;
    await addAuditEntry(transaction, {
      actor: PORTAL_ACTOR + session.email,
      action,
      subjectKind: session.company.kind,
      subjectId: session.company.id,
      details: { ...change.details, sourceAddress },
    });
    return change.result;
  });
