import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDeposit } from '../../../src/db/ledger/deposits.ts';
import { partnerBalances } from '../../../src/db/ledger/ledger.ts';
import { findRepair } from '../../../src/db/repairs/repair-lists.ts';
import { formatGroupedAmount, parseMoney } from '../../../src/domain/money.ts';
import { type RepairScene, setRepairScene } from '../../end-to-end/repairs/repair-scene.ts';
import { makePartner } from '../../support/companies.ts';
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

const pageOf = () => `/support/partners/${scene.partner.id}/money`;
const depositOf = (reference: string) =>
  `/support/partners/${scene.partner.id}/deposits/${encodeURIComponent(reference)}`;
const caseOf = (id: number) => `/support/vouchers/${id}`;
const actionOf = (kind: string) => `/support/repairs/ask/${kind}`;

const deposited = (
  reference: string,
  amount = '20',
  wallet: 'gift' | 'airtime' = 'gift',
  partnerId = scene.partner.id,
) =>
  scene.stack.database.transaction().execute((transaction) =>
    addDeposit(transaction, {
      partnerId,
      wallet,
      amount: parseMoney(amount),
      reference,
    }),
  );

describe('a deposit', () => {
  const words = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

  it('that looks like another one names it, and is corrected', async () => {
    const operator = await staffClient(scene.stack, 'OPERATOR');
    const name = randomUUID();
    const [first, second, spelled, other] = ['A', 'B', 'A.', 'C'].map((end) => `${name}/${end}`);
    await deposited(first ?? '', '33.01');
    await deposited(second ?? '', '33.01');
    await deposited(spelled ?? '', '44.02');
    await deposited(other ?? '', '55.03');
    const shown = async (reference = '') => (await operator.client.get(depositOf(reference))).html;
    expect(words(await shown(first))).toMatch(
      new RegExp(
        `same payment as ${spelled?.replace('.', '\\.')} , booked after this one: ETB 44\\.02 · gift wallet · [^,]+, ` +
          `and as ${second} , booked after this one: ETB 33\\.01 · gift wallet · `,
      ),
    );
    expect(words(await shown(second))).toMatch(
      new RegExp(`same payment as ${first} , booked before this one: ETB 33\\.01 · gift wallet · `),
    );
    expect(words(await shown(second)).split('booked before')).toHaveLength(2);
    expect(await shown(other)).not.toContain('same payment');
    expect((await operator.client.get(pageOf())).html.split('Twice?')).toHaveLength(4);
    const { gift } = await partnerBalances(scene.stack.database, scene.partner.id);
    const balance = formatGroupedAmount(parseMoney(gift));
    expect(words(await shown(second))).toContain(`Gift wallet: ETB ${balance} `);
    const correct = async (amount: string) => {
      const { location } = await operator.client.submit(
        depositOf(second ?? ''),
        actionOf('correct-deposit'),
        { amount, why: 'Ticket 4711' },
      );
      scene.expectDone(await scene.ended(Number(location?.split('/').at(-1))));
    };
    await correct('3.30');
    expect(await shown(second)).toContain('Corrected to ETB 3.30');
    expect(await shown(first)).not.toContain(`${second}</a>`);
    await correct('0');
    expect(words(await shown(second))).toMatch(/Taken back .* The whole deposit is taken back\./);
  });

  it('is compared with those of the other wallet, and with those of no other partner', async () => {
    const name = randomUUID();
    await deposited(`${name}/gift`, '71.04');
    await deposited(`${name}/airtime`, '71.04', 'airtime');
    const other = await makePartner(scene.stack);
    await deposited(`${name}/other`, '71.04', 'gift', other.id);
    const shown = words((await agent.client.get(depositOf(`${name}/gift`))).html);
    expect(shown).toContain(`${name}/airtime , booked after this one: ETB 71.04 · airtime wallet`);
    expect(shown).not.toContain(`${name}/other`);
  });

  it('of another partner, or an unknown one, has no page here', async () => {
    const reference = `OWN-${randomUUID()}`;
    await deposited(reference);
    const other = await makePartner(scene.stack);
    const elsewhere = depositOf(reference).replace(
      `/partners/${scene.partner.id}/`,
      `/partners/${other.id}/`,
    );
    expect((await agent.client.get(elsewhere)).status).toBe(404);
    expect((await agent.client.get(depositOf('NOBODY'))).status).toBe(404);
    expect((await agent.client.get(depositOf(reference.toLowerCase()))).status).toBe(200);
  });
});

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
    const ask = async (kind: string, fields: Record<string, string>, page = pageOf()) => {
      const answer = await operator.client.submit(page, actionOf(kind), fields);
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
    await deposited(reference);
    const undone = await ask(
      'correct-deposit',
      { amount: '0', why: 'Ticket 4711' },
      depositOf(reference),
    );
    scene.expectDone(await scene.ended(undone));
    const page = (await operator.client.get(pageOf())).html;
    expect(page).toMatch(new RegExp(`<code>${reference}</code>[\\s\\S]*?Taken back`));
    expect((await operator.client.get(`/support/repairs/${undone}`)).html).toContain(
      `href="${depositOf(reference)}"`,
    );
    await deposited(`NEXT-${large}`);
    const none = await operator.client.submit(
      depositOf(`NEXT-${large}`),
      actionOf('correct-deposit'),
      {
        subject: 'NOBODY',
        amount: '0',
        why: 'Ticket 4711',
      },
    );
    expect([none.status, none.html]).toEqual([409, expect.stringContaining('There is no deposit')]);
  });

  it('say on the page of the partner why nothing was done, with what was typed', async () => {
    const operator = await staffClient(scene.stack, 'OPERATOR');
    const typed = { ...goodwill(), amount: '99999999' };
    const answer = await operator.client.submit(pageOf(), actionOf('credit-goodwill'), typed);
    expect([answer.status, answer.html]).toEqual([409, expect.stringContaining('do not cover it')]);
    expect(answer.html).toContain(`value="${typed.reference}"`);
    expect(answer.html).toContain('Gift wallet');
    // The menu marks the entry of the page that is shown, not that of repairs.
    expect(answer.html).toMatch(/href="\/support" aria-current="page"/);
    expect(answer.html).not.toMatch(/href="\/support\/repairs" aria-current/);
  });

  it('are closed to agents and supervisors, also to a form of their own making', async () => {
    const gift = await scene.gift();
    for (const { client } of [agent, supervisor]) {
      await deposited(`SEEN-${gift.id}`);
      for (const path of [pageOf(), depositOf(`SEEN-${gift.id}`)]) {
        const page = await client.get(path);
        expect([page.status, page.html]).toEqual([
          200,
          expect.not.stringContaining('repairs/ask/'),
        ]);
      }
      const { html } = await client.get(caseOf(gift.id));
      const { token = '', once = '' } = hiddenFields(html, actionOf('cancel-voucher'));
      for (const kind of ['credit-goodwill', 'correct-deposit']) {
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
