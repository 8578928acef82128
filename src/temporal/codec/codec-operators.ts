import { createHash, timingSafeEqual } from 'node:crypto';

/** An operator who may decode payloads. */
export interface CodecOperator {
  readonly name: string;
}

/** An operator who signs in with a password. */
export interface PasswordOperator extends CodecOperator {
  /** SHA-256 of a random password; random passwords need no slow hash. */
  readonly passwordDigest: Buffer;
}

/** The operator of an `Authorization: Basic` header; undefined for wrong credentials. */
export function operatorOf(
  operators: readonly PasswordOperator[],
  authorization: string,
): PasswordOperator | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [, name, password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  const digest = createHash('sha256').update(password).digest();
  return operators.find(
    (operator) => operator.name === name && timingSafeEqual(operator.passwordDigest, digest),
  );
}
