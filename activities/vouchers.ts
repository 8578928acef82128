import { randomBytes } from 'node:crypto';
import { randomSerialNumber } from '../src/crypto/random.js';
import { isAdmitted } from '../src/db/access.js';
import { violates } from '../src/db/connection.js';
import {
  type GenerationFacts,
  generationFacts,
  insertVoucher,
  voucherOfOperation,
} from '../src/db/generation.js';
import { balanceConstraint } from '../src/db/ledger.js';
import {
  findOperation,
  isSuperseded,
  outcomeFor,
  recordRefusal,
  storedOutcome,
} from '../src/db/operations.js';
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

export function createVoucherActivities(dependencies: ActivityDependencies) {
  const { database, failpoint } = dependencies;

  /**
   * Generates a voucher (specification 4.1): one read, and one statement that writes everything.
   * Repeated with the same operation it gives the first answer.
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
    const facts = await generationFacts(database, { ...command, partnerId: command.company.id });
    if (facts.operation && !isSuperseded(facts.operation, command.requestDigest))
      return storedOutcome(facts.operation);
    const terms = refuseOrTerms(facts);
    if ('reason' in terms) return recordRefusal(database, command, 'generate-voucher', terms);
    await failpoint('generate-checked');
    try {
      const voucherId = await insertVoucher(database, newVoucher(command, terms));
      await failpoint('generate-committed');
      return voucherId === undefined
        ? recordRefusal(database, command, 'generate-voucher', await refuseCaller(command))
        : outcomeFor(command, { ok: true, voucherId });
    } catch (error) {
      if (violates(error, balanceConstraint))
        return recordRefusal(database, command, 'generate-voucher', refuse('money-insufficient'));
      // A duplicate was quicker by a moment: its answer is there now.
      if (violates(error, 'vouchers_operation_id_key')) return earlierVoucher(command);
      throw error;
    }
  }

  const refuseCaller = async ({ company }: GenerateVoucherCommand): Promise<Refusal> =>
    refuse((await isAdmitted(database, company)) ? 'account-suspended' : 'token-invalid');

  /** What the operation generated before; its row may be pruned, its voucher never is. */
  async function earlierVoucher(
    command: GenerateVoucherCommand,
  ): Promise<OperationOutcome<GeneratedVoucher>> {
    const stored = await findOperation(database, command.operationId);
    if (stored) return storedOutcome(stored);
    const { id } = await voucherOfOperation(database, command.operationId);
    return outcomeFor(command, { ok: true, voucherId: id });
  }

  function newVoucher(command: GenerateVoucherCommand, terms: GenerationTerms) {
    const code = voucherCodeFromRandom(randomBytes(15));
    return {
      ...command.sale,
      ...terms,
      operationId: command.operationId,
      requestId: command.requestId,
      requestDigest: command.requestDigest,
      partner: command.company,
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

interface GenerationTerms {
  readonly merchantId: number;
  readonly amount: string;
  readonly sellingPriceUsd: string;
}

/** The ladder of a generation: the first rung that fails is the answer. */
function refuseOrTerms(facts: GenerationFacts): GenerationTerms | Refusal {
  const { merchantId, denominationAmount, sellingPriceUsd } = facts;
  if (!facts.hasAccess) return refuse('product-not-accessible');
  if (denominationAmount === null) return refuse('denomination-not-found');
  if (merchantId === null) return refuse('merchant-not-found');
  if (sellingPriceUsd === null) return refuse('price-not-defined');
  if (parseMoney(facts.giftBalance) < parseMoney(denominationAmount))
    return refuse('money-insufficient');
  return { merchantId, amount: denominationAmount, sellingPriceUsd };
}
