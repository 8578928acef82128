import { type KeyObject, verify } from 'node:crypto';
import { publicKeyFingerprint } from '../../http/signature/public-key.js';
import { readSignatures } from '../../http/signature/signature-encoding.js';
import type { AccountRequest } from '../page.js';

/**
 * What a merchant signs with the private key of a public key that it registers, so that nobody
 * registers the key of another. The text names the merchant and the key, and nobody can compute its
 * last part: a signature of it is worth nothing for another merchant, key or session. It is no body
 * of a request, because it is not JSON.
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

/** The command that signs the challenge, for a shell. */
export const proofCommand = (challenge: string): string =>
  `printf '%s' '${challenge}' |
  openssl dgst -sha256 -sign private-key.pem | openssl base64 -A; echo`;

/** Whether a pasted signature is one of the challenge by the key, with or without a line feed. */
export const isProof = (challenge: string, key: KeyObject, pasted: string): boolean =>
  readSignatures(pasted.replace(/\s/g, '')).some((signature) =>
    [challenge, `${challenge}\n`].some((text) =>
      verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature),
    ),
  );
