import { describe, expect, it } from 'vitest';
import { createDigests } from '../../../src/crypto/digests.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import { providersFor, type Route, type Routed } from '../../../src/domain/providers.ts';

const digests = createDigests({ digestKey: Buffer.alloc(32, 7) });

const route = (id: number, changes: Partial<Route> = {}): Route => ({
  id,
  position: 1,
  provider: 'gsma',
  weight: 1,
  operator: null,
  amountFrom: null,
  amountTo: null,
  ...changes,
});

const payout = (operationId = 'one', changes: Partial<Routed> = {}): Routed => ({
  kind: 'payout',
  operator: 'ETHIO_TELECOM',
  amount: parseMoney('100'),
  shareOf: (routeId) => digests.routeShare(operationId, routeId),
  ...changes,
});

const both = { names: ['gsma', 'mpesa'], defaultName: 'gsma' };

describe('the providers of an operation', () => {
  it.each<[string, Route[], string[]]>([
    ['are the default without a route', [], ['gsma']],
    ['are that of the route', [route(1, { provider: 'mpesa' })], ['mpesa']],
    [
      'are in the order of the positions',
      [route(1, { position: 2 }), route(2, { provider: 'mpesa' })],
      ['mpesa', 'gsma'],
    ],
    ['are each one once', [route(1), route(2, { position: 3 })], ['gsma']],
    [
      'are the default where a route is for another operator',
      [route(1, { provider: 'mpesa', operator: 'SAFARICOM_ETHIOPIA' })],
      ['gsma'],
    ],
    [
      'include both ends of a range',
      [route(1, { provider: 'mpesa', amountFrom: '100', amountTo: '100' })],
      ['mpesa'],
    ],
    [
      'are the default below a range',
      [route(1, { provider: 'mpesa', amountFrom: '100.01' })],
      ['gsma'],
    ],
    ['are the default above one', [route(1, { provider: 'mpesa', amountTo: '99.99' })], ['gsma']],
    [
      'leave out those that are not configured, or of another kind',
      [route(1, { provider: 'telebirr' }), route(2, { provider: 'dt-one' })],
      ['gsma'],
    ],
  ])('%s', (_, routes, expected) => {
    expect(providersFor(routes, payout(), both)).toEqual(expected);
  });

  it('of a package are those that sell it, whatever the default', () => {
    const sellers = { names: ['reloadly', 'dt-one'], defaultName: 'reloadly' };
    const packages = payout('one', { kind: 'topup-package' });
    expect(providersFor([route(1, { provider: 'reloadly' })], packages, sellers)).toEqual([
      'dt-one',
    ]);
    expect(providersFor([], packages, { names: ['reloadly'], defaultName: 'reloadly' })).toEqual(
      [],
    );
  });

  it('share the operations by their weights, and a repetition meets the same one', () => {
    const routes = [route(1, { weight: 3 }), route(2, { provider: 'mpesa' })];
    const first = (index: number) => providersFor(routes, payout(`operation-${index}`), both)[0];
    const operations = Array.from({ length: 2_000 }, (_, index) => index);
    const chosen = operations.map(first);
    expect(operations.map(first)).toEqual(chosen);
    const share = chosen.filter((name) => name === 'gsma').length / chosen.length;
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(0.8);
  });
});
