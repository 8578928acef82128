import { randomBytes } from 'node:crypto';
import {
  defaultPayloadConverter,
  type Payload,
  type PayloadCodec,
  type SerializationContext,
} from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/encoding.js';
import { describe, expect, it } from 'vitest';
import { createPayloadCodec } from '../../../src/runtime/temporal/payload-codec.ts';
import { isForeign } from '../../../workflows/addressed-input.ts';

const makeKey = (id: string) => ({ id, key: randomBytes(32) });
const oldKey = makeKey('payload-1');
const newKey = makeKey('payload-2');
const codec = createPayloadCodec([oldKey]);

const secret = { msisdn: '+251911234567', amount: '4321.09' };
const plain = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);

const readValue = (payload: Payload): unknown => defaultPayloadConverter.fromPayload(payload);

async function encodeOne(by: PayloadCodec, payload: Payload): Promise<Payload> {
  const [encoded] = await by.encode([payload]);
  if (!encoded) throw new Error('Nothing was encoded');
  return encoded;
}

const decodeOne = async (by: PayloadCodec, payload: Payload): Promise<unknown> => {
  const [decoded] = await by.decode([payload]);
  return defaultPayloadConverter.fromPayload(decoded ?? {});
};

const withBitFlipped = (bytes: Buffer, index: number): Buffer =>
  Buffer.from(bytes.map((byte, at) => (at === index ? byte ^ 1 : byte)));

const bytesOf = ({ data }: Payload) => Buffer.from(data ?? []);

describe('the payload codec', () => {
  it.each([
    ['an object', secret],
    ['text', 'ከሰላምታ ጋር'],
    ['nothing', undefined],
    ['null', null],
    ['bytes', new Uint8Array([0, 255, 128])],
    ['a large text', 'x'.repeat(200_000)],
  ])('gives %s back as it was', async (_name, value) => {
    const encoded = await encodeOne(codec, plain(value));
    expect(await decodeOne(codec, encoded)).toEqual(value);
  });

  it('reads what an earlier version has encrypted', async () => {
    const ofThen = createPayloadCodec([{ id: 'k1', key: Buffer.alloc(32, 1) }]);
    const data = Buffer.from(
      'eDbXzkLAUEFmm0txLI13INffQqmB9ExHIDpi17Vue79lN_cF79qAyLm2c1bARmc4' +
        'sQYvED7e-6Gx7EMTmgG2uaQZANGpkQ1GjFG9-9mbA2soGDNTUh5OG5Y5nEQc30o',
      'base64url',
    );
    const metadata = { encoding: encode('binary/encrypted'), 'encryption-key-id': encode('k1') };
    expect(await decodeOne(ofThen, { metadata, data })).toBe('a gift');
  });

  it('keeps several payloads in their order', async () => {
    const encoded = await codec.encode(['first', 'second', 'third'].map(plain));
    const decoded = await codec.decode(encoded);
    expect(decoded.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual([
      'first',
      'second',
      'third',
    ]);
  });

  it('shows nothing of the payload but which key encrypted it', async () => {
    const { metadata, data } = await encodeOne(codec, plain(secret));
    const shown = Object.entries(metadata ?? {}).map(([name, value]) => [name, decode(value)]);
    expect(Object.fromEntries(shown)).toEqual({
      encoding: 'binary/encrypted',
      'encryption-key-id': 'payload-1',
    });
    const text = Buffer.from(data ?? []).toString('latin1');
    expect(text).not.toContain('251911234567');
    expect(text).not.toContain('json/plain');
  });

  it('encrypts the same payload differently each time', async () => {
    const [one, two] = [
      await encodeOne(codec, plain(secret)),
      await encodeOne(codec, plain(secret)),
    ];
    expect(bytesOf(one).equals(bytesOf(two))).toBe(false);
  });

  it('reads with an old key and writes with the first', async () => {
    const rotated = createPayloadCodec([newKey, oldKey]);
    const before = await encodeOne(codec, plain(secret));
    expect(await decodeOne(rotated, before)).toEqual(secret);
    const after = await encodeOne(rotated, plain(secret));
    expect(after.metadata?.['encryption-key-id']).toEqual(encode('payload-2'));
    expect(await decodeOne(createPayloadCodec([newKey]), after)).toEqual(secret);
  });

  it.each([
    ['unknown', { 'encryption-key-id': encode('payload-2') }],
    ['unnamed', {}],
  ])('refuses a payload of a key that is %s', async (_name, keyId) => {
    const { data } = await encodeOne(codec, plain(secret));
    const metadata = { encoding: encode('binary/encrypted'), ...keyId };
    const foreign = { metadata, data: data ?? null };
    await expect(codec.decode([foreign])).rejects.toThrow('is not configured');
  });

  it.each([
    ['the nonce', (bytes: Buffer) => withBitFlipped(bytes, 0)],
    ['the ciphertext', (bytes: Buffer) => withBitFlipped(bytes, 20)],
    ['the tag', (bytes: Buffer) => withBitFlipped(bytes, bytes.length - 1)],
    ['its end, cut off', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['all but a few bytes, cut off', (bytes: Buffer) => bytes.subarray(0, 5)],
    ['everything', () => Buffer.alloc(0)],
  ])('refuses a payload that was altered: %s', async (_name, alter) => {
    const encoded = await encodeOne(codec, plain(secret));
    const altered = { ...encoded, data: alter(bytesOf(encoded)) };
    await expect(codec.decode([altered])).rejects.toThrow();
  });

  it('refuses a payload that names another key than its own', async () => {
    const encoded = await encodeOne(codec, plain(secret));
    const metadata = { ...encoded.metadata, 'encryption-key-id': encode('payload-2') };
    const both = createPayloadCodec([oldKey, newKey]);
    await expect(both.decode([{ ...encoded, metadata }])).rejects.toThrow();
  });

  it.each([
    ['a plain one', plain(secret)],
    ['one without metadata', { data: encode('data') }],
    ['an empty one', {}],
  ])('lets a payload that it has not encrypted pass: %s', async (_name, payload) => {
    expect(await codec.decode([payload])).toEqual([payload]);
  });

  it.each([
    ['plain', async () => plain(secret)],
    ['of another key', () => encodeOne(createPayloadCodec([newKey]), plain(secret))],
    ['altered', async () => ({ ...(await encodeOne(codec, plain(secret))), data: encode('{') })],
    ['no JSON', async () => ({ metadata: { encoding: encode('json/plain') }, data: encode('{') })],
    ['empty', async () => ({})],
  ])(
    'marks what is not its own for workflows, and refuses it for clients: %s',
    async (...given) => {
      const payload = await given[1]();
      const marking = createPayloadCodec([oldKey], 'mark');
      expect(isForeign(await decodeOne(marking, payload))).toBe(true);
      const refusing = createPayloadCodec([oldKey], 'refuse');
      await expect(refusing.decode([payload])).rejects.toThrow();
      const own = await encodeOne(codec, plain(secret));
      expect(await decodeOne(marking, own)).toEqual(secret);
      expect(await decodeOne(refusing, own)).toEqual(secret);
    },
  );

  const place = { type: 'workflow', namespace: 'default', workflowId: 'claim:1:a' } as const;
  const activity = {
    type: 'activity',
    namespace: 'default',
    activityId: '3',
    isLocal: false,
  } as const;
  const step = { ...activity, workflowId: 'claim:1:a' };

  it.each<[string, SerializationContext, SerializationContext | undefined]>([
    ['another workflow', place, { ...place, workflowId: 'claim:1:b' }],
    ['another namespace', place, { ...place, namespace: 'other' }],
    ['an activity of the workflow', place, step],
    ['the workflow of the activity', step, place],
    ['another activity', step, { ...step, activityId: '31' }],
    ['the same activity of another workflow', step, { ...step, workflowId: 'claim:1:b' }],
    ['an activity of no workflow', step, activity],
    ['no place', place, undefined],
  ])('takes a payload for foreign at %s', async (_name, own, other) => {
    const encoded = await codec.encode([plain(secret)], own);
    const marking = createPayloadCodec([oldKey], 'mark');
    const [copied = {}] = await marking.decode(encoded, other);
    expect(isForeign(readValue(copied))).toBe(true);
    const refusing = createPayloadCodec([oldKey], 'refuse');
    await expect(refusing.decode(encoded, other)).rejects.toThrow('for another place');
    for (const reader of [marking, refusing, createPayloadCodec([newKey, oldKey], 'mark')])
      expect((await reader.decode(encoded, own)).map(readValue)).toEqual([secret]);
  });

  it('reads the payloads of all places for people', async () => {
    const encoded = await codec.encode([plain(secret)], place);
    expect((await codec.decode(encoded)).map(readValue)).toEqual([secret]);
  });

  it('needs a key', () => {
    expect(() => createPayloadCodec([])).toThrow(RangeError);
  });
});
