import {
  addOneTimePassword,
  readOneTimePassword,
  removeOneTimePassword,
} from '../../../db/portal/one-time-passwords.ts';
import { endPortalSessions } from '../../../db/portal/portal-sessions.ts';
import { html } from '../../../rendering/html.ts';
import { makeRecoveryCodes, plainCode, secretContext } from '../../access/account-code.ts';
import { changeAccess } from '../../access/change-access.ts';
import { checkProof } from '../../access/confirmation.ts';
import { stepOf } from '../../access/one-time-password.ts';
import { accountPath, oneTimePasswordPath } from '../../access/required-set-up.ts';
import type { PersonPage, PersonRequest } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { oneTimePasswordPage, recoveryCodesPage, setUpContext } from './one-time-password.ts';

const detailsOf = ({ session }: PersonRequest) => ({
  accountId: session.accountId,
  email: session.email,
});

/** Switches one-time passwords on after the first of them, and ends the person's other sessions. */
export const switchOnOneTimePassword: PersonPage = {
  method: 'POST',
  path: '/account/one-time-password',
  access: 'account',
  needs: 'own',
  confirmation: ({ session }: PersonRequest) =>
    html`You are about to switch on one-time passwords for ${session.email}.`,
  always: true,
  async handle(request) {
    const { services, session, form } = request;
    const { accountId } = session;
    // Only a person whose password nobody else knows.
    if (session.mustChangePassword) return { kind: 'redirect', to: accountPath(request.site) };
    const sealedSecret = form.text('sealed-secret');
    const secret = openSecret(request, sealedSecret);
    if (secret === undefined) return problems.invalid;
    const step = stepOf(secret, plainCode(form.text('new-code')));
    if (step === undefined)
      return oneTimePasswordPage(request, { setUp: { sealedSecret, problem: NOT_OF_SECRET } });
    const secretCiphertext = services.secretBox.seal(secret, secretContext(accountId));
    const codes = await changeAccess(
      request,
      'switch on one-time-password',
      async (transaction) => {
        if (!(await addOneTimePassword(transaction, { accountId, secretCiphertext, step })))
          return undefined;
        await endPortalSessions(transaction, accountId, session.id);
        const result = await makeRecoveryCodes(transaction, request, accountId);
        return { result, details: detailsOf(request) };
      },
    );
    if (codes === undefined) return { kind: 'redirect', to: oneTimePasswordPath(request.site) };
    return recoveryCodesPage(request.site, 'One-time passwords are on', codes);
  },
};

const NOT_OF_SECRET =
  'This is not the code of this secret. Check that the clock of your phone is right, and enter the code ' +
  'that the app shows now.';

/** Undefined where the secret was not made for this account. */
function openSecret({ services, session }: PersonRequest, sealed: string): string | undefined {
  try {
    return services.secretBox.open(sealed, setUpContext(session.accountId));
  } catch {
    return undefined;
  }
}

/** Replaces the recovery codes after a proof. */
export const renewRecoveryCodes: PersonPage = {
  method: 'POST',
  path: '/account/one-time-password/recovery-codes',
  access: 'account',
  needs: 'own',
  confirmation: 'each-time',
  async handle(request) {
    const { accountId, hasOneTimePassword } = request.session;
    if (!hasOneTimePassword) return { kind: 'redirect', to: oneTimePasswordPath(request.site) };
    const renewal = await checkProof(request);
    if (renewal) return oneTimePasswordPage(request, { renewal });
    const codes = await changeAccess(request, 'renew recovery-codes', async (transaction) => {
      if (!(await readOneTimePassword(transaction, accountId))) return undefined;
      const result = await makeRecoveryCodes(transaction, request, accountId);
      return { result, details: detailsOf(request) };
    });
    if (codes === undefined) return { kind: 'redirect', to: oneTimePasswordPath(request.site) };
    return recoveryCodesPage(request.site, 'New recovery codes', codes);
  },
};

/** Switches one-time passwords off after a proof. */
export const switchOffOneTimePassword: PersonPage = {
  method: 'POST',
  path: '/account/one-time-password/off',
  access: 'account',
  needs: 'own',
  confirmation: 'each-time',
  async handle(request) {
    const { accountId, hasOneTimePassword } = request.session;
    if (!hasOneTimePassword) return { kind: 'redirect', to: oneTimePasswordPath(request.site) };
    const off = await checkProof(request);
    if (off) return oneTimePasswordPage(request, { off });
    await changeAccess(request, 'switch off one-time-password', async (transaction) =>
      (await removeOneTimePassword(transaction, accountId))
        ? { result: true, details: detailsOf(request) }
        : undefined,
    );
    return {
      kind: 'redirect',
      to: oneTimePasswordPath(request.site),
      notice: 'One-time passwords are off.',
    };
  },
};
