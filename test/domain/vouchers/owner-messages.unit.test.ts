import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { messageLanguages, ownerMessages, partsOf } from '../../../src/domain/vouchers/messages.ts';

const REFERENCE = 'RDM-0123456789ABCDEF';
const merchant = 'Abyssinia Coffee House';
const remaining = '300.00';
const example = {
  code: { code: '123456', amount: '500.00', merchant, minutes: 5 },
  confirmation: {
    taken: '205.00',
    paid: '200.00',
    fee: '5.00',
    merchant,
    remaining,
    reference: REFERENCE,
  },
  reminder: {
    remaining,
    merchant,
    expiresAt: new Date('2027-01-31T21:30:00Z'),
    timeZone: 'Africa/Addis_Ababa',
  },
  reversal: { amount: '205.00', merchant, remaining: '505.00', reference: REFERENCE },
} as const;

const page = readFileSync(new URL('../../../docs/reference/messages.md', import.meta.url), 'utf8');

it.each(messageLanguages)('the page of messages shows every text (%s)', (language) => {
  const texts = ownerMessages[language];
  const shown = [
    texts.code(example.code),
    texts.confirmation(example.confirmation),
    texts.reminder(example.reminder),
    texts.reversal(example.reversal),
  ];
  const missing = shown.filter((text) => !page.includes(`| ${text} |`));
  expect(missing).toEqual([]);
  // The same facts in either language.
  for (const [text, facts] of [
    [shown[0], ['123456', '500.00', '5', merchant]],
    [shown[1], ['205.00', '200.00', '5.00', remaining, REFERENCE, merchant]],
    [shown[2], [remaining, merchant, '2027']],
    [shown[3], ['205.00', '505.00', REFERENCE, merchant]],
  ] as const)
    for (const fact of facts) expect(text).toContain(fact);
});

it.each([
  ['en', merchant],
  ['en', null],
  ['am', merchant],
  ['am', null],
  ['am', 'አቢሲኒያ የቡና ቤት እና የምግብ አዳራሽ ቦሌ ቅርንጫፍ አዲስ አበባ'],
] as const)('a code of eight digits takes at most two parts (%s, at %s)', (language, place) => {
  const text = ownerMessages[language].code({
    code: '12345678',
    amount: '9999999.99',
    merchant: place,
    minutes: 60,
  });
  expect(partsOf(text)).toBeLessThanOrEqual(2);
});

it.each([merchant, 'አቢሲኒያ የቡና ቤት እና የምግብ አዳራሽ ቦሌ ቅርንጫፍ አዲስ አበባ'])(
  'no text takes more than three parts, and a day is that of the owner (%s)',
  (merchant) => {
    for (const language of messageLanguages) {
      const texts = ownerMessages[language];
      const reminder = texts.reminder({ ...example.reminder, merchant });
      expect(reminder).toMatch(/\b1\b/);
      for (const text of [
        texts.confirmation({
          ...example.confirmation,
          merchant,
          taken: '9999999.99',
          paid: '9999999.99',
        }),
        reminder,
        texts.reversal({ ...example.reversal, merchant }),
        texts.code({ ...example.code, merchant }),
      ])
        expect(partsOf(text)).toBeLessThanOrEqual(3);
    }
  },
);
