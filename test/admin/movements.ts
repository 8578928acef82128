import { randomBytes, randomUUID } from 'node:crypto';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { createMessageSender } from '../../activities/messages.ts';
import { createRedemptionActivities } from '../../activities/redemptions/redemptions.ts';
import { createDigests } from '../../src/crypto/digests.ts';
import { addApiKey } from '../../src/db/catalogue/companies.ts';
import type { Database, DatabaseTransaction } from '../../src/db/connection.ts';
import { holdAirtime } from '../../src/db/ledger/ledger.ts';
import { endOrder } from '../../src/db/positions/book.ts';
import { lockOrder } from '../../src/db/positions/orders.ts';
import { beginAttempt } from '../../src/db/topups/attempts.ts';
import { expireDueVouchers } from '../../src/db/vouchers/expiry.ts';
import { parseMoney } from '../../src/domain/money.ts';
import type { NumberBox } from '../../src/domain/phone.ts';
import type { OperationOutcome } from '../../src/domain/refusals.ts';
import type { Company } from '../../src/domain/vouchers/voucher.ts';
import { createFailpoint } from '../../src/runtime/process/failpoint.ts';
import type { RedemptionMade } from '../../workflows/contracts.ts';
import { testNumbers } from '../end-to-end/privacy/stored-numbers.ts';
import { settleAlone } from '../positions/cases.ts';
import { takenBack } from '../positions/placements.ts';
import { setOfOne } from '../providers/set-of-one.ts';
import { recordedTopup } from '../support/topups.ts';
import { addVoucher, cancelAlone } from '../support/vouchers.ts';
import type { Catalogue } from './scene.ts';

/** Adds a voucher as the service leaves it; without an owner unless one is named. */
export const makeVoucher = (
  database: Database,
  catalogue: Catalogue,
  options: { amount?: string; ownerMsisdn?: string; validityDays?: number } = {},
): Promise<{ id: number; serialNumber: string }> =>
  addVoucher(database, catalogue, { amount: '500', ...options });

/** Cancels a voucher; no worker carries out the repair here. */
export const cancel = (database: Database, voucherId: number) =>
  database.transaction().execute((transaction) => cancelAlone(transaction, voucherId));

/** The two phases of a redemption of an anonymous voucher, as the workflow runs them. */
export function redemptions(database: Database, catalogue: Catalogue) {
  // The only dependencies that these activities touch.
  const dependencies = {
    database,
    digests: createDigests({ digestKey: Buffer.alloc(32, 7) }),
    numbers: testNumbers,
    settings: {
      market: { servedCountries: ['ET'] },
      vouchers: {
        codeAttemptsBeforeLongCodes: 20,
        codeAttemptsPerCompanyAndDay: 100,
        messagesPerCompanyAndDay: 100,
        messagesPerNumberAndDay: 20,
        redemptionMinimum: 1n,
        partialRedemptionsPerVoucher: 20,
        redemptionsPerNumberAndDay: 0,
        reversalWindowSeconds: 0,
      },
      topups: { reversalWatchSeconds: 0 },
    },
    mobileMoney: setOfOne('gsma', { canCarry: () => true }),
    failpoint: createFailpoint(undefined),
  } as unknown as ActivityDependencies;
  const activities = createRedemptionActivities(dependencies, createMessageSender(dependencies));
  return {
    /** The operation's id, or the reason why it was refused. */
    async hold(voucherId: number, amount: string | null = null): Promise<string> {
      const operationId = randomUUID().replaceAll('-', '');
      const held = await activities.holdRedemption({
        operationId,
        requestId: randomUUID(),
        requestDigest: operationId,
        company: {
          kind: 'merchant',
          id: catalogue.merchantId,
          credential: await credentialOf(database, 'merchant', catalogue.merchantId),
        },
        voucherId,
        hasKey: true,
        merchantId: null,
        amount,
        verificationCodeDigest: null,
        msisdn: null,
      });
      return held.kind === 'held' ? operationId : reasonOf(held.outcome);
    },
    post: (
      operationId: string,
      said: { readonly by: 'provider' | 'staff'; readonly at?: string } = { by: 'provider' },
    ) =>
      activities.endRedemption(
        operationId,
        { kind: 'done', providerReference: 'MM-1', ...said },
        null,
      ),
    void: (operationId: string) =>
      activities.endRedemption(
        operationId,
        { kind: 'not-done', message: 'no such account', by: 'provider' },
        null,
      ),
  };
}

/** What a token of a new API key would say. */
export async function credentialOf(database: Database, kind: Company['kind'], id: number) {
  const apiKeyId = await addApiKey(
    database,
    { kind, id },
    { name: 'test', prefix: 'test', digest: randomBytes(32) },
  );
  return { apiKeyId, tokenVersion: 1 };
}

const reasonOf = ({ result }: OperationOutcome<RedemptionMade>) =>
  'reason' in result ? result.reason : 'redeemed';

export const expireAll = (database: Database) =>
  database.transaction().execute((transaction) => expireDueVouchers(transaction, 1_000));

type Ending = 'SUCCESS' | 'FAILED' | undefined;

/** A top-up of one attempt, held as the service does, and brought to its end if it has one. */
export async function topup(
  database: Database,
  partnerId: number,
  amount: string,
  options: { ending?: Ending; productId?: number; numbers?: NumberBox } = {},
): Promise<number> {
  const { ending, productId = null, numbers = testNumbers } = options;
  const operationId = randomOperation();
  return database.transaction().execute(async (transaction) => {
    const topupId = await recordedTopup(
      { database: transaction, numbers },
      { operationId, requestDigest: 'digest' },
      { partnerId, amount, msisdn: '+251911222333', productId },
    );
    const made = { topupId, partnerId, operationId, amount, productId, ending };
    await attempt(transaction, made, numbers);
    return topupId;
  });
}

/** The provider takes a delivered top-up back, the partner gets its money, and retries it at another price. */
export async function takenBackAndRetried(
  database: Database,
  topupId: number,
  amount: string,
  numbers: NumberBox = testNumbers,
): Promise<void> {
  const { operation_id, reference, partner_id, product_id } = await database
    .selectFrom('topup_attempts')
    .innerJoin('topups', 'topups.id', 'topup_id')
    .select(['topup_attempts.operation_id', 'reference', 'partner_id', 'product_id'])
    .where('topup_id', '=', topupId)
    .executeTakeFirstOrThrow();
  await takenBack(database, operation_id);
  await settleAlone(database, reference, 'payer');
  const made = {
    topupId,
    number: 2,
    operationId: randomOperation(),
    partnerId: partner_id,
    productId: product_id,
    amount,
    ending: 'SUCCESS' as const,
  };
  await database.transaction().execute((transaction) => attempt(transaction, made, numbers));
}

const randomOperation = () => randomUUID().replaceAll('-', '');

async function attempt(
  transaction: DatabaseTransaction,
  made: {
    readonly topupId: number;
    readonly number?: number;
    readonly partnerId: number;
    readonly operationId: string;
    readonly amount: string;
    readonly productId: number | null;
    readonly ending: Ending;
  },
  numbers: NumberBox,
): Promise<void> {
  const { topupId, number = 1, partnerId, operationId, amount, productId, ending } = made;
  await beginAttempt(transaction, {
    topup_id: topupId,
    attempt: number,
    operation_id: operationId,
    reference: `${operationId}-${number}`,
    msisdn: numbers.store('+251911222333'),
    operator: 'ETHIO_TELECOM',
    amount,
    productId,
    provider_product_id: null,
    provider: 'dt-one',
    numberCount: undefined,
  });
  await holdAirtime(transaction, { operationId, partnerId, amount: parseMoney(amount) });
  if (ending === undefined) return;
  await endOrder(
    transaction,
    await lockOrder(transaction, operationId),
    ending === 'SUCCESS'
      ? { kind: 'done', providerReference: '', by: 'provider' }
      : { kind: 'not-done', message: '', by: 'provider' },
    { reversalWatchSeconds: 0 },
  );
}
