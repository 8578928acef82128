import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { compareFile } from '../../../activities/compare-statement.ts';
import { listCases } from '../../../src/db/positions/cases.ts';
import type { StatementProvider } from '../../../src/db/provider-statements/statements.ts';
import type { Day } from '../../../src/domain/day-report.ts';
import type { ProviderStatementLine } from '../../../src/domain/positions/statement-line.ts';
import { makeVoucher, redemptions, takenBackAndRetried, topup } from '../../admin/movements.ts';
import {
  type AdminScene,
  type Catalogue,
  makeFundedCatalogue,
  openScene,
} from '../../admin/scene.ts';
import { moveRows } from './move-rows.ts';

export const gsma = { name: 'gsma', kind: 'mobile-money' } as const;
export const dtOne = { name: 'dt-one', kind: 'airtime' } as const;
export const reloadly = { name: 'reloadly', kind: 'airtime' } as const;
export const settings = {
  providerStatementMarginSeconds: 1_800,
  patienceDays: 3,
  maximumDifferences: 20,
  reversalWatchSeconds: 0,
};
export const patient = { ...settings, patienceDays: 100_000 };
export const zone = 'Africa/Addis_Ababa';
/** A comparison that finds nothing. */
export const same = { kind: 'compared', observed: 0, unexplained: 0 };

/** How a payment of a scene ends. */
export type PaymentEnding = 'post' | 'void' | 'hold';

/** A database with a funded partner, and provider statements of it. Each test has a day of its own. */
export function statementScene() {
  let scene: AdminScene;
  let catalogue: Catalogue;
  /** Old, so that nothing is late unless a test makes it so. */
  let number = 0;
  let day: Day;
  let noon: Date;
  let transactions = 0;

  beforeAll(async () => {
    scene = await openScene();
    catalogue = await makeFundedCatalogue(scene);
  });
  afterAll(() => scene?.close());
  beforeEach(() => {
    number += 1;
    noon = new Date(Date.parse('2026-01-01T09:00:00Z') + number * 3 * 86_400_000);
    day = noon.toJSON().slice(0, 10) as Day;
  });

  const hoursAfter = (hours: number) => new Date(noon.getTime() + hours * 3_600_000);
  const dayAfter = (days: number) =>
    hoursAfter(24 * days)
      .toJSON()
      .slice(0, 10) as Day;

  /** A payment of 487.50; its reference. */
  async function pay(ending: PaymentEnding = 'post', at = noon): Promise<string> {
    const redeem = redemptions(scene.database, catalogue);
    const { id } = await makeVoucher(scene.database, catalogue);
    const operationId = await redeem.hold(id);
    if (ending !== 'hold') await redeem[ending](operationId);
    const { rows } = await sql<{ reference: string }>`
      select payment_reference::text as reference from redemptions
      where operation_id = ${operationId}`.execute(scene.database);
    const reference = rows[0]?.reference ?? '';
    await moveRows(scene.database, [reference], { began: at, ended: at });
    return reference;
  }

  /** A top-up of 50; the reference of its first attempt. */
  async function deliver(
    ending: 'SUCCESS' | 'FAILED' | undefined = 'SUCCESS',
    retriedAt?: string,
  ): Promise<string> {
    const id = await topup(scene.database, catalogue.partnerId, '50', { ending });
    if (retriedAt !== undefined) await takenBackAndRetried(scene.database, id, retriedAt);
    const { rows } = await sql<{ reference: string }>`
      select reference from topup_attempts where topup_id = ${id} and attempt = 1`.execute(
      scene.database,
    );
    const reference = rows[0]?.reference ?? '';
    await moveRows(scene.database, [reference], { began: noon, ended: noon });
    return reference;
  }

  function line(
    reference: string | null,
    other: Partial<ProviderStatementLine> = {},
  ): ProviderStatementLine {
    transactions += 1;
    return {
      kind: 'payment',
      providerReference: `T${transactions}`,
      reference,
      status: 'completed',
      amount: '487.5',
      currency: 'ETB',
      fee: null,
      feeCurrency: null,
      at: noon,
      ...other,
    };
  }

  const compare = (
    lines: readonly ProviderStatementLine[],
    on = day,
    provider: StatementProvider = gsma,
  ) => compareFile(scene.database, { provider, day: on, zone }, lines, settings);

  /** The open cases of what a test has made: why, the amount and our reference. */
  async function open(...references: readonly (string | null)[]) {
    const cases = await listCases(scene.database, { includeClosed: false, limit: 1_000 });
    return cases
      .filter(({ reference, subject }) =>
        reference === null ? subject.includes(` ${day} `) : references.includes(reference),
      )
      .map(({ why, amount, reference }) => [why, Number(amount), reference]);
  }

  return {
    get database() {
      return scene.database;
    },
    get redeem() {
      return redemptions(scene.database, catalogue);
    },
    /** Of the test, in `zone`. */
    get day() {
      return day;
    },
    get number() {
      return number;
    },
    hoursAfter,
    dayAfter,
    pay,
    deliver,
    line,
    compare,
    open,
  };
}
