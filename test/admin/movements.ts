import { randomBytes, randomUUID } from 'node:crypto';
import type { ActivityDependencies } from '../../activities/dependencies.js';
import { createMessageSender } from '../../activities/messages/messages.js';
import { createRedemptionActivities } from '../../activities/redemptions/redemptions.js';
import { createDigests } from '../../src/crypto/digests.js';
import { addApiKey } from '../../src/db/catalogue/companies.js';
import type { Database } from '../../src/db/connection.js';
import { addTransfers, type Transfer } from '../../src/db/ledger/ledger.js';
import { beginAttempt, endAttempt } from '../../src/db/topups/topup-attempts.js';
import { expireVouchers } from '../../src/db/vouchers/expiry.js';
import { parseMoney } from '../../src/domain/money.js';
import type { Company } from '../../src/domain/voucher.js';
import { createFailpoint } from '../../src/process/failpoint.js';
import { lookUpByPrefix } from '../../src/providers/airtime/operator-lookup.js';
import type { OperationOutcome, RedemptionMade } from '../../workflows/contracts.js';
import { inClear, testNumbers } from '../end-to-end/privacy/stored-numbers.js';
import { setOfOne } from '../providers/set-of-one.js';
import { recordedTopUp } from '../support/topups.js';
import { addVoucher } from '../support/vouchers.js';
import type { Catalogue } from './scene.js';

/** Adds a voucher as the service leaves it; without an owner unless one is named. */
export const makeVoucher = (
  database: Database,
  catalogue: Catalogue,
  options: { amount?: string; ownerMsisdn?: string; validityDays?: number } = {},
): Promise<{ id: number; serialNumber: string }> =>
  addVoucher(database, catalogue, { amount: '500', ...options });

/** The two phases of a redemption of an anonymous voucher, as the workflow runs them. */
export function redemptions(database: Database, catalogue: Catalogue) {
  // The only dependencies that these activities touch.
  const dependencies = {
    database,
    digests: createDigests(Buffer.alloc(32, 7)),
    numbers: testNumbers,
    limits: {
      wrongCodesPerDay: 5,
      wrongCodesBeforeLongCodes: 20,
      wrongCodesPerCompanyAndDay: 100,
      messagesPerCompanyAndDay: 100,
      messagesPerNumberAndDay: 20,
      redemptionMinimum: 1n,
      partialRedemptionsPerVoucher: 20,
      servedCountries: ['ET'],
      reversalWatchSeconds: 0,
      reversalWindowSeconds: 0,
      perNumberAndDay: { vouchers: 0, redemptions: 0, topups: 0 },
    },
    mobileMoney: setOfOne('gsma', { canCarry: () => true }),
    operatorLookup: lookUpByPrefix,
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
    post: (operationId: string) => activities.postRedemption(operationId, 'MM-1'),
    void: (operationId: string) => activities.voidRedemption(operationId, 'no such account'),
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
  database.transaction().execute((transaction) => expireVouchers(transaction, 1_000));

/** A top-up of one attempt, held as the service does, and brought to its end if it has one. */
export async function topUp(
  database: Database,
  partnerId: number,
  amount: string,
  options: { ending?: 'SUCCESS' | 'FAILED' | undefined; productId?: number } = {},
): Promise<number> {
  const { ending, productId = null } = options;
  const operationId = randomUUID().replaceAll('-', '');
  const move = (step: string, debit: Transfer['debit'], credit: Transfer['credit']) => ({
    operationId,
    partnerId,
    step,
    debit,
    credit,
    amount: parseMoney(amount),
  });
  return database.transaction().execute(async (transaction) => {
    const topupId = await recordedTopUp(
      transaction,
      { operationId, requestDigest: 'digest' },
      { partnerId, amount, msisdn: '+251911222333', productId },
    );
    await beginAttempt(transaction, {
      topupId,
      attempt: 1,
      operationId,
      reference: `${operationId}-1`,
      msisdn: inClear('+251911222333'),
      operator: 'ETHIO_TELECOM',
      amount,
      productId,
      providerProductId: null,
      provider: 'dt-one',
      numberCount: undefined,
    });
    await addTransfers(transaction, [move('hold', 'airtime', 'airtime-hold')]);
    if (ending !== undefined) {
      const end =
        ending === 'SUCCESS'
          ? (['post', 'airtime-clearing'] as const)
          : (['void', 'airtime'] as const);
      await addTransfers(transaction, [move(end[0], 'airtime-hold', end[1])]);
      const attempt = { operationId, topupId };
      const told = { providerReference: null, message: '', notDoneBy: null, isReversed: false };
      const outcome = { status: ending, ...told };
      await endAttempt(transaction, attempt, outcome, 0);
    }
    return topupId;
  });
}
