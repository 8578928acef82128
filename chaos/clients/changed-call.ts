import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import type { ClientCall, KeyedOperation } from './client-log.ts';
import { laterVoucherCall, someLines } from './operations.ts';

type Change = (parts: {
  readonly call: ClientCall;
  readonly random: Random;
  readonly world: World;
}) => Partial<Pick<ClientCall, 'path' | 'body'>>;

const otherVoucher =
  (operation: 'cancel-voucher' | 'resend-message'): Change =>
  ({ random, world }) =>
    laterVoucherCall(operation, random.pick(world.gifts));

/** What is different when a key is used for another request. */
const changes: Readonly<Record<KeyedOperation, Change>> = {
  'generate-voucher': ({ world }) => ({ body: { msisdn: world.newNumber('000') } }),
  'initiate-claim': ({ random }) => ({ body: { amount: random.integer(1, 90) } }),
  'redeem-gift': ({ random }) => ({
    body: { verificationCode: String(random.integer(100_000, 999_999)) },
  }),
  'reverse-redemption': ({ random }) => ({ body: { reason: `Till ${random.integer(1, 90)}` } }),
  'airtime-topup': ({ random }) => ({ body: { amount: random.integer(5, 90) } }),
  'airtime-package-topup': ({ world }) => ({ body: { msisdn: world.newNumber('000') } }),
  'retry-topup': ({ world }) => ({ body: { msisdn: world.newNumber('000') } }),
  'cancel-voucher': otherVoucher('cancel-voucher'),
  'resend-message': otherVoucher('resend-message'),
  'order-vouchers': ({ call, random, world }) => {
    const partner = world.partners.find(({ id }) => id === call.company.id);
    return partner ? { body: { lines: someLines({ random, world }, partner) } } : {};
  },
};

/** Another request under the key of a call. */
export function changedCall(random: Random, world: World, call: ClientCall): ClientCall {
  const { path = call.path, body } = changes[call.operation as KeyedOperation]({
    call,
    random,
    world,
  });
  return { ...call, path, body: { ...call.body, ...body } };
}
