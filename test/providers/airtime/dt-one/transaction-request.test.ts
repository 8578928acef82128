import { describe, expect, it } from 'vitest';
import { type AirtimeOrder, exactNumber } from '../../../../src/providers/airtime/airtime.ts';
import { toTransactionRequest } from '../../../../src/providers/airtime/dt-one/transformers.ts';

const order: AirtimeOrder = {
  reference: 'T-9f3c1c0e2a7b4d55-1',
  msisdn: '+251911234567',
  product: { kind: 'airtime', operator: 'ETHIO_TELECOM', amount: '97.500000' },
};
const products = { ETHIO_TELECOM: 11, SAFARICOM_ETHIOPIA: 22 };

describe('exactNumber', () => {
  it.each([
    ['97.5', 97.5],
    ['97.500000', 97.5],
    ['0.01', 0.01],
    ['10000', 10_000],
    ['9999999999999.99', 9_999_999_999_999.99],
    ['10000000000000', undefined],
    ['0.001', undefined],
    ['1.005', undefined],
    ['0', undefined],
    ['-5', undefined],
    ['1e3', undefined],
    ['NaN', undefined],
    ['', undefined],
  ])('%j is %j', (amount, number) => {
    expect(exactNumber(amount)).toBe(number);
  });

  it('is written in JSON as it was given, to the last digit', () => {
    for (let cents = 1; cents < 100; cents += 1) {
      const amount = `9999999999999.${String(cents).padStart(2, '0')}`;
      expect(JSON.stringify(exactNumber(amount))).toBe(amount.replace(/0$/, ''));
    }
  });
});

describe('toTransactionRequest', () => {
  const withProduct = (product: AirtimeOrder['product']) => ({ ...order, product });

  it('asks for an amount of airtime', () => {
    expect(toTransactionRequest(order, products, undefined)).toEqual({
      external_id: order.reference,
      product_id: 11,
      auto_confirm: true,
      credit_party_identifier: { mobile_number: '+251911234567' },
      calculation_mode: 'DESTINATION_AMOUNT',
      destination: { unit_type: 'CURRENCY', unit: 'ETB', amount: 97.5 },
    });
    const safaricom = { kind: 'airtime', operator: 'SAFARICOM_ETHIOPIA', amount: '5' } as const;
    expect(toTransactionRequest(withProduct(safaricom), products, undefined)).toMatchObject({
      product_id: 22,
      destination: { amount: 5 },
    });
  });

  it('asks for a package by its id alone, and to be called back', () => {
    const product = { kind: 'package', providerProductId: 2001 } as const;
    expect(toTransactionRequest(withProduct(product), products, 'https://us.example/x')).toEqual({
      external_id: order.reference,
      product_id: 2001,
      auto_confirm: true,
      credit_party_identifier: { mobile_number: '+251911234567' },
      callback_url: 'https://us.example/x',
    });
  });

  it.each<[string, Partial<AirtimeOrder>]>([
    ['a local number', { msisdn: '0911234567' }],
    ['a number with spaces', { msisdn: '+251 911 234567' }],
    ['a number that is too long', { msisdn: '+2519112345678901' }],
    ['no reference', { reference: '' }],
    ['a long reference', { reference: 'x'.repeat(41) }],
    ['a third decimal', { product: { ...order.product, amount: '1.234' } as never }],
    ['an amount of zero', { product: { ...order.product, amount: '0' } as never }],
  ])('does not ask with %s', (_name, change) => {
    const result = toTransactionRequest({ ...order, ...change }, products, undefined);
    expect(result).toEqual({ problem: expect.any(String) });
  });
});
