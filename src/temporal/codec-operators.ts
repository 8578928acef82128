import { createHash, timingSafeEqual } from 'node:crypto';

/** Who may look into payloads, and whether into Temporal goes what this person types. */
export interface CodecOperator {
  readonly name: string;
  readonly mayEncode: boolean;
  /** SHA-256 of a random password, which so needs no slow digest. */
  readonly passwordDigest: Buffer;
}

/** The operator whose name and password an `Authorization: Basic` header has; undefined for others. */
export function operatorOf(
  operators: readonly CodecOperator[],
  authorization: string,
): CodecOperator | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [, name, password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  const digest = createHash('sha256').update(password).digest();
  return operators.find(
    (operator) => operator.name === name && timingSafeEqual(operator.passwordDigest, digest),
  );
}
