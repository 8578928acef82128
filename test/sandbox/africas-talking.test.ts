import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, delayScale: 0 });
});
afterAll(() => sandbox.close());

async function send(form: Record<string, string>, apiKey = 'key') {
  const answer = await fetch(`${sandbox.smsUrl}/version1/messaging`, {
    method: 'POST',
    headers: { apiKey, Accept: 'application/json' },
    body: new URLSearchParams(form),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('Content-Type')?.includes('json');
  return { status: answer.status, body: isJson ? JSON.parse(text).SMSMessageData : text };
}
const form = { username: 'sandbox', to: '+251911234567', message: 'Hello' };

describe('Africa’s Talking', () => {
  it('answers 201 with the recipient and keeps the message', async () => {
    const { status, body } = await send({ ...form, message: 'ሰላም <b>' });
    const [received] = sandbox.books.messages('0911234567');
    expect(received).toMatchObject({ from: 'AFRICASTKNG', text: 'ሰላም <b>', to: form.to });
    expect(status).toBe(201);
    expect(body).toEqual({
      Message: 'Sent to 1/1 Total Cost: ETB 0.5000 Message parts: 1',
      Recipients: [
        {
          statusCode: 101,
          number: form.to,
          status: 'Success',
          cost: 'ETB 0.5000',
          messageId: received?.id,
        },
      ],
    });
  });

  it.each([
    ['+251911000502', 'InvalidPhoneNumber'],
    ['0911000500', 'InvalidPhoneNumber'],
    ['+251911000504', 'GatewayError'],
  ])('refuses %s: %s', async (to, status) => {
    const { body } = await send({ ...form, to });
    expect(body).toMatchObject({
      Message: 'Sent to 0/1 Total Cost: ETB 0.0000 Message parts: 1',
      Recipients: [{ status }],
    });
    expect(sandbox.books.messages(to)).toEqual([]);
  });

  it.each([
    [{ ...form, to: '' }, 'key', 400, "Request is missing required form field 'to'"],
    [
      { to: form.to, message: 'x' },
      'key',
      400,
      "Request is missing required form field 'username'",
    ],
    [{ ...form, message: ' ' }, 'key', 400, "Request is missing required form field 'message'"],
    [form, '', 401, 'The supplied authentication is invalid'],
    [{ ...form, to: '+251911000018' }, 'key', 401, 'The supplied authentication is invalid'],
    [{ ...form, to: '+251911000016' }, 'key', 429, 'Too Many Requests'],
    [{ ...form, to: '+251911000019' }, 'key', 201, { Message: 'InvalidSenderId', Recipients: [] }],
  ])('%j with key %j: %i', async (fields, apiKey, status, body) => {
    expect(await send(fields, apiKey)).toEqual({ status, body });
  });

  it('survives a body that is no form', async () => {
    const url = `${sandbox.smsUrl}/version1/messaging`;
    for (const body of ['', '%%%', '\u0000'.repeat(1_000), 'x'.repeat(100_000)]) {
      const answer = await fetch(url, { method: 'POST', headers: { apiKey: 'key' }, body });
      expect([400, 413]).toContain(answer.status);
    }
    expect((await send(form)).status).toBe(201);
  });
});
