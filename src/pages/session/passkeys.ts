import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  type AccountPasskey,
  addChallenge,
  findPasskey,
  type NewPasskey,
  takeChallenge,
  takeCounter,
} from '../../db/people/second-factors.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { describeError } from '../../runtime/process/logger.ts';
import type { PublicRequest } from '../page.ts';

/** The field with the answer of a passkey, and the field with the answer of a device that made one. */
export const PASSKEY_FIELD = 'passkey';
export const NEW_PASSKEY_FIELD = 'new-passkey';

/** Time between the page that asks for a passkey and its answer. */
const CHALLENGE_SECONDS = 300;

/** Ed25519, ES256 and RS256: every device has one of them. */
const ALGORITHMS = [-8, -7, -257];

/** Loaded by the first person who has a passkey or makes one: its parsers take some megabytes. */
const loadWebAuthn = () => import('@simplewebauthn/server');

type Tools = Pick<PublicRequest, 'services'>;

/** Browsers bind a passkey to the host of a site, and sign the origin of the page that asked. */
function siteOf({ services }: Tools) {
  const { origin, hostname } = new URL(services.settings.http.publicUrl);
  return { expectedOrigin: origin, expectedRPID: hostname };
}

async function newChallenge({ services }: Tools, accountId: number) {
  const challenge = randomBytes(32);
  await addChallenge(services.database, accountId, challenge.toString('base64url'));
  return challenge;
}

const credentialsOf = (passkeys: readonly AccountPasskey[]) =>
  passkeys.map(({ credentialId }) => ({ id: credentialId }));

/**
 * The button of a form that asks the browser for a passkey. A script shows the button where the browser has
 * passkeys, puts the answer into the field, and sends the form.
 */
const passkeyButton = (button: {
  readonly asks: 'get' | 'create';
  readonly name: string;
  readonly label: string;
  readonly options: unknown;
}): Html => html`<div class="passkey" data-passkey="${button.asks}" data-options="${JSON.stringify(button.options)}" hidden>
<input type="hidden" name="${button.name}" value="">
<button type="button">${phrase(button.label)}</button>
<span class="quiet" role="status"></span></div>`;

/** The button that signs in, or confirms, by one of the passkeys of an account. */
export async function usePasskeyButton(
  request: Tools,
  accountId: number,
  passkeys: readonly AccountPasskey[],
): Promise<Html> {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const options = await generateAuthenticationOptions({
    rpID: siteOf(request).expectedRPID,
    challenge: await newChallenge(request, accountId),
    allowCredentials: credentialsOf(passkeys),
    // The password is the first factor, so a touch is enough on a device without PIN and fingerprint.
    userVerification: 'preferred',
    timeout: CHALLENGE_SECONDS * 1000,
  });
  return passkeyButton({ asks: 'get', name: PASSKEY_FIELD, label: 'Use a passkey', options });
}

/** The button that makes a passkey, on a device that has none of the account. */
export async function addPasskeyButton(
  request: Tools,
  account: { readonly accountId: number; readonly email: string; readonly siteName: string },
  passkeys: readonly AccountPasskey[],
): Promise<Html> {
  const { accountId, email, siteName } = account;
  const { generateRegistrationOptions } = await loadWebAuthn();
  const options = await generateRegistrationOptions({
    rpName: siteName,
    rpID: siteOf(request).expectedRPID,
    userName: email,
    userDisplayName: email,
    userID: new TextEncoder().encode(`account ${accountId}`),
    challenge: await newChallenge(request, accountId),
    excludeCredentials: credentialsOf(passkeys),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: ALGORITHMS,
    timeout: CHALLENGE_SECONDS * 1000,
  });
  return passkeyButton({
    asks: 'create',
    name: NEW_PASSKEY_FIELD,
    label: 'Add a passkey',
    options,
  });
}

/** In base64url, at most the 1,023 bytes that WebAuthn allows. */
const credentialId = z.string().regex(/^[\w-]{1,1364}$/);
const answerOf = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.object({
    id: credentialId,
    rawId: credentialId,
    type: z.literal('public-key'),
    response: z.object({ clientDataJSON: z.string(), ...fields }),
  });
const assertion = answerOf({ authenticatorData: z.string(), signature: z.string() });
const attestation = answerOf({ attestationObject: z.string() });
const clientData = z.object({ challenge: z.string().regex(/^[\w-]{43}$/) });

/** The answer of a browser, and the challenge in it; undefined for other texts. */
function readAnswer<Answer extends { readonly response: { readonly clientDataJSON: string } }>(
  schema: z.ZodType<Answer>,
  text: string,
) {
  try {
    const answer = schema.parse(JSON.parse(text));
    const signed = Buffer.from(answer.response.clientDataJSON, 'base64url').toString();
    return { answer, ...clientData.parse(JSON.parse(signed)) };
  } catch {
    return undefined;
  }
}

/** The library throws where an answer is wrong. The log says why, such as an origin that is not `PUBLIC_URL`. */
async function verified<Result>(
  { services }: Tools,
  verify: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await verify();
  } catch (error) {
    services.logger.info(describeError(error), 'A passkey was refused');
    return undefined;
  }
}

/** Uses up the answer of a passkey of an account; `late` where its challenge is too old, or was used before. */
export async function takeAssertion(
  request: Tools,
  accountId: number,
  text: string,
): Promise<'right' | 'wrong' | 'late'> {
  const { database } = request.services;
  const read = readAnswer(assertion, text);
  if (!read) return 'wrong';
  const { answer, challenge } = read;
  if (
    !(await takeChallenge(database, accountId, { challenge, lifetimeSeconds: CHALLENGE_SECONDS }))
  )
    return 'late';
  const passkey = await findPasskey(database, accountId, answer.id);
  if (!passkey) return 'wrong';
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const checked = await verified(request, () =>
    verifyAuthenticationResponse({
      ...siteOf(request),
      response: { ...answer, clientExtensionResults: {} },
      expectedChallenge: challenge,
      credential: {
        id: answer.id,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
      requireUserVerification: false,
    }),
  );
  if (!checked?.verified) return 'wrong';
  const { newCounter: counter } = checked.authenticationInfo;
  const isTaken = await takeCounter(database, accountId, { credentialId: answer.id, counter });
  return isTaken ? 'right' : 'wrong';
}

/** The passkey that a device has made for an account; undefined where its answer is wrong, late or sent again. */
export async function takeNewPasskey(
  request: Tools,
  accountId: number,
  text: string,
): Promise<NewPasskey | undefined> {
  const read = readAnswer(attestation, text);
  if (!read) return undefined;
  const { answer, challenge } = read;
  const lifetimeSeconds = CHALLENGE_SECONDS;
  const { database } = request.services;
  if (!(await takeChallenge(database, accountId, { challenge, lifetimeSeconds }))) return undefined;
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const made = await verified(request, () => {
    const statement = Buffer.from(answer.response.attestationObject, 'base64url');
    const decoded = decodeAttestationObject(new Uint8Array(statement));
    // The library would call the addresses in certificates of a device. The page asks for no certificates.
    const hasNone = decoded.get('fmt') === 'none';
    const isSelfSigned = decoded.get('fmt') === 'packed' && !decoded.get('attStmt').get('x5c');
    if (!hasNone && !isSelfSigned) throw new Error('The answer has certificates');
    return verifyRegistrationResponse({
      ...siteOf(request),
      response: { ...answer, clientExtensionResults: {} },
      expectedChallenge: challenge,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
  });
  if (!made?.verified) return undefined;
  const { id, publicKey, counter } = made.registrationInfo.credential;
  return id === answer.id
    ? { credentialId: id, publicKey: Buffer.from(publicKey), counter }
    : undefined;
}
