import { randomBytes } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { createDigests } from '../../src/crypto/digests.ts';
import { connectDatabase } from '../../src/db/connection.ts';
import { outcomeFor } from '../../src/db/operations.ts';
import { refuse } from '../../src/domain/refusals.ts';
import type { Services } from '../../src/http/services.ts';
import { generateVoucherOnce } from '../../src/operations/vouchers.ts';
import { createLogger } from '../../src/runtime/process/logger.ts';
import type { GenerateVoucherCommand } from '../../workflows/contracts.ts';

/** Nobody listens there. */
const database = connectDatabase('postgres://127.0.0.1:1/nothing', { poolSize: 1 });
afterAll(() => database.destroy());

it('a voucher that cannot be read after its generation is not to be generated again', async () => {
  const voucher = { ownerMsisdn: null } as GenerateVoucherCommand;
  const services = {
    database,
    digests: createDigests({ digestKey: randomBytes(32) }),
    waits: { callerWaitMs: 1_000 },
    logger: createLogger('silent', 'test'),
    settings: { market: { servedCountries: ['ET'] } },
    workflows: {
      call: async (_call: unknown, command: GenerateVoucherCommand) =>
        outcomeFor(command, { ok: true, voucherId: 17 }),
    },
  } as unknown as Services;
  const company = { kind: 'partner', id: 7 } as const;
  const request = { company, key: undefined, content: {}, voucher };
  expect(await generateVoucherOnce(services, request)).toEqual({
    result: refuse('generation-unknown'),
    replayed: false,
  });
});
