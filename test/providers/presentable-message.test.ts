import { describe, expect, it } from 'vitest';
import { presentableMessage } from '../../src/providers/presentable-message.js';

const cases: [string, string][] = [
  ['The payee is barred', 'The payee is barred'],
  ['Account +251911234567 is barred', 'Account ***67 is barred'],
  ['Account 0911 23 45 67 is barred', 'Account ***67 is barred'],
  ['(0911)-234-567', '(***67'],
  ['٠٩١١٢٣٤٥٦٧ and ٠٩١١٢٣٤٥٦٧', '***٦٧ and ***٦٧'],
  ['limit 100000 ETB', 'limit 100000 ETB'],
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
