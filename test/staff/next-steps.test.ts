import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newOwner } from '../end-to-end/gift/gift-scene.js';
import { type RepairScene, setRepairScene } from '../end-to-end/repairs/repair-scene.js';
import { until } from '../support/until.js';
import { staffClient } from './staff-client.js';

/** What the page of a case says first, and which repair it leads to: those that work at this moment. */
let scene: RepairScene;
let agent: Awaited<ReturnType<typeof staffClient>>;

beforeAll(async () => {
  scene = await setRepairScene({ CALLER_WAIT_SECONDS: '2' });
  agent = await staffClient(scene.stack);
});
afterAll(() => scene?.stop());

/** What stands before everything that is folded away, and the repairs in it: open, or behind a button. */
async function first(path: string) {
  const { html } = await agent.client.get(path);
  const next = /<section class="card next">([\s\S]*?)<\/section>/.exec(html)?.[1] ?? '';
  const [shown = ''] = next.split('<div class="choices">');
  const kindsIn = (part: string) =>
    [...part.matchAll(/repairs\/ask\/([\w-]+)"/g)].map(([, kind]) => kind);
  return {
    words: shown
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
    open: kindsIn(shown),
    instead: kindsIn(next.slice(shown.length)),
  };
}

const ofVoucher = (id: number) => first(`/support/vouchers/${id}`);

describe('a code that never came', () => {
  test('while the claim is open it is sent again, or the claim is extended', async () => {
    const { gift } = await scene.voucherIn('claimed');
    const { words, open, instead } = await ofVoucher(gift.id);
    expect(words).toContain('The claim is open until');
    expect(open).toEqual(['resend-message']);
    expect(instead).toEqual(['extend-claim', 'cancel-voucher']);
  });

  test.each(['hanging', 'ended'])('after the claim the merchant claims again: %s', async (how) => {
    const { gift } = await scene.voucherIn('hanging');
    if (how === 'ended') scene.expectDone(await scene.repaired('release-claim', gift.id));
    const { words, open, instead } = await ofVoucher(gift.id);
    expect(words).toContain('The claim ran out before the code was entered');
    expect(words).toContain('Ask the merchant to claim again: that sends a new code.');
    expect([open, instead]).toEqual([[], ['cancel-voucher']]);
    const { html } = await agent.client.get(`/support/vouchers/${gift.id}`);
    // The badge says it, too, while the voucher still waits.
    expect(html.includes('Claim ran out')).toBe(how === 'hanging');
    expect(html).not.toContain('Waiting for the code');
    await scene
      .ask('resend-message', gift.id)
      .then((asked) =>
        expect(asked).toMatchObject({ refusal: expect.stringContaining('the merchant claims') }),
      );
  });

  test('a number that no code can be sent to is corrected, and the code goes to the right one', async () => {
    const gift = await scene.gift({ owner: newOwner('002') });
    const answer = await scene.asMerchant.post('/topup-transactions/initiate-claim', {
      voucherCode: gift.voucherCode,
    });
    expect(answer.body.success).toBe(false);
    const before = await ofVoucher(gift.id);
    expect(before.words).toMatch(/The code could not be sent: .+\./);
    expect(before.instead).toEqual(['correct-number', 'cancel-voucher']);
    const owner = newOwner();
    const { id } = await scene.asked('correct-number', gift.id, { msisdn: owner });
    await scene.confirm(id, await scene.staff('SUPERVISOR'));
    scene.expectDone(await scene.ended(id));
    expect((await ofVoucher(gift.id)).words).toContain('The number of the owner was corrected.');
    await scene.redeemed(scene.asMerchant, { ...gift, owner });
  });

  test('nobody has claimed: the number is compared, and can be corrected', async () => {
    const gift = await scene.gift();
    expect(await ofVoucher(gift.id)).toMatchObject({
      words: expect.stringContaining('the merchant has not claimed it'),
      open: [],
      instead: ['correct-number'],
    });
    const anonymous = await scene.gift({ owner: null });
    expect(await ofVoucher(anonymous.id)).toMatchObject({ open: [], instead: [] });
  });
});

describe('a payment', () => {
  test('that the provider does not say is settled, and our reference stands there', async () => {
    const { gift } = await scene.voucherIn('paying');
    const { words, open } = await ofVoucher(gift.id);
    const { payment_reference: reference } = await scene.stack.database
      .selectFrom('redemptions')
      .select('payment_reference')
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    expect(words).toContain(reference);
    expect(open).toEqual(['settle-payment']);
  });

  test('that was made names the provider’s reference, and is taken back only by a button', async () => {
    const { gift } = await scene.voucherIn('redeemed');
    const { provider_reference: reference } = await scene.redemptionOf(gift);
    const { words, open, instead } = await ofVoucher(gift.id);
    expect(words).toContain(reference ?? 'no reference');
    expect([open, instead]).toEqual([[], ['reverse-redemption']]);
  });
});

describe('a top-up', () => {
  test.each([
    ['FAILED', ['retry-top-up']],
    ['UNKNOWN', ['settle-top-up']],
    ['SUCCESS', []],
  ] as const)('that is %s', async (status, kinds) => {
    const id = await scene.topUpIn(status);
    const { open } = await until(() => first(`/support/top-ups/${id}`));
    expect(open).toEqual(kinds);
  });
});

describe('the page of a repair that has ended', () => {
  const pageOf = async (id: number) => (await agent.client.get(`/support/repairs/${id}`)).html;

  test('leads on where another repair helps now', async () => {
    const id = await scene.topUpIn('UNKNOWN');
    const row = await scene.repaired('settle-top-up', id, {
      outcome: 'not-done',
      reference: 'T-4711',
    });
    scene.expectDone(row);
    const html = await pageOf(row.id);
    expect(html).toContain('/support/repairs/ask/retry-top-up"');
    // Our own words are no quotation of the provider.
    expect(html).toMatch(/It failed: settled by hand as not done, reference T-4711, repair \d+\./);
  });

  test('says no more where nothing is left to do', async () => {
    const { gift } = await scene.voucherIn('claimed');
    const row = await scene.repaired('resend-message', gift.id);
    scene.expectDone(row);
    const html = await pageOf(row.id);
    expect(html).toContain('The code was sent again.');
    expect(html).not.toContain('What to do next');
  });

  test('says what to do instead where it was not done', async () => {
    const { gift } = await scene.voucherIn('hanging');
    const row = await scene.forced('resend-message', gift.id);
    expect(row.state).toBe('REFUSED');
    expect(await pageOf(row.id)).toContain('Ask the merchant to claim again');
  });
});

test('the search has the guide of each complaint', async () => {
  const { html } = await agent.client.get('/support');
  const titles = [...html.matchAll(/<details><summary>([^<]+)</g)].map(([, title]) => title);
  expect(titles).toEqual([
    'Paid, and got nothing',
    'The merchant was not paid',
    'A top-up failed',
    'The code never came',
    'Redeemed at the wrong merchant',
  ]);
  const guide = (await agent.client.get('/support/guide')).html;
  for (const title of titles) expect(guide).toContain(`>${title}</h3>`);
});

test('a form that came too late leads to what helps now', async () => {
  const { gift } = await scene.voucherIn('claimed');
  const path = `/support/vouchers/${gift.id}`;
  const { html } = await agent.client.get(path);
  await scene.stack.database
    .updateTable('voucher_claims')
    .set({ expires_at: sql<Date>`now() - interval '1 second'` })
    .where('voucher_id', '=', gift.id)
    .execute();
  const fields = Object.fromEntries(
    ['token', 'subject', 'once'].map((name) => [
      name,
      new RegExp(`ask/resend-message"[\\s\\S]*?name="${name}" value="([^"]+)"`).exec(html)?.[1] ??
        '',
    ]),
  );
  const answer = await agent.client.post('/support/repairs/ask/resend-message', {
    ...fields,
    why: 'Ticket 4711',
  });
  expect(answer.status).toBe(409);
  expect(answer.html).toContain('The time of its claim is over: the merchant claims again.');
  expect(answer.html).toContain('Ask the merchant to claim again: that sends a new code.');
});
