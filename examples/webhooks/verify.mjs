// Checks the signature and the time of a webhook, whose body is the input.
// usage: WEBHOOK_SECRET=whsec_… node verify.mjs ID TIMESTAMP SIGNATURES < BODY
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [id, timestamp, signatures] = process.argv.slice(2);
const secret = process.env.WEBHOOK_SECRET ?? '';
const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
if (!signatures || key.length === 0) {
  console.error('usage: WEBHOOK_SECRET=whsec_… node verify.mjs ID TIMESTAMP SIGNATURES < BODY');
  process.exit(1);
}
const body = readFileSync(0);

const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
const isOurs = signatures.split(' ').some((one) => {
  const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
});
const isNew = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300;

if (!isOurs) {
  console.error('The signature is wrong');
  process.exit(1);
}
if (!isNew) {
  console.error('The message is old, or a clock is wrong');
  process.exit(1);
}
console.log('The message is ours');
