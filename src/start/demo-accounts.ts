import type { Digests } from '../crypto/digests.js';
import {
  createPasswordHashes,
  type PasswordHashes,
  USUAL_PASSWORD_COST,
} from '../crypto/password-hashes.js';
import { findApiKey } from '../db/access/access.js';
import type { Database } from '../db/connection.js';
import { addPortalAccount, findPortalAccount, setPassword } from '../db/portal/portal-accounts.js';
import type { Company } from '../domain/voucher.js';
import type { DemoFile } from './demo-file.js';

/**
 * Creates the portal accounts of the demo file, or resets their passwords to it: the file is always
 * valid, even after changes in the portal and for files of older starts without a portal.
 */
export async function makeDemoAccounts(
  database: Database,
  digests: Digests,
  demo: DemoFile,
  passwords = createPasswordHashes(USUAL_PASSWORD_COST),
): Promise<void> {
  const key = await findApiKey(database, 'partner', digests.apiKey(demo.partner.apiKey));
  if (key !== undefined) await makeAccount(database, passwords, key.company, demo.partner);
  const merchant: Company = { kind: 'merchant', id: demo.merchant.merchantId };
  await makeAccount(database, passwords, merchant, demo.merchant);
}

async function makeAccount(
  database: Database,
  passwords: PasswordHashes,
  company: Company,
  demo: { readonly portalEmail: string; readonly portalPassword: string },
): Promise<void> {
  const known = await findPortalAccount(database, demo.portalEmail);
  if (known && (await passwords.fits(demo.portalPassword, known.passwordHash))) return;
  const hash = await passwords.make(demo.portalPassword);
  await database.transaction().execute(async (transaction) => {
    if (known) await setPassword(transaction, known.id, { hash, mustChange: false });
    else
      await addPortalAccount(transaction, {
        email: demo.portalEmail,
        company,
        passwordHash: hash,
        mustChangePassword: false,
      });
  });
}
