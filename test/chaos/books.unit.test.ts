import { describe, expect, test } from 'vitest';
import { compareRows, type OwnRow } from '../../chaos/oracle/books.ts';
import { compareMessageRows, type OwnMessage } from '../../chaos/oracle/messages.ts';

const paid = { provider: 'gsma', reference: 'a', amount: '97.5' };
const own = (row: Partial<OwnRow> = {}): OwnRow => ({ ...paid, status: 'POSTED', ...row });
const done = { ...paid, status: 'completed' as const };

describe('the books of the providers', () => {
  test('that agree have no finding', () => {
    const rows = [
      own(),
      own({ reference: 'b', provider: 'mpesa', status: 'VOIDED' }),
      own({ reference: 'c', status: 'REVERSED' }),
      own({ reference: 'd', provider: 'mpesa' }),
    ];
    const books = [
      done,
      { ...done, reference: 'c', status: 'reversed' as const },
      { ...done, reference: 'd', provider: 'mpesa' },
    ];
    expect(compareRows('payout', rows, books)).toEqual([]);
  });

  const cases = {
    'a payment that two providers made': {
      books: [done, { ...done, provider: 'mpesa' }],
      finding: 'payout a was taken twice: by gsma and by mpesa',
    },
    'a payment that one provider refused and another one made': {
      books: [
        { ...done, status: 'failed' as const },
        { ...done, provider: 'mpesa' },
      ],
      finding: 'payout a was taken twice: by gsma and by mpesa',
    },
    'a payment that one provider made twice': {
      books: [done, done],
      finding: 'payout a was taken twice: by gsma and by gsma',
    },
    'a payment of another provider than ours says': {
      books: [{ ...done, provider: 'mpesa' }],
      finding: 'payout a is completed at mpesa, and of gsma here',
    },
    'a payment that we know nothing of': {
      rows: [],
      books: [done],
      finding: 'payout a is completed in the books of gsma and not in ours',
    },
    'a payment that was not made': {
      books: [],
      finding: 'payout a is POSTED here and unknown there',
    },
    'a payment that was made and is refused here': {
      rows: [own({ status: 'VOIDED' })],
      books: [done],
      finding: 'payout a is VOIDED here and completed there',
    },
    'another amount': {
      books: [{ ...done, amount: '97.51' }],
      finding: 'payout a is of 97.5 here and of 97.51 there',
    },
    'a total of one provider': {
      books: [{ ...done, provider: 'mpesa' }],
      finding:
        'payouts of gsma: 1 of together 97.500000 are posted, 0 of together 0.000000 were done',
    },
  };
  test.each(Object.entries(cases))('find %s', (_name, { books, finding, ...given }) => {
    const rows = 'rows' in given ? given.rows : [own()];
    expect(compareRows('payout', rows, books)).toContain(finding);
  });
});

describe('the messages of the providers', () => {
  const sent: OwnMessage = { id: 1, status: 'SENT', provider: 'smpp', reference: 'x' };
  const unknown: OwnMessage = { id: 2, status: 'UNKNOWN', provider: 'smpp', reference: null };

  test('that agree have no finding', () => {
    const received = [
      { id: 'x', provider: 'smpp' },
      { id: 'y', provider: 'africas-talking' },
    ];
    expect(compareMessageRows([sent, unknown], received)).toEqual([]);
  });

  test.each([
    ['by two providers', { id: 'y', provider: 'africas-talking' }, /1 messages .* 0 unknown/],
    ['twice by one', { id: 'x', provider: 'smpp' }, /received twice/],
  ])('find one that was sent %s', (_name, second, finding) => {
    const received = [{ id: 'x', provider: 'smpp' }, second];
    expect(compareMessageRows([sent], received)).toEqual([expect.stringMatching(finding)]);
  });

  test('find one of another provider than ours says', () => {
    const received = [{ id: 'x', provider: 'africas-talking' }];
    expect(compareMessageRows([sent], received)).toHaveLength(1);
  });
});
