import { afterEach, describe, expect, it } from 'vitest';
import { addMobilePrefixes, maskMsisdn, operatorOf, parseMsisdn } from '../../src/domain/phone.ts';

describe('parseMsisdn', () => {
  it.each([
    ['0911223344', '+251911223344'],
    ['251911223344', '+251911223344'],
    ['+251911223344', '+251911223344'],
    ['911223344', '+251911223344'],
    ['0911 22 33 44', '+251911223344'],
    ['(0911) 22-33-44', '+251911223344'],
    ['09112\n23344', '+251911223344'],
    ['00251911223344', '+251911223344'],
    ['0711223344', '+251711223344'],
    ['+251900000001', '+251900000001'],
    ['+254712345678', '+254712345678'],
    ['+12025550123', '+12025550123'],
    ['+447400123456', '+447400123456'],
  ])('reads %s as %s', (text, msisdn) => {
    expect(parseMsisdn(text)).toBe(msisdn);
  });

  it.each([
    ['nothing', ''],
    ['a sign alone', '+'],
    ['too few digits', '09112233'],
    ['too many digits', '+2519112233445'],
    ['a landline', '0111223344'],
    ['a toll-free number of no country', '+80012345678'],
    ['a satellite number', '+881612345678'],
    ['words', 'call 0911223344'],
    ['an extension', '0911223344 ext 5'],
    ['a link', 'tel:+251911223344'],
    ['Arabic digits', '٠٩١١٢٢٣٣٤٤'],
    ['full-width digits', '０９１１２２３３４４'],
    ['NUL', '0911223344\0'],
    ['two signs', '++251911223344'],
    ['a foreign number without its sign', '254712345678'],
    ['a long text of digits', '9'.repeat(50_000)],
    ['a long text of spaces', `+251${' '.repeat(50_000)}911223344`],
  ])('refuses %s', (_, text) => {
    expect(parseMsisdn(text)).toBeUndefined();
  });
});

describe('an added prefix', () => {
  afterEach(() => addMobilePrefixes({}));

  it.each(['0791223344', '791223344', '+251791223344', '251 79 122 3344'])(
    'makes a mobile number of its operator of %s',
    (written) => {
      expect(parseMsisdn(written)).toBeUndefined();
      addMobilePrefixes({ ETHIO_TELECOM: ['0790', '0791'], SAFARICOM_ETHIOPIA: ['0760'] });
      expect(parseMsisdn(written)).toBe('+251791223344');
      expect(operatorOf('+251791223344')).toBe('ETHIO_TELECOM');
    },
  );

  it.each(['0792223344', '079122334', '07912233445', '+254791223344x', '0111223344'])(
    'leaves %s alone',
    (written) => {
      addMobilePrefixes({ ETHIO_TELECOM: ['0791'] });
      expect(parseMsisdn(written)).toBeUndefined();
    },
  );

  it('changes no operator of other numbers', () => {
    addMobilePrefixes({ ETHIO_TELECOM: ['0791'], SAFARICOM_ETHIOPIA: ['083'] });
    expect(
      ['+251790000000', '+251911223344', '+251830000000', '+251840000000'].map(operatorOf),
    ).toEqual([...['SAFARICOM_ETHIOPIA', 'ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA', undefined]]);
  });
});

describe('maskMsisdn', () => {
  it.each([
    ['+251912345678', '+2519*****678'],
    ['+12025550123', '+1202****123'],
    ['0911223344', '09*******4'],
    ['+2901234', '+2*****4'],
  ])('shows %s as %s', (msisdn, masked) => {
    expect(maskMsisdn(msisdn)).toBe(masked);
  });
});
