import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/encoding.js';
import proto from '@temporalio/proto';
import { foreignPayload } from '../../workflows/outsiders/foreign-payload.ts';
import { type PreparedKey, prepareKeys, type SecretKey } from '../crypto/secret-keys.ts';

const ENCODING = 'binary/encrypted';
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The handling of a payload that our keys did not encrypt: pass it unchanged; replace it with a
 * mark; or refuse to read.
 */
export type ForeignPayloads = 'pass' | 'mark' | 'refuse';

/** A foreign payload where only ours are expected. */
export class ForeignPayloadError extends Error {
  override readonly name = 'ForeignPayloadError';
}

/**
 * Encrypts every payload that reaches Temporal: arguments, results, markers, summaries and failure
 * details (design 7). The first key encrypts and all decrypt. To rotate, put a new key first and
 * keep the old one while histories exist. A codec that marks never throws: an exception would fail
 * the workflow task, so that anybody with access to Temporal could block money on hold.
 */
export function createPayloadCodec(
  keys: readonly SecretKey[],
  foreign: ForeignPayloads = 'pass',
): PayloadCodec {
  const prepared = prepareKeys(keys);
  const [current] = prepared;
  if (!current) throw new RangeError('A payload codec needs at least one key.');
  const keysById = new Map(prepared.map(({ id, key }) => [id, key]));

  return {
    encode: async (payloads) => payloads.map((payload) => encrypt(payload, current)),
    decode: async (payloads) => payloads.map((payload) => readers[foreign](payload, keysById)),
  };
}

type Reader = (payload: Payload, keysById: ReadonlyMap<string, KeyObject>) => Payload;

const marked = defaultPayloadConverter.toPayload(foreignPayload);

const readers: Readonly<Record<ForeignPayloads, Reader>> = {
  pass: (payload, keysById) => (isEncrypted(payload) ? decrypt(payload, keysById) : payload),
  mark(payload, keysById) {
    try {
      return isEncrypted(payload) ? decrypt(payload, keysById) : marked;
    } catch {
      return marked;
    }
  },
  refuse(payload, keysById) {
    if (isEncrypted(payload)) return decrypt(payload, keysById);
    throw new ForeignPayloadError('A payload from Temporal was not encrypted by this service.');
  },
};

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

function encrypt(payload: Payload, { id, key }: PreparedKey): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  const plain = PayloadMessage.encode(payload).finish();
  return {
    metadata: { encoding: encode(ENCODING), 'encryption-key-id': encode(id) },
    data: Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]),
  };
}

function isEncrypted({ metadata }: Payload): boolean {
  const encoding = metadata?.encoding;
  return encoding !== undefined && encoding !== null && decode(encoding) === ENCODING;
}

function decrypt(payload: Payload, keysById: ReadonlyMap<string, KeyObject>): Payload {
  const keyId = payload.metadata?.['encryption-key-id'];
  const key = keysById.get(keyId ? decode(keyId) : '');
  if (!key) throw new ForeignPayloadError('The key that encrypted this payload is not configured.');
  const data = Buffer.from(payload.data ?? []);
  const nonce = data.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(data.subarray(-TAG_BYTES));
  const plain = decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES));
  const message = PayloadMessage.decode(Buffer.concat([plain, decipher.final()]));
  return { metadata: message.metadata, data: message.data };
}
