import type { KeyObject } from 'node:crypto';
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/encoding.js';
import proto from '@temporalio/proto';
import { foreignPayload } from '../../../workflows/addressed-input.ts';
import {
  openBytes,
  type PreparedKey,
  prepareKeys,
  type SecretKey,
  sealBytes,
} from '../../crypto/secret-box.ts';

const ENCODING = 'binary/encrypted';

/**
 * The handling of a payload that our keys did not encrypt: pass it unchanged; replace it with a
 * mark; or refuse to read.
 */
export type ForeignPayloads = 'pass' | 'mark' | 'refuse';

/** A foreign payload, or one of another place, where only ours are expected. */
export class ForeignPayloadError extends Error {
  override readonly name = 'ForeignPayloadError';
}

/**
 * Encrypts every payload that reaches Temporal: arguments, results, markers, summaries and failure
 * details. Each is bound to its place, the workflow or the activity that it belongs to: a copy
 * elsewhere is foreign there. Only a codec that passes foreign payloads reads those of every place. The
 * first key encrypts and all decrypt. To rotate, put a new key first and keep the old one while histories
 * exist. A codec that marks never throws: an exception would fail the workflow task, so that anybody with
 * access to Temporal could block money on hold.
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
    encode: async (payloads, context) =>
      payloads.map((payload) => encrypt(payload, placeOf(context), current)),
    decode: async (payloads, context) =>
      payloads.map((payload) => readers[foreign](payload, placeOf(context), keysById)),
  };
}

/** The place of a payload, as text. */
const placeOf = (context: SerializationContext | undefined): string =>
  context?.type === 'activity'
    ? JSON.stringify(['activity', context.namespace, context.workflowId, context.activityId])
    : JSON.stringify(['workflow', context?.namespace, context?.workflowId]);

type Keys = ReadonlyMap<string, KeyObject>;
type Reader = (payload: Payload, place: string, keysById: Keys) => Payload;

const marked = defaultPayloadConverter.toPayload(foreignPayload);

const readers: Readonly<Record<ForeignPayloads, Reader>> = {
  pass: (payload, _place, keysById) =>
    isEncrypted(payload) ? decrypt(payload, keysById).payload : payload,
  mark(payload, place, keysById) {
    try {
      return readers.refuse(payload, place, keysById);
    } catch {
      return marked;
    }
  },
  refuse(payload, place, keysById) {
    if (!isEncrypted(payload))
      throw new ForeignPayloadError('A payload from Temporal was not encrypted by this service.');
    const decrypted = decrypt(payload, keysById);
    if (decrypted.place !== place)
      throw new ForeignPayloadError('A payload from Temporal was encrypted for another place.');
    return decrypted.payload;
  },
};

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/** In the metadata of the payload, encrypted with it. */
const PLACE = 'place';

function encrypt(payload: Payload, place: string, { id, key }: PreparedKey): Payload {
  const metadata = { ...payload.metadata, [PLACE]: encode(place) };
  const plain = PayloadMessage.encode({ ...payload, metadata }).finish();
  return {
    metadata: { encoding: encode(ENCODING), 'encryption-key-id': encode(id) },
    data: sealBytes(key, plain),
  };
}

function isEncrypted({ metadata }: Payload): boolean {
  const encoding = metadata?.encoding;
  return encoding !== undefined && encoding !== null && decode(encoding) === ENCODING;
}

function decrypt(
  payload: Payload,
  keysById: Keys,
): { readonly payload: Payload; readonly place: string | undefined } {
  const keyId = payload.metadata?.['encryption-key-id'];
  const key = keysById.get(keyId ? decode(keyId) : '');
  if (!key) throw new ForeignPayloadError('The key that encrypted this payload is not configured.');
  const message = PayloadMessage.decode(openBytes(key, payload.data ?? new Uint8Array()));
  const { [PLACE]: place, ...metadata } = message.metadata;
  return { payload: { metadata, data: message.data }, place: place && decode(place) };
}
