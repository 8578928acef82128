import { expect, it } from 'vitest';
import { gsmaAccount } from '../../../../src/providers/mobile-money/gsma/account.ts';

const day = { from: new Date('2026-11-21T21:00:00Z'), to: new Date('2026-11-22T21:00:00Z') };
const ours = [{ key: 'accountid', value: '2999' }];
const other = [{ key: 'msisdn', value: '+251911234567' }];

/** The page of a statement that lists these transactions. */
async function pageOf(...transactions: object[]) {
  const listed = transactions.map((one, index) => ({
    transactionReference: `MM${index}`,
    transactionStatus: 'completed',
    amount: '50.00',
    currency: 'ETB',
    creationDate: '2026-11-22T09:00:00Z',
    ...one,
  }));
  const answer = { kind: 'answered', status: 200, body: JSON.stringify(listed) } as const;
  const account = gsmaAccount(async () => answer, {
    account: '2999',
    accountAliases: ['SC-77'],
  });
  for await (const page of account.listStatement(day)) {
    if (page.kind !== 'page') throw new Error(page.message);
    const lines = page.rows.filter((row) => row !== 'ignored');
    return { lines, ignored: page.rows.length - lines.length };
  }
  throw new Error('no page');
}

it.each(['transfer', 'withdrawal', 'adjustment', 'billpay', 'a-new-type'])(
  'money that leaves our account by %s is a payment that nobody has ordered',
  async (type) => {
    const { lines, ignored } = await pageOf(
      { type, debitParty: ours, creditParty: other },
      { type },
      { type, debitParty: other, creditParty: ours },
    );
    expect(lines).toMatchObject([
      {
        kind: 'payment',
        isOther: true,
        providerReference: 'MM0',
        reference: null,
        amount: '50.00',
      },
      { kind: 'payment', providerReference: 'MM1' },
    ]);
    expect(ignored).toBe(1);
  },
);

it.each(['deposit', 'merchantpay'])('a %s is counted, and is no line', async (type) => {
  const credit = { type, amount: '90000.00' };
  const page = await pageOf(
    credit,
    { ...credit, creditParty: ours },
    { ...credit, creditParty: [{ key: 'organisationid', value: 'voucher-topup' }] },
    { ...credit, creditParty: 'unreadable', debitParty: 'unreadable' },
  );
  expect(page).toMatchObject({ lines: [], ignored: 4 });
});

it.each(['deposit', 'merchantpay'])('a %s out of our account is a payment', async (type) => {
  const { lines } = await pageOf({ type, debitParty: ours, creditParty: other });
  expect(lines).toMatchObject([{ kind: 'payment', amount: '50.00' }]);
});

it('a transfer to another name of our account is counted, and is no line', async () => {
  const alias = [{ key: 'shortcode', value: 'SC-77' }];
  const page = await pageOf(
    { type: 'transfer', debitParty: other, creditParty: alias },
    { type: 'transfer', debitParty: alias, creditParty: other },
  );
  expect(page).toMatchObject({ lines: [{ providerReference: 'MM1' }], ignored: 1 });
});

it('fees in two currencies are two lines, of which one is a fee alone', async () => {
  const fee = (feeAmount: string, feeCurrency: string) => ({ feeAmount, feeCurrency });
  const { lines } = await pageOf({
    type: 'disbursement',
    requestingOrganisationTransactionReference: 'ref-1',
    fees: [fee('1.00', 'ETB'), fee('0.25', 'USD'), fee('0.50', 'ETB')],
  });
  expect(lines).toMatchObject([
    { reference: 'ref-1', amount: '50.00', fee: '1.5000000000', feeCurrency: 'ETB' },
    {
      reference: null,
      providerReference: 'MM0 fee USD',
      amount: '0',
      fee: '0.2500000000',
      feeCurrency: 'USD',
    },
  ]);
});

it('empty texts are absent, and make no list unreadable', async () => {
  const noFee = { feeType: '', feeAmount: '', feeCurrency: '' };
  const { lines } = await pageOf({
    creationDate: '',
    dateCreated: '2026-11-22T08:00:00Z',
    originalTransactionReference: '',
    requestingOrganisationTransactionReference: '',
    fees: [noFee],
  });
  expect(lines).toMatchObject([
    { reference: null, fee: null, feeCurrency: null, at: new Date('2026-11-22T08:00:00Z') },
  ]);
  const nameless = { fees: [{ feeAmount: '1.00', feeCurrency: '' }] };
  await expect(pageOf(nameless)).rejects.toThrow('without a readable list');
});
