import { describe, expect, it } from 'vitest';
import { messageTemplates } from '../../../src/config/setting-kinds.ts';
import {
  messageTexts,
  ownerMessages,
  partsOf,
  templateProblems,
} from '../../../src/domain/vouchers/messages.ts';

const facts = { code: '123456', amount: '500.00', merchant: 'Coffee {code} [x]', minutes: 5 };
const template = '{code} for {amount} birr[ at {merchant}], {minutes} min.';

describe('the texts of an operator', () => {
  it('replace those of the service, message by message', () => {
    const texts = messageTexts({ en: { code: template } });
    // A name is a fact, whatever it holds.
    expect(texts.en.code(facts)).toBe('123456 for 500.00 birr at Coffee {code} [x], 5 min.');
    expect(texts.en.code({ ...facts, merchant: null })).toBe('123456 for 500.00 birr, 5 min.');
    expect(texts.am.code(facts)).toBe(ownerMessages.am.code(facts));
    const reversal = { ...facts, remaining: '1.00', reference: 'R' };
    expect(texts.en.reversal(reversal)).toBe(ownerMessages.en.reversal(reversal));
  });

  it.each([
    {
      merchant: 'አቢሲኒያ የቡና ቤት እና የምግብ አዳራሽ ቦሌ ቅርንጫፍ አዲስ አበባ',
      cut: 'አቢሲኒያ የቡና ቤት እና የምግብ አዳራሽ ቦሌ …',
      parts: 3,
    },
    {
      merchant: 'The Abyssinia Coffee House and Restaurant of Bole, Addis Ababa',
      cut: 'The Abyssinia Coffee House ...',
      parts: 2,
    },
  ])('cut a long name, so that it takes no more parts than were counted: $cut', (named) => {
    // As long as the check allows.
    const templates = { en: { code: `{code} at {merchant}${' now'.repeat(39)}` } };
    expect(templateProblems(templates)).toEqual([]);
    const { merchant, cut, parts } = named;
    const text = messageTexts(templates).en.code({ ...facts, code: '12345678', merchant });
    expect(partsOf(text)).toBe(parts);
    expect(text).toContain(`at ${cut} now`);
  });

  it('say a day in the calendar and the zone of the owner', () => {
    const texts = messageTexts({ en: { reminder: '{remaining} until {day}' } });
    const expiresAt = new Date('2027-01-31T21:30:00Z');
    const reminder = { remaining: '1.00', merchant: null, expiresAt };
    expect(texts.en.reminder({ ...reminder, timeZone: 'Africa/Addis_Ababa' })).toBe(
      '1.00 until 1 Feb 2027',
    );
  });

  it.each([
    [{ en: { code: template } }, []],
    [{ fr: {} }, ['fr is no language: use en or am']],
    [
      { en: { hello: 'x' } },
      ['en.hello is no message: use code, confirmation, reminder, reversal'],
    ],
    [
      { am: { code: '{code} {pin}' } },
      ['am.code has no place {pin}: use {code}, {amount}, {merchant}, {minutes}'],
    ],
    [
      { en: { reversal: '{constructor}' } },
      [
        'en.reversal has no place {constructor}: use {amount}, {remaining}, {merchant}, {reference}',
      ],
    ],
    [{ en: { code: 'Hello' } }, ['en.code must have the place {code}, outside of []']],
    [
      { en: { code: 'Hello[ {code} at {merchant}]' } },
      ['en.code must have the place {code}, outside of []'],
    ],
    [{ en: { code: '{code} [at' } }, ['en.code has a bracket without its counterpart']],
    [
      { am: { code: `{code} ${'ኮድ'.repeat(120)}` } },
      ['am.code takes 4 parts of an SMS with a name of 30 letters: at most 3'],
    ],
    // In Latin letters alone it would take two.
    [
      { en: { code: `{code} at {merchant}${' now'.repeat(50)}` } },
      ['en.code takes 4 parts of an SMS with a name of 30 letters: at most 3'],
    ],
    [{ en: { code: `{code}${' now'.repeat(70)}` } }, []],
  ])('%j', (templates, problems) => expect(templateProblems(templates)).toEqual(problems));

  it('are read at the start, and refused then', () => {
    expect(messageTemplates.parse(undefined)).toEqual({});
    expect(messageTemplates.parse(JSON.stringify({ en: { code: template } }))).toEqual({
      en: { code: template },
    });
    for (const wrong of ['/no/such/file', '{"en"', '{"en":"x"}', '{"en":{"code":"x"}}'])
      expect(messageTemplates.safeParse(wrong).success).toBe(false);
  });
});
