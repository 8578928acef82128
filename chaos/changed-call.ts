import type { ClientCall, KeyedOperation } from './client-log.js';
import type { Random } from './random.js';
import type { World } from './world.js';

/** What is different in the body when a key is used for another request. */
const changes: Readonly<
  Record<KeyedOperation, (random: Random, world: World) => Readonly<Record<string, unknown>>>
> = {
  'generate-voucher': (_random, world) => ({ msisdn: world.newNumber('000') }),
  'initiate-claim': (random) => ({ amount: random.integer(1, 90) }),
  'redeem-gift': (random) => ({ verificationCode: String(random.integer(100_000, 999_999)) }),
  'airtime-topup': (random) => ({ amount: random.integer(5, 90) }),
  'airtime-package-topup': (_random, world) => ({ msisdn: world.newNumber('000') }),
  'retry-topup': (_random, world) => ({ msisdn: world.newNumber('000') }),
};

/** Another request under the key of a call. */
export function changedCall(random: Random, world: World, call: ClientCall): ClientCall {
  const change = changes[call.operation as KeyedOperation];
  return { ...call, body: { ...call.body, ...change(random, world) } };
}
