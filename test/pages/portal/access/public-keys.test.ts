import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signatureHeader } from '../../../../clients/typescript/src/index.ts';
import { parsePublicKey, publicKeyFingerprint } from '../../../../src/http/signature/public-key.ts';
import { call } from '../../../support/clients.ts';
import { makeMerchant, makePartner } from '../../../support/companies.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { until } from '../../../support/until.ts';
import {
  hiddenFields,
  makeAccount,
  type PortalAnswer,
  type PortalClient,
  portalClient,
  signedIn,
} from '../portal-client.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

const ACCESS = '/portal/access';
const PATH = '/portal/public-keys';

/** A merchant with no public key yet. */
async function merchant() {
  const made = await makeMerchant(stack);
  await stack.database
    .deleteFrom('merchant_public_keys')
    .where('merchant_id', '=', made.id)
    .execute();
  const account = await makeAccount(stack, { kind: 'merchant', id: made.id });
  return { ...made, client: await signedIn(stack, account) };
}

function newPair(namedCurve = 'secp256k1') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return { privateKey, pem };
}

const tokenOf = async (client: PortalClient): Promise<string> =>
  /name="token" value="([^"]+)"/.exec((await client.get(ACCESS)).html)?.[1] ?? '';

/** Sends the form as browsers do; a key that can be registered is asked a proof for. */
async function offer(client: PortalClient, fields: { pem?: string; file?: string | Buffer }) {
  const body = new FormData();
  body.set('token', await tokenOf(client));
  body.set('pem', fields.pem ?? '');
  body.set('file', new Blob([fields.file ?? '']), fields.file ? 'public-key.pem' : '');
  return client.request(PATH, { method: 'POST', body });
}

const PROOF = `${PATH}/proof`;

/** The text that a page asks to sign. */
const challengeOf = ({ html }: PortalAnswer): string =>
  /printf &#39;%s&#39; &#39;([^&]+)&#39;/.exec(html)?.[1] ?? '';

const signatureOf = (text: string, privateKey: KeyObject): string =>
  sign('sha256', Buffer.from(text), privateKey).toString('base64');

/** Registers a key with the proof that the private key is there. */
async function register(
  client: PortalClient,
  { privateKey, pem }: ReturnType<typeof newPair>,
  field: 'pem' | 'file' = 'pem',
) {
  const asked = await offer(client, { [field]: pem });
  if (asked.status !== 200) return asked;
  const signature = signatureOf(challengeOf(asked), privateKey);
  return client.post(PROOF, { ...hiddenFields(asked.html, PROOF), signature });
}

const fingerprintOf = (pem: string) => publicKeyFingerprint(parsePublicKey(pem));

const keyId = async (merchantId: number): Promise<number> => {
  const { id } = await stack.database
    .selectFrom('merchant_public_keys')
    .select('id')
    .where('merchant_id', '=', merchantId)
    .orderBy('id')
    .executeTakeFirstOrThrow();
  return id;
};

test.each(['pem', 'file'] as const)(
  'a key is registered by %s, and signatures by it are let in',
  async (field) => {
    const { apiKey, client } = await merchant();
    const { privateKey, pem } = newPair();
    const registered = await register(client, { privateKey, pem }, field);
    expect(registered).toMatchObject({ status: 303, location: ACCESS });
    const { html } = await client.get(ACCESS);
    expect(html.replaceAll(' ', '')).toContain(fingerprintOf(pem));
    const base = `${stack.url}/api/v1/merchant/client`;
    const { body: login } = await call(`${base}/auth/login`, { body: { key: apiKey } });
    const body = JSON.stringify({ voucherCode: 'none', idempotencyKey: 'one' });
    const signed = () =>
      call(`${base}/topup-transactions/initiate-claim`, {
        body,
        headers: {
          'x-api-token': login.accessToken,
          'x-signature': signatureHeader(privateKey, body),
        },
      });
    await until(async () => expect((await signed()).body.statusCode).toBe(4041));
    const path = `${PATH}/${/public-keys\/(\d+)\/revoke/.exec(html)?.[1]}/revoke`;
    await client.submit(path, path);
    await until(async () => expect((await signed()).status).toBe(401));
  },
);

test('a key is registered as a file in DER', async () => {
  const { client } = await merchant();
  const { pem, privateKey } = newPair();
  const file = createPublicKey(pem).export({ type: 'spki', format: 'der' });
  const asked = await offer(client, { file });
  const signature = signatureOf(challengeOf(asked), privateKey);
  const fields = hiddenFields(asked.html, PROOF);
  expect(await client.post(PROOF, { ...fields, signature })).toMatchObject({ status: 303 });
  expect((await client.get(ACCESS)).html.replaceAll(' ', '')).toContain(fingerprintOf(pem));
});

describe('refused, in words, is', () => {
  let client: PortalClient;
  beforeAll(async () => {
    ({ client } = await merchant());
  });

  test.each<[string, () => string, RegExp]>([
    ['nothing', () => '', /Paste a public key or choose its file/],
    ['a key on another curve', () => newPair('prime256v1').pem, /P-256/],
    ['what is no key', () => 'hello', /not a public key/],
    ['what is no key and looks like HTML', () => '<script>alert(1)</script>', /not a public key/],
  ])('%s', async (_name, pem, words) => {
    const answer = await offer(client, { pem: pem() });
    expect(answer.status).toBe(422);
    expect(answer.html).toMatch(words);
    expect(answer.html).not.toContain('<script>alert');
  });

  test.each(['sec1', 'pkcs8'] as const)(
    'a private key (%s), which is to be replaced',
    async (type) => {
      const { privateKey } = newPair();
      const pem = privateKey.export({ type, format: 'pem' }).toString();
      const der = privateKey.export({ type, format: 'der' });
      for (const fields of [{ pem }, { file: pem }, { file: der }]) {
        const answer = await offer(client, fields);
        expect(answer.status).toBe(422);
        expect(answer.html).toContain('That was a private key. Treat it as stolen.');
        expect(answer.html).not.toContain('PRIVATE KEY-----');
      }
    },
  );

  test('a third key, and the same key twice, also when it was revoked', async () => {
    const { id, client } = await merchant();
    const [one, two, three] = [newPair(), newPair(), newPair()];
    await register(client, one);
    expect((await register(client, one)).html).toContain('This key is already registered.');
    expect((await register(client, two)).status).toBe(303);
    expect((await register(client, three)).html).toContain('two keys are valid');
    const path = `${PATH}/${await keyId(id)}/revoke`;
    expect((await client.submit(path, path)).status).toBe(303);
    expect((await register(client, one)).html).toContain('This key was revoked');
    expect((await register(client, three)).status).toBe(303);
  });

  test.each<[string, string | Buffer, number]>([
    ['a file that is too large', 'x'.repeat(20_000), 413],
    ['a form that is too large', 'x'.repeat(70_000), 413],
    ['a file of bytes that are no text', Buffer.from([0, 255, 0, 1, 2, 3]), 422],
  ])('%s', async (_name, file, status) => {
    expect((await offer(client, { file })).status).toBe(status);
  });

  test.each([
    ['without a boundary', 'multipart/form-data', 415],
    ['that is cut off', 'multipart/form-data; boundary=x', 400],
    ['that is no form with a file', 'application/x-www-form-urlencoded', 415],
  ])('a form %s', async (_name, type, status) => {
    const answer = await client.request(PATH, {
      method: 'POST',
      body: '--x\r\nContent-Disposition: form-data; name="pem"\r\n\r\nabc',
      headers: { 'Content-Type': type },
    });
    expect(answer.status).toBe(status);
  });
});

describe('a form cut off at any byte', () => {
  const bodyOf = (token: string) =>
    [
      `--x\r\nContent-Disposition: form-data; name="token"\r\n\r\n${token}`,
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.pem"\r\n' +
        'Content-Type: application/x-pem-file\r\n\r\nabc',
      '--x--\r\n',
    ].join('\r\n');
  const init = (body: string) => ({
    method: 'POST',
    body,
    headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
  });

  test('is refused, and the service lives on', async () => {
    const { client } = await merchant();
    const body = bodyOf(await tokenOf(client));
    // From behind the token: before it there is nothing that the file's part could trip over.
    for (let length = body.indexOf('name="file"') - 40; length < body.length; length += 1) {
      const { status } = await client.request(PATH, init(body.slice(0, length)));
      expect([400, 403, 422]).toContain(status);
    }
    expect((await client.request(PATH, init(body))).status).toBe(422);
  });

  test('is not even read of a stranger', async () => {
    const answer = await portalClient(stack).request(PATH, init(bodyOf('').slice(0, -12)));
    expect(answer).toMatchObject({ status: 303, location: '/portal/sign-in?ended=yes' });
  });
});

describe('a public key is not registered', () => {
  const keysOf = (merchantId: number) =>
    stack.database
      .selectFrom('merchant_public_keys')
      .select(['public_key_pem', 'proven_at'])
      .where('merchant_id', '=', merchantId)
      .execute();

  test('for a merchant that cannot sign with its private key', async () => {
    const { id, client } = await merchant();
    const stranger = newPair();
    const asked = await offer(client, { pem: stranger.pem });
    expect(await keysOf(id)).toEqual([]);
    const fields = hiddenFields(asked.html, PROOF);
    const challenge = challengeOf(asked);
    const unfit = [
      '',
      'none',
      signatureOf(challenge, newPair().privateKey),
      signatureOf(`${challenge} `, stranger.privateKey),
      signatureOf(fields.token ?? '', stranger.privateKey),
    ];
    for (const signature of unfit) {
      const answer = await client.post(PROOF, { ...fields, signature });
      expect(answer.status).toBe(422);
      expect(answer.html).toContain('not a signature of the text below');
    }
    expect(await keysOf(id)).toEqual([]);
    const signature = signatureOf(`${challenge}\n`, stranger.privateKey);
    expect((await client.post(PROOF, { ...fields, signature })).status).toBe(303);
    expect(await keysOf(id)).toEqual([expect.objectContaining({ proven_at: expect.any(Date) })]);
  });

  test('by what another merchant has signed, or the same one in another session', async () => {
    const [mine, other] = [await merchant(), await merchant()];
    const pair = newPair();
    const signature = signatureOf(
      challengeOf(await offer(other.client, { pem: pair.pem })),
      pair.privateKey,
    );
    const asked = await offer(mine.client, { pem: pair.pem });
    const fields = { ...hiddenFields(asked.html, PROOF), signature };
    expect((await mine.client.post(PROOF, fields)).status).toBe(422);
    expect(await keysOf(mine.id)).toEqual([]);
  });

  test('for a second merchant while it is valid for the first', async () => {
    const [first, second] = [await merchant(), await merchant()];
    const pair = newPair();
    const askedBefore = await offer(second.client, { pem: pair.pem });
    expect((await register(first.client, pair)).status).toBe(303);
    const asked = await offer(second.client, { pem: pair.pem });
    expect(asked.status).toBe(422);
    expect(asked.html).toContain('registered for another merchant');
    // The page was open before: what counts is the moment of the registration.
    const signature = signatureOf(challengeOf(askedBefore), pair.privateKey);
    const fields = { ...hiddenFields(askedBefore.html, PROOF), signature };
    expect((await second.client.post(PROOF, fields)).status).toBe(422);
    expect(await keysOf(second.id)).toEqual([]);
    const path = `${PATH}/${await keyId(first.id)}/revoke`;
    expect((await first.client.submit(path, path)).status).toBe(303);
    expect((await second.client.post(PROOF, fields)).status).toBe(303);
  });
});

test('public keys of another merchant are not there', async () => {
  const [mine, other] = [await merchant(), await merchant()];
  await register(other.client, newPair());
  const path = `${PATH}/${await keyId(other.id)}/revoke`;
  expect((await mine.client.get(path)).status).toBe(404);
  const token = await tokenOf(mine.client);
  expect((await mine.client.post(path, { token })).status).toBe(404);
  expect((await other.client.get(path)).status).toBe(200);
});

test('partners have no such page', async () => {
  const { id } = await makePartner(stack);
  const client = await signedIn(stack, await makeAccount(stack, { kind: 'partner', id }));
  expect((await offer(client, { pem: newPair().pem })).status).toBe(404);
  expect((await client.get(ACCESS)).html).not.toContain('Public keys');
  expect((await client.get('/portal')).html).not.toContain(PATH);
});
