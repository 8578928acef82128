import { type KeyObject, verify } from 'node:crypto';
import { publicKeyFingerprint } from '../../http/signature/public-key.ts';
import { readSignatures } from '../../http/signature/signature-encoding.ts';
import type { AccountRequest } from '../page.ts';

/**
 * The challenge that a merchant signs with the private key, so that nobody can register the key of
 * another merchant. The text contains the merchant, the key, and a part that nobody can predict: a
 * signature is useless for another merchant, key or session. It is not JSON, so it cannot be the
 * body of a request.
 */
export const challengeOf = (
  { services, session, formToken }: AccountRequest,
  key: KeyObject,
): string => {
  const fingerprint = publicKeyFingerprint(key);
  const { id } = session.company;
  const proof = services.digests.publicKeyChallenge(formToken, id, fingerprint);
  return `register public key ${fingerprint} for merchant ${id}: ${proof}`;
};

/** The shell command that signs the challenge. */
export const proofCommand = (challenge: string): string =>
  `printf '%s' '${challenge}' |
  openssl dgst -sha256 -sign private-key.pem | openssl base64 -A; echo`;

/**
 * Whether a pasted text is a signature of the challenge by the key, with or without a line feed.
 */
export const isProof = (challenge: string, key: KeyObject, pasted: string): boolean =>
  readSignatures(pasted.replace(/\s/g, '')).some((signature) =>
    [challenge, `${challenge}\n`].some((text) =>
      verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature),
    ),
  );
