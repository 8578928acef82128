import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../src/local/processes.ts';
import { commandsOn } from '../../admin/scene.ts';
import { atProvider } from '../../positions/placements.ts';
import { partnerClient, type RawPartner } from '../../support/clients.ts';
import { deposit, makeMerchant, makePartner, type TestPartner } from '../../support/companies.ts';
import { providerSettings } from '../../support/stack.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { isNumber } from '../privacy/stored-numbers.ts';
import { sale } from '../topups/topup-scene.ts';
import { CLAIM, done, REDEEM, settled } from './gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from './redemption-scene.ts';

/** Each condition of a route, as an operator sets it, decides who serves, and nothing else does. */
let scene: RedemptionScene;
let operator: ReturnType<typeof commandsOn>;
/** The company that no route names, and the other one. */
let sellers: { readonly partner: TestPartner; readonly client: RawPartner }[];

beforeAll(async () => {
  const port = await freePort();
  scene = await setRedemptionScene({
    PORT: String(port),
    CALLBACK_URL: `http://127.0.0.1:${port}/callbacks`,
  });
  const { stack } = scene;
  operator = commandsOn({
    ...providerSettings(stack.sandbox),
    DATABASE_URL: stack.urlFor('operator'),
  });
  sellers = await Promise.all(
    [0, 1].map(async () => {
      const partner = await makePartner(stack, { giftWallet: '100000' });
      await makeTopupProducts(stack, partner);
      await deposit(stack, partner.id, '100000', 'airtime');
      return { partner, client: await partnerClient(stack, partner) };
    }),
  );
});
afterAll(() => scene?.stop());

/** What an operation is about. */
interface Case {
  readonly seller: 0 | 1;
  readonly merchant: Awaited<ReturnType<typeof makeMerchant>>;
  readonly amount: 100 | 1000;
  /** Of the owner, or of who gets airtime. */
  readonly msisdn: string;
}

let numbers = 0;
const newNumber = (digit: 7 | 9) => {
  numbers += 1;
  return `+251${digit}3${String(numbers).padStart(4, '0')}000`;
};

/** M-Pesa carries whole birr. */
const newMerchant = (value = newNumber(9)) =>
  makeMerchant(scene.stack, { service_fee_percent: '0', payout: { key: 'msisdn', value } });

/** Does an operation of a kind, and says whose it was. */
const kinds = {
  payout: {
    usual: 'gsma',
    other: 'mpesa',
    async serve({ seller, merchant, amount }: Case) {
      const { partner, client } = sellers[seller] ?? never();
      const gift = await scene.gift({ partner, merchant, denomination: amount, owner: null });
      done(await settled(client, REDEEM, { voucherCode: gift.voucherCode }));
      return scene.stack.database
        .selectFrom('redemptions')
        .select(atProvider('redemptions.operation_id'))
        .where('voucher_id', '=', gift.id)
        .executeTakeFirstOrThrow();
    },
  },
  sms: {
    usual: 'africas-talking',
    other: 'smpp',
    async serve({ seller, merchant, msisdn }: Case) {
      const { partner, client } = sellers[seller] ?? never();
      const gift = await scene.gift({ partner, merchant, owner: msisdn });
      done(await settled(client, CLAIM, { voucherCode: gift.voucherCode }));
      return scene.stack.database
        .selectFrom('messages')
        .select('provider')
        .where('voucher_id', '=', gift.id)
        .executeTakeFirstOrThrow();
    },
  },
  'topup-airtime': {
    usual: 'dt-one',
    other: 'reloadly',
    async serve({ seller, amount, msisdn }: Case) {
      const { client } = sellers[seller] ?? never();
      const body = { amount, msisdn, ...sale };
      done(await client.post('/topup-transactions/airtime-topup', body));
      return scene.stack.database
        .selectFrom('topup_attempts')
        .innerJoin('topups', 'topups.id', 'topup_id')
        .select(atProvider('topup_attempts.operation_id'))
        .where(isNumber(scene.stack, 'topups.msisdn', msisdn))
        .executeTakeFirstOrThrow();
    },
  },
} as const;

function never(): never {
  throw new Error('There must be one');
}

/** The condition, and operations that agree with it. */
const conditions = {
  partner: async () => ({
    words: `--partner ${sellers[1]?.partner.id}`,
    agreeing: async () => ({ seller: 1 }),
  }),
  merchant: async () => {
    const merchant = await newMerchant();
    return { words: `--merchant ${merchant.id}`, agreeing: async () => ({ merchant }) };
  },
  operator: async () => ({
    words: '--operator SAFARICOM_ETHIOPIA',
    agreeing: async () => ({ msisdn: newNumber(7), merchant: await newMerchant(newNumber(7)) }),
  }),
  amount: async () => ({
    words: '--from 500 --to 1000',
    agreeing: async () => ({ amount: 1000 }),
  }),
} as const satisfies Record<
  string,
  () => Promise<{ readonly words: string; readonly agreeing: () => Promise<Partial<Case>> }>
>;

/** One route after the other, because two would both decide; those of another kind do not. */
test.concurrent.each([
  ['payout', ['partner', 'merchant', 'operator', 'amount']],
  ['sms', ['partner', 'merchant', 'operator']],
  ['topup-airtime', ['partner', 'operator', 'amount']],
] as const)('a route of the kind %s decides by %o, while it is enabled', async (kind, names) => {
  const { usual, other, serve } = kinds[kind];
  for (const [place, condition] of names.entries()) {
    const { words, agreeing } = await conditions[condition]();
    const providerOf = async (changes: Partial<Case>) => {
      const merchant = await newMerchant();
      const base = { seller: 0, merchant, amount: 100, msisdn: newNumber(9) } as const;
      return (await serve({ ...base, ...changes })).provider ?? usual;
    };
    const served = async () => {
      const [agreed, different] = await Promise.all([providerOf(await agreeing()), providerOf({})]);
      return { condition, agreed, different };
    };
    await operator.json(`providers route add --kind ${kind} --provider ${other} ${words}`);
    const routes: { id: number; kind: string }[] = await operator.json('providers route list');
    const { id } = routes.find((route) => route.kind === kind) ?? never();
    expect(await served()).toEqual({ condition, agreed: other, different: usual });
    // A route is disabled and removed as a whole, whatever its condition and its kind.
    if (place > 0 || kind !== 'sms') {
      await operator.json(`providers route remove ${id}`);
      continue;
    }
    await operator.json(`providers route disable ${id}`);
    expect(await served()).toEqual({ condition, agreed: usual, different: usual });
    await operator.json(`providers route enable ${id}`);
    expect(await served()).toEqual({ condition, agreed: other, different: usual });
    await operator.json(`providers route remove ${id}`);
    expect(await served()).toEqual({ condition, agreed: usual, different: usual });
  }
});
