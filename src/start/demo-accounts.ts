import type { Digests } from '../crypto/digests.ts';
import {
  createPasswordHashes,
  type PasswordHashes,
  USUAL_PASSWORD_COST,
} from '../crypto/password-hashes.ts';
import { findApiKey } from '../db/access/access.ts';
import type { Database, DatabaseTransaction } from '../db/connection.ts';
import { addPortalAccount, findPortalAccount, setPassword } from '../db/portal/portal-accounts.ts';
import { addStaffAccount } from '../db/portal/staff-accounts.ts';
import type { Company } from '../domain/voucher.ts';
import type { DemoFile } from './demo-file.ts';

/**
 * Creates the portal accounts of the demo file, or resets their passwords to it: the file is always
 * valid, even after changes in the portal.
 */
export async function makeDemoAccounts(
  database: Database,
  digests: Digests,
  demo: DemoFile,
  passwords = createPasswordHashes(USUAL_PASSWORD_COST),
): Promise<void> {
  const key = await findApiKey(database, 'partner', digests.apiKey(demo.partner.apiKey));
  const merchant: Company = { kind: 'merchant', id: demo.merchant.merchantId };
  // Each hash takes half a second.
  await Promise.all([
    key && makeAccount(database, passwords, key.company, demo.partner),
    makeAccount(database, passwords, merchant, demo.merchant),
    makeAccount(database, passwords, 'staff', demo.staff),
  ]);
}

async function makeAccount(
  database: Database,
  passwords: PasswordHashes,
  holder: Company | 'staff',
  demo: { readonly portalEmail: string; readonly portalPassword: string },
): Promise<void> {
  const known = await findPortalAccount(database, demo.portalEmail);
  if (known && (await passwords.fits(demo.portalPassword, known.passwordHash))) return;
  const hash = await passwords.make(demo.portalPassword);
  await database.transaction().execute(async (transaction) => {
    if (known) await setPassword(transaction, known.id, { hash, mustChange: false });
    else await addAccount(transaction, holder, { email: demo.portalEmail, passwordHash: hash });
  });
}

const addAccount = (
  transaction: DatabaseTransaction,
  holder: Company | 'staff',
  given: { readonly email: string; readonly passwordHash: string },
): Promise<number | undefined> => {
  const account = { ...given, mustChangePassword: false };
  return holder === 'staff'
    ? addStaffAccount(transaction, { ...account, name: 'Demo operator', role: 'OPERATOR' })
    : addPortalAccount(transaction, { ...account, company: holder });
};
