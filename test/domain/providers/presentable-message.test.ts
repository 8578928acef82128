import { describe, expect, it } from 'vitest';
import { presentableMessage } from '../../../src/domain/providers.ts';

const cases: [string, string][] = [
  ['The payee is barred', 'The payee is barred'],
  ['Account +251911234567 is barred', 'Account ***67 is barred'],
  ['Account 0911 23 45 67 is barred', 'Account ***67 is barred'],
  ['(0911)-234-567', '(***67'],
  ['٠٩١١٢٣٤٥٦٧ and ٠٩١١٢٣٤٥٦٧', '***٦٧ and ***٦٧'],
  ['limit 100000 ETB', 'limit 100000 ETB'],
  ['Bearer eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2ln is over', 'Bearer *** is over'],
  ['apiKey=atsk_0123456789abcdef0123456789abcdef&to=+251911234567', 'apiKey=***&to=***67'],
  ['Basic c2FuZGJveDpwYXNzd29yZC1vZi0xMjM0NTY3OA==', 'Basic ***'],
  ['key 9b2d3c7e-8a1f-4c53-9e6d-2f1a0b9c8d7e is blocked', 'key *** is blocked'],
  ['DECLINED-OPERATOR-CURRENTLY-UNAVAILABLE', 'DECLINED-OPERATOR-CURRENTLY-UNAVAILABLE'],
  [
    'at https://api.example/accounts/errors/no-such-account',
    'at https://api.example/accounts/errors/no-such-account',
  ],
  ['two\r\nlines\u0000 and\u202e more', 'two lines and more'],
  ['', ''],
];

describe('presentableMessage', () => {
  it.each(cases)('%j', (words, presentable) => {
    expect(presentableMessage(words)).toBe(presentable);
  });

  it('cuts long texts', () => {
    expect(presentableMessage('x'.repeat(5_000))).toBe('x'.repeat(200));
    expect(presentableMessage('1('.repeat(50_000))).toBe('***11(');
  });
});
