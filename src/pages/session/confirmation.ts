import { readSecondFactors } from '../../db/people/second-factors.ts';
import { confirmPortalSession } from '../../db/people/sign-ins.ts';
import { type Html, html } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { field, type postForm } from '../layout/parts.ts';
import type { Confirmed, PageAnswer, PersonRequest, PublicRequest } from '../page.ts';
import { PASSKEY_FIELD, usePasskeyButton } from './passkeys.ts';
import { CODE_FIELD, takeFactor } from './second-factor.ts';
import {
  answerStatus,
  checkPresentPassword,
  countPassword,
  forgivePassword,
  presentPasswordLimits,
  type WrongProof,
} from './sign-in.ts';

/** A button for the passkeys of an account, and the field of a code. */
export async function secondFactorFields(
  request: PublicRequest,
  accountId: number,
  error?: string,
): Promise<Html> {
  const { oneTimePassword, passkeys } = await readSecondFactors(
    request.services.database,
    accountId,
  );
  return html`${passkeys.length > 0 && (await usePasskeyButton(request, accountId, passkeys))}
${field({
  name: CODE_FIELD,
  label: oneTimePassword ? 'One-time password' : 'Recovery code',
  hint: oneTimePassword
    ? 'Six digits from your app, or a recovery code.'
    : 'Only without your passkey: one of your recovery codes.',
  autocomplete: 'one-time-code',
  maximumLength: 40,
  error,
})}`;
}

/** The fields of the proof that a person gives: the second factor where there is one, else the password. */
export const proofFields = async (request: PersonRequest, error?: string): Promise<Html> =>
  request.session.hasSecondFactor
    ? secondFactorFields(request, request.session.accountId, error)
    : field({
        name: 'password',
        label: 'Current password',
        type: 'password',
        autocomplete: 'current-password',
        error,
      });

/**
 * Checks the proof of a form: the second factor where there is one, else the password. If it is right, confirms the
 * session and returns undefined.
 */
export async function checkProof(request: PersonRequest): Promise<WrongProof | undefined> {
  const { services, session } = request;
  const wrong = session.hasSecondFactor
    ? await wrongFactor(request)
    : await checkPresentPassword(request).then((checked) =>
        checked.isRight ? undefined : checked,
      );
  if (wrong) return wrong;
  await confirmPortalSession(services.database, session.id);
  return undefined;
}

async function wrongFactor(request: PersonRequest): Promise<WrongProof | undefined> {
  const limits = presentPasswordLimits(request);
  const tooMany = await countPassword(request, limits);
  if (tooMany) return tooMany;
  const wrong = await takeFactor(request, request.session);
  if (wrong === undefined) await forgivePassword(request, limits);
  return wrong;
}

/** The hidden field of a form that has a proof in it. */
const PROVES = 'proves';
/** Fields that belong to the proof or to the form itself. */
const OWN_FIELDS = [PROVES, 'token', 'password', CODE_FIELD, PASSKEY_FIELD];

/**
 * Asks for a proof before a change, where the last one is too old. The form of the change is kept,
 * and is sent with the proof; a file is carried along as text. A form that is wrong is shown again, before
 * anybody proves anything. Undefined where the change may go on.
 */
export async function askForProof<Request extends PersonRequest>(
  request: Request,
  confirmed: Confirmed<Request>,
  writeForm: typeof postForm,
): Promise<PageAnswer | undefined> {
  if (request.session.isConfirmed) return undefined;
  const isProved = request.form.text(PROVES) === 'yes';
  const wrong = isProved ? await checkProof(request) : undefined;
  if (isProved && wrong === undefined) return undefined;
  const what = await confirmed(request);
  if (what === undefined) return problems.notFound;
  return 'kind' in what ? what : proofPage(request, what, { writeForm, wrong });
}

/**
 * The fields of the proof, for a form that says itself what it changes: `askForProof` shows its page only after a
 * wrong proof.
 * Undefined where the last proof is new enough.
 */
export const proofOnForm = async (request: PersonRequest): Promise<Html | undefined> =>
  request.session.isConfirmed
    ? undefined
    : html`<input type="hidden" name="${PROVES}" value="yes">${await proofFields(request)}`;

async function proofPage(
  request: PersonRequest,
  what: Html,
  { writeForm, wrong }: { writeForm: typeof postForm; wrong: WrongProof | undefined },
): Promise<PageAnswer> {
  const { form, path } = request;
  const kept = form.names().filter((name) => !OWN_FIELDS.includes(name));
  return {
    kind: 'page',
    title: 'Confirm that it is you',
    status: 403,
    ...answerStatus(wrong),
    content: html`<div class="card narrow">
<h1>Confirm that it is you</h1>
<p>${what}</p>
<p>Nothing has happened yet.</p>
${writeForm(
  request,
  path,
  html`<input type="hidden" name="${PROVES}" value="yes">
${kept.map((name) => html`<input type="hidden" name="${name}" value="${form.text(name)}">`)}
${await proofFields(request, wrong?.problem)}
<button>Confirm and continue</button>`,
)}
</div>`,
  };
}
