import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { randomWebhookSecret, webhookHeaders } from '../../src/crypto/webhook-secrets.ts';
import { eventSchema } from '../../src/http/events.ts';
import { outputSchema } from '../../src/openapi/schemas.ts';
import { exampleOf } from '../../src/openapi/webhooks.ts';
import { until } from '../support/until.ts';
import { vector } from './guide-vector.ts';

const running: ChildProcess[] = [];
afterEach(() => {
  for (const receiver of running.splice(0)) receiver.kill();
});

async function startReceiver(command: string, file: string, secret: string) {
  let output = '';
  const receiver = spawn(command, [`examples/webhooks/${file}`], {
    env: { ...process.env, PORT: '0', WEBHOOK_SECRET: secret },
  });
  running.push(receiver);
  receiver.stdout.on('data', (text) => {
    output += text;
  });
  const port = () => /Listening on (\d+)/.exec(output)?.[1];
  await until(() => expect(port()).toBeDefined());
  return { url: `http://127.0.0.1:${port()}/`, output: () => output };
}

describe.each([
  ['node', 'receiver.mjs'],
  ['python3', 'receiver.py'],
])('the receiver for %s', (command, file) => {
  it('accepts our messages, prints each event once, and refuses others', async () => {
    const secret = randomWebhookSecret();
    const { url, output } = await startReceiver(command, file, secret);
    const event = { id: 'evt_1', type: 'voucher.expired', subject: 'voucher:1', data: {} };
    const body = JSON.stringify(event);
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    const send = async (secrets: readonly string[], age = 0) => {
      const message = { id: 'evt_1', timestampSeconds: timestampSeconds - age, body };
      const headers = webhookHeaders(message, secrets);
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    expect(await send([randomWebhookSecret()])).toBe(400);
    expect(await send([secret], 600)).toBe(400);
    expect(await send([secret])).toBe(204);
    expect(await send([randomWebhookSecret(), secret])).toBe(204);
    await until(() => expect(output()).toContain('evt_1 voucher.expired voucher:1'));
    expect(output().match(/evt_1/g)).toHaveLength(1);
  });

  it.each(['not an event', 'null', '[]', '{}'])(
    'answers 400 to "%s", and goes on',
    async (body) => {
      const secret = randomWebhookSecret();
      const { url } = await startReceiver(command, file, secret);
      const timestampSeconds = Math.floor(Date.now() / 1_000);
      const headers = webhookHeaders({ id: 'evt_1', timestampSeconds, body }, [secret]);
      const send = async () => (await fetch(url, { method: 'POST', headers, body })).status;
      expect(await send()).toBe(400);
      expect(await send()).toBe(400);
    },
  );

  it('goes on when a sender goes away in the middle of a message', async () => {
    const { url } = await startReceiver(command, file, randomWebhookSecret());
    const sender = connect(Number(new URL(url).port), '127.0.0.1');
    sender.write('POST / HTTP/1.1\r\nHost: receiver\r\nContent-Length: 9\r\n\r\n{');
    await once(sender, 'connect');
    sender.destroy();
    await once(sender, 'close');
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
  });

  it.each(['', 'whsec_'])(
    'does not begin with the secret "%s": with an empty key anybody could sign',
    (empty) => {
      const { status, stderr } = spawnSync(command, [`examples/webhooks/${file}`], {
        env: { ...process.env, PORT: '0', WEBHOOK_SECRET: empty },
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringContaining('usage: WEBHOOK_SECRET=whsec_…'),
      });
    },
  );
});

describe('the message of the guide', () => {
  it('is an example of the schemas, signed as the service signs', () => {
    const { id, timestamp, signatures, body, secret } = vector;
    expect(JSON.parse(body)).toEqual(exampleOf(outputSchema(eventSchema('voucher.expired'))));
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    const headers = webhookHeaders({ id, timestampSeconds: Number(timestamp), body }, [secret]);
    expect(headers['webhook-signature']).toBe(signatures);
  });
});
