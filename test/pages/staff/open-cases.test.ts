import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrokenInvariants } from '../../../src/db/ledger/ledger.ts';
import { caseOf } from '../../positions/cases.ts';
import { doneLate, takenBack } from '../../positions/placements.ts';
import { until } from '../../support/until.ts';
import { hiddenFields } from '../portal/portal-client.ts';
import { staffClient } from './staff-client.ts';
import { type StaffScene, setStaffScene } from './staff-scene.ts';

/** What a person must settle, by the pages of /support, with the rights of the API's role. */
let scene: StaffScene;
let agent: Awaited<ReturnType<typeof staffClient>>;
let operator: Awaited<ReturnType<typeof staffClient>>;

beforeAll(async () => {
  scene = await setStaffScene({
    CALLER_WAIT_SECONDS: '2',
    TEMPORAL_UI_URL: 'https://temporal.example',
    REPAIR_CONFIRM_ABOVE: '1000000',
  });
  agent = await staffClient(scene.stack, 'AGENT');
  operator = await staffClient(scene.stack, 'OPERATOR');
});
afterAll(() => scene?.stop());

const pathOf = (id: number) => `/support/cases/${id}`;

/** A payment that its provider took back, and its case. */
async function takenBackPayment() {
  const { gift } = await scene.voucherIn('redeemed');
  const { operation_id, payment_reference } = await scene.redemptionOf(gift);
  await takenBack(scene.stack.database, operation_id);
  return { gift, found: await caseOf(scene.stack.database, payment_reference) };
}

const settle = (person: typeof agent, id: number, by: string, why = 'Ticket 4711') =>
  person.client.submit(pathOf(id), '/support/repairs/ask/settle-case', { by, why });

const untilClosed = (id: number) =>
  until(async () => {
    const { rows } =
      await sql`select from cases where id = ${id} and closed_by is not null`.execute(
        scene.stack.database,
      );
    expect(rows).toHaveLength(1);
  });

describe('the list', () => {
  it('has the open ones, by provider; closed ones on request', async () => {
    const { found } = await takenBackPayment();
    const shown = async (query: string) => {
      const { status, html } = await agent.client.get(`/support/cases${query}`);
      expect(status).toBe(200);
      return html.includes(`href="${pathOf(found.id)}"`);
    };
    expect(await shown('')).toBe(true);
    expect(await shown('?provider=gsma&state=open')).toBe(true);
    expect(await shown('?provider=reloadly')).toBe(false);
    expect((await settle(operator, found.id, 'platform')).status).toBe(303);
    await untilClosed(found.id);
    expect(await shown('')).toBe(false);
    expect(await shown('?state=')).toBe(true);
  });
});

describe('a case', () => {
  it('says what the provider says, what to do, and what each choice moves', async () => {
    const { gift, found } = await takenBackPayment();
    const { html } = await operator.client.get(pathOf(found.id));
    expect(html).toContain('Providers did less than is paid for');
    expect(html).toContain('gsma says that it took it back');
    expect(html).toContain('Agree who bears it');
    expect(html).toMatch(/The voucher gets ETB 100\.00, with the service fee of ETB 2\.50 back/);
    expect(html).toContain('The service fees get ETB 97.50.');
    expect(html).toContain(`href="/support/vouchers/${gift.id}"`);
    expect(html).toContain('https://temporal.example');
    const read = await agent.client.get(pathOf(found.id));
    expect(read.html).toContain('an operator settles it');
    expect(read.html).not.toContain('/ask/settle-case');
  });

  it('is not there, or not a number', async () => {
    for (const path of ['/support/cases/999999', '/support/cases/x'])
      expect((await agent.client.get(path)).status).toBe(404);
  });
});

describe('settling', () => {
  it('returns the value of what was taken back to its voucher, once', async () => {
    const { gift, found } = await takenBackPayment();
    const { html } = await operator.client.get(pathOf(found.id));
    const action = '/support/repairs/ask/settle-case';
    const fields = { ...hiddenFields(html, action), by: 'payer', why: 'Ticket 4711' };
    const answers = await Promise.all([1, 2, 3].map(() => operator.client.post(action, fields)));
    expect(new Set(answers.map(({ status, location }) => `${status} ${location}`)).size).toBe(1);
    await untilClosed(found.id);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '100.000000' });
    expect(await findBrokenInvariants(scene.stack.database)).toEqual([]);
    const after = await operator.client.get(pathOf(found.id));
    expect(after.html).toContain('Ticket 4711');
    expect(after.html).not.toContain('/ask/settle-case');
  });

  it('charges a late payment to its own voucher', async () => {
    const { gift } = await scene.voucherIn('paying');
    const { id: paying, operation_id, payment_reference } = await scene.redemptionOf(gift);
    const decided = { outcome: 'not-done', reference: 'LETTER' };
    scene.expectDone(await scene.repaired('settle-payment', paying, decided));
    await doneLate(scene.stack.database, operation_id);
    const { id } = await caseOf(scene.stack.database, payment_reference);
    expect((await settle(operator, id, 'payer')).status).toBe(303);
    await untilClosed(id);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEMED', remaining: '0.000000' });
    expect(await findBrokenInvariants(scene.stack.database)).toEqual([]);
  });

  it('is refused without a bearer, and the case stays open', async () => {
    const { found } = await takenBackPayment();
    const answer = await settle(operator, found.id, '');
    expect([answer.status, answer.html]).toEqual([
      409,
      expect.stringContaining('say who bears it'),
    ]);
    const { closed_at } = await caseOf(scene.stack.database, found.reference ?? '');
    expect(closed_at).toBeNull();
  });

  it('is closed to agents and supervisors, also by a form of their own making', async () => {
    const { found } = await takenBackPayment();
    const supervisor = await staffClient(scene.stack, 'SUPERVISOR');
    for (const { client } of [agent, supervisor]) {
      const { html } = await client.get('/support');
      const { token = '' } = hiddenFields(html, '/support/find');
      const answer = await client.post('/support/repairs/ask/settle-case', {
        ...{ token, subject: String(found.id), by: 'platform', why: 'Ticket 4711' },
        once: 'A'.repeat(43),
      });
      expect(answer.status).toBe(403);
    }
  });
});
