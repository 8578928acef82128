import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readStatementFile } from '../../../src/providers/statement-files.ts';

const period = { from: new Date('2026-11-21T21:00:00Z'), to: new Date('2026-11-22T21:00:00Z') };

/** Rows of the file that were read last, and are no lines. */
let ignored = 0;

async function read(
  provider: string,
  file: string | Buffer,
  options: { readonly mayBeEmpty?: boolean } = {},
) {
  const lines = [];
  ignored = 0;
  const content = Readable.from([Buffer.from(file)]);
  for await (const row of readStatementFile(content, {
    ...options,
    provider,
    zone: 'Africa/Addis_Ababa',
    period,
  }))
    if (row === 'ignored') ignored += 1;
    else lines.push(row);
  return lines;
}

const GSMA =
  'transactionReference,requestingOrganisationTransactionReference,type,transactionStatus,amount,currency,creationDate';

describe('reads the rows of each provider', () => {
  test('gsma: payouts and reversals, in any order of columns', async () => {
    const found = await read(
      'gsma',
      `﻿feeCurrency,feeAmount,originalTransactionReference,${GSMA}\r\n` +
        'ETB,1.50,,MM1,ref-1,disbursement,Completed,"1,097.50",ETB,2026-11-22T09:00:00Z\r\n' +
        ',,MM1,MM2,,reversal,completed,97.50,ETB,2026-11-22 12:30:00\r\n' +
        ',,,MM3,,deposit,completed,50000,ETB,2026-11-22 12:30:00\r\n' +
        ',,,MM4,,withdrawal,completed,700,ETB,2026-11-22 12:30:00\r\n',
    );
    expect(ignored).toBe(1);
    expect(found).toEqual([
      {
        kind: 'payment',
        providerReference: 'MM1',
        reference: 'ref-1',
        originalReference: undefined,
        status: 'completed',
        amount: '1097.50',
        currency: 'ETB',
        fee: '1.50',
        feeCurrency: 'ETB',
        at: new Date('2026-11-22T09:00:00Z'),
      },
      expect.objectContaining({
        kind: 'reversal',
        reference: null,
        originalReference: 'MM1',
        at: new Date('2026-11-22T09:30:00Z'),
        fee: null,
      }),
      // Money that left our account under another type.
      expect.objectContaining({
        kind: 'payment',
        providerReference: 'MM4',
        reference: null,
        amount: '700',
      }),
    ]);
  });

  test('mpesa: payments, and charges as lines of their own', async () => {
    const found = await read(
      'mpesa',
      'Receipt No.;Completion Time;Details;Transaction Status;Withdrawn;Originator Conversation ID\n'.replaceAll(
        ';',
        ',',
      ) +
        'SKM1,22-11-2026 14:03:00,Business Payment to Customer,Completed,-98.00,ref-1\n' +
        'SKM1,22-11-2026 14:03:00,B2C Payment Charge,Completed,-2.00,\n' +
        'SKM2,22-11-2026 15:00:00,Organization Settlement,Completed,,\n' +
        'SKM3,22-11-2026 15:00:00,Pay Bill,Completed,0.00,\n' +
        'SKM4,22-11-2026 15:00:00,Organization Withdrawal,Completed,"-5,000.00",\n',
    );
    expect(found).toMatchObject([
      { kind: 'payment', providerReference: 'SKM1', amount: '98.00', currency: 'ETB' },
      { providerReference: 'SKM1 fee', reference: null, amount: '0', fee: '2.00' },
      { kind: 'payment', providerReference: 'SKM4', reference: null, amount: '5000.00' },
    ]);
    expect(ignored).toBe(2);
    expect(found[0]?.at).toEqual(new Date('2026-11-22T11:03:00Z'));
  });

  test('mpesa: the export of the portal, with rows before its columns and hidden digits', async () => {
    const found = await read(
      'mpesa',
      'Organization Name:,ABYSSINIA\nShort Code,600992\nTime Period,"From 22-11-2026"\n\n' +
        '"Receipt No.","Completion Time","Initiation Time","Details","Transaction Status","Paid In",' +
        '"Withdrawn","Balance","Balance Confirmed","Reason Type","Other Party Info",' +
        '"Linked Transaction ID","A/C No."\n' +
        'SKM1,22-11-2026 14:03:00,22-11-2026 14:02:58,Business Payment to Customer,Completed,,' +
        '"-1,098.00","5,000.00",true,Business Payment,251911234567 - ABEBE KEBEDE,,\n' +
        'SKM2,2026-11-22 14:04:00,2026-11-22 14:04:00,Business Payment to Customer,Completed,,' +
        '-98.00,"4,902.00",true,Business Payment,2519****567 - ABEBE KEBEDE,,\n' +
        'SKM3,2026-11-22 15:00:00,2026-11-22 15:00:00,Pay Bill,Completed,500.00,,"5,402.00",true,,,,\n',
    );
    expect(found).toMatchObject([
      {
        providerReference: 'SKM1',
        reference: null,
        amount: '1098.00',
        party: 'msisdn +251911234567',
      },
      { providerReference: 'SKM2', amount: '98.00', party: null },
    ]);
    await expect(read('mpesa', 'Organization Name:,ABYSSINIA\n'.repeat(30))).rejects.toThrow(
      'lacks',
    );
  });

  test.each([
    ['Business Payment to 251711234567 - SELAM RECHARGE SHOP', 'payment'],
    ['Business Payment to Abel Fee Trading', 'payment'],
    ['BUSINESS PAYMENT  TO Reverse Fashion', 'payment'],
    ['Salary Payment 251911234567 - REVERSE FASHION', 'payment'],
    ['B2C Payment to +251911234567 - Charge Point', 'payment'],
    ['Business Payment to Customer via API', 'payment'],
    ['Organization Settlement to Business Payment Traders', 'other'],
    ['Funds Transfer from 251911234567 - B2C CHARGE LTD', 'other'],
    ['Business Payment Charge', 'fee'],
    ['Business Payment Charge to 251911234567 - SELAM SHOP', 'fee'],
    ['Transaction Fee', 'fee'],
    ['Transaction fees for B2C', 'fee'],
    ['Reversal of Business Payment to 251911234567 - A PERSON', 'reversal'],
    ['Business Payment Reversal from 251911234567', 'reversal'],
  ])('mpesa: the name of a party does not decide what "%s" is', async (details, kind) => {
    const [line, ...others] = await read(
      'mpesa',
      'Receipt No.,Completion Time,Details,Transaction Status,Withdrawn\n' +
        `SKM1,22-11-2026 14:03:00,${details},Completed,-98.00\n`,
    );
    const found = line?.fee ? 'fee' : line?.isOther ? 'other' : line?.kind;
    expect([found, others.length]).toEqual([kind, 0]);
  });

  test('a file without rows is a statement of nothing, where an operator says so', async () => {
    const empty = 'The file has no row below the names of its columns';
    await expect(read('gsma', `${GSMA}\n`)).rejects.toThrow(empty);
    const introduced =
      'Organization Name:,ABYSSINIA\n' +
      'Receipt No.,Completion Time,Details,Transaction Status,Withdrawn\n';
    await expect(read('mpesa', introduced)).rejects.toThrow(empty);
    expect(await read('mpesa', introduced, { mayBeEmpty: true })).toEqual([]);
    // A row that took nothing shows that the file is of the account.
    const paidIn = 'SKM3,2026-11-22 15:00:00,Pay Bill,Completed,\n';
    expect(await read('mpesa', introduced + paidIn)).toEqual([]);
  });

  test.each([
    ['gsma', 'SUCCEEDED', 'completed'],
    ['gsma', 'Failure', 'failed'],
    ['gsma', 'Reversed', 'reversed'],
    ['gsma', 'Initiated', 'pending'],
    ['mpesa', 'Completed', 'completed'],
    ['mpesa', 'Cancelled', 'failed'],
    ['mpesa', 'EXPIRED', 'failed'],
    ['mpesa', 'Reversed', 'reversed'],
    ['mpesa', 'Authorized', 'pending'],
    ['dt-one', 'COMPLETED', 'completed'],
    ['dt-one', 'Declined', 'failed'],
    ['dt-one', 'REVERSED', 'reversed'],
    ['dt-one', 'SUBMITTED', 'pending'],
    ['reloadly', 'SUCCESSFUL', 'completed'],
    ['reloadly', 'Failed', 'failed'],
    ['reloadly', 'REFUNDED', 'reversed'],
    ['reloadly', 'PROCESSING', 'pending'],
  ])(
    '%s: the status %s is the one that its API means by the word',
    async (provider, word, status) => {
      const names: Readonly<Record<string, string>> = {
        gsma: GSMA,
        mpesa:
          'Receipt No.,Originator Conversation ID,Details,Transaction Status,Withdrawn,Currency,Completion Time',
        'dt-one': 'id,external_id,type,status,amount,unit,creation_date',
        reloadly:
          'transactionId,customIdentifier,type,status,deliveredAmount,deliveredAmountCurrencyCode,transactionDate',
      };
      const row = `17,ref-1,Business Payment,${word},50,ETB,2026-11-22 12:00:00`;
      const [line] = await read(provider, `${names[provider]}\n${row}\n`);
      const kind = ['gsma', 'mpesa'].includes(provider) ? 'payment' : 'top-up';
      expect(line).toMatchObject({ kind, status, reference: 'ref-1', amount: '50' });
    },
  );
});

describe('names what is wrong, and repeats none of it', () => {
  const row = 'MM1,ref-1,disbursement,completed,5,ETB,2026-11-22T09:00:00Z';
  const shortened = (column: string) =>
    `Row 2, column "${column}": a spreadsheet has shortened the number`;
  const cases: [string, string | Buffer, string][] = [
    ['semicolons', `${GSMA}\n${row}`.replaceAll(',', ';'), 'separated by semicolons'],
    ['tabs', `${GSMA}\n${row}`.replaceAll(',', '\t'), 'separated by tabs'],
    [
      'quoted cells between semicolons',
      `${GSMA}\n${row}`.replaceAll(/[^,\n]+/g, '"$&"').replaceAll(',', ';'),
      'perhaps semicolons or tabs separate the columns',
    ],
    ['a note of a spreadsheet', `sep=,\n${GSMA}\n${row}`, 'The first row, "sep=", is a note'],
    ['a note and semicolons', `sep=;\n${GSMA.replaceAll(',', ';')}`, '"sep=", is a note'],
    ['gzip', gzipSync(`${GSMA}\n${row}`), 'The file is compressed (gzip): unpack it first.'],
    ['a spreadsheet', Buffer.from('PK\u0003\u0004rest'), 'is a spreadsheet or a ZIP archive'],
    ['a PDF', '%PDF-1.7\n', 'The file is a PDF: export it as CSV.'],
    ['totals', `${GSMA}\n${row}\nTotal,,,,5,,\n`, 'Row 3 is a total or a note'],
    ['a grand total', `${GSMA}\n${row}\n,,GRAND TOTAL:,,5,,\n`, 'Row 3 is a total or a note'],
    ...[
      'Grand total,,,,5,,',
      'Grand Total,,,,5,ETB,2026-11-22T09:00:00Z',
      'Sub-total:,,,completed,5,ETB,2026-11-22T09:00:00Z',
      '12,,,,5,ETB,Grand-total',
    ].map((total): [string, string, string] => [
      total,
      `${GSMA}\n${row}\n${total}\n`,
      'Row 3 is a total or a note',
    ]),
    ['sums without a word', `${GSMA}\n${row}\n,,,,5,ETB,\n`, 'Row 3 is a total or a note'],
    [
      'a shortened id',
      `${GSMA}\n${row.replace('MM1', '1.80E+15')}`,
      shortened('transactionReference'),
    ],
    [
      'a shortened reference',
      `${GSMA}\n${row.replace('ref-1', '"2,5E+29"')}`,
      shortened('requestingOrganisationTransactionReference'),
    ],
    ['a shortened amount', `${GSMA}\n${row.replace(',5,', ',1E+06,')}`, shortened('amount')],
    ['an empty file', '', 'The file is empty: its first row names the columns.'],
    ['missing columns', 'amount,currency\n', 'The file lacks the columns transactionReference'],
    ['a column twice', `${GSMA},amount\n`, 'The column "amount" stands twice.'],
    ['no amount', `${GSMA}\n${row.replace(',5,', ',five,')}`, 'Row 2, column "amount": must be'],
    // A hundred times as much would be booked as the fee of the provider.
    [
      'a comma before cents',
      `${GSMA}\n${row.replace(',5,', ',"5,00",')}`,
      'column "amount": must be',
    ],
    ['no time', `${GSMA}\n${row.replace('T09', 'T9')}`, 'Row 2, column "creationDate": must be'],
    ['another day', `${GSMA}\n${row.replace('11-22', '10-22')}`, 'is not of this day'],
    [
      'the file of the day before, with a row after its midnight',
      `${GSMA}\n${['21T09', '21T10', '21T21'].map((at) => row.replace('22T09', at)).join('\n')}`,
      '2 of the 3 rows are not of this day',
    ],
    ['no reference', `${GSMA}\n${row.replace('MM1', '')}`, 'must have 1 to 256 characters'],
    ['quotation marks', `${GSMA}\n"MM1,ref`, 'The file is not valid CSV'],
  ];
  test.each(cases)('%s', async (_, file, message) => {
    await expect(read('gsma', file)).rejects.toThrow(message);
  });

  test('mpesa: the row of columns after an introduction', async () => {
    const header = 'Receipt No.,Completion Time,Details,Transaction Status,Withdrawn\n';
    const introduced = `Organization Name:,ABYSSINIA\nsep=,\n${header}`;
    await expect(read('mpesa', introduced.replaceAll(',', ';'))).rejects.toThrow(
      'separated by semicolons',
    );
    await expect(read('mpesa', 'Organization Name:,ABYSSINIA\n')).rejects.toThrow(
      'lacks the row that names the columns, with "Receipt No."',
    );
  });

  test('an id with a letter E is none that a spreadsheet has shortened', async () => {
    expect(await read('gsma', `${GSMA}\n${row.replace('MM1', '1E15')}`)).toHaveLength(1);
  });

  test('rows near midnight belong to the statement that has them', async () => {
    const near = ['21T20:30', '22T09:00', '22T21:30'].map((at) => row.replace('22T09:00', at));
    expect(await read('gsma', [GSMA, ...near, near[0]].join('\n'))).toHaveLength(4);
  });

  test('a provider without a format', async () => {
    await expect(read('telebirr', GSMA)).rejects.toThrow('No format of files is known');
  });
});
