import { randomBytes } from 'node:crypto';
import { randomSerialNumber } from '../../src/crypto/random.ts';
import { partnerAuthority } from '../../src/db/access/access.ts';
import type { Database } from '../../src/db/connection.ts';
import type { GenerationRequest } from '../../src/db/vouchers/generation.ts';
import { type Refusal, refuse } from '../../src/domain/refusals.ts';
import type { Caller } from '../../src/domain/voucher.ts';
import {
  type GenerationFacts,
  refuseGeneration,
  refuseGenerator,
} from '../../src/domain/vouchers/generation.ts';
import { voucherCodeFromRandom } from '../../src/domain/vouchers/voucher-code.ts';
import type { GenerateVoucherCommand } from '../../workflows/contracts.ts';
import { countOfEvent } from '../budget-alarm.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** The voucher of a command, with a new code and serial number. */
export function generationRequest(
  dependencies: ActivityDependencies,
  command: GenerateVoucherCommand,
): GenerationRequest {
  const { digests, secretBox, limits, numbers } = dependencies;
  const code = voucherCodeFromRandom(randomBytes(15));
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
    validityDays: limits.voucherValidityDays,
  };
}

/** A concurrent voucher spent the balance. */
export const moneyInsufficient = refuse('money-insufficient');

/** The refusal of a generation that wrote nothing: the first failing rule, or else its caller. */
export const refusalOfGeneration = async (
  database: Database,
  facts: GenerationFacts,
  caller: Caller,
): Promise<Refusal> =>
  refuseGeneration(facts) ??
  refuseGenerator(await partnerAuthority(database, caller, 'generate-voucher')) ??
  // Its suspension ended after the statement.
  refuse('account-suspended');
