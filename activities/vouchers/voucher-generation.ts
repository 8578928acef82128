import { randomBytes } from 'node:crypto';
import { randomSerialNumber } from '../../src/crypto/random.js';
import { partnerAuthority } from '../../src/db/access/access.js';
import type { Database } from '../../src/db/connection.js';
import type { GenerationRequest } from '../../src/db/vouchers/generation.js';
import { type Refusal, refuse } from '../../src/domain/refusals.js';
import type { Caller } from '../../src/domain/voucher.js';
import {
  type GenerationFacts,
  refuseGeneration,
  refuseGenerator,
} from '../../src/domain/vouchers/generation.js';
import { voucherCodeFromRandom } from '../../src/domain/vouchers/voucher-code.js';
import type { GenerateVoucherCommand } from '../../workflows/contracts.js';
import { countOfEvent } from '../budget-alarm.js';
import type { ActivityDependencies } from '../dependencies.js';

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
    earlierDigests: command.earlierDigests ?? [],
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
  refuseGenerator(await partnerAuthority(database, caller, 'vouchers')) ??
  // Its suspension ended after the statement.
  refuse('account-suspended');
