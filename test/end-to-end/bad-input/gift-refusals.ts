import { expect, test } from 'vitest';
import type { Operation, Surface } from '../../../src/domain/refusals.ts';
import { type Answer, merchantClient, partnerClient, refusalData } from '../../support/clients.ts';
import { makeMerchant, makePartner, type TestMerchant } from '../../support/companies.ts';
import { CLAIM, type Client, type Gift, newOwner, otherCode, REDEEM } from '../gift/gift-scene.ts';
import { setRedemptionScene } from '../gift/redemption-scene.ts';
import type { RefusalCase } from './refusals.ts';

type Code = Pick<Gift, 'voucherCode'>;

/** What is claimed or redeemed, with further fields, by the side's caller unless another one is named. */
type Attempt = readonly [gift: Code, extra?: object, client?: Client];

/**
 * A refusal of both APIs, or of one. Status codes are only of what the specification does not list.
 */
export interface GiftRefusal<Act = Attempt>
  extends Omit<RefusalCase, 'operation' | 'statusCode' | 'data' | 'arrange'> {
  readonly on?: Surface;
  readonly statusCode?: Readonly<Partial<Record<Surface, number>>>;
  /** What a partner's `data` has besides the reason. */
  readonly partnerData?: object;
  arrange(side: RefusalSide): Promise<Act>;
}

export const UNKNOWN_CODE = '0000-0000-0000-0000';
export const UNKNOWN_ID = 999_999_999;

export type RefusalSide = Awaited<ReturnType<typeof setRefusalSide>>;

/** Made once, when it is first asked for. */
function shared<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** One API: its caller, another company that calls it, and merchants with something amiss. */
export async function setRefusalSide(surface: Surface) {
  const scene = await setRedemptionScene();
  const { stack } = scene;
  const client: Client = surface === 'partner' ? scene.asPartner : scene.asMerchant;
  const otherMerchant = await makeMerchant(stack);
  const otherClient: Client =
    surface === 'partner'
      ? await partnerClient(stack, await makePartner(stack))
      : await merchantClient(stack, otherMerchant);
  const deactivated = await makeMerchant(stack);
  const asDeactivated = await merchantClient(stack, deactivated);

  const changeMerchant = (
    { id }: TestMerchant,
    changes: { status?: 'DEACTIVATED'; service_fee_percent?: null },
  ) => stack.database.updateTable('merchants').set(changes).where('id', '=', id).execute();
  await changeMerchant(deactivated, { status: 'DEACTIVATED' });

  const claim = (gift: Code, extra: object = {}, as = client) =>
    as.post(CLAIM, { voucherCode: gift.voucherCode, ...extra });

  const redeem = (gift: Code, extra: object = {}, as = client) =>
    as.post(REDEEM, { voucherCode: gift.voucherCode, ...extra });

  return {
    ...scene,
    surface,
    client,
    otherClient,
    otherMerchant,
    deactivated,
    asDeactivated,
    claim,
    redeem,

    /** A redemption at another merchant than the gift's. */
    elsewhere: (gift: Code, extra: object = {}): Attempt =>
      surface === 'partner'
        ? [gift, { ...extra, merchantId: otherMerchant.id }]
        : [gift, extra, otherClient],

    // A refusal changes nothing: one gift of a kind serves all rows that ask for it.
    unclaimedGift: shared(() => scene.gift()),
    anonymousGift: shared(() => scene.gift({ owner: null })),

    claimedGift: shared(async () => {
      const gift = await scene.gift();
      return { gift, verificationCode: await scene.claimed(client, gift) };
    }),

    redeemedGift: shared(async () => {
      const gift = await scene.gift();
      await scene.redeemed(client, gift);
      return gift;
    }),

    async expiredGift(owner: string | null = newOwner()): Promise<Gift> {
      const gift = await scene.gift({ owner });
      await scene.expire(gift);
      return gift;
    },

    cancelledGift: shared(async () => {
      const gift = await scene.gift();
      await scene.cancel(gift);
      return gift;
    }),

    /** A gift of a partner that was suspended after it had generated it. */
    async orphanedGift(owner: string | null = newOwner()): Promise<Gift> {
      const partner = await makePartner(stack);
      const gift = await scene.gift({ partner, owner });
      await stack.database
        .updateTable('partners')
        .set({ status: 'SUSPENDED' })
        .where('id', '=', partner.id)
        .execute();
      return gift;
    },

    /** Gifts of a merchant whose fee is lost, and the merchant's client. */
    feelessGifts: shared(async () => {
      const payee = await scene.payee(surface);
      const { merchant } = payee;
      const [owned, anonymous] = [
        await scene.gift({ merchant }),
        await scene.gift({ merchant, owner: null }),
      ];
      await changeMerchant(merchant, { service_fee_percent: null });
      return { ...payee, owned, anonymous };
    }),

    /** A gift whose payment the provider leaves pending. */
    giftInProgress: shared(async () => {
      const { merchant, client: payee } = await scene.payee(surface, { payoutSuffix: '014' });
      const gift = await scene.gift({ merchant, isRestricted: false });
      const verificationCode = await scene.claimed(payee, gift);
      void redeem(gift, { verificationCode }, payee);
      await scene.untilPaidTo(merchant);
      return { client: payee, gift, verificationCode };
    }),
  };
}

/** A table of refusals, each with the request that is to be refused. */
export interface Table {
  readonly operation: Operation;
  readonly rows: readonly GiftRefusal<() => Promise<Answer>>[];
}

/** A table of one request, whose rows say only what is claimed or redeemed. */
export const attemptsOf = (
  operation: Operation,
  path: string,
  rows: readonly GiftRefusal[],
): Table => ({
  operation,
  rows: rows.map((row) => ({
    ...row,
    async arrange(side) {
      const [{ voucherCode }, extra, client = side.client] = await row.arrange(side);
      return () => client.post(path, { voucherCode, ...extra });
    },
  })),
});

/** The refusals of one API, for `testRefusals`. */
export const refusalsOf = (
  surface: Surface,
  side: () => RefusalSide,
  tables: readonly Table[],
): RefusalCase[] =>
  tables.flatMap(({ operation, rows }) =>
    rows
      .filter(({ on }) => on === undefined || on === surface)
      .map(({ arrange, partnerData, statusCode, ...one }) => ({
        ...one,
        operation,
        ...(statusCode?.[surface] === undefined ? {} : { statusCode: statusCode[surface] }),
        ...(surface === 'partner' && partnerData !== undefined ? { data: partnerData } : {}),
        arrange: () => arrange(side()),
      })),
  );

/** What a refusal leaves behind: vouchers that can still be used. */
export function testAfterRefusals(surface: Surface, side: () => RefusalSide): void {
  const codes =
    surface === 'partner' ? { notFound: 403, refused: 404 } : { notFound: 4034, refused: 5031 };

  test('a voucher whose payment was refused is ACTIVE, its money reserved, and can be paid', async () => {
    const scene = side();
    const { merchant, client } = await scene.payee(surface, { payoutSuffix: '006' });
    const gift = await scene.gift({ merchant });
    const balances = await scene.balances();
    const verificationCode = await scene.claimed(client, gift);
    const refused = await scene.redeem(gift, { verificationCode }, client);
    expect(refused.body).toMatchObject({
      statusCode: codes.refused,
      data: refusalData(surface, 'payment-refused'),
    });
    expect(refused.body.message).toContain('The payment was declined');
    expect(await scene.voucher(gift)).toEqual({
      status: 'ACTIVE',
      remaining: '100.000000',
      held: '0.000000',
      returned: '0.000000',
      current_claim_id: null,
    });
    expect(await scene.balances()).toEqual(balances);

    // The code was that of a claim that has ended.
    const key = { idempotencyKey: 'another request' };
    const again = await client.post(
      REDEEM,
      { voucherCode: gift.voucherCode, verificationCode, ...key },
      { 'Idempotency-Key': key.idempotencyKey },
    );
    expect(again.body.statusCode).toBe(codes.notFound);
    await scene.stack.database
      .updateTable('merchant_payout_accounts')
      .set({ party_value: scene.merchant.payoutNumber })
      .where('merchant_id', '=', merchant.id)
      .execute();
    expect((await scene.redeemed(client, gift)).body.success).toBe(true);
  });

  test('no refusal before the owner’s code was checked tells whether a code is right', async () => {
    const scene = side();
    const { gift, verificationCode: right } = await scene.claimedGift();
    const answers = await Promise.all(
      [right, otherCode(right)].map((verificationCode) =>
        scene.redeem(...scene.elsewhere(gift, { verificationCode })),
      ),
    );
    expect(answers[0]?.body.success).toBe(false);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
  });
}
