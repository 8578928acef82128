import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { redemptionFacts, voucherFacts } from '../../../activities/redemptions/facts.ts';
import {
  connectDatabase,
  type Database,
  type DatabaseTransaction,
} from '../../../src/db/connection.ts';
import { insertClaim, startClaim } from '../../../src/db/vouchers/claims.ts';
import { growVoucher, redemptionContext } from '../../../src/db/vouchers/redemptions.ts';
import { type LockedVoucher, lockVoucher } from '../../../src/db/vouchers/vouchers.ts';
import { formatMoney, type Money, parseMoney } from '../../../src/domain/money.ts';
import {
  type ClaimFacts,
  refuseClaim,
  splitRedemption,
} from '../../../src/domain/vouchers/claim.ts';
import { settleOrRefuse } from '../../../src/domain/vouchers/redemption.ts';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { addGiftSeller, type GiftSeller } from '../../db/gift-rows.ts';
import { transferOf, write } from '../../db/ledger-writing.ts';
import { testNumbers } from '../../end-to-end/privacy/stored-numbers.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addVoucher } from '../../support/vouchers.ts';

/** A reversal gives value back to a voucher, also while a claim of it is open. */
let testDatabase: TestDatabase;
let database: Database;
let seller: GiftSeller;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connectDatabase(testDatabase.url, { poolSize: 1 });
  seller = await addGiftSeller(database);
  await write(database, transferOf(seller.partnerId, { amount: parseMoney('10000000') }));
});
afterAll(async () => {
  await database?.destroy();
  await testDatabase?.drop();
});

const CENT = 10_000n;
const OWNER = '+251911000050';
const CODE = 'digest of the code';
const limits = {
  redemptionMinimum: parseMoney('5'),
  partialRedemptionsPerVoucher: 20,
  codeAttemptsBeforeLongCodes: 20,
  messagesPerNumberAndDay: 10,
  refusedMessagesPerNumberAndHour: 5,
  servedCountries: ['ET'],
};

interface Case {
  readonly remaining: Money;
  /** Undefined is the whole balance; so is a claim of its amount. */
  readonly amount: Money | undefined;
  readonly feePercent: string;
  readonly partialRedemptions: number;
  readonly paysWholeBirrOnly: boolean;
  readonly growths: readonly Money[];
}

const cents = (most: bigint) => fc.bigInt({ min: 1n, max: most }).map((count) => count * CENT);

const cases = cents(100_000n).chain((remaining) =>
  fc.record({
    remaining: fc.constant(remaining),
    amount: fc.oneof(fc.constant(undefined), fc.constant(remaining), cents(remaining / CENT)),
    feePercent: fc.oneof(
      fc.constant('2.5000'),
      fc.bigInt({ min: 0n, max: 500_000n }).map((rate) => formatMoney(rate * 100n).slice(0, -2)),
    ),
    partialRedemptions: fc.constantFrom(0, 1, 19, 20),
    paysWholeBirrOnly: fc.boolean(),
    growths: fc.array(cents(20_000n), { minLength: 1, maxLength: 3 }),
  }),
);

const canPayOf =
  ({ paysWholeBirrOnly }: Case) =>
  (amount: Money): boolean =>
    !paysWholeBirrOnly || amount % (100n * CENT) === 0n;

const companyOf = (): Company => ({ kind: 'merchant', id: seller.merchantId });

/** A claim is refused for its amount alone. */
function isClaimable(given: Case, voucher: LockedVoucher): boolean {
  const none = { count: 0, retryAfterSeconds: 0 };
  const facts: ClaimFacts = {
    isAdmitted: true,
    voucher: { ...voucherFacts(voucher), isAnonymous: false },
    partnerIsActive: true,
    merchant: { isActive: true, feePercent: given.feePercent, hasPayoutAccount: true },
    partialRedemptions: given.partialRedemptions,
    isBlocked: false,
    canPay: canPayOf(given),
    wrongCodes: none,
    secondsUntilNextMessage: 0,
    messagesToday: none,
    refusedMessages: none,
    companyMessages: { ...none, budget: 1 },
  };
  return refuseClaim(facts, { company: companyOf(), amount: given.amount }, limits) === undefined;
}

/** An owned voucher of what remains, after redemptions that can be reversed. */
async function voucherOf({ remaining, growths }: Case): Promise<number> {
  const amount = growths.reduce((sum, growth) => sum + growth, remaining);
  const { id } = await addVoucher(database, seller, {
    amount: formatMoney(amount),
    ownerMsisdn: OWNER,
  });
  await database
    .updateTable('vouchers')
    .set({ remaining: formatMoney(remaining) })
    .where('id', '=', id)
    .execute();
  return id;
}

async function claim(
  transaction: DatabaseTransaction,
  { amount, feePercent }: Case,
  voucherId: number,
): Promise<void> {
  const id = randomUUID();
  await insertClaim(transaction, {
    id,
    operation_id: randomUUID(),
    workflow_id: `claim:${id}`,
    voucher_id: voucherId,
    company_kind: companyOf().kind,
    company_id: companyOf().id,
    amount: amount === undefined ? null : formatMoney(amount),
    service_fee_percent: feePercent,
    lifetimeSeconds: 300,
    code_digest: CODE,
    code_ciphertext: 'sealed',
    code_digits: 6,
  });
  await startClaim(transaction, voucherId, id);
}

async function locked(transaction: DatabaseTransaction, id: number): Promise<LockedVoucher> {
  const voucher = await lockVoucher(transaction, id);
  if (!voucher) throw new Error('The voucher is gone');
  return voucher;
}

/** What a redemption with the right code comes to now. */
async function settled(transaction: DatabaseTransaction, given: Case, voucherId: number) {
  const voucher = await locked(transaction, voucherId);
  const merchantId = seller.merchantId;
  const context = await redemptionContext(transaction, voucher, {
    company: companyOf(),
    merchantId,
  });
  const facts = redemptionFacts(voucher, context, {
    canPay: canPayOf(given),
    isBlocked: false,
    numbers: testNumbers,
  });
  return settleOrRefuse(
    {
      ...facts,
      isAdmitted: true,
      merchant: facts.merchant && { ...facts.merchant, hasPayoutAccount: true },
      partialRedemptions: given.partialRedemptions,
    },
    { company: companyOf(), merchantId, amount: undefined, codeDigest: CODE, msisdn: undefined },
    limits,
  );
}

async function afterGrowths(transaction: DatabaseTransaction, given: Case, id: number) {
  if (!isClaimable(given, await locked(transaction, id))) return undefined;
  await claim(transaction, given, id);
  const before = await settled(transaction, given, id);
  for (const growth of given.growths)
    await growVoucher(transaction, await locked(transaction, id), formatMoney(growth));
  return { before, after: await settled(transaction, given, id) };
}

/** The amounts of a claim that is possible. */
function settlementOf(given: Case) {
  const settlement = splitRedemption(given);
  if (!settlement.ok) throw new Error('A claim that cannot be redeemed sent a code');
  return settlement;
}

const wholeAfterPart: Case = {
  remaining: parseMoney('494.87'),
  amount: undefined,
  feePercent: '2.5000',
  partialRedemptions: 1,
  paysWholeBirrOnly: false,
  growths: [parseMoney('5.13')],
};

it('a claim that sent a code pays what it promised, though its voucher has grown since', async () => {
  let claimed = 0;
  await fc.assert(
    fc.asyncProperty(cases, async (given) => {
      const id = await voucherOf(given);
      const found = await database
        .transaction()
        .execute((transaction) => afterGrowths(transaction, given, id));
      if (!found) return;
      claimed += 1;
      const { ok, toMerchant, fee, taken } = settlementOf(given);
      expect(found.before).toMatchObject({ ok, toMerchant, fee, taken });
      expect(found.after).toMatchObject({ ok, toMerchant, fee, taken });
    }),
    {
      numRuns: 150,
      examples: [
        [wholeAfterPart],
        [{ ...wholeAfterPart, amount: wholeAfterPart.remaining }],
        [{ ...wholeAfterPart, growths: [parseMoney('100')], partialRedemptions: 20 }],
      ],
    },
  );
  // Most of the drawn claims send a code.
  expect(claimed).toBeGreaterThan(50);
});
