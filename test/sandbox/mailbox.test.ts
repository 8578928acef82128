import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0 });
});
afterEach(() => sandbox.close());

const receive = (to: string, text: string) =>
  sandbox.books.receiveMail({
    to,
    messageId: '<greeting@here.example>',
    from: 'us@here.example',
    subject: '<b>Hello</b>',
    text,
    attachments: [{ name: '<i>.html', type: 'text/html', content: '<script>alert(1)</script>' }],
  });

const get = async (path: string, accept = 'application/json') => {
  const answer = await fetch(sandbox.url + path, { headers: { Accept: accept } });
  return { status: answer.status, text: await answer.text() };
};

it('gives the mail of an address as JSON, newest first', async () => {
  const first = receive('A@shop.example', 'one');
  const second = receive('a@shop.example', 'two');
  receive('b@shop.example', 'three');
  expect(JSON.parse((await get('/mails?to=a@SHOP.example')).text)).toEqual([second, first]);
  expect(JSON.parse((await get('/mails')).text)).toHaveLength(3);
});

it('shows mail as a page, with links that can be followed and nothing else of HTML', async () => {
  receive('a@shop.example', 'Open https://x.example/<script>?a=1&b=2 now <i>');
  const { text } = await get('/mailbox?to=a@shop.example', 'text/html');
  expect(text).toContain('<a href="https://x.example/" rel="noreferrer">');
  expect(text).toContain('&lt;b&gt;Hello&lt;/b&gt;');
  expect(text).not.toMatch(/<script|<i>|<b>/);
  expect((await get('/mailbox', 'text/html')).text).toContain('/mailbox?to=a%40shop.example');
});

it('gives an attached file for download only, as it was sent', async () => {
  const { id } = receive('a@shop.example', 'one');
  const { text } = await get('/mailbox?to=a@shop.example', 'text/html');
  expect(text).toContain(`<a href="/mails/${id}/files/0" download="&lt;i&gt;.html">`);
  const answer = await fetch(`${sandbox.url}/mails/${id}/files/0`);
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await answer.text()).toBe('<script>alert(1)</script>');
  for (const nothing of [`${id}/files/1`, `${id}/files/x`, 'other/files/0'])
    expect((await get(`/mails/${nothing}`)).status).toBe(404);
});

it('rejects where its mail port is taken, and leaves nothing running', async () => {
  const smtpPort = Number(new URL(sandbox.smtpUrl).port);
  await expect(startSandbox({ port: 0, smtpPort })).rejects.toThrow('EADDRINUSE');
});
