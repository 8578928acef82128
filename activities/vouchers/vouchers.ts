import { violates } from '../../src/db/connection.ts';
import { balanceConstraint } from '../../src/db/ledger/ledger.ts';
import { refusalByDailyLimits } from '../../src/db/limits/daily-limit-refusal.ts';
import { dailyLimitConstraint } from '../../src/db/limits/daily-spending.ts';
import { outcomeFor, recordRefusal, storedOutcome } from '../../src/db/operations/operations.ts';
import { findOperation } from '../../src/db/operations/stored-operations.ts';
import { insertVoucher } from '../../src/db/vouchers/generation.ts';
import type { Refusal } from '../../src/domain/refusals.ts';
import type {
  GeneratedVoucher,
  GenerateVoucherCommand,
  OperationOutcome,
} from '../../workflows/contracts.ts';
import { withinNumberLimit } from '../budget-alarm.ts';
import { refusalOf } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { generationRequest, moneyInsufficient, refusalOfGeneration } from './voucher-generation.ts';

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
      const request = generationRequest(dependencies, command);
      const { voucherId, ...facts } = await withinNumberLimit(
        request.numberCount,
        command.company,
        () => insertVoucher(database, request),
      );
      await failpoint('generate-committed');
      if (voucherId !== null) return outcomeFor(command, { ok: true, voucherId });
      if (facts.operation) return storedOutcome(facts.operation);
      return end(await refusalOfGeneration(database, facts, command.company));
    } catch (error) {
      // A concurrent voucher spent the balance.
      if (violates(error, balanceConstraint)) return end(moneyInsufficient);
      if (violates(error, dailyLimitConstraint))
        return end(await refusalByDailyLimits(database, command.company));
      // A concurrent duplicate has written its answer.
      if (violates(error, 'vouchers_operation_id_key')) return earlierVoucher(command);
      throw error;
    }
  }

  /** The voucher of a concurrent duplicate. */
  async function earlierVoucher(
    command: GenerateVoucherCommand,
  ): Promise<OperationOutcome<GeneratedVoucher>> {
    const stored = await findOperation(database, KIND, command.operationId);
    if (!stored) throw new Error('A voucher without an operation');
    return storedOutcome(stored);
  }

  return { generateVoucher };
}
