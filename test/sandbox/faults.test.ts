import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allProviders } from '../../src/domain/providers.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { startCallbackReceiver } from './callback-receiver.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, delayScale: 0 });
});
afterEach(() => sandbox.close());

const usual = {
  down: false,
  slowSeconds: 0,
  dropsAnswers: false,
  losesCallbacks: false,
  reversesLater: false,
  answers: 'normal',
};

const put = (provider: string, fault: unknown) =>
  fetch(`${sandbox.url}/faults/${provider}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(fault),
  });

/** A top-up at DT One; its reference, and the answer or the failure of the connection. */
async function topup(more: object = {}, milliseconds = 20_000) {
  const reference = randomUUID();
  const answer = await fetch(`${sandbox.airtimeUrl}/async/transactions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa('key:secret')}` },
    body: JSON.stringify({
      external_id: reference,
      product_id: 2001,
      auto_confirm: true,
      credit_party_identifier: { mobile_number: '+251911234567' },
      ...more,
    }),
    redirect: 'manual',
    signal: AbortSignal.timeout(milliseconds),
  })
    .then(async (got) => ({ status: got.status, text: await got.text() }))
    .catch((error: Error) => error.name);
  return { reference, answer };
}

const statusesOf = (reference: string) =>
  sandbox.books.topups({ reference }).map(({ status }) => status);

describe('the HTTP API', () => {
  it('shows and sets the fault of one provider, and mends all', async () => {
    const all = async (method = 'GET') => (await fetch(`${sandbox.url}/faults`, { method })).json();
    const none = Object.fromEntries(allProviders.map((name) => [name, usual]));
    expect(await all()).toEqual(none);
    expect(await (await put('dt-one', { down: true })).json()).toEqual({ ...usual, down: true });
    await put('gsma', { slowSeconds: 3, answers: 'html' });
    const broken = { gsma: { ...usual, slowSeconds: 3, answers: 'html' } };
    expect(await all()).toEqual({ ...none, ...broken, 'dt-one': { ...usual, down: true } });
    expect(await (await put('dt-one', {})).json()).toEqual(usual);
    expect(await all('DELETE')).toEqual(none);
  });

  it.each([
    ['dt-one', { isDown: true }, 400],
    ['dt-one', { slowSeconds: -1 }, 400],
    ['dt-one', { answers: 'nonsense' }, 400],
    ['dt-one', 'nonsense', 400],
    ['nobody', { down: true }, 404],
  ])('refuses for %s %j', async (provider, fault, status) => {
    expect((await put(provider, fault)).status).toBe(status);
    expect(sandbox.faults.of('dt-one')).toEqual(usual);
  });

  it('takes the form of its page, but not that of another site', async () => {
    const post = (body: string, site = 'same-origin') =>
      fetch(`${sandbox.url}/faults/dt-one`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          'Sec-Fetch-Site': site,
        },
        body,
        redirect: 'manual',
      });
    expect((await post('down=on', 'cross-site')).status).toBe(403);
    expect(sandbox.faults.of('dt-one')).toEqual(usual);
    const set = await post('down=on&slowSeconds=1.5&answers=garbage');
    expect([set.status, set.headers.get('Location')]).toEqual([303, '/faults']);
    expect(sandbox.faults.of('dt-one')).toMatchObject({ down: true, slowSeconds: 1.5 });
    const page = await fetch(`${sandbox.url}/`, { headers: { Accept: 'text/html' } });
    expect(await page.text()).toContain('down, slow (1.5 s), answers garbage');
    await post('down=on&clear=');
    expect(sandbox.faults.of('dt-one')).toEqual(usual);
  });
});

describe('a fault', () => {
  it.each([
    [{ down: true }, 'TypeError', []],
    [{ answers: 'unavailable' }, { status: 503 }, []],
    [{ answers: 'not-authorised' }, { status: 401 }, []],
    [{ answers: 'too-many-requests' }, { status: 429 }, []],
    [{ dropsAnswers: true }, 'TypeError', ['completed']],
    [{ answers: 'garbage' }, { status: 200 }, ['completed']],
    [{ answers: 'html' }, { status: 200 }, ['completed']],
    [{ answers: 'huge' }, { status: 200 }, ['completed']],
    [
      { answers: 'other-types' },
      { status: 200, text: expect.stringContaining('{"value":') },
      ['completed'],
    ],
    [{ answers: 'empty' }, { status: 200, text: '' }, ['completed']],
    [{ answers: 'redirect' }, { status: 307 }, ['completed']],
  ])('%j', async (fault, answered, statuses) => {
    await put('dt-one', fault);
    const { reference, answer } = await topup();
    if (typeof answered === 'string') expect(answer).toBe(answered);
    else expect(answer).toMatchObject(answered);
    expect(statusesOf(reference)).toEqual(statuses);
    // The others are as usual.
    const sent = await fetch(`${sandbox.smsUrl}/version1/messaging`, {
      method: 'POST',
      headers: { apiKey: 'key', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'username=sandbox&to=%2B251911234567&message=hello',
    });
    expect(sent.status).toBe(201);
  });

  it.each([
    ['gsma', '/v1.2/mm/transactions/type/disbursement', /"errorCode":"clientAuthorisationError"/],
    ['mpesa', '/mpesa/b2c/v3/paymentrequest', /"errorCode":"401\.002\.01"/],
    ['dt-one', '/v1/async/transactions', /"code":1000401/],
    ['reloadly', '/topups-async', /"errorCode":"INVALID_TOKEN"/],
    ['africas-talking', '/version1/messaging', /^The supplied authentication is invalid$/],
  ])('of wrong credentials is told as %s writes it', async (provider, path, words) => {
    await put(provider, { answers: 'not-authorised' });
    const answer = await fetch(`${sandbox.url}/${provider}${path}`, { method: 'POST' });
    expect([answer.status, await answer.text()]).toEqual([401, expect.stringMatching(words)]);
  });

  it('of a slow provider lets a request arrive after its caller has left', async () => {
    await put('dt-one', { slowSeconds: 3 });
    const { reference, answer } = await topup({}, 1_000);
    expect(answer).toBe('TimeoutError');
    await expect.poll(() => statusesOf(reference)).toEqual(['completed']);
  });

  it('of a slow drip never ends, except with the sandbox', async () => {
    await put('dt-one', { answers: 'slow-drip' });
    const { reference, answer } = await topup({}, 1_000);
    expect(answer).toBe('TimeoutError');
    await expect.poll(() => statusesOf(reference)).toEqual(['completed']);
  });

  it('loses callbacks, and reverses what it completes', async () => {
    const calls = await startCallbackReceiver(204);
    await put('dt-one', { losesCallbacks: true });
    const lost = await topup({ callback_url: calls.url });
    await put('dt-one', { reversesLater: true });
    const reversed = await topup({ callback_url: calls.url });
    await expect.poll(() => calls.received.length).toBe(2);
    await calls.close();
    expect(statusesOf(lost.reference)).toEqual(['completed']);
    expect(statusesOf(reversed.reference)).toEqual(['reversed']);
    expect(calls.received).toMatchObject(
      ['COMPLETED', 'REVERSED'].map((message) => ({
        external_id: reversed.reference,
        status: { message },
      })),
    );
  });
});

it('shows what happens, with its provider', async () => {
  sandbox.books.receiveMessage({ to: '+251911234567', from: 'GIFTS', text: '<b>Hello</b>' });
  await topup();
  const page = await (await fetch(`${sandbox.url}/activity`)).text();
  expect(page).toContain('&lt;b&gt;Hello&lt;/b&gt;');
  expect(page).toContain('ETB 15.00');
  expect(page).toContain('<td>dt-one</td><td>top-up</td>');
  expect(page).toContain('http-equiv="refresh"');
});
