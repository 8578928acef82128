import { randomBytes } from 'node:crypto';
import { randomSerialNumber } from '../../src/crypto/random.ts';
import { companyAuthority } from '../../src/db/access/access.ts';
import { type Database, isDefiniteDatabaseError, violates } from '../../src/db/connection.ts';
import {
  findOperation,
  outcomeFor,
  recordRefusal,
  storedOutcome,
} from '../../src/db/operations.ts';
import {
  type Generation,
  type GenerationRequest,
  insertVouchers,
} from '../../src/db/vouchers/generation.ts';
import { refusePartner } from '../../src/domain/access.ts';
import { type OperationOutcome, type Refusal, refuse } from '../../src/domain/refusals.ts';
import {
  type Caller,
  type GenerationFacts,
  refuseGeneration,
  voucherCodeFromRandom,
} from '../../src/domain/vouchers/voucher.ts';
import type { GeneratedVoucher, GenerateVoucherCommand } from '../../workflows/contracts.ts';
import { countOfEvent, refusalOfSpending, withinNumberLimit } from '../budgets.ts';
import { outcomeAfter } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { createGroups } from '../groups.ts';

/** The voucher of a command, with a new code and serial number. */
export function generationRequest(
  dependencies: ActivityDependencies,
  command: GenerateVoucherCommand,
): GenerationRequest {
  const { digests, secretBox, settings, numbers } = dependencies;
  const code = voucherCodeFromRandom(randomBytes(14));
  return {
    ...command.sale,
    operationId: command.operationId,
    requestId: command.requestId,
    requestDigest: command.requestDigest,
    partner: command.company,
    merchant: command.merchant,
    denominationId: command.denominationId,
    owner: numbers.storeIfAny(command.ownerMsisdn),
    numberCount: countOfEvent(dependencies, 'vouchers', command.ownerMsisdn),
    isRestricted: command.isRestricted,
    serialNumber: randomSerialNumber(),
    codeDigest: digests.voucherCode(code),
    codeCiphertext: secretBox.seal(code, `voucher ${command.operationId}`),
    validityDays: settings.vouchers.voucherValidityDays,
  };
}

/** The refusal of a generation that wrote nothing: the first failing rule, or else its caller. */
export const refusalOfGeneration = async (
  database: Database,
  facts: GenerationFacts,
  caller: Caller,
): Promise<Refusal> =>
  refuseGeneration(facts) ??
  refusePartner(await companyAuthority(database, caller, 'generate-voucher')) ??
  // Its suspension ended after the statement.
  refuse('account-suspended');

const KIND = 'generate-voucher';

/** Vouchers of one statement: it keeps the wallet of the partner locked. */
const LARGEST_GROUP = 50;

/** Generates each voucher of one caller, together if all of them can be. */
export async function generateTogether(
  database: Database,
  requests: readonly GenerationRequest[],
): Promise<readonly PromiseSettledResult<Generation>[]> {
  const [first, ...others] = requests;
  if (first === undefined) return [];
  try {
    const generated = await insertVouchers(database, [first, ...others]);
    return generated.map((value) => ({ status: 'fulfilled', value }));
  } catch (reason) {
    // Without a definite answer of the database all of them may have been written.
    if (others.length === 0 || !isDefiniteDatabaseError(reason))
      return requests.map(() => ({ status: 'rejected', reason }));
  }
  const results: PromiseSettledResult<Generation>[] = [];
  for (const request of requests) results.push(...(await generateTogether(database, [request])));
  return results;
}

/**
 * Generates vouchers by one statement of a caller at a time, because concurrent statements would wait for the wallet
 * of the partner. Vouchers that come meanwhile go into the next statement.
 */
export function createGenerations(
  database: Database,
): (request: GenerationRequest) => Promise<Generation> {
  const add = createGroups<GenerationRequest, Generation>({
    maximum: LARGEST_GROUP,
    carryOut: (requests) => generateTogether(database, requests),
  });
  return (request) => add(JSON.stringify(request.partner), request);
}

export function createVoucherActivities(dependencies: ActivityDependencies) {
  const { database, failpoint } = dependencies;
  const insertAmongOthers = createGenerations(database);

  /**
   * Generates a voucher (specification 4.1) in one statement that checks and writes everything, together with
   * those of the same caller that wait meanwhile. Idempotent by operation.
   */
  async function generateVoucher(
    command: GenerateVoucherCommand,
  ): Promise<OperationOutcome<GeneratedVoucher>> {
    try {
      return await generate(command);
    } catch (error) {
      return outcomeAfter(database, command, error);
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
        () => insertAmongOthers(request),
      );
      await failpoint('generate-committed');
      if (voucherId !== null) return outcomeFor(command, { ok: true, voucherId });
      if (facts.operation) return storedOutcome(facts.operation);
      return end(await refusalOfGeneration(database, facts, command.company));
    } catch (error) {
      const refusal = await refusalOfSpending(database, command.company, error);
      if (refusal) return end(refusal);
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
    if (!stored) throw new Error('The voucher has no operation');
    return storedOutcome(stored);
  }

  return { generateVoucher };
}
