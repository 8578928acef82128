import { describe, expect, test } from 'vitest';
import { createCanary } from './canary.ts';

const NUMBER = '+251950001234';
const CODE = 'AB12-CD34-EF56-GH78';
const canary = createCanary();
canary.add('number', NUMBER);
canary.add('voucher code', CODE);
canary.add('verification code', '417283');

const base64 = (text: string) => Buffer.from(text).toString('base64');
const hex = (text: string) => Buffer.from(text).toString('hex');

describe('a secret is found', () => {
  test.each([
    ['as it is', 'number', `to ${NUMBER}.`],
    ['as people write it', 'number', 'to 0950001234'],
    ['in hex', 'number', hex(`{"msisdn":"${NUMBER}"}`)],
    ['in hex of capital letters', 'number', hex(NUMBER).toUpperCase()],
    ['in base64', 'number', base64(NUMBER)],
    ['in base64, one byte later', 'number', base64(`x${NUMBER}`)],
    ['in base64, two bytes later', 'number', base64(`xx${NUMBER} and more`)],
    ['in base64 of JSON', 'number', base64(JSON.stringify({ to: '0950001234', text: 'x' }))],
    ['as a code', 'voucher code', `code ${CODE}`],
    ['as a code without hyphens', 'voucher code', CODE.replaceAll('-', '')],
    ['as a code in base64', 'voucher code', base64(`"${CODE}"`)],
    ['as a verification code', 'verification code', 'code 417283.'],
  ])('%s', (_how, kind, text) => {
    expect(canary.foundIn(text)).toEqual([kind]);
  });
});

test.each(['to +251950001235', base64('+251950011234'), 'at 1417283', hex('+2519500012')])(
  'nothing is found in %s',
  (text) => {
    expect(canary.foundIn(text)).toEqual([]);
  },
);
