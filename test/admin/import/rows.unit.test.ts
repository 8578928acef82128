import { describe, expect, test } from 'vitest';
import { importLimits, readCsvRows, readJsonRows } from '../../../src/admin/import/read-rows.ts';
import { denomination, merchant } from '../../../src/admin/records/kinds.ts';

const row = (place: string, cells: Record<string, string>) => ({ place, cells, problems: [] });
const two = [
  row('line 2', { product: 'Gift', amount: '500' }),
  row('line 3', { product: 'Gift, big', amount: '1000' }),
];

describe('CSV is read', () => {
  test.each([
    ['plainly', 'product,amount\nGift,500\n"Gift, big",1000\n', two],
    [
      'with CRLF, and no line break at the end',
      'product,amount\r\nGift,500\r\n"Gift, big",1000',
      two,
    ],
    ['with the columns in another order', 'Amount,PRODUCT\n500,Gift\n1000,"Gift, big"\n', two],
    ['with semicolons', 'product;amount\nGift;500\nGift, big;1000\n', two],
    [
      'with semicolons below empty lines',
      '\uFEFF\r\n\r\nproduct;amount\r\nGift;500\r\n',
      [{ ...two[0], place: 'line 4' }],
    ],
    ['with tabs', 'product\tamount\nGift\t500\nGift, big\t1000\n', two],
    ['with spaces around cells', ' product , amount\n Gift ,500\n "Gift, big" , 1000\n', two],
    [
      'with empty lines, which are counted',
      'product,amount\n\nGift,500\n,\n\n"Gift, big",1000\n',
      [
        { ...two[0], place: 'line 3' },
        { ...two[1], place: 'line 6' },
      ],
    ],
    [
      'without the cells that are empty',
      'product,amount\nGift,\n',
      [row('line 2', { product: 'Gift' })],
    ],
    [
      'with a line break within a cell, placed where the row begins',
      'product,amount\n"Gift\n""big""",5\nGift,6\n',
      [
        row('line 2', { product: 'Gift\n"big"', amount: '5' }),
        row('line 4', { product: 'Gift', amount: '6' }),
      ],
    ],
    [
      'with too many and too few cells',
      'product,amount\nGift,5,6\nGift\n',
      [
        {
          ...row('line 2', { product: 'Gift', amount: '5' }),
          problems: [{ field: '', reason: 'has 3 cells for 2 columns' }],
        },
        {
          ...row('line 3', { product: 'Gift' }),
          problems: [{ field: '', reason: 'has 1 cells for 2 columns' }],
        },
      ],
    ],
    [
      'behind the note of a spreadsheet, which is counted',
      '\uFEFFsep=,\r\nproduct,amount\r\nGift,500\r\n',
      [row('line 3', { product: 'Gift', amount: '500' })],
    ],
    ['behind a note of another separator', 'sep=;\nproduct;amount\nGift, big;1000\n', [two[1]]],
    ['behind a note that a spreadsheet has saved', '"sep=,",\nproduct,amount\n', []],
    ['with a header alone', 'product,amount\n', []],
  ])('%s', (_how, text, expected) => {
    expect(readCsvRows(denomination, text)).toEqual(expected);
  });

  test.each([
    ['identifierType', 'identifier-type', 'identifier_type', 'Identifier Type', 'IDENTIFIERTYPE'],
  ])('by any usual spelling of a column', (...spellings) => {
    for (const spelling of spellings)
      expect(readCsvRows(merchant, `${spelling}\n1\n`)).toEqual([
        row('line 2', { identifierType: '1' }),
      ]);
  });

  test.each([
    ['nothing', '', /^is empty/],
    [
      'an unknown column',
      'product,amout\nGift,5\n',
      /^has unknown columns: "amout"; the columns are: product, amount, status$/,
    ],
    ['a column without a name', 'product,amount,\nGift,5,\n', /^has unknown columns: ""/],
    ['a column that paints', 'product,a\u001b[2J\nGift,5\n', /^has unknown columns: "a\?\[2J"/],
    ['a column twice', 'amount,Amount\n5,6\n', /^has the column amount twice$/],
    [
      'an open quotation mark',
      'product,amount\n"Gift,5\nGift,6\n',
      /^is not valid CSV.*not closed \(line \d\)$/,
    ],
    [
      'a quotation mark within a cell',
      'product,amount\nGift "big",5\n',
      /^is not valid CSV.*contains a quotation mark \(line 2\)/,
    ],
    [
      'text after a quoted cell',
      'product,amount\n"Gift" big,5\n',
      /^is not valid CSV.*contains a quotation mark \(line 2\)/,
    ],
    [
      'a huge cell',
      `product,amount\n${'x'.repeat(importLimits.rowCharacters + 1)},5\n`,
      /^is not valid CSV.*a row is longer than 20000 characters \(line 2\)/,
    ],
  ])('not with %s', (_what, text, expected) => {
    expect(() => readCsvRows(denomination, text)).toThrow(expected);
  });
});

describe('JSON is read', () => {
  test('as an array of objects', () => {
    const text = '[{"product":"Gift","Amount":500.5},{"product":3,"amount":"7","status":null}]';
    expect(readJsonRows(denomination, text)).toEqual([
      row('item 1', { product: 'Gift', amount: '500.5' }),
      row('item 2', { product: '3', amount: '7' }),
    ]);
  });

  test.each([
    ['true', 'must be text or a number of at most 15 digits'],
    ['{}', 'must be text or a number of at most 15 digits'],
    ['["Gift"]', 'must be text or a number of at most 15 digits'],
    ['12345678901234567890', 'must be text or a number of at most 15 digits'],
  ])('not with the value %s', (value, reason) => {
    expect(readJsonRows(denomination, `[{"product":${value}}]`)).toEqual([
      { place: 'item 1', cells: {}, problems: [{ field: 'product', reason }] },
    ]);
  });

  test.each([
    ['[5]', { field: '', reason: 'must be an object' }],
    ['[null]', { field: '', reason: 'must be an object' }],
    ['[["product"]]', { field: '', reason: 'must be an object' }],
    [
      '[{"__proto__":{}}]',
      { field: '', reason: expect.stringMatching(/^has an unknown field "__proto__"; the fields/) },
    ],
    [
      '[{"a\\u0000\\u001b":1}]',
      { field: '', reason: expect.stringMatching(/^has an unknown field "a\?\?"/) },
    ],
    ['[{"amount":null,"Amount":5}]', { field: 'amount', reason: 'appears twice' }],
  ])('not with the item %s', (text, problem) => {
    expect(readJsonRows(denomination, text)).toMatchObject([{ problems: [problem] }]);
  });

  test.each([
    ['{"product":"Gift"}', /^must be a JSON array of objects$/],
    ['[{"product":"Gift"}', /^is not valid JSON$/],
    ['', /^is not valid JSON$/],
  ])('not from %s', (text, expected) => {
    expect(() => readJsonRows(denomination, text)).toThrow(expected);
  });
});
