// Signs the body on standard input, and prints the value of the header x-signature.
// usage: node sign.mjs PRIVATE-KEY.pem [MESSAGE] < BODY; without a message, the time now
import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [keyFile, message = new Date().toISOString()] = process.argv.slice(2);
const body = readFileSync(0);
const text = Buffer.concat([body, Buffer.from(`\n${message}`)]);
const signature = sign('sha256', text, readFileSync(keyFile)).toString('base64');
process.stdout.write(`${signature}\\n${message}\n`);
