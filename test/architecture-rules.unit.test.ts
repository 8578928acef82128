import { describe, expect, it } from 'vitest';
import {
  environmentProblem,
  importProblem,
  importsOf,
  moduleStateProblem,
  pathProblem,
  sessionProblem,
} from './architecture-rules.ts';

describe('the rules of the architecture', () => {
  it.each([
    ['src/domain/topup.ts', "import { parseMoney } from './money.ts';", true],
    ['src/domain/phone.ts', "import { parse } from 'libphonenumber-js/mobile';", true],
    ['src/domain/vouchers/voucher.ts', "import { z } from 'zod';", false],
    ['src/domain/vouchers/voucher.ts', "import { createHash } from 'node:crypto';", false],
    ['src/domain/topup.ts', "import type { Schema } from '../db/schema.ts';", false],
    ['workflows/top-up.ts', "import { sleep } from '@temporalio/workflow';", true],
    ['workflows/top-up.ts', "import { refuse } from '../src/domain/refusals.ts';", true],
    ['workflows/top-up.ts', "import type { Activities } from '../activities/index.ts';", true],
    ['workflows/top-up.ts', "import { createActivities } from '../activities/index.ts';", false],
    ['workflows/top-up.ts', "import { type Activities } from '../activities/index.ts';", false],
    ['workflows/top-up.ts', "const { z } = await import('zod');", false],
    ['workflows/top-up.ts', "import 'node:fs';", false],
    ['workflows/top-up.ts', "import {\n  type A,\n  b,\n} from '@temporalio/client';", false],
    [
      'activities/redemptions/redemptions.ts',
      "import { lockVoucher } from '../../src/db/vouchers/vouchers.ts';",
      true,
    ],
    [
      'activities/redemptions/redemptions.ts',
      "import type { Command } from '../../workflows/contracts.ts';",
      true,
    ],
    [
      'activities/redemptions/redemptions.ts',
      "import { update } from '../../workflows/contracts.ts';",
      false,
    ],
    [
      'activities/redemptions/redemptions.ts',
      "import { app } from '../../src/http/app.ts';",
      false,
    ],
    ['src/partner/vouchers.ts', "import { update } from '../../workflows/contracts.ts';", true],
    ['src/http/app.ts', "import type { Sms } from '../providers/sms/sms-sender.ts';", false],
    ['src/merchant/test.ts', "export * from '../../activities/index.ts';", false],
    ['src/merchant/test.ts', "type A = typeof import('../../activities/index.ts');", false],
    ['src/http/app.ts', "import { runApi } from '../api.ts';", false],
    ['src/crypto/digests.ts', "import { createHmac } from 'node:crypto';", true],
    ['src/crypto/digests.ts', "import { secp256k1 } from '@noble/curves/secp256k1.js';", false],
    ['src/crypto/digests.ts', "import { connect } from '../db/connection.ts';", false],
    ['src/operations/topups.ts', "import type { Services } from '../http/services.ts';", false],
    ['clients/typescript/src/list.ts', "import { sign } from 'node:crypto';", true],
    ['clients/typescript/src/list.ts', "import { z } from 'zod';", false],
    ['clients/typescript/src/list.ts', "import { a } from '../../../src/domain/money.ts';", false],
    ['src/http/app.ts', "import { a } from '../../clients/typescript/src/index.ts';", false],
    [
      'src/local/demo/scene.ts',
      "import { a } from '../../../clients/typescript/src/index.ts';",
      true,
    ],
    ['migrations/2026-01-01-1-first.ts', "import { sql } from 'kysely';", true],
    [
      'migrations/2026-01-01-1-first.ts',
      "import type { S } from '../src/db/generated/tables.ts';",
      false,
    ],
    ['src/sandbox/books.ts', "import { client } from '../providers/gsma/client.ts';", false],
    ['src/start.ts', "import { startPostgres } from './local/postgres.ts';", true],
    ['src/api.ts', "import { startPostgres } from './local/postgres.ts';", false],
    ['src/worker.ts', "import { createActivities } from '../activities/index.ts';", true],
    [
      'src/runtime/temporal/connection.ts',
      "import { createActivities } from '../../../activities/index.ts';",
      false,
    ],
    ['src/nowhere/file.ts', "import { z } from 'zod';", false],
    ['src/http/app.ts', "import { wait } from '../../test/support/wait.ts';", false],
    [
      'test/http/app.test.ts',
      "import { createActivities } from '../../activities/index.ts';",
      true,
    ],
    ['src/domain/vouchers/voucher.ts', "// import { z } from 'zod';\n * import('zod')", true],
    [
      'src/domain/vouchers/voucher.ts',
      "export const kind = 'zod';\nconst name = from('zod');",
      true,
    ],
  ])('judge %s: %s', (file, text, isAllowed) => {
    const problems = importsOf(text).filter((one) => importProblem(file, one));
    expect(problems.length === 0).toBe(isAllowed);
  });

  it.each([
    ['src/http/body/json-body.ts', true],
    ['migrations/2026-01-01-1-first.ts', true],
    ['test/http/body/raw-body.test.ts', true],
    ['test/http/raw-body.unit.test.ts', true],
    ['src/http/rawBody.ts', false],
    ['src/http/raw_body.ts', false],
    ['src/Http/raw-body.ts', false],
    ['src/http/utils/raw-body.ts', false],
    ['test/helpers/server.ts', false],
    ['src/services/voucher.ts', false],
  ])('judge the name %s', (file, isAllowed) => {
    expect(pathProblem(file) === undefined).toBe(isAllowed);
  });

  it.each([
    ['src/config/config.ts', 'read(process.env)', true],
    ['src/config/settings/start-settings.ts', 'process.env.HOME', false],
    ['src/runtime/temporal/connection.ts', 'process.env.PORT', false],
    ['src/runtime/temporal/connection.ts', "process['env']", false],
    ['src/runtime/temporal/connection.ts', "import { env } from 'node:process';", false],
    ['src/runtime/temporal/connection.ts', '// process.env is read elsewhere', true],
    ['src/runtime/temporal/connection.ts', 'process.on("SIGTERM", stop)', true],
    ['bench/index.ts', 'process.env.PORT', true],
  ])('judge what %s reads: %s', (file, text, isAllowed) => {
    expect(environmentProblem(file, text) === undefined).toBe(isAllowed);
  });

  it.each([
    ['workflows/top-up.ts', 'let attempts = 0;', false],
    ['workflows/top-up.ts', 'export const seen = new Map<string, number>();', false],
    ['workflows/top-up.ts', 'const waiting: Promise<void>[] = [];', false],
    ['workflows/top-up.ts', "export const words = { late: 'Late' } as const;", true],
    ['workflows/top-up.ts', 'function run() {\n  let attempts = 0;\n}', true],
    ['src/runtime/process/progress.ts', 'let lines = 0;', true],
  ])('judge what %s keeps: %s', (file, text, isAllowed) => {
    expect(moduleStateProblem(file, text) === undefined).toBe(isAllowed);
  });

  it.each([
    ['src/db/migrate.ts', 'sql`select pg_try_advisory_lock(7)`', false],
    ['src/db/migrate.ts', 'sql`\n  select pg_advisory_xact_lock(7)`', true],
    ['src/admin/run-command.ts', 'sql`set statement_timeout = 0`', false],
    ['activities/positions.ts', 'sql`set local statement_timeout = 0`', true],
    ['src/db/events.ts', 'sql`\n  listen events`', false],
    ['src/db/events.ts', 'sql`update events\n  set number = 1`', true],
    ['bench/copy-database.ts', 'sql`set statement_timeout = 0`', true],
  ])('judge what %s leaves in a session: %s', (file, text, isAllowed) => {
    expect(sessionProblem(file, text) === undefined).toBe(isAllowed);
  });
});
