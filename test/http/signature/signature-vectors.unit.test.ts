import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parsePublicKey } from '../../../src/http/signature/public-key.ts';
import { verifySignature } from '../../../src/http/signature/verify-signature.ts';

/** What is used of a file of Project Wycheproof; see test/vectors/README.md. */
interface VectorFile {
  readonly numberOfTests: number;
  readonly testGroups: readonly {
    readonly publicKey: { readonly uncompressed: string };
    readonly publicKeyPem: string;
    readonly publicKeyDer: string;
    readonly tests: readonly {
      readonly tcId: number;
      readonly comment: string;
      readonly msg: string;
      readonly sig: string;
      readonly result: 'valid' | 'invalid';
    }[];
  }[];
}

/**
 * @noble/curves decodes the signatures of requests, and OpenSSL checks them. The second check leaves both to OpenSSL, so
 * that a wrong decoding shows. High-S is valid in these files.
 */
describe.each([
  { file: 'ecdsa_secp256k1_sha256_test.json', platform: 'der', valid: 168 },
  { file: 'ecdsa_secp256k1_sha256_p1363_test.json', platform: 'ieee-p1363', valid: 167 },
] as const)('$file', ({ file, platform, valid }) => {
  const text = readFileSync(new URL(`../../vectors/${file}`, import.meta.url), 'utf8');
  const vectors: VectorFile = JSON.parse(text);
  const cases = vectors.testGroups.flatMap(({ tests, ...group }) =>
    tests.map((test) => ({
      ...test,
      group,
      body: Buffer.from(test.msg, 'hex'),
      signature: Buffer.from(test.sig, 'hex'),
      isValid: test.result === 'valid',
    })),
  );
  type Case = (typeof cases)[number];

  /** The cases that a check decides otherwise than the file. */
  const wrong = (check: (one: Case) => boolean) =>
    cases.filter((one) => check(one) !== one.isValid).map(({ tcId, comment }) => [tcId, comment]);

  const answer = ({ body, group }: Case, signature: string) =>
    verifySignature({
      header: `${signature}\\nx`,
      body,
      publicKeys: [parsePublicKey(group.publicKeyPem)],
      now: 0,
    });

  it('is whole', () => {
    expect(cases).toHaveLength(vectors.numberOfTests);
    expect(cases.filter(({ isValid }) => isValid)).toHaveLength(valid);
  });

  it('is decided alike by verifySignature', () => {
    expect(wrong((one) => answer(one, one.signature.toString('base64')).ok)).toEqual([]);
  });

  it('is decided alike by the verifier of the platform', () => {
    const verifies = ({ body, signature, group }: Case) =>
      verify(
        'sha256',
        body,
        { key: createPublicKey(group.publicKeyPem), dsaEncoding: platform },
        signature,
      );
    expect(wrong(verifies)).toEqual([]);
  });

  it('has keys that are read in each of their forms', () => {
    for (const { publicKey, publicKeyPem, publicKeyDer } of vectors.testGroups) {
      const key = parsePublicKey(publicKeyPem);
      expect(parsePublicKey(publicKeyDer).equals(key)).toBe(true);
      expect(parsePublicKey(publicKey.uncompressed).equals(key)).toBe(true);
    }
  });
});
