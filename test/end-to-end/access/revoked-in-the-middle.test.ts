import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findApiKey } from '../../../src/db/access/access.ts';
import { changeApiKey, revokeApiKey } from '../../../src/db/access/company-access.ts';
import { type Answer, merchantClient, partnerClient } from '../../support/clients.ts';
import { deposit, makeKey, makeMerchant, makePartner } from '../../support/companies.ts';
import { stoppedAt } from '../../support/database-locks.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import {
  CLAIM,
  type Client,
  done,
  GENERATE,
  type GiftScene,
  REDEEM,
  setGiftScene,
} from '../gift/gift-scene.ts';
import { sale } from '../topups/topup-scene.ts';

/**
 * A key or token that is revoked while its request is under way, after the edge has let it in: the
 * transaction that would move money refuses.
 */
let scene: GiftScene;
beforeAll(async () => {
  scene = await setGiftScene();
});
afterAll(() => scene?.stop());

/** A company of its own for each case, and how it comes back with a new key. */
async function partnerOfItsOwn() {
  const partner = await makePartner(scene.stack);
  await makeTopupProducts(scene.stack, partner);
  await deposit(scene.stack, partner.id, '1000', 'airtime');
  return {
    kind: 'partner' as const,
    ...partner,
    client: (await partnerClient(scene.stack, partner)) as Client,
    async withNewKey(): Promise<Client> {
      const apiKey = await makeKey(scene.stack, { kind: 'partner', id: partner.id });
      return partnerClient(scene.stack, { ...partner, apiKey });
    },
  };
}

async function merchantOfItsOwn() {
  const merchant = await makeMerchant(scene.stack);
  return {
    kind: 'merchant' as const,
    ...merchant,
    client: (await merchantClient(scene.stack, merchant)) as Client,
    async withNewKey(): Promise<Client> {
      const apiKey = await makeKey(scene.stack, { kind: 'merchant', id: merchant.id });
      return merchantClient(scene.stack, { ...merchant, apiKey });
    },
  };
}

type Owner = Awaited<ReturnType<typeof partnerOfItsOwn | typeof merchantOfItsOwn>>;
type PartnerOwner = Awaited<ReturnType<typeof partnerOfItsOwn>>;

/** Where the request waits while the key goes, and how it is sent by whichever client. */
interface Case {
  readonly table: 'ledger_accounts' | 'vouchers' | 'topups';
  readonly path: string;
  body(owner: Owner): Promise<Record<string, unknown>>;
}

const airtime = { amount: 50, ...sale };

const cases: Readonly<Record<string, Case>> = {
  generate: {
    table: 'ledger_accounts',
    path: GENERATE,
    body: async (owner) => ({
      denominationId: (owner as PartnerOwner).denominations[100],
      merchantId: scene.merchant.id,
      msisdn: null,
    }),
  },
  claim: {
    table: 'vouchers',
    path: CLAIM,
    body: async (owner) => {
      const { voucherCode } = await giftFor(owner);
      return { voucherCode };
    },
  },
  redeem: {
    table: 'vouchers',
    path: REDEEM,
    body: async (owner) => {
      const gift = await giftFor(owner);
      const verificationCode = await scene.claimed(owner.client, gift);
      return { voucherCode: gift.voucherCode, verificationCode };
    },
  },
  'redeem without a claim': {
    table: 'vouchers',
    path: REDEEM,
    body: async (owner) => {
      const { voucherCode } = await giftFor(owner, null);
      return { voucherCode, amount: 40 };
    },
  },
  'top up': {
    table: 'topups',
    path: '/topup-transactions/airtime-topup',
    body: async () => ({ ...airtime, msisdn: '+251911000050' }),
  },
  retry: {
    table: 'topups',
    path: '/topup-transactions/retry-topup',
    body: async ({ client }) => {
      const failed = await client.post('/topup-transactions/airtime-topup', {
        ...airtime,
        msisdn: '+251911000002',
      });
      expect(failed.status).toBe(424);
      return { transactionId: failed.body.data.transactionId, msisdn: '+251911000050' };
    },
  },
};

const giftFor = (owner: Owner, number?: null) =>
  scene.gift({
    ...(number === null ? { owner: null } : {}),
    ...(owner.kind === 'partner' ? { partner: owner } : { merchant: owner }),
  });

const keyOf = async ({ kind, apiKey }: Owner): Promise<number> => {
  const { database, digests } = scene.stack;
  return (await findApiKey(database, kind, digests.apiKey(apiKey)))?.id ?? Number.NaN;
};

const revocations = {
  'its API key is revoked': async (owner: Owner) => {
    const id = await keyOf(owner);
    const { database } = scene.stack;
    await database.transaction().execute((transaction) => revokeApiKey(transaction, id));
  },
  'its API key loses the scope': async (owner: Owner) => {
    const id = await keyOf(owner);
    const { database } = scene.stack;
    await database
      .transaction()
      .execute((transaction) => changeApiKey(transaction, id, { scopes: ['read'] }));
  },
  'its tokens are revoked': ({ kind, id }: Owner) =>
    scene.stack.database
      .updateTable(kind === 'partner' ? 'partners' : 'merchants')
      .set((row) => ({ token_version: row('token_version', '+', 1) }))
      .where('id', '=', id)
      .execute(),
};

const onBoth = ['claim', 'redeem', 'redeem without a claim'];
const everyRevocation = Object.keys(revocations) as (keyof typeof revocations)[];
/** One condition asks for all three; the scope is that of the operation, so that each operation is tried without it. */
const ofEach = (operation: string) =>
  ['generate', 'redeem'].includes(operation)
    ? everyRevocation
    : (['its API key loses the scope'] as const);
const rows = Object.keys(cases).flatMap((operation) =>
  (onBoth.includes(operation) ? (['partner', 'merchant'] as const) : ['partner' as const]).flatMap(
    (surface) => ofEach(operation).map((revocation) => [operation, surface, revocation] as const),
  ),
);

test.each(rows)('%s by a %s while %s moves nothing', async (operation, surface, revocation) => {
  const owner = await (surface === 'partner' ? partnerOfItsOwn() : merchantOfItsOwn());
  const { table, path, body: bodyFor } = cases[operation] as Case;
  const idempotencyKey = randomUUID();
  const body = { ...(await bodyFor(owner)), idempotencyKey };
  const send = (client: Client): Promise<Answer> =>
    client.post(path, body, { 'Idempotency-Key': idempotencyKey });
  const before = await scene.holdings();
  const [answer] = await stoppedAt(
    scene.stack.database,
    table,
    [() => send(owner.client)],
    () => revocations[revocation](owner),
    // A worker in the background reads the other tables.
    table === 'ledger_accounts' ? 'test_worker' : 'test_api',
  );
  expectRefusal(answer as Answer, surface, 401, { reason: 'token-invalid' });
  expect(await scene.holdings()).toEqual(before);

  // It is not the answer for ever: with a new key the same request is carried out.
  const again = done(await send(await owner.withNewKey()));
  expect(again.headers.get('Idempotent-Replayed')).toBeNull();
});
