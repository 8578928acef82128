import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consent } from '../../end-to-end/repairs/repair-desk.ts';
import { until } from '../../support/until.ts';
import { DAY } from './first-words.ts';
import { type StaffScene, setStaffScene } from './staff-scene.ts';

/** What the page of a repair says while a provider is silent, and when the repair has ended. */
let scene: StaffScene;

beforeAll(async () => {
  scene = await setStaffScene({ CALLER_WAIT_SECONDS: '2' });
});
afterAll(() => scene?.stop());

describe('the page of a repair that has ended', () => {
  test.concurrent('leads on where another repair helps now', async () => {
    const id = await scene.topupIn('UNKNOWN');
    const row = await scene.repaired('settle-top-up', id, {
      outcome: 'not-done',
      reference: 'T-4711',
    });
    scene.expectDone(row);
    const html = await scene.pageOfRepair(row.id);
    expect(html).toContain('/support/repairs/ask/retry-top-up"');
    expect(html).toContain('Settled by hand as not delivered: nothing was charged.');
    const story = (await scene.agent.client.get(`/support/top-ups/${id}`)).html;
    // Our own words are no quotation of the provider.
    expect(story).toContain(': settled by hand as not done.');
    expect(html).toContain('T-4711');
    expect(story).toContain(`/support/repairs/${row.id}"`);
  });

  test.concurrent('says how the case is now, and does not offer again what was just done', async () => {
    const { gift } = await scene.voucherIn('claimed');
    const row = await scene.repaired('resend-message', gift.id);
    scene.expectDone(row);
    const again = new RegExp(
      `The code was sent again, ${DAY}: the SMS provider took it\\. The claim is open until`,
    );
    expect((await scene.firstOfVoucher(gift.id)).words).toMatch(again);
    const { words, open } = await scene.firstOfRepair(row.id);
    expect(words).toMatch(again);
    expect(open).toEqual([]);
    const html = await scene.pageOfRepair(row.id);
    expect(html).toContain('The code was sent again: the SMS provider took it.');
    // What the page names that it does not offer, it links to.
    expect(html).toContain(
      `href="/support/vouchers/${gift.id}">Back to the case, to “Send the message again”</a>`,
    );
  });

  test.concurrent('says which reference to give to whom', async () => {
    const { gift } = await scene.voucherIn('paying');
    const { id } = await scene.redemptionOf(gift);
    const settled = { outcome: 'done', reference: 'LETTER-4711' };
    const row = await scene.repaired('settle-payment', id, settled);
    scene.expectDone(row);
    const { words } = await scene.firstOfRepair(row.id);
    expect(words).toContain('Give the merchant the provider’s reference LETTER-4711.');
    // The provider paid earlier: the time is that of the decision.
    expect(words).toMatch(new RegExp(`, booked ${DAY}\\.`));
    const topup = await scene.topupIn('FAILED');
    const retried = await scene.repaired('retry-top-up', topup, { msisdn: scene.number() });
    scene.expectDone(retried);
    const { provider_reference: reference } = await scene.topup(topup);
    expect((await scene.firstOfRepair(retried.id)).words).toContain(
      `give the customer the provider’s reference ${reference}.`,
    );
  });

  test.concurrent('says where the value is now', async () => {
    const { gift } = await scene.voucherIn('redeemed');
    const { id } = await scene.redemptionOf(gift);
    const reversed = await scene.repaired('reverse-redemption', id, consent);
    scene.expectDone(reversed);
    const remaining = Number((await scene.voucher(gift)).remaining).toFixed(2);
    expect(remaining).not.toBe('0.00');
    expect((await scene.firstOfRepair(reversed.id)).words).toContain(
      `its value is on the voucher again, which has ETB ${remaining} now.`,
    );
    const cancelled = await scene.repaired('cancel-voucher', gift.id);
    scene.expectDone(cancelled);
    expect((await scene.firstOfRepair(cancelled.id)).words).toContain(
      `It was cancelled, and ETB ${remaining} went back to the gift wallet of the partner.`,
    );
  });

  test.concurrent('shows whoever confirms the number that was given, and that of the case', async () => {
    const gift = await scene.gift();
    const given = '+251911987655';
    const { id } = await scene.asked('correct-number', gift.id, { msisdn: given });
    const path = `/support/repairs/${id}`;
    const { words } = await scene.first(path);
    expect(words).not.toContain(given);
    const { html } = await scene.agent.client.submit(path, `${path}/number`);
    const said = html.replaceAll(/<[^>]*>/g, '');
    expect(said).toContain(`The number given is ${given}. That of the case is ${gift.owner}.`);
  });

  test.concurrent('says the new number, masked', async () => {
    const gift = await scene.gift();
    const { id } = await scene.asked('correct-number', gift.id, { msisdn: '+251911987654' });
    await scene.confirm(id, await scene.staff('SUPERVISOR'));
    scene.expectDone(await scene.ended(id));
    const { words } = await scene.firstOfRepair(id);
    expect(words).toContain('The number of the owner was corrected: it is +2519*****654 now.');
  });

  test.concurrent('says what to do instead where it was not done', async () => {
    const { gift } = await scene.voucherIn('hanging');
    const row = await scene.forced('resend-message', gift.id);
    expect(row.state).toBe('REFUSED');
    expect(await scene.pageOfRepair(row.id)).toContain('Ask the merchant to claim again');
  });

  test('shows the number, and writes down for which ticket', async () => {
    const { gift } = await scene.voucherIn('claimed');
    const row = await scene.repaired('resend-message', gift.id);
    const path = `/support/repairs/${row.id}`;
    expect((await scene.agent.client.get(path)).html).not.toContain(gift.owner);
    const { status, html } = await scene.agent.client.submit(path, `${path}/number`);
    expect([status, html]).toEqual([200, expect.stringContaining(gift.owner ?? 'no owner')]);
    const entry = await scene.stack.database
      .selectFrom('audit_log')
      .select(['actor', 'action', 'subject_id', 'details'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    expect(entry).toMatchObject({
      actor: `staff:${scene.agent.account.id}`,
      action: 'show number',
      subject_id: gift.id,
      details: { repair: String(row.id), why: 'Ticket 4711' },
    });
    expect((await scene.agent.client.get(`${path}/number`)).location).toBe(path);
    expect((await scene.agent.client.get(path)).html).not.toContain(gift.owner);
  });
});

test('a retry that meets a silent provider says so, and is settled before another one is asked', async () => {
  const routes = [await scene.routeTo('dt-one', 1), await scene.routeTo('reloadly', 2)];
  const id = await scene.topupIn('FAILED');
  const row = await scene.asked('retry-top-up', id, { msisdn: scene.number('014') });
  await until(async () => expect((await scene.topup(id)).status).toBe('UNKNOWN'));
  const { reference, operation_id } = await scene.stack.database
    .selectFrom('topup_attempts')
    .select(['reference', 'operation_id'])
    .where('topup_id', '=', id)
    .where('attempt', '=', 2)
    .executeTakeFirstOrThrow();
  await scene.placedLongAgo(operation_id);
  const silent = new RegExp(
    `“Retry the top-up”, is under way\\. DT One has had attempt 2 since ${DAY}, our reference ` +
      `${reference}, and has not confirmed it`,
  );
  const path = `/support/top-ups/${id}`;
  const { words, open } = await scene.first(path);
  expect(words).toMatch(silent);
  expect(words).toContain(`Ask DT One, and quote ${reference}`);
  expect(words).toContain(
    'a retry by Reloadly is possible once this attempt is booked as not delivered',
  );
  expect(open).toEqual(['settle-top-up']);
  // The page of the repair says the same; it loads itself again, so it has no form.
  const ofRepair = await scene.firstOfRepair(row.id);
  expect(ofRepair.words).toMatch(silent);
  expect([ofRepair.open, ofRepair.instead]).toEqual([[], []]);
  scene.expectDone(
    await scene.repaired('settle-top-up', id, { outcome: 'not-done', reference: 'T-4712' }),
  );
  expect((await scene.ended(row.id)).state).toBe('REFUSED');
  const after = await scene.first(path);
  expect(after.words).toContain('then retry, if need be by Reloadly:');
  expect(after.open).toEqual(['retry-top-up']);
  for (const route of routes) await scene.removeTheRoute(route);
});
