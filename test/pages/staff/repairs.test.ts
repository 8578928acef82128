import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRepair } from '../../../src/db/repairs/repair-lists.ts';
import { consent } from '../../end-to-end/repairs/repair-desk.ts';
import { type RepairScene, setRepairScene } from '../../end-to-end/repairs/repair-scene.ts';
import { until } from '../../support/until.ts';
import { codeOf, hiddenFields } from '../portal/portal-client.ts';
import { staffClient } from './staff-client.ts';

/** Repairs by the pages of /support, with the rights of the roles of API and worker. */
let scene: RepairScene;
let agent: Awaited<ReturnType<typeof staffClient>>;
let supervisor: Awaited<ReturnType<typeof staffClient>>;

beforeAll(async () => {
  scene = await setRepairScene({ REPAIR_CONFIRM_FROM: '400', CLAIM_LIFETIME_SECONDS: '600' });
  agent = await staffClient(scene.stack, 'AGENT');
  supervisor = await staffClient(scene.stack, 'SUPERVISOR');
});
afterAll(() => scene?.stop());

const caseOf = (id: number) => `/support/vouchers/${id}`;
const actionOf = (kind: string) => `/support/repairs/ask/${kind}`;

/** Sends the form of a repair on the page of a voucher; the id of the repair that it leads to. */
async function asked(id: number, kind: string, fields: Record<string, string> = {}) {
  const answer = await agent.client.submit(caseOf(id), actionOf(kind), {
    why: 'Ticket 4711',
    ...fields,
  });
  expect(answer.status).toBe(303);
  return Number(answer.location?.split('/').at(-1));
}

describe('the page of a voucher', () => {
  it('offers what is possible now, and nothing else', async () => {
    const { gift } = await scene.voucherIn('claimed');
    const { html } = await agent.client.get(caseOf(gift.id));
    const offered = [...html.matchAll(/action="\/support\/repairs\/ask\/([\w-]+)"/g)].map(
      ([, kind]) => kind,
    );
    // What helps first, and the others as they stand in the table of repairs.
    expect(offered).toEqual([
      'resend-message',
      'extend-claim',
      'cancel-voucher',
      'cancel-claim',
      'extend-voucher',
    ]);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    // A form is opened by other words than those that send it.
    const openers = [...html.matchAll(/<summary class="button[^>]*>([^<]+)</g)].map(
      ([, one]) => one,
    );
    const senders = [...html.matchAll(/<button[^>]*>([^<]+)<\/button>/g)].map(([, one]) => one);
    expect(openers).toContain('Cancel the voucher');
    expect(senders).toContain('Cancel it for good');
    expect(openers.filter((one) => senders.includes(one))).toEqual([]);
    const red = [...html.matchAll(/<button class="danger">([^<]+)</g)].map(([, one]) => one);
    expect(red).toEqual(['Cancel it for good']);
    // Beside the masked number, before everything that is folded.
    expect(html.indexOf('Show the number')).toBeLessThan(html.indexOf('Next'));
    expect((await agent.client.get(caseOf(2_000_000_000))).status).toBe(404);
  });

  it('asks for a repair, which is done, and shows what came of it', async () => {
    const { gift } = await scene.voucherIn('claimed');
    const id = await asked(gift.id, 'extend-claim', { minutes: '20' });
    const row = await scene.ended(id);
    scene.expectDone(row);
    expect(row.asked_by).toBe(`staff:${agent.account.id}`);
    const { html } = await agent.client.get(`/support/repairs/${id}`);
    expect(html).toContain('The claim stays open for 20 minutes at least.');
    expect((await agent.client.get(caseOf(gift.id))).html).toMatch(
      /“Extend the claim”,\s+asked for by .*, was done: The claim stays open/,
    );
  });

  it('is one repair, however often its form is sent', async () => {
    const gift = await scene.gift();
    const { html } = await agent.client.get(caseOf(gift.id));
    const action = actionOf('cancel-voucher');
    const fields = { ...hiddenFields(html, action), why: 'Ticket 4711' };
    const answers = await Promise.all([1, 2, 3].map(() => agent.client.post(action, fields)));
    expect(new Set(answers.map(({ location }) => location)).size).toBe(1);
  });

  it('says what is wrong, and what to do instead', async () => {
    const { gift } = await scene.voucherIn('claimed');
    const wrong = await agent.client.submit(caseOf(gift.id), actionOf('extend-claim'), {
      why: 'Ticket',
      minutes: '1000',
    });
    expect([wrong.status, wrong.html]).toEqual([409, expect.stringContaining('from 1 to 60')]);
    // The form stands open with what was typed, so that only the mistake is typed again.
    expect(wrong.html).toMatch(/<details open><summary[^>]*>Extend the claim</);
    expect(wrong.html).toMatch(/name="minutes"[^>]* value="1000"/);
    const page = await agent.client.get(caseOf(gift.id));
    const fields = hiddenFields(page.html, actionOf('cancel-claim'));
    await scene.repaired('cancel-claim', gift.id);
    const late = await agent.client.post(actionOf('cancel-claim'), { ...fields, why: 'Ticket' });
    expect([late.status, late.html]).toEqual([
      409,
      expect.stringContaining('It has no open claim: the merchant claims again.'),
    ]);
    expect(late.html).toContain('Next');
  });

  it('ends no other claim than its form was about', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    await scene.claimed(client, gift);
    const action = actionOf('cancel-claim');
    const { html } = await agent.client.get(caseOf(gift.id));
    await scene.repaired('cancel-claim', gift.id);
    await scene.claimed(client, gift);
    const sent = { ...hiddenFields(html, action), why: 'Ticket 4711' };
    const late = await agent.client.post(action, sent);
    expect([late.status, late.html]).toEqual([
      409,
      expect.stringContaining('It has changed meanwhile: look at it, and ask again.'),
    ]);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEM_INITIATED' });
  });

  it('needs a sign-in of staff, and a form of its own', async () => {
    const gift = await scene.gift();
    const action = actionOf('cancel-voucher');
    const forged = await agent.client.post(action, { subject: String(gift.id), why: 'x' });
    expect(forged.status).toBe(403);
  });
});

describe('the page of a top-up', () => {
  it('offers another provider, which a route must lead to', async () => {
    const id = await scene.topupIn('FAILED');
    const [page, action] = [`/support/top-ups/${id}`, actionOf('retry-top-up')];
    expect((await agent.client.get(page)).html).not.toContain('name="provider"');
    const routes = [await scene.routeTo('dt-one', 1), await scene.routeTo('reloadly', 2)];
    // The last attempt went to dt-one.
    expect((await agent.client.get(page)).html).toMatch(
      /<select id="[^"]+" name="provider"><option value="" selected>Not needed<\/option><option value="reloadly">Reloadly<\/option><\/select>/,
    );
    for (const route of routes) await scene.removeTheRoute(route);
    const fields = { why: 'Ticket 4711', msisdn: scene.number() };
    const refused = await agent.client.submit(page, action, { ...fields, provider: 'reloadly' });
    expect([refused.status, refused.html]).toEqual([
      409,
      expect.stringContaining('No route leads this top-up to reloadly'),
    ]);
    const asked = await agent.client.submit(page, action, { ...fields, provider: '' });
    expect(asked.status).toBe(303);
    await until(async () => expect((await scene.topup(id)).status).toBe('SUCCESS'));
  });
});

describe('the number that a case has already', () => {
  it('is refused by the form of a correction', async () => {
    const gift = await scene.gift();
    const answer = await agent.client.submit(caseOf(gift.id), actionOf('correct-number'), {
      why: 'Ticket 4711',
      msisdn: `0${gift.owner?.slice(4)}`,
    });
    expect([answer.status, answer.html]).toEqual([
      409,
      expect.stringContaining('The voucher has this number already: there is nothing to correct.'),
    ]);
  });

  it('is no other number of a retry, which a second person would look at', async () => {
    const msisdn = scene.number('002');
    const id = await scene.topupIn('FAILED', msisdn);
    const before = await scene.topup(id);
    const answer = await agent.client.submit(`/support/top-ups/${id}`, actionOf('retry-top-up'), {
      why: 'Ticket 4711',
      msisdn,
    });
    expect([answer.status, answer.html]).toEqual([
      409,
      expect.stringContaining('The last attempt went to this number already'),
    ]);
    expect(await scene.topup(id)).toEqual(before);
  });
});

describe('two people', () => {
  const forms = async (who: typeof agent, id: number) => {
    const { html } = await who.client.get(`/support/repairs/${id}`);
    return ['confirm', 'decline'].filter((name) => html.includes(`/repairs/${id}/${name}"`));
  };
  const decide = (who: typeof agent, id: number, how: string, fields = {}) =>
    who.client.submit(`/support/repairs/${id}`, `/support/repairs/${id}/${how}`, fields);

  it('the one who asked withdraws only; another one confirms', async () => {
    const gift = await scene.gift({ denomination: 500 });
    const id = await asked(gift.id, 'cancel-voucher');
    expect(await forms(agent, id)).toEqual(['decline']);
    expect(await forms(supervisor, id)).toEqual(['confirm', 'decline']);
    expect((await supervisor.client.get('/support/repairs')).html).toContain(`${id}: Cancel`);
    await decide(supervisor, id, 'confirm');
    const row = await scene.ended(id);
    scene.expectDone(row);
    expect(row.confirmed_by).toBe(`staff:${supervisor.account.id}`);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'CANCELLED' });
  });

  it('is said before, with the reason, which the page that waits has, too', async () => {
    const gift = await scene.gift({ denomination: 500 });
    const why = 'it is ETB 400.00 or more';
    expect((await agent.client.get(caseOf(gift.id))).html).toContain(
      `A second person must confirm it: ${why}.`,
    );
    const id = await asked(gift.id, 'cancel-voucher');
    expect((await agent.client.get(`/support/repairs/${id}`)).html).toMatch(
      new RegExp(`Ask a supervisor to confirm it</h2>\\s+<p>It waits until .+, because ${why}\\.`),
    );
    // A small one needs nobody, and says nothing.
    const small = await scene.gift();
    const { html } = await agent.client.get(caseOf(small.id));
    const ofCancel = /ask\/cancel-voucher"[\s\S]*?<\/form>/.exec(html)?.[0] ?? '';
    expect(ofCancel).toContain('Cancel it for good');
    expect(ofCancel).not.toContain('must confirm it');
  });

  it('another number after a settlement by hand: said before, and why it waits', async () => {
    const id = await scene.topupIn('UNKNOWN');
    const settled = { outcome: 'not-done', reference: 'T-4713' };
    scene.expectDone(await scene.repaired('settle-top-up', id, settled));
    const page = `/support/top-ups/${id}`;
    const why = 'the attempt before may have been delivered';
    expect((await agent.client.get(page)).html).toContain(
      `Another number needs a second person: ${why}.`,
    );
    const { location } = await agent.client.submit(page, actionOf('retry-top-up'), {
      why: 'Ticket 4711',
      msisdn: scene.number(),
    });
    expect((await agent.client.get(location ?? '')).html).toContain(`because ${why}.`);
    // It is open: the page of the case leads to it, and has no second form.
    const { html } = await agent.client.get(page);
    expect(html).not.toContain(actionOf('retry-top-up'));
    expect(html).toContain(`href="${location}">Retry the top-up: repair`);
  });

  it('one that its asker withdraws is called so, in one colour', async () => {
    const gift = await scene.gift({ denomination: 500 });
    const id = await asked(gift.id, 'cancel-voucher');
    await decide(agent, id, 'decline', { why: 'The wrong voucher' });
    const { html } = await agent.client.get(`/support/repairs/${id}`);
    expect(html).toContain('<span class="badge plain">Withdrawn</span>');
    expect(html).toContain(
      '<div class="message plain" role="note">Withdrawn: The wrong voucher</div>',
    );
    expect(html).not.toContain('message success');
    expect((await agent.client.get(caseOf(gift.id))).html).toMatch(
      /“Cancel the voucher”,\s+asked for by [^,]+, was withdrawn: The wrong voucher\./,
    );
    expect(await scene.audited(id)).toContain(`staff:${agent.account.id}: withdraw repair`);
  });

  it.each(['confirm', 'decline'])('a form that is sent twice has one answer: %s', async (verb) => {
    const gift = await scene.gift({ denomination: 500 });
    const id = await asked(gift.id, 'cancel-voucher');
    const [page, action] = [`/support/repairs/${id}`, `/support/repairs/${id}/${verb}`];
    const { html } = await supervisor.client.get(page);
    const sent = { ...hiddenFields(html, action), why: 'Not his' };
    const notices: unknown[] = [];
    for (const _time of ['first', 'again']) {
      await supervisor.client.post(action, sent);
      const { html: next } = await supervisor.client.get(page);
      notices.push(/You have confirmed it|you may not decide/.exec(next)?.[0]);
    }
    const notice = verb === 'confirm' ? 'You have confirmed it' : undefined;
    expect(notices).toEqual([notice, notice]);
  });

  it('an agent cannot confirm by a form of their own making', async () => {
    const gift = await scene.gift({ denomination: 500 });
    const id = await asked(gift.id, 'cancel-voucher');
    const other = await staffClient(scene.stack, 'AGENT');
    const { html } = await agent.client.get(`/support/repairs/${id}`);
    const { token = '' } = hiddenFields(html, `/support/repairs/${id}/decline`);
    for (const { client } of [agent, other])
      expect((await client.post(`/support/repairs/${id}/confirm`, { token })).status).toBe(403);
    expect((await findRepair(scene.stack.database, id))?.state).toBe('ASKED');
    await decide(supervisor, id, 'decline', { why: 'Not his' });
    expect(await scene.ended(id)).toMatchObject({ result: 'Declined: Not his' });
    expect((await agent.client.get(`/support/repairs/${id}`)).html).toContain(
      '<span class="badge danger">Declined</span>',
    );
  });
});

it('what was asked for on the command line is only declined, and says why', async () => {
  const gift = await scene.gift({ denomination: 500 });
  const written = { actor: 'hanna', isByTwo: true };
  const { id } = await scene.written('cancel-voucher', gift.id, {}, written);
  const { html: page } = await agent.client.get(`/support/vouchers/${gift.id}`);
  expect(page).toContain('was asked for on the command line: nobody can confirm it.');
  expect(page).toContain('Ask a supervisor to decline it. Then ask for it here.');
  expect(page).not.toContain('Ask a supervisor to confirm it');
  const { html } = await supervisor.client.get(`/support/repairs/${id}`);
  expect(html).toContain('asked for on the command line');
  expect(html).not.toContain(`/repairs/${id}/confirm"`);
  await supervisor.client.submit(`/support/repairs/${id}`, `/support/repairs/${id}/decline`, {
    why: 'Asked here instead',
  });
  expect(await scene.ended(id)).toMatchObject({ state: 'REFUSED' });
});

describe('what people read', () => {
  it('names people and subjects, and shows a given number masked', async () => {
    const gift = await scene.gift();
    const { serial_number: serialNumber } = await scene.stack.database
      .selectFrom('vouchers')
      .select('serial_number')
      .where('id', '=', gift.id)
      .executeTakeFirstOrThrow();
    const id = await asked(gift.id, 'correct-number', { msisdn: '0911987654' });
    const { html } = await supervisor.client.get(`/support/repairs/${id}`);
    expect(html).toContain('+2519*****654');
    expect(html).not.toContain('911987654');
    expect(html).toContain(`voucher ${serialNumber}`);
    expect(html).not.toContain(`staff:${agent.account.id}`);
    const path = `/support/vouchers/${gift.id}`;
    expect((await agent.client.get(path)).html).toContain('waits for another person');
    await scene.stack.database
      .updateTable('portal_sessions')
      .set({ confirmed_at: new Date(0) })
      .where('account_id', '=', supervisor.account.id)
      .execute();
    const confirm = `/support/repairs/${id}/confirm`;
    // The page says what the repair does, so the proof stands in its form.
    const asking = await supervisor.client.get(`/support/repairs/${id}`);
    expect(asking.html).toContain('One-time password');
    const proof = await supervisor.client.submit(`/support/repairs/${id}`, confirm, {
      code: 'wrong',
    });
    expect(proof.status).toBe(422);
    expect(proof.html.replaceAll(/<[^>]*>/g, '')).toContain(
      `You are about to confirm “Correct the number of the owner” of voucher ${serialNumber}: ` +
        `ETB 100.00, asked for by ${agent.account.name}. The new number is +2519*****654.`,
    );
    expect(proof.html).not.toContain('911987654');
    await supervisor.client.submit(`/support/repairs/${id}`, confirm, {
      code: codeOf(supervisor.secret),
    });
    scene.expectDone(await scene.ended(id));
    const after = (await agent.client.get(path)).html;
    expect(after).toContain('The number of the owner was corrected');
    expect(after).toMatch(
      /“Correct the number of the owner”,\s+asked for by .*, confirmed by .*, was done:/,
    );
  });

  it('a reversal that staff asked for is not said to be the merchant’s, nor a part', async () => {
    const { gift } = await scene.voucherIn('redeemed');
    const without = await agent.client.submit(caseOf(gift.id), actionOf('reverse-redemption'), {
      why: 'Ticket 4711',
    });
    expect([without.status, without.html]).toEqual([
      409,
      expect.stringContaining('“How the merchant agreed: who, and when” must not be empty'),
    ]);
    const id = await asked(gift.id, 'reverse-redemption', consent);
    scene.expectDone(await scene.ended(id));
    // What the merchant agreed to stands on the page of the repair, and in the audit log.
    expect((await agent.client.get(`/support/repairs/${id}`)).html).toContain(consent.consent);
    const audited = await scene.stack.database
      .selectFrom('audit_log')
      .select('details')
      .where('action', '=', 'reverse redemption')
      .where('subject_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    expect(audited.details).toMatchObject({ arguments: consent });
    const { html } = await agent.client.get(`/support/vouchers/${gift.id}`);
    expect(html).toContain('Support asked to reverse redemption');
    expect(html).toContain('The payment was taken back, and its value is on the voucher again');
    expect(html).toMatch(
      /It can be redeemed only at [^.]+\. If that is the wrong merchant, cancel it/,
    );
    expect(html).not.toContain('A part was redeemed');
  });

  it('a payment under way: its code was entered, and no confirmation is about to be sent', async () => {
    const { gift } = await scene.voucherIn('paying');
    const { html } = await agent.client.get(`/support/vouchers/${gift.id}`);
    expect(html).toContain('Its code was entered.');
    expect(html).not.toContain('is about to be sent');
    const { id } = await scene.redemptionOf(gift);
    scene.expectDone(
      await scene.repaired('settle-payment', id, { outcome: 'done', reference: 'LETTER-7' }),
    );
    expect((await agent.client.get(`/support/vouchers/${gift.id}`)).html).toContain(
      'was done: It is booked as paid.',
    );
  });

  it('the guides stand beside the work, with links to each other', async () => {
    const { html } = await agent.client.get('/support/guide');
    expect(html).toContain('href="/support/guide/repairs"');
    expect(html).not.toMatch(/href="[^"]*\.md/);
    const repairs = await agent.client.get('/support/guide/repairs');
    expect([repairs.status, repairs.html]).toEqual([200, expect.stringContaining('Two people')]);
  });
});

it('the reference is refused with the number of a customer', async () => {
  const { gift } = await scene.voucherIn('paying');
  const answer = await agent.client.submit(caseOf(gift.id), actionOf('settle-payment'), {
    why: 'Ticket 4711',
    outcome: 'done',
    reference: 'paid to +251911234567',
  });
  expect([answer.status, answer.html]).toEqual([409, expect.stringContaining('leave it out')]);
});

it('the reason is kept without personal data', async () => {
  const { gift } = await scene.voucherIn('claimed');
  const why = 'The owner is 0911 234 567, code 123456';
  const id = await asked(gift.id, 'extend-claim', { minutes: '20', why });
  scene.expectDone(await scene.ended(id));
  const { html } = await agent.client.get(`/support/repairs/${id}`);
  expect(html).toContain('The owner is [number], code [code]');
  expect(html).toContain('was taken out of the reason');
  const { rows } = await sql`
    select from audit_log where details ->> 'why' = ${why}`.execute(scene.stack.database);
  expect(rows).toEqual([]);
});
