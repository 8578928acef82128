import { constants, publicEncrypt } from 'node:crypto';

/** The initiator's password for M-Pesa: ready, or to be encrypted with M-Pesa's certificate. */
export type SecurityCredential =
  | { readonly ready: string }
  | { readonly password: string; readonly certificate: Buffer };

/**
 * The value of `SecurityCredential`: RSA with PKCS #1 v1.5 padding, in base64.
 *
 * @throws where the certificate has no RSA key
 */
export const securityCredential = (given: SecurityCredential): string =>
  'ready' in given
    ? given.ready
    : publicEncrypt(
        { key: given.certificate, padding: constants.RSA_PKCS1_PADDING },
        Buffer.from(given.password),
      ).toString('base64');
