import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDeposit } from '../../../src/db/ledger/deposits.ts';
import { findRepair } from '../../../src/db/repairs/repair-lists.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import { type RepairScene, setRepairScene } from '../../end-to-end/repairs/repair-scene.ts';
import { hiddenFields } from '../portal/portal-client.ts';
import { staffClient } from './staff-client.ts';

/** Repairs of wallets on the page of their partner, with the rights of the roles of API and worker. */
let scene: RepairScene;
let agent: Awaited<ReturnType<typeof staffClient>>;
let supervisor: Awaited<ReturnType<typeof staffClient>>;

beforeAll(async () => {
  scene = await setRepairScene({ REPAIR_CONFIRM_FROM: '400' });
  agent = await staffClient(scene.stack, 'AGENT');
  supervisor = await staffClient(scene.stack, 'SUPERVISOR');
});
afterAll(() => scene?.stop());

const pageOf = () => `/support/partners/${scene.partner.id}`;
const caseOf = (id: number) => `/support/vouchers/${id}`;
const actionOf = (kind: string) => `/support/repairs/ask/${kind}`;

describe('wallets', () => {
  const goodwill = () => ({
    subject: String(scene.partner.id),
    wallet: 'gift',
    amount: '50',
    reference: `TICKET-${randomUUID()}`,
    why: 'Ticket 4711',
  });

  it('are repaired by operators: a large amount by two people', async () => {
    await scene.addServiceFees('1000');
    const operator = await staffClient(scene.stack, 'OPERATOR');
    const ask = async (kind: string, fields: Record<string, string>) => {
      const answer = await operator.client.submit(pageOf(), actionOf(kind), fields);
      expect([answer.status, answer.html]).toEqual([303, expect.anything()]);
      return Number(answer.location?.split('/').at(-1));
    };
    const small = await ask('credit-goodwill', goodwill());
    scene.expectDone(await scene.ended(small));
    const large = await ask('credit-goodwill', { ...goodwill(), amount: '400.01' });
    expect((await findRepair(scene.stack.database, large))?.state).toBe('ASKED');
    await supervisor.client.submit(
      `/support/repairs/${large}`,
      `/support/repairs/${large}/confirm`,
    );
    scene.expectDone(await scene.ended(large));

    const reference = `WRONG-${large}`;
    await scene.stack.database.transaction().execute((transaction) =>
      addDeposit(transaction, {
        partnerId: scene.partner.id,
        wallet: 'gift',
        amount: parseMoney('20'),
        reference,
      }),
    );
    // The form of the newest deposit comes first.
    const undone = await ask('undo-deposit', { why: 'Ticket 4711' });
    scene.expectDone(await scene.ended(undone));
    const page = (await operator.client.get(pageOf())).html;
    expect(page).toMatch(new RegExp(`<code>${reference}</code>[\\s\\S]*?Taken back`));
    expect((await operator.client.get(`/support/repairs/${undone}`)).html).toContain(
      `href="${pageOf()}"`,
    );
    const none = await operator.client.submit(pageOf(), actionOf('undo-deposit'), {
      subject: 'NOBODY',
      why: 'Ticket 4711',
    });
    expect([none.status, none.html]).toEqual([409, expect.stringContaining('There is no deposit')]);
  });

  it('say on the page of the partner why nothing was done, with what was typed', async () => {
    const operator = await staffClient(scene.stack, 'OPERATOR');
    const typed = { ...goodwill(), amount: '99999999' };
    const answer = await operator.client.submit(pageOf(), actionOf('credit-goodwill'), typed);
    expect([answer.status, answer.html]).toEqual([409, expect.stringContaining('do not cover it')]);
    expect(answer.html).toContain(`value="${typed.reference}"`);
    expect(answer.html).toContain('Gift wallet');
  });

  it('are closed to agents and supervisors, also to a form of their own making', async () => {
    const gift = await scene.gift();
    for (const { client } of [agent, supervisor]) {
      const page = await client.get(pageOf());
      expect([page.status, page.html]).toEqual([200, expect.not.stringContaining('repairs/ask/')]);
      const { html } = await client.get(caseOf(gift.id));
      const { token = '', once = '' } = hiddenFields(html, actionOf('cancel-voucher'));
      for (const kind of ['credit-goodwill', 'undo-deposit']) {
        const answer = await client.post(actionOf(kind), { ...goodwill(), token, once });
        expect(answer.status).toBe(403);
      }
    }
  });

  it('and a subject that is no id is not found', async () => {
    const gift = await scene.gift();
    const { html } = await agent.client.get(caseOf(gift.id));
    const fields = hiddenFields(html, actionOf('cancel-voucher'));
    const answer = await agent.client.post(actionOf('cancel-voucher'), {
      ...fields,
      subject: 'x',
      why: 'Ticket 4711',
    });
    expect([answer.status, answer.html]).toEqual([409, expect.stringContaining('There is no')]);
  });
});
