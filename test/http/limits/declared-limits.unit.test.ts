import { expect, test } from 'vitest';
import { fieldsOf } from '../../../docs/generate/shape.ts';
import type { Endpoint } from '../../../src/http/endpoint.ts';
import { merchantRoutes } from '../../../src/merchant/routes.ts';
import { partnerRoutes } from '../../../src/partner/routes.ts';

const takesVoucherCode = ({ body, params }: Endpoint): boolean =>
  [body, params].some(
    (schema) => schema && fieldsOf(schema).some(({ name }) => name === 'voucherCode'),
  );

test.each([partnerRoutes, merchantRoutes])(
  '$basePath: what takes voucher codes limits guesses of them',
  (routes) => {
    const endpoints = routes.endpoints.filter(takesVoucherCode);
    expect(endpoints.length).toBeGreaterThan(1);
    for (const { operation, guessLimit } of routes.endpoints)
      expect([operation, guessLimit]).toEqual([
        operation,
        endpoints.some((one) => one.operation === operation) ? 'voucher-code' : undefined,
      ]);
  },
);
