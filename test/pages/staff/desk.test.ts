import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { DeskKind } from '../../../src/domain/staff.ts';
import { newOwner } from '../../end-to-end/gift/gift-scene.ts';
import { redeem } from '../../end-to-end/gift/redemption-scene.ts';
import { caseOf } from '../../positions/cases.ts';
import { takenBack } from '../../positions/placements.ts';
import { until } from '../../support/until.ts';
import { staffClient } from './staff-client.ts';
import { type StaffScene, setStaffScene } from './staff-scene.ts';

/** The queue of /support: each kind of what waits, and who deals with it, with the rights of the API's role. */
let scene: StaffScene;
let agent: StaffScene['agent'];
let other: StaffScene['agent'];
let partnerName: string;

beforeAll(async () => {
  scene = await setStaffScene({ CALLER_WAIT_SECONDS: '2' });
  agent = scene.agent;
  other = await staffClient(scene.stack);
  partnerName = `Partner ${randomUUID()}`;
  await scene.stack.database
    .updateTable('partners')
    .set({ company_name: partnerName })
    .where('id', '=', scene.partner.id)
    .execute();
});
afterAll(() => scene?.stop());

const run = (statement: ReturnType<typeof sql>) => statement.execute(scene.stack.database);
const anHourAgo = sql`now() - interval '1 hour'`;

/** Something that waits. */
interface Waiting {
  /** As the form of its row names it. */
  readonly subject: string;
  /** In its row. */
  readonly words: string;
  /** Lets it wait no more. */
  readonly end: () => Promise<unknown>;
}

/** Lets something of each kind wait, in the order of the queue. */
const kinds: readonly (readonly [name: string, kind: DeskKind, wait: () => Promise<Waiting>])[] = [
  [
    'a code that its provider refuses',
    'undelivered-code',
    async () => {
      const gift = await scene.gift({ owner: newOwner('002') });
      await scene.asMerchant.post('/topup-transactions/initiate-claim', {
        voucherCode: gift.voucherCode,
      });
      return {
        subject: String(gift.id),
        words: `href="/support/vouchers/${gift.id}">Code not delivered`,
        end: () => scene.cancel(gift),
      };
    },
  ],
  [
    'a code that did not reach the phone',
    'undelivered-code',
    async () => {
      const { gift } = await scene.voucherIn('claimed');
      await run(sql`update messages set delivery = 'NOT_DELIVERED', delivery_at = now(),
        delivery_reason = 'absent' where voucher_id = ${gift.id}`);
      return {
        subject: String(gift.id),
        words: `href="/support/vouchers/${gift.id}">Code not delivered`,
        end: () =>
          run(sql`update voucher_claims set expires_at = now() where voucher_id = ${gift.id}`),
      };
    },
  ],
  [
    'a payment whose outcome is unknown',
    'unknown',
    async () => {
      const { gift } = await scene.voucherIn('paying');
      const { id } = await scene.redemptionOf(gift);
      await run(sql`update redemptions set created_at = ${anHourAgo} where id = ${id}`);
      return {
        subject: `payment ${id}`,
        words: `href="/support/vouchers/${gift.id}">Outcome unknown`,
        end: () =>
          scene.repaired('settle-payment', id, { outcome: 'not-done', reference: 'LETTER' }),
      };
    },
  ],
  [
    'a top-up whose outcome is unknown',
    'unknown',
    async () => {
      const id = await scene.topupIn('UNKNOWN');
      await run(sql`update topup_attempts set created_at = ${anHourAgo} where topup_id = ${id}`);
      return {
        subject: `top-up ${id}`,
        words: `href="/support/top-ups/${id}">Outcome unknown`,
        end: () =>
          scene.repaired('settle-top-up', id, { outcome: 'not-done', reference: 'LETTER' }),
      };
    },
  ],
  [
    'a reversal whose outcome is unknown',
    'unknown',
    async () => {
      const { gift } = await scene.voucherIn('redeemed');
      const { id } = await scene.redemptionOf(gift);
      const reversal = await scene.stack.database
        .insertInto('redemption_reversals')
        .values({
          created_at: new Date(Date.now() - 3_600_000),
          redemption_id: id,
          operation_id: randomUUID().replaceAll('-', ''),
          request_digest: 'digest',
          reference: randomUUID(),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return {
        subject: `reversal ${reversal.id}`,
        words: `href="/support/vouchers/${gift.id}">Outcome unknown`,
        end: () =>
          run(sql`update redemption_reversals set status = 'FAILED', settled_at = now()
            where id = ${reversal.id}`),
      };
    },
  ],
  [
    'a repair that waits for a second person',
    'repair',
    async () => {
      const gift = await scene.gift();
      const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
      const { id } = await scene.written(
        'extend-voucher',
        gift.id,
        { until: day },
        { isByTwo: true },
      );
      return {
        subject: String(id),
        words: `href="/support/repairs/${id}">Repair to confirm`,
        end: async () => scene.confirm(id, await scene.staff('SUPERVISOR')),
      };
    },
  ],
  [
    'a refused payment',
    'refused-payment',
    async () => {
      const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '006' });
      const gift = await scene.gift({ merchant });
      const verificationCode = await scene.claimed(client, gift);
      await redeem(client, gift, { verificationCode });
      const { id } = await until(async () => {
        const redemption = await scene.redemptionOf(gift);
        expect(redemption.status).toBe('VOIDED');
        return redemption;
      });
      return {
        subject: String(id),
        words: `href="/support/vouchers/${gift.id}">Payment refused`,
        end: () => scene.claimed(client, gift),
      };
    },
  ],
  [
    'an open case',
    'case',
    async () => {
      const { gift } = await scene.voucherIn('redeemed');
      const { operation_id, payment_reference } = await scene.redemptionOf(gift);
      await takenBack(scene.stack.database, operation_id);
      const { id } = await caseOf(scene.stack.database, payment_reference);
      return {
        subject: String(id),
        words: `href="/support/cases/${id}">Case ${id}`,
        end: () => scene.repaired('settle-case', id, { by: 'platform' }),
      };
    },
  ],
  [
    'a low wallet',
    'low-wallet',
    async () => {
      const low = (threshold: string | null) =>
        scene.stack.database
          .updateTable('ledger_accounts')
          .set({ low_balance: threshold })
          .where('partner_id', '=', scene.partner.id)
          .where('kind', '=', 'gift')
          .returning('id')
          .executeTakeFirstOrThrow();
      const { id } = await low('999999999');
      return { subject: String(id), words: 'gift wallet', end: () => low(null) };
    },
  ],
  [
    'a webhook that does not take events',
    'failing-webhook',
    async () => {
      const { id } = await scene.stack.database
        .insertInto('webhook_endpoints')
        .values({
          created_by: 'test',
          company_kind: 'partner',
          company_id: scene.partner.id,
          url: 'https://partner.example/events',
          description: 'Events',
          // Nothing is sent to it meanwhile, which could fail as well.
          cursor: 1_000_000_000,
          failing_since: new Date(Date.now() - 3_600_000),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return {
        subject: String(id),
        words: `webhook ${id} does not take events`,
        end: () => run(sql`update webhook_endpoints set failing_since = null where id = ${id}`),
      };
    },
  ],
  [
    'a statement that is late',
    'late-statement',
    async () => {
      await run(sql`
        insert into provider_statements (provider, day, state, failure, failing_since)
        values ('mpesa', '2026-01-31', 'TRYING', 'It is not there yet', now() - interval '2 hours')`);
      return {
        subject: 'mpesa 2026-01-31',
        words: 'M-Pesa · 2026-01-31: It is not there yet',
        end: () =>
          run(sql`update provider_statements set state = 'COMPARED', compared_at = now(), failing_since = null
            where provider = 'mpesa' and day = '2026-01-31'`),
      };
    },
  ],
];

/** The rows of the queue with these words. */
async function rowsWith(words: string, query = '', { client } = agent): Promise<string[]> {
  const { status, html } = await client.get(`/support${query}`);
  expect(status).toBe(200);
  const [, ...rows] = html.split('<tr role="row">');
  return rows.filter((row) => row.includes(words));
}

/** The menu counts the rows of the queue that are not assigned to others, as they are by now. */
async function expectNumberAtMenu({ client } = agent): Promise<void> {
  const { html } = await client.get('/support');
  const number = Number(/>Desk <span class="badge warning">(\d+)</.exec(html)?.[1] ?? 0);
  const [, ...rows] = html.split('<tr role="row">');
  const own = rows.filter((row) => row.includes('Assign to me') || row.includes('/desk/leave'));
  expect(number).toBe(own.length);
}

/** Presses the button of a row, as it stood there at some time. */
async function press(
  { client }: typeof agent,
  button: 'take' | 'leave',
  { kind, subject, assignee = '' }: { kind: DeskKind; subject: string; assignee?: string },
) {
  const { html } = await client.get('/support');
  const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
  return client.post(`/support/desk/${button}`, { token, kind, subject, assignee });
}

describe.each(kinds)('%s', (_name, kind, wait) => {
  it('waits, is counted, filtered and assigned, and leaves', async () => {
    const { subject, words, end } = await wait();
    const [row = ''] = await rowsWith(words);
    expect(row).toContain('Assign to me');
    expect(await rowsWith(words, `?kind=${kind}`)).toHaveLength(1);
    const another = kind === 'case' ? 'repair' : 'case';
    expect(await rowsWith(words, `?kind=${another}`)).toEqual([]);
    if (row.includes(partnerName)) {
      const part = encodeURIComponent(partnerName.toUpperCase().slice(0, 30));
      expect(await rowsWith(words, `?company=${part}`)).toHaveLength(1);
    } else expect(kind).toBe('late-statement');
    expect(await rowsWith(words, '?company=no%20such%20company')).toEqual([]);
    await expectNumberAtMenu();

    expect((await press(agent, 'take', { kind, subject })).status).toBe(303);
    expect(await rowsWith(words, '?who=me')).toHaveLength(1);
    expect(await rowsWith(words, '?who=me', other)).toEqual([]);
    expect(await rowsWith(words, '?who=nobody', other)).toEqual([]);
    await expectNumberAtMenu();
    await expectNumberAtMenu(other);

    await end();
    expect(await rowsWith(words)).toEqual([]);
    await expectNumberAtMenu();
  });
});

describe('something that waits', () => {
  const inQueue = async () => {
    const wait = kinds.find(([, kind]) => kind === 'low-wallet')?.[2];
    if (!wait) throw new Error('There is no such kind');
    return { kind: 'low-wallet' as const, ...(await wait()) };
  };
  const auditOf = async (subject: string) =>
    scene.stack.database
      .selectFrom('audit_log')
      .select(['actor', 'action'])
      .where('subject_kind', '=', 'desk')
      .where(sql<boolean>`details ->> 'subject' = ${subject}`)
      .orderBy('id')
      .execute();

  test('is taken by one person, and taken over or released only knowingly; each is audited', async () => {
    const item = await inQueue();
    const { kind, subject } = item;
    const holder = String(agent.account.id);
    const [me, them] = [`staff:${agent.account.id}`, `staff:${other.account.id}`];
    const since = (await auditOf(subject)).length;
    const refused = async ({ client }: typeof agent) =>
      (await client.get('/support')).html.includes('somebody else deals with it');
    // A button that is pressed twice does what it says, once.
    for (const _time of [1, 2]) await press(agent, 'take', item);
    expect(await refused(agent)).toBe(false);
    // Their page is older: it says that it is free.
    await press(other, 'take', item);
    expect(await refused(other)).toBe(true);
    expect(await rowsWith(item.words, '?who=me', other)).toEqual([]);
    await press(other, 'leave', item);
    expect(await rowsWith(item.words, '?who=me')).toHaveLength(1);
    await press(other, 'take', { kind, subject, assignee: holder });
    expect(await rowsWith(item.words, '?who=me', other)).toHaveLength(1);
    for (const _time of [1, 2]) await press(other, 'leave', item);
    expect(await refused(other)).toBe(false);
    expect(await rowsWith(item.words, '?who=nobody')).toHaveLength(1);
    expect((await auditOf(subject)).slice(since)).toEqual([
      { actor: me, action: 'assign' },
      { actor: them, action: 'assign' },
      { actor: them, action: 'release' },
    ]);
    await item.end();
  });

  test('is free again once the account of its person is disabled', async () => {
    const item = await inQueue();
    const leaver = await staffClient(scene.stack);
    await press(leaver, 'take', item);
    expect(await rowsWith(item.words, '?who=nobody')).toEqual([]);
    await run(sql`update portal_accounts set disabled_at = now() where id = ${leaver.account.id}`);
    expect(await rowsWith(item.words, '?who=nobody')).toHaveLength(1);
    await expectNumberAtMenu();
    await press(agent, 'take', item);
    expect(await rowsWith(item.words, '?who=me')).toHaveLength(1);
    await item.end();
  });

  test('cannot be taken once it waits no more, and its assignment ends with it', async () => {
    const item = await inQueue();
    await press(agent, 'take', item);
    await item.end();
    await press(other, 'take', item);
    const { rows } = await run(sql`
      select from desk_assignments where kind = 'low-wallet' and subject = ${item.subject}`);
    expect(rows).toEqual([]);
  });
});

test('a low wallet is free again after a day, and waits for nobody while its partner is suspended', async () => {
  const wait = kinds.find(([, kind]) => kind === 'low-wallet')?.[2];
  const item = wait && { kind: 'low-wallet' as const, ...(await wait()) };
  if (!item) throw new Error('There is no such kind');
  await press(agent, 'take', item);
  await run(sql`update desk_assignments set since = now() - interval '25 hours'`);
  expect(await rowsWith(item.words, '?who=nobody', other)).toHaveLength(1);
  await press(other, 'take', item);
  expect(await rowsWith(item.words, '?who=me', other)).toHaveLength(1);
  const setStatus = (status: string) =>
    run(sql`update partners set status = ${status} where id = ${scene.partner.id}`);
  await setStatus('SUSPENDED');
  expect(await rowsWith(item.words)).toEqual([]);
  await setStatus('ACTIVE');
  await item.end();
});

test('the most urgent stands first, and the page loads itself again without losing what is typed', async () => {
  const made: Waiting[] = [];
  for (const name of ['a low wallet', 'a repair that waits for a second person']) {
    const wait = kinds.find(([given]) => given === name)?.[2];
    if (wait) made.push(await wait());
  }
  const { html, headers } = await agent.client.get('/support');
  const [wallet, repair] = made.map(({ words }) => html.indexOf(words));
  expect(repair).toBeLessThan(wallet ?? 0);
  expect(html).toMatch(/<input id="what"[^>]* autofocus\b/);
  expect(html).toContain('data-refresh="60"');
  expect(html).toContain('<noscript><meta http-equiv="refresh" content="60"></noscript>');
  expect(headers.get('refresh')).toBeNull();
  for (const { end } of made) await end();
});

test('a long queue says how many rows wait, and leads to the others with the filters', async () => {
  await run(sql`
    insert into webhook_endpoints (company_kind, company_id, url, description, created_by, cursor, failing_since)
    select 'partner', ${scene.partner.id}, 'https://shop.example/' || place, '', 'test', 1000000000, now()
    from generate_series(1, 21) as place`);
  const filters = `kind=failing-webhook&company=${encodeURIComponent(partnerName)}`;
  const rows = (html: string) => html.split('>Failing webhook</a>').length - 1;
  const { html } = await agent.client.get(`/support?${filters}`);
  expect([rows(html), html]).toEqual([20, expect.stringContaining('1–20 of 21')]);
  const next = /href="([^"]+page=2)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(rows((await agent.client.get(next)).html)).toBe(1);
  const assigned = await agent.client.submit(next, '/support/desk/take');
  expect(assigned.headers.get('location')).toBe(next);
  // A page of a queue that became shorter.
  expect(rows((await agent.client.get(next.replace('page=2', 'page=3'))).html)).toBe(20);
});
