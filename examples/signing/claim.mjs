// Logs in as a merchant and claims a voucher by a signed request; prints the answer.
// usage: BASE_URL=… API_KEY=… node claim.mjs PRIVATE-KEY.pem VOUCHER-CODE
import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [keyFile, voucherCode] = process.argv.slice(2);
if (!keyFile || !voucherCode) {
  console.error('usage: BASE_URL=… API_KEY=… node claim.mjs PRIVATE-KEY.pem VOUCHER-CODE');
  process.exit(1);
}
const privateKey = createPrivateKey(readFileSync(keyFile));

async function post(path, body, headers = {}) {
  const response = await fetch(process.env.BASE_URL + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
  // Refusals have a body, too.
  return response.text();
}

/** The value of the header: the signature, the two characters \n, and the message. */
function signatureOf(body) {
  const message = new Date().toISOString();
  const signature = sign('sha256', Buffer.from(`${body}\n${message}`), privateKey);
  return `${signature.toString('base64')}\\n${message}`;
}

const answer = await post('/auth/login', JSON.stringify({ key: process.env.API_KEY }));
const { accessToken } = JSON.parse(answer);
if (!accessToken) {
  console.error(`The log-in was refused: ${answer}`);
  process.exit(1);
}

// Written once: the signature is over these bytes.
const body = JSON.stringify({ voucherCode, idempotencyKey: randomUUID() });
const headers = { 'x-api-token': accessToken, 'x-signature': signatureOf(body) };
console.log(await post('/topup-transactions/initiate-claim', body, headers));
