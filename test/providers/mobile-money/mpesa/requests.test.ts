import { expect, it } from 'vitest';
import { mpesaPathsAt } from '../../../../src/domain/mpesa.ts';
import {
  toInquiry,
  toPaymentRequest,
} from '../../../../src/providers/mobile-money/mpesa/client.ts';

const account = {
  shortCode: '600992',
  initiator: 'testapi',
  callbackUrl: 'https://service.example/callbacks/mpesa/secret',
  credential: 'credential',
};

it('names the occasion as the documents do', () => {
  const payment = {
    reference: 'ref-1',
    amount: '98.00',
    currency: 'ETB',
    description: 'Payout',
    payee: [{ key: 'msisdn', value: '+251911234567' }],
  };
  const bodies = [
    toPaymentRequest(payment, { amount: '98', payee: '251911234567' }, account),
    toInquiry('ref-1', account),
  ];
  for (const body of bodies) {
    expect(body).toMatchObject({ Occasion: expect.any(String) });
    expect(body).not.toHaveProperty('Occassion');
  }
});

it.each([
  ['https://api.safaricom.et', '/v1/token/generate', '/mpesa/b2c/v2/paymentrequest'],
  ['https://apisandbox.safaricom.et/', '/v1/token/generate', '/mpesa/b2c/v2/paymentrequest'],
  ['https://api.safaricom.co.ke', '/oauth/v1/generate', '/mpesa/b2c/v3/paymentrequest'],
  ['http://localhost:3001/mpesa', '/oauth/v1/generate', '/mpesa/b2c/v3/paymentrequest'],
  ['https://api.example.etc', '/oauth/v1/generate', '/mpesa/b2c/v3/paymentrequest'],
])('has the paths of the country of %s', (url, tokenPath, paymentPath) => {
  const statusPath = '/mpesa/transactionstatus/v1/query';
  expect(mpesaPathsAt(url)).toEqual({ tokenPath, paymentPath, statusPath });
});
