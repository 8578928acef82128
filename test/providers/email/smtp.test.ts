import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSmtp } from '../../../src/providers/email.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { type Oddity, type Step, startRawMailServer } from './raw-mail-server.ts';

const FROM = 'Voucher service <vouchers@service.example>';

const senderAt = (url: string, timeoutSeconds = 5) =>
  createSmtp({ url, from: FROM, timeoutSeconds });

const email = {
  id: 'greeting-1',
  to: 'owner@coffee.example',
  subject: 'Grüße – አበባ',
  text: `A long line: https://portal.example/${'x'.repeat(120)}\n.\nAnd “quotes”.`,
  attachments: [
    { name: 'a.html', type: 'text/html', content: `<p>አበባ ${'x'.repeat(2_000)}</p>\n.\n` },
    { name: 'b.csv', type: 'text/csv', content: '\uFEFF"A","“1”"\r\n.\r\n' },
  ],
} as const;

describe('against the sandbox', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0 });
  });
  afterAll(() => sandbox?.close());

  it('a message arrives as it was written', async () => {
    const outcome = await senderAt(sandbox.smtpUrl).send(email);
    const messageId = '<greeting-1@service.example>';
    expect(outcome).toEqual({ kind: 'delivered', providerReference: messageId });
    const [received] = sandbox.books.mails('Owner@Coffee.Example');
    const { id: _, ...content } = email;
    expect(received).toMatchObject({ ...content, messageId, from: 'vouchers@service.example' });
  });

  it('logs in where the address has a user', async () => {
    const url = sandbox.smtpUrl.replace('smtp://', 'smtp://service%40x:p%2Fw@');
    expect(await senderAt(url).send(email)).toMatchObject({ kind: 'delivered' });
  });

  it.each([
    ['refused.by@coffee.example', 'refused', 0],
    ['busy@coffee.example', 'not-sent', 0],
    ['dropped@coffee.example', 'unknown', 1],
  ])('%s is %s', async (to, kind, received) => {
    expect(await senderAt(sandbox.smtpUrl).send({ ...email, to })).toMatchObject({ kind });
    expect(sandbox.books.mails(to)).toHaveLength(received);
  });

  it('is not encrypted, so nothing is sent to it unless that is allowed', async () => {
    const before = sandbox.books.mails().length;
    const url = sandbox.smtpUrl.replace('?tls=off', '');
    expect(await senderAt(url).send(email)).toMatchObject({ kind: 'not-sent' });
    expect(sandbox.books.mails()).toHaveLength(before);
  });
});

describe('what was taken is decided by where it fails:', () => {
  const cases: [Step, Oddity, string][] = [
    ['greeting', '554 Go away', 'not-sent'],
    ['greeting', 'dropped', 'not-sent'],
    ['greeting', 'silent', 'not-sent'],
    ['EHLO', 'dropped', 'not-sent'],
    ['AUTH', '535 No', 'not-sent'],
    ['AUTH', 'dropped', 'not-sent'],
    ['MAIL', '550 Not from you', 'refused'],
    ['RCPT', '450 Later', 'not-sent'],
    ['RCPT', '550 Nobody owner@coffee.example', 'refused'],
    ['DATA', '451 Later', 'not-sent'],
    ['message', '554 Spam', 'refused'],
    ['message', '452 Full', 'not-sent'],
    ['message', 'dropped', 'unknown'],
    ['message', 'silent', 'unknown'],
  ];
  it.each(cases)('%s, %s: %s', async (step, oddity, kind) => {
    const server = await startRawMailServer({ [step]: oddity });
    const url = server.url.replace('//', '//user:secret-password@');
    const outcome = await senderAt(url, 1).send(email);
    expect(outcome).toMatchObject({ kind });
    expect(server.steps.at(-1)).toBe(step);
    expect(JSON.stringify(outcome)).not.toMatch(/secret-password|owner@|xxxx/);
    await server.close();
  });

  it('no server at all', async () => {
    const server = await startRawMailServer({});
    await server.close();
    expect(await senderAt(server.url).send(email)).toMatchObject({ kind: 'not-sent' });
  });
});

it('a recipient cannot smuggle in headers or commands', async () => {
  const sandbox = await startSandbox({ port: 0 });
  const to = 'a@b.example>\r\nRCPT TO:<c@d.example';
  const outcome = await senderAt(sandbox.smtpUrl).send({ ...email, to });
  expect(outcome.kind).not.toBe('delivered');
  expect(sandbox.books.mails()).toEqual([]);
  await sandbox.close();
});
