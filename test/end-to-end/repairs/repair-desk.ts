import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import { sql } from 'kysely';
import { createNumberHash } from '../../../src/crypto/phone-numbers.ts';
import { createSecretBox } from '../../../src/crypto/secret-box.ts';
import type { Database } from '../../../src/db/connection.ts';
import { findRepair } from '../../../src/db/repairs/repair-lists.ts';
import { confirmRepair, type RepairRow } from '../../../src/db/repairs/repairs.ts';
import { staffActor } from '../../../src/domain/access.ts';
import { type Asked, askRepair } from '../../../src/repairs/ask-repair.ts';
import type { RepairKind } from '../../../src/repairs/repair-kind.ts';
import { findRepairKind } from '../../../src/repairs/repair-kinds.ts';
import { repairWorkflowId } from '../../../workflows/workflow-ids.ts';
import { addServiceFees } from '../../support/companies.ts';
import type { Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

interface Asking {
  readonly why?: string;
  readonly actor?: string;
  readonly requestKey?: string;
  /** The facts that the asker saw; those of this moment where none are given. */
  readonly binding?: string;
  /** It waits for a second person, whatever its amount. */
  readonly isByTwo?: boolean;
}

/** How the merchant agreed to a reversal. */
export const consent = { consent: 'Hanna, who runs the shop, in writing' };

export const kindOf = (name: string): RepairKind => {
  const kind = findRepairKind(name);
  if (!kind) throw new Error(`There is no repair ${name}`);
  return kind;
};

/** The kind, as if two people were always needed. */
const byTwo = (kind: RepairKind): RepairKind => ({
  ...kind,
  async judge(...given) {
    const judged = await kind.judge(...given);
    return judged && { ...judged, byTwo: 'the test wants it' };
  },
});

/** Where repairs are asked for and confirmed, as pages and commands do it. */
export async function createRepairDesk({
  database,
  config,
  temporal,
}: Pick<Stack, 'database' | 'config'> & Partial<Pick<Stack, 'temporal'>>) {
  const basis = {
    settings: config,
    numbers: { hashOf: createNumberHash(config.secrets.digestKey) },
  };
  const secretBox = createSecretBox(config.secrets.dataKeys);
  /** Who asks where nobody is named. */
  const asker = staffActor(await staff('OPERATOR'));

  const ask = (
    name: string,
    subjectId: string | number,
    args: Readonly<Record<string, string>> = {},
    {
      why = 'Ticket 4711',
      actor = asker,
      requestKey = randomUUID(),
      binding,
      isByTwo = false,
    }: Asking = {},
  ): Promise<Asked> => {
    const known = kindOf(name);
    const kind = isByTwo ? byTwo(known) : known;
    const asked = { kind, subjectId: String(subjectId), args: kind.fields.parse(args) };
    return database.transaction().execute(async (transaction) =>
      askRepair(
        transaction,
        {
          ...asked,
          why,
          actor,
          requestKey,
          binding: binding ?? (await bindingNow(transaction, known, String(subjectId))),
        },
        { ...basis, secretBox: () => secretBox },
      ),
    );
  };

  /** What a page of this moment shows. */
  async function bindingNow(of: Database, kind: RepairKind, given: string): Promise<string> {
    const id = kind.isBound ? await kind.nameOf(of, given) : undefined;
    const judged = id === undefined ? undefined : await kind.judge(of, id, {}, basis);
    return judged?.binding ?? '';
  }

  async function asked(...parameters: Parameters<typeof ask>): Promise<RepairRow> {
    const result = await ask(...parameters);
    if (result.kind === 'refused') throw new Error(`Refused: ${result.refusal}`);
    return result.row;
  }

  /**
   * The repair when it has ended, and its workflow too where Temporal is known. Otherwise the rest of its last
   * step would meet what the next repair waits for, such as a halt.
   */
  async function ended(id: number): Promise<RepairRow> {
    const row = await until(async () => {
      const found = await findRepair(database, id);
      if (!found || found.result === null) throw new Error(`The repair is ${found?.state}`);
      return found;
    });
    const workflowId = repairWorkflowId(id, row.operation_id);
    await temporal?.client.workflow.result(workflowId).catch((error: unknown) => {
      // A repair that nobody confirmed may have no workflow.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
    return row;
  }

  const repaired = async (...parameters: Parameters<typeof ask>): Promise<RepairRow> =>
    ended((await asked(...parameters)).id);

  /** A person of the service; returns the id of the account. */
  async function staff(role: 'AGENT' | 'SUPERVISOR' | 'OPERATOR'): Promise<number> {
    const { rows } = await sql<{ id: number }>`
      with account as (
        insert into portal_accounts (email, password_hash)
        values (${`${randomUUID()}@staff.test`}, 'none') returning id)
      insert into staff_accounts (account_id, name, role)
      select id, 'Staff', ${role} from account returning account_id as id`.execute(database);
    return Number(rows[0]?.id);
  }

  const confirm = (id: number, accountId: number): Promise<boolean> =>
    database.transaction().execute((transaction) => confirmRepair(transaction, id, accountId));

  return {
    asker,
    basis,
    ask,
    asked,
    ended,
    repaired,
    staff,
    confirm,
    addServiceFees: (amount: string) => addServiceFees({ database }, amount),
  };
}
