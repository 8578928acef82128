import { randomBytes } from 'node:crypto';
import { randomSerialNumber } from '../src/crypto/random.js';
import { isAdmitted } from '../src/db/access/access.js';
import { violates } from '../src/db/connection.js';
import { balanceConstraint } from '../src/db/ledger/ledger.js';
import {
  isSuperseded,
  outcomeFor,
  recordRefusal,
  storedOutcome,
} from '../src/db/operations/operations.js';
import { findOperation } from '../src/db/operations/stored-operations.js';
import {
  type GenerationFacts,
  type GenerationRequest,
  insertVoucher,
} from '../src/db/vouchers/generation.js';
import { type Refusal, refuse } from '../src/domain/errors.js';
import { parseMoney } from '../src/domain/money.js';
import { voucherCodeFromRandom } from '../src/domain/voucher-code.js';
import type {
  GeneratedVoucher,
  GenerateVoucherCommand,
  OperationOutcome,
} from '../workflows/messages.js';
import { refusalOf } from './database-step.js';
import type { ActivityDependencies } from './dependencies.js';

const KIND = 'generate-voucher';

export function createVoucherActivities(dependencies: ActivityDependencies) {
  const { database, failpoint } = dependencies;

  /**
   * Generates a voucher (specification 4.1) in one statement that checks and writes everything.
   * Idempotent by operation.
   */
  async function generateVoucher(
    command: GenerateVoucherCommand,
  ): Promise<OperationOutcome<GeneratedVoucher>> {
    try {
      return await generate(command);
    } catch (error) {
      return outcomeFor(command, await refusalOf(database, command, error));
    }
  }

  async function generate(
    command: GenerateVoucherCommand,
  ): Promise<OperationOutcome<GeneratedVoucher>> {
    const end = (refusal: Refusal) =>
      recordRefusal<GeneratedVoucher>(database, command, KIND, refusal);
    await failpoint('generate-begun');
    try {
      const { voucherId, ...facts } = await insertVoucher(database, requestOf(command));
      await failpoint('generate-committed');
      if (voucherId !== null) return outcomeFor(command, { ok: true, voucherId });
      if (facts.operation && !isSuperseded(facts.operation, command))
        return storedOutcome(facts.operation);
      return end(refusalFor(facts) ?? (await refuseCaller(command)));
    } catch (error) {
      // A concurrent voucher spent the balance.
      if (violates(error, balanceConstraint)) return end(moneyInsufficient);
      // A concurrent duplicate has written its answer.
      if (violates(error, 'vouchers_operation_id_key')) return earlierVoucher(command);
      throw error;
    }
  }

  const refuseCaller = async ({ company }: GenerateVoucherCommand): Promise<Refusal> =>
    refuse((await isAdmitted(database, company)) ? 'account-suspended' : 'token-invalid');

  /** The voucher of a concurrent duplicate. */
  async function earlierVoucher(
    command: GenerateVoucherCommand,
  ): Promise<OperationOutcome<GeneratedVoucher>> {
    const stored = await findOperation(database, KIND, command.operationId);
    if (!stored) throw new Error('A voucher without an operation');
    return storedOutcome(stored);
  }

  function requestOf(command: GenerateVoucherCommand): GenerationRequest {
    const code = voucherCodeFromRandom(randomBytes(15));
    return {
      ...command.sale,
      operationId: command.operationId,
      requestId: command.requestId,
      requestDigest: command.requestDigest,
      earlierDigests: command.earlierDigests ?? [],
      partner: command.company,
      merchant: command.merchant,
      denominationId: command.denominationId,
      ownerMsisdn: command.ownerMsisdn,
      isRestricted: command.isRestricted,
      serialNumber: randomSerialNumber(),
      codeDigest: dependencies.digests.voucherCode(code),
      codeCiphertext: dependencies.secretBox.seal(code, `voucher ${command.operationId}`),
      validityDays: dependencies.limits.voucherValidityDays,
    };
  }

  return { generateVoucher };
}

const moneyInsufficient = refuse('money-insufficient');

/** The refusal of a generation: the first failing rule. */
function refusalFor(facts: GenerationFacts): Refusal | undefined {
  const { merchantId, denominationAmount, sellingPriceUsd } = facts;
  if (!facts.hasAccess) return refuse('product-not-accessible');
  if (denominationAmount === null) return refuse('denomination-not-found');
  if (merchantId === null) return refuse('merchant-not-found');
  if (sellingPriceUsd === null) return refuse('price-not-defined');
  if (parseMoney(facts.giftBalance) < parseMoney(denominationAmount)) return moneyInsufficient;
  return undefined;
}
