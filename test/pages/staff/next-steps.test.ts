import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gift, newOwner } from '../../end-to-end/gift/gift-scene.ts';
import { redeem } from '../../end-to-end/gift/redemption-scene.ts';
import { observe } from '../../positions/placements.ts';
import { until } from '../../support/until.ts';
import { DAY } from './first-words.ts';
import { type StaffScene, setStaffScene } from './staff-scene.ts';

/** What the page of a case says first, and which repair it leads to: those that work at this moment. */
let scene: StaffScene;

beforeAll(async () => {
  scene = await setStaffScene({
    CALLER_WAIT_SECONDS: '2',
    PROVIDER_CONTACTS: 'gsma=+251 911 000 001',
  });
});
afterAll(() => scene?.stop());

const inDays = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe('a code that never came', () => {
  describe('while the claim is open', () => {
    let gift: Gift;
    beforeAll(async () => {
      ({ gift } = await scene.voucherIn('claimed'));
    });

    test('it is sent again, or the claim is extended', async () => {
      const { words, open, instead } = await scene.firstOfVoucher(gift.id);
      expect(words).toContain('The claim is open until');
      expect(open).toEqual(['resend-message']);
      expect(instead).toEqual(['extend-claim', 'cancel-voucher']);
    });

    test('forms say their limits before they are sent', async () => {
      const { html } = await scene.agent.client.get(`/support/vouchers/${gift.id}`);
      expect(html).toContain(`>Up to ${inDays(365)}.</p>`);
      expect(html).toContain('>From 1 to 60.</p>');
    });

    test('a form that came too late leads to what helps now', async () => {
      const path = `/support/vouchers/${gift.id}`;
      const { html } = await scene.agent.client.get(path);
      await scene.stack.database
        .updateTable('voucher_claims')
        .set({ expires_at: sql<Date>`now() - interval '1 second'` })
        .where('voucher_id', '=', gift.id)
        .execute();
      const fields = Object.fromEntries(
        ['token', 'subject', 'once'].map((name) => [
          name,
          new RegExp(`ask/resend-message"[\\s\\S]*?name="${name}" value="([^"]+)"`).exec(
            html,
          )?.[1] ?? '',
        ]),
      );
      const answer = await scene.agent.client.post('/support/repairs/ask/resend-message', {
        ...fields,
        why: 'Ticket 4711',
      });
      expect(answer.status).toBe(409);
      expect(answer.html).toContain('The time of its claim is over: the merchant claims again.');
      expect(answer.html).toContain('Ask the merchant to claim again: that sends a new code.');
    });
  });

  test('after the claim the merchant claims again', async () => {
    const { gift } = await scene.voucherIn('hanging');
    for (const how of ['hanging', 'ended']) {
      if (how === 'ended') scene.expectDone(await scene.repaired('release-claim', gift.id));
      const { words, open, instead } = await scene.firstOfVoucher(gift.id);
      expect(words).toContain('The claim ran out before the code was entered');
      expect(words).toContain('Ask the merchant to claim again: that sends a new code.');
      expect([open, instead]).toEqual([[], ['cancel-voucher']]);
      const { html } = await scene.agent.client.get(`/support/vouchers/${gift.id}`);
      // The badge says it, too, while the voucher still waits.
      expect(html.includes('Claim ran out')).toBe(how === 'hanging');
      expect(html).not.toContain('Waiting for the code');
      expect(await scene.ask('resend-message', gift.id)).toMatchObject({
        refusal: expect.stringContaining('the merchant claims'),
      });
    }
  });

  test('a number that no code can be sent to is corrected, and the code goes to the right one', async () => {
    const gift = await scene.gift({ owner: newOwner('002') });
    const answer = await scene.asMerchant.post('/topup-transactions/initiate-claim', {
      voucherCode: gift.voucherCode,
    });
    expect(answer.body.success).toBe(false);
    const before = await scene.firstOfVoucher(gift.id);
    expect(before.words).toMatch(/The code could not be sent: .+\./);
    expect(before.instead).toEqual(['correct-number', 'cancel-voucher']);
    const owner = newOwner();
    const { id } = await scene.asked('correct-number', gift.id, { msisdn: owner });
    await scene.confirm(id, await scene.staff('SUPERVISOR'));
    scene.expectDone(await scene.ended(id));
    expect((await scene.firstOfVoucher(gift.id)).words).toContain(
      'The number of the owner was corrected:',
    );
    await scene.redeemed(scene.asMerchant, { ...gift, owner });
  });

  test('nobody has claimed: the number is compared, and can be corrected', async () => {
    const gift = await scene.gift();
    expect(await scene.firstOfVoucher(gift.id)).toMatchObject({
      words: expect.stringContaining('the merchant has not claimed it'),
      open: [],
      instead: ['correct-number'],
    });
    const anonymous = await scene.gift({ owner: null });
    expect(await scene.firstOfVoucher(anonymous.id)).toMatchObject({ open: [], instead: [] });
  });
});

describe('a payment', () => {
  test('that the provider does not say is settled, and our reference stands there', async () => {
    const { gift } = await scene.voucherIn('paying');
    const { payment_reference: reference, operation_id } = await scene.redemptionOf(gift);
    const young = await scene.firstOfVoucher(gift.id);
    expect(young.words).toContain('We ask again by ourselves, at least every hour. Wait.');
    expect(young).toMatchObject({ open: [], instead: ['settle-payment'] });
    await scene.placedLongAgo(operation_id);
    // The reason is known with the first answer of an inquiry.
    const { words, open } = await until(async () => {
      const found = await scene.firstOfVoucher(gift.id);
      expect(found.words).toContain(
        `our reference ${reference}, and has not confirmed it: The status of the payment is pending. The money`,
      );
      return found;
    });
    expect(words).toMatch(
      new RegExp(`^GSMA mobile money has had payment RDM-\\w+ of ETB .+ since ${DAY}, our`),
    );
    expect(words).toContain(`Ask GSMA mobile money, and quote ${reference}.`);
    expect(open).toEqual(['settle-payment']);
    // A repair that waits for somebody hides none of it.
    await scene.written('extend-voucher', gift.id, { until: inDays(30) }, { isByTwo: true });
    const waiting = await scene.firstOfVoucher(gift.id);
    expect(waiting.words).toMatch(
      /“Extend the voucher”, waits for another person\. GSMA mobile money has had payment RDM-/,
    );
    expect(waiting.open).toEqual(['settle-payment']);
  });
});

describe('a payment that was made', () => {
  let gift: Gift;
  beforeAll(async () => {
    ({ gift } = await scene.voucherIn('redeemed'));
  });

  test('says why a merchant gets less than the voucher was worth', async () => {
    const { to_merchant: toMerchant, service_fee: fee } = await scene.stack.database
      .selectFrom('redemptions')
      .select(['to_merchant', 'service_fee'])
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    expect(Number(fee)).toBeGreaterThan(0);
    const figure = (amount: string) => Number(amount).toFixed(2);
    const spent = figure(String(Number(toMerchant) + Number(fee)));
    expect((await scene.firstOfVoucher(gift.id)).words).toContain(
      `was paid ETB ${figure(toMerchant)} (ETB ${spent} less the service fee of ETB ${figure(fee)}), `,
    );
  });

  test('names the provider’s reference, and is taken back only by a button', async () => {
    const { provider_reference: reference } = await scene.redemptionOf(gift);
    const { words, open, instead } = await scene.firstOfVoucher(gift.id);
    expect(words).toContain(reference ?? 'no reference');
    expect([open, instead]).toEqual([[], ['reverse-redemption']]);
  });

  test('of which the provider says something else since is for an operator', async () => {
    const paid = await scene.redemptionOf(gift);
    await scene.stack.database
      .transaction()
      .execute((transaction) =>
        observe(transaction, paid.operation_id, { said: 'other', message: 'another amount' }),
      );
    const { words, open, instead } = await scene.firstOfVoucher(gift.id);
    expect(words).toContain('was paid, and a provider says something else of that since.');
    expect(words).toContain('An operator settles case');
    expect([open, instead]).toEqual([[], []]);
  });
});

describe('a top-up', () => {
  test.each([
    ['FAILED', ['retry-top-up']],
    ['SUCCESS', []],
  ] as const)('that is %s', async (status, kinds) => {
    const id = await scene.topupIn(status);
    const { open } = await until(() => scene.first(`/support/top-ups/${id}`));
    expect(open).toEqual(kinds);
  });

  test('that is UNKNOWN is waited for at first, and settled later', async () => {
    const id = await scene.topupIn('UNKNOWN');
    const path = `/support/top-ups/${id}`;
    const young = await scene.first(path);
    expect(young.words).toContain('We ask again by ourselves, at least every hour. Wait.');
    expect(young).toMatchObject({ open: [], instead: ['settle-top-up'] });
    const { operation_id, reference } = await scene.stack.database
      .selectFrom('topup_attempts')
      .select(['operation_id', 'reference'])
      .where('topup_id', '=', id)
      .executeTakeFirstOrThrow();
    await scene.placedLongAgo(operation_id);
    const { words, open } = await until(async () => {
      const found = await scene.first(path);
      // By the status of the last inquiry.
      expect(found.words).toMatch(
        /has not confirmed it: The status of the top-up is (?:SUBMITTED|CONFIRMED)\. The money/,
      );
      return found;
    });
    expect(words).toContain(`and quote ${reference}. Then book the answer:`);
    expect(open).toEqual(['settle-top-up']);
  });
});

test('the search has the guide of each complaint', async () => {
  const { html } = await scene.agent.client.get('/support');
  const complaints = html.split('What the customer says')[1] ?? '';
  const titles = [...complaints.matchAll(/<details><summary>([^<]+)</g)].map(([, title]) => title);
  expect(titles).toEqual([
    'Paid, and got nothing',
    'Merchant not paid',
    'Top-up failed',
    'Code never came',
    'Wrong number',
    'Wrong merchant',
    'Wrong balance',
    'Deposit booked twice',
    'Webhook fails',
    'Wrong price',
    'Cannot sign in',
    'Voucher expired',
  ]);
  const guide = (await scene.agent.client.get('/support/guide')).html;
  for (const title of titles) expect(guide).toContain(`>${title}</h3>`);
});

test('a refused payment has its cause, a way on, and the contact of the provider', async () => {
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '006' });
  const gift = await scene.gift({ merchant });
  const verificationCode = await scene.claimed(client, gift);
  await redeem(client, gift, { verificationCode });
  const { payment_reference } = await until(async () => {
    const redemption = await scene.redemptionOf(gift);
    expect(redemption.status).toBe('VOIDED');
    return redemption;
  });
  const { words } = await scene.firstOfVoucher(gift.id);
  expect(words).toMatch(/^GSMA mobile money refused the payment: .+ was not paid/);
  expect(words).toContain('If its payout account is wrong, an operator corrects it.');
  const terms = `/support/merchants/${merchant.id}/terms`;
  expect((await scene.agent.client.get(`/support/vouchers/${gift.id}`)).html).toContain(
    `href="${terms}"`,
  );
  expect((await scene.agent.client.get(terms)).html).toContain(
    'merchant payout-account set --merchant',
  );
  expect(words).toContain(`quote ${payment_reference}.`);
  expect(words).toContain('GSMA mobile money: +251 911 000 001');
});

test('the pages of a voucher and a top-up say that a company is suspended or deactivated', async () => {
  const { gift, merchant } = await scene.voucherIn('redeemed');
  const topup = await scene.topupIn('FAILED');
  const states = async () => {
    const ofVoucher = await scene.agent.client.get(`/support/vouchers/${gift.id}`);
    const ofTopup = await scene.agent.client.get(`/support/top-ups/${topup}`);
    return `${ofVoucher.html} ${ofTopup.html}`.match(/Suspended|Deactivated/g);
  };
  expect(await states()).toBeNull();
  const { database } = scene.stack;
  const change = (status: 'ACTIVE' | 'SUSPENDED') =>
    database.updateTable('partners').set({ status }).where('id', '=', scene.partner.id).execute();
  await change('SUSPENDED');
  await database
    .updateTable('merchants')
    .set({ status: 'DEACTIVATED' })
    .where('id', '=', merchant.id)
    .execute();
  expect(await states()).toEqual(['Suspended', 'Deactivated', 'Suspended']);
  await change('ACTIVE');
});
