import { expect, test } from 'vitest';
import { readBulkRows } from '../../../../src/pages/portal/bulk/bulk-file.ts';
import { csv } from '../../../../src/rendering/csv.ts';

const cells = { reference: 'R1', amount: '500', merchantId: '7', msisdn: '0911234567' };

test.each([
  'reference,amount,merchantId,msisdn',
  'Reference,Amount (ETB),Merchant ID,Phone number',
  'REFERENCE,amount_etb,merchant_id,phone_number',
  'reference,Amount-ETB,MERCHANT-ID,Phone',
  ' reference , etb , Merchant  Id , MSISDN ',
])('a first row "%s" names the columns', (header) => {
  expect(readBulkRows(`${header}\nR1,500,7,0911234567\n`)).toEqual({
    rows: [{ line: 2, cells }],
    problems: [],
  });
});

test.each([
  ['a column that is none', 'reference,amount,merchant id card'],
  ['a name of marks', 'reference,amount,--'],
  ['a column twice in two notations', 'reference,amount,merchant_id,Merchant ID'],
])('%s is a problem of the first row', (_name, header) => {
  const { rows, problems } = readBulkRows(`${header}\nR1,500,7,8\n`);
  expect([rows.length, problems.length]).toEqual([0, 1]);
});

test.each(['202611300001', '=A1', '-A1', '@shop/1', "'A1"])(
  'a reference %s of a file of ours is the same reference: it generates no second voucher',
  (reference) => {
    const file = csv([
      ['Reference', 'Amount (ETB)', 'Phone'],
      [reference, '500', '+251911234567'],
    ]);
    expect(readBulkRows(file).rows.map((row) => row.cells)).toEqual([
      { reference, amount: '500', msisdn: '+251911234567' },
    ]);
  },
);

test.each(['–', '—', '−', '\u2011'])(
  'an identifier whose hyphen a spreadsheet has made %s is that of the merchant, as for the API',
  (dash) => {
    const rows = `reference,amount,merchant\nmay${dash}1,500,MER${dash}0001\n`;
    expect(
      readBulkRows(rows).rows.map(({ cells: { merchantIdentifier } }) => merchantIdentifier),
    ).toEqual(['MER-0001']);
  },
);
