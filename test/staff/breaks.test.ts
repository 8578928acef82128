import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreak } from '../../src/db/provider-statements/breaks.ts';
import { commandsOn } from '../admin/scene.ts';
import { done } from '../end-to-end/gift/gift-scene.ts';
import {
  type RedemptionScene,
  redeem,
  setRedemptionScene,
} from '../end-to-end/gift/redemption-scene.ts';
import { hiddenFields } from '../portal/portal-client.ts';
import { staffClient } from './staff-client.ts';

/** Breaks of statements by the pages of /support, with the rights of the API's role. */
let scene: RedemptionScene;
let agent: Awaited<ReturnType<typeof staffClient>>;
let operator: Awaited<ReturnType<typeof staffClient>>;

beforeAll(async () => {
  scene = await setRedemptionScene({ TEMPORAL_UI_URL: 'https://temporal.example' });
  agent = await staffClient(scene.stack, 'AGENT');
  operator = await staffClient(scene.stack, 'OPERATOR');
});
afterAll(() => scene?.stop());

let made = 0;

interface Given {
  readonly provider?: string;
  readonly day?: string;
  readonly type?: string;
  readonly reference?: string;
}

async function addBreak({
  provider = 'gsma',
  day = '2026-11-20',
  type = 'amount',
  reference,
}: Given = {}): Promise<number> {
  made += 1;
  const { rows } = await sql<{ id: number }>`
    insert into provider_breaks (provider, day, type, kind, subject, reference, provider_reference,
      our_status, our_amount, provider_status, provider_amount, provider_currency)
    values (${provider}, ${day}, ${type}, 'payment', ${`subject-${made}`}, ${reference ?? null},
      ${`TRX-${made}`}, 'completed', 487.5, 'completed', 500, 'ETB')
    returning id`.execute(scene.stack.database);
  return Number(rows[0]?.id);
}

const pathOf = (id: number) => `/support/breaks/${id}`;
const settle = (person: typeof agent, id: number, note: string) =>
  person.client.submit(pathOf(id), `${pathOf(id)}/settle`, { note });

const entriesOf = async (id: number) =>
  (
    await sql<Record<string, unknown>>`
      select actor, action, details from audit_log
      where subject_kind = 'provider-break' and subject_id = ${id}`.execute(scene.stack.database)
  ).rows;

describe('the list', () => {
  it('has what its filter leaves, by provider, day and state', async () => {
    const [one, two, three] = [
      await addBreak(),
      await addBreak({ provider: 'reloadly' }),
      await addBreak({ day: '2026-11-19' }),
    ];
    const third = await settle(operator, three, 'Ticket 3');
    expect(third.status).toBe(303);
    const shown = async (query: string) => {
      const { status, html } = await agent.client.get(`/support/breaks${query}`);
      expect(status).toBe(200);
      return [one, two, three].filter((id) => html.includes(`href="${pathOf(id)}"`));
    };
    expect(await shown('')).toEqual([one, two, three]);
    expect(await shown('?provider=gsma')).toEqual([one, three]);
    expect(await shown('?provider=&day=2026-11-20&state=')).toEqual([one, two]);
    expect(await shown('?state=OPEN')).toEqual([one, two]);
    expect(await shown('?state=SETTLED&provider=gsma')).toEqual([three]);
    expect(await shown('?state=CLOSED')).toEqual([]);
  });

  it.each(['provider=nobody', 'day=yesterday', 'day=2026-02-30', 'state=GONE', "day=';--"])(
    'refuses a filter that is none: %s',
    async (query) => {
      const { status, html } = await agent.client.get(`/support/breaks?${query}`);
      expect([status, html]).toEqual([400, expect.stringContaining('Correct the filter')]);
    },
  );
});

describe('a break', () => {
  it('says what to do, and leads to its case and to the voucher that it is about', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant, denomination: 500 });
    const code = await scene.claimed(client, gift);
    done(await redeem(client, gift, { verificationCode: code }));
    const { rows } = await sql<{ reference: string }>`
      select payment_reference::text as reference from redemptions
      where voucher_id = ${gift.id}`.execute(scene.stack.database);
    const id = await addBreak({ reference: rows[0]?.reference ?? '' });
    const { html } = await agent.client.get(pathOf(id));
    expect(html).toContain('Claim back what it paid too much');
    expect(html).toContain(`href="/support/vouchers/${gift.id}"`);
    expect(html).toContain('https://temporal.example');
    expect(html).toContain(`case:break:${id}`);
    expect(html).toContain('Completed, ETB 487.50');
    expect(html).toContain('an operator settles it');
    expect(html).not.toContain('/settle"');
  });

  it('is not there, or not a number', async () => {
    for (const path of ['/support/breaks/999999', '/support/breaks/x'])
      expect((await agent.client.get(path)).status).toBe(404);
  });
});

describe('settling', () => {
  it('refuses a reason that names a customer, which the audit log would keep in clear', async () => {
    const id = await addBreak();
    const { status, html } = await settle(operator, id, 'The owner, 0911 234 567, has called');
    expect([status, html]).toEqual([400, expect.stringContaining('names a phone number')]);
    expect(await entriesOf(id)).toEqual([]);
  });

  it('is what the command does: the row, and an entry of the audit log', async () => {
    const [byPage, byCommand] = [await addBreak(), await addBreak()];
    const answer = await settle(operator, byPage, 'Their double, paid back');
    expect([answer.status, answer.location]).toEqual([303, pathOf(byPage)]);
    const { admin } = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
    expect(await admin(['settle', 'break', String(byCommand), '--note', 'By hand'])).toMatchObject({
      code: 0,
    });
    const [page, command] = [await entriesOf(byPage), await entriesOf(byCommand)];
    expect(page).toHaveLength(1);
    const actor = page[0]?.actor;
    expect(page[0]).toMatchObject({
      action: 'settle break',
      details: { type: 'amount', provider: 'gsma', note: 'Their double, paid back' },
    });
    expect(command[0]).toMatchObject({ action: 'settle break', details: { note: 'By hand' } });
    expect(await findBreak(scene.stack.database, byPage)).toMatchObject({
      state: 'SETTLED',
      endedBy: actor,
      endedWhy: 'Their double, paid back',
    });
    const again = await settle(operator, byCommand, 'Again').catch((error: Error) => error);
    expect(again).toBeInstanceOf(Error);
    const { html } = await operator.client.get(pathOf(byPage));
    expect(html).toContain('Their double, paid back');
    expect(html).not.toContain('/settle"');
  });

  it('happens once, of two people at the same time', async () => {
    const id = await addBreak();
    const { html } = await operator.client.get(pathOf(id));
    const fields = { ...hiddenFields(html, `${pathOf(id)}/settle`), note: 'Ticket 4711' };
    const answers = await Promise.all(
      [1, 2, 3].map(() => operator.client.post(`${pathOf(id)}/settle`, fields)),
    );
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(await entriesOf(id)).toHaveLength(1);
  });

  it('needs a reason in one line', async () => {
    const id = await addBreak();
    for (const note of ['', '   ', 'one\nline', 'x'.repeat(201)]) {
      const answer = await settle(operator, id, note);
      expect([answer.status, answer.html]).toEqual([
        400,
        expect.stringContaining('Enter the reason in one line.'),
      ]);
    }
    expect((await findBreak(scene.stack.database, id))?.state).toBe('OPEN');
  });

  it('is closed to agents and supervisors, also by a form of their own making', async () => {
    const id = await addBreak();
    const supervisor = await staffClient(scene.stack, 'SUPERVISOR');
    for (const { client } of [agent, supervisor]) {
      const { html } = await client.get('/support');
      const { token = '' } = hiddenFields(html, '/support/find');
      const answer = await client.post(`${pathOf(id)}/settle`, { token, note: 'Ticket 4711' });
      expect(answer.status).toBe(403);
    }
    expect(await entriesOf(id)).toEqual([]);
  });
});
