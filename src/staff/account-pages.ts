import type { PersonPage } from '../portal/page.ts';
import { changePassword, showAccount, signOutEverywhere } from '../portal/pages/account/account.ts';
import { signOut } from '../portal/pages/account/sign-out.ts';
import {
  renewRecoveryCodes,
  switchOffOneTimePassword,
  switchOnOneTimePassword,
} from '../portal/pages/one-time-password/change-one-time-password.ts';
import { showOneTimePassword } from '../portal/pages/one-time-password/one-time-password.ts';
import type { StaffPage } from './page.ts';

const ofStaff = (page: PersonPage): StaffPage => {
  const { method, path, changesNothing, always } = page;
  return {
    method,
    path,
    access: 'staff',
    needs: 'own',
    ...(changesNothing && { changesNothing }),
    ...(always && { always }),
    ...(typeof page.confirmation === 'function' && { confirmation: page.confirmation }),
    handle: (request) => page.handle(request),
  };
};

/** The pages of a person's own account, as people of companies have them. */
export const staffAccountPages: readonly StaffPage[] = [
  signOut,
  showAccount,
  changePassword,
  signOutEverywhere,
  showOneTimePassword,
  switchOnOneTimePassword,
  renewRecoveryCodes,
  switchOffOneTimePassword,
].map(ofStaff);
