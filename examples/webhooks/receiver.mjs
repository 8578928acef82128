// Receives webhooks: checks the signature, discards duplicates, and prints the events.
//
//   WEBHOOK_SECRET=whsec_… node receiver.mjs        listens on PORT, 4000 by default

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const secret = process.env.WEBHOOK_SECRET ?? '';
const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
if (key.length === 0) {
  console.error('usage: WEBHOOK_SECRET=whsec_… node receiver.mjs');
  process.exit(1);
}
/** A real receiver keeps them in its database, in the transaction that does the work. */
const known = new Set();

/** Whether a signature of the message is that of the secret (Standard Webhooks). */
function isOurs(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers;
  if (!id || !signatures || !(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest();
  return signatures.split(' ').some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** The event in a body; undefined where there is none. */
function eventOf(body) {
  try {
    const event = JSON.parse(body);
    return event?.id === undefined ? undefined : event;
  } catch {
    return undefined;
  }
}

const server = createServer(async (request, response) => {
  // A sender may go away in the middle of its message.
  const body = await buffer(request).catch(() => undefined);
  if (body === undefined) return response.destroy();
  const event = isOurs(request.headers, body) ? eventOf(body) : undefined;
  if (event === undefined) return response.writeHead(400).end();
  // Store the event first, then answer. Do slow work afterwards.
  const isNew = !known.has(event.id);
  known.add(event.id);
  response.writeHead(204).end();
  if (!isNew) return;
  console.log(`${event.id} ${event.type} ${event.subject} ${JSON.stringify(event.data)}`);
});
server.listen(Number(process.env.PORT ?? 4000), () =>
  console.log(`Listening on ${server.address().port}`),
);
