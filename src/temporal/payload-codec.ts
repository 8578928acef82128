import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/encoding.js';
import proto from '@temporalio/proto';

const ENCODING = 'binary/encrypted';
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface PayloadKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/**
 * Encrypts every payload that reaches Temporal: arguments, results, markers, summaries and failure
 * details (design 7). The first key encrypts and all decrypt, so a key is rotated by putting a new
 * one in front and keeping the old one as long as histories are kept.
 */
export function createPayloadCodec(keys: readonly PayloadKey[]): PayloadCodec {
  const [current] = keys;
  if (!current) throw new RangeError('A payload codec needs at least one key.');
  const keysById = new Map(keys.map(({ id, key }) => [id, key]));

  return {
    encode: async (payloads) => payloads.map((payload) => encrypt(payload, current)),
    decode: async (payloads) => payloads.map((payload) => decrypt(payload, keysById)),
  };
}

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

function encrypt(payload: Payload, { id, key }: PayloadKey): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  const plain = PayloadMessage.encode(payload).finish();
  return {
    metadata: { encoding: encode(ENCODING), 'encryption-key-id': encode(id) },
    data: Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]),
  };
}

/** What is not encrypted passes as it is: Temporal's own payloads are not all ours. */
function decrypt(payload: Payload, keysById: ReadonlyMap<string, Buffer>): Payload {
  const { encoding, 'encryption-key-id': keyId } = payload.metadata ?? {};
  if (!encoding || decode(encoding) !== ENCODING) return payload;
  const key = keysById.get(keyId ? decode(keyId) : '');
  if (!key) throw new Error('The key that encrypted this payload is not configured.');
  const data = Buffer.from(payload.data ?? []);
  const nonce = data.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(data.subarray(-TAG_BYTES));
  const plain = decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES));
  const message = PayloadMessage.decode(Buffer.concat([plain, decipher.final()]));
  return { metadata: message.metadata, data: message.data };
}
