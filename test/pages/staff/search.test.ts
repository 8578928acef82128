import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDeposit } from '../../../src/db/ledger/deposits.ts';
import { recordAbandonedRequest } from '../../../src/db/operations.ts';
import { parseMoney } from '../../../src/domain/money.ts';
import {
  cancelVoucherId,
  generateBulkId,
  generateVoucherId,
  reconcileId,
  repairWorkflowId,
  resendMessageId,
} from '../../../workflows/workflow-ids.ts';
import { done, newOwner } from '../../end-to-end/gift/gift-scene.ts';
import { redeem } from '../../end-to-end/gift/redemption-scene.ts';
import { caseOf } from '../../positions/cases.ts';
import { takenBack } from '../../positions/placements.ts';
import { makePartner } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { hiddenFields, makeAccount } from '../portal/portal-client.ts';
import { staffClient } from './staff-client.ts';
import { type StaffScene, setStaffScene } from './staff-scene.ts';

/** What support finds besides the plain names of a case, with the rights of the roles. */
let scene: StaffScene;

beforeAll(async () => {
  scene = await setStaffScene({ TEMPORAL_UI_URL: 'https://temporal.example' });
});
afterAll(() => scene?.stop());

/** A single hit opens. */
const opens = async (what: string, location: string) =>
  expect(await scene.find(what), what).toMatchObject({ status: 303, location });

const leadsTo = (what: string, id: number) => opens(what, `/support/vouchers/${id}`);

/** The newest operation of a kind. */
async function newestOperation(kind: string): Promise<string> {
  const { id } = await scene.stack.database
    .selectFrom('operations')
    .select('id')
    .where('kind', '=', kind)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return id;
}

describe('a workflow leads to its voucher', () => {
  test('of a claim, open or ended, by its operation', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    const code = await scene.claimed(client, gift);
    const { operation_id } = await scene.stack.database
      .selectFrom('voucher_claims')
      .select('operation_id')
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    const names = [operation_id, operation_id.toUpperCase()];
    for (const name of names) await leadsTo(name, gift.id);
    done(await redeem(client, gift, { verificationCode: code }));
    for (const name of names) await leadsTo(name, gift.id);
  });

  test('of a resend, a cancellation and a repair', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    await scene.claimed(client, gift);
    done(await scene.asPartner.post(`/vouchers/${gift.id}/resend`, {}));
    await leadsTo(resendMessageId(await newestOperation('resend-message')), gift.id);
    const repaired = await scene.repaired('extend-claim', gift.id, { minutes: '20' });
    await leadsTo(repairWorkflowId(repaired.id, repaired.operation_id), gift.id);
    done(await scene.asPartner.post(`/vouchers/${gift.id}/cancel`, {}));
    await leadsTo(cancelVoucherId(await newestOperation('cancel-voucher')), gift.id);
    // Cancelled already: the answer is the same, and so is the way to the voucher.
    done(await scene.asPartner.post(`/vouchers/${gift.id}/cancel`, {}));
    await leadsTo(cancelVoucherId(await newestOperation('cancel-voucher')), gift.id);
  });

  test('of a bulk order, with the lines by the partner’s own names', async () => {
    const { partner } = scene;
    const names = ['Order 7', 'a+b=c#1', 'REFUSED/1'].map((name) => `${name}-${randomUUID()}`);
    const [first = '', second = '', refused = ''] = names.map((name) => name.replace(' ', '_'));
    const line = (reference: string, merchantId: number) => ({
      reference,
      denominationId: partner.denominations[100],
      merchantId,
      msisdn: newOwner(),
    });
    const ordered = done(
      await scene.asPartner.post('/vouchers/bulk', {
        lines: [
          line(first, scene.merchant.id),
          line(second, scene.merchant.id),
          line(refused, 2_000_000_000),
        ],
      }),
    );
    const { id } = ordered.body.data.bulkOrder;
    const order = await until(async () => {
      const row = await scene.stack.database
        .selectFrom('bulk_orders')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (row.ended_at === null) throw new Error('The order goes on');
      return row;
    });
    const vouchers = await scene.stack.database
      .selectFrom('bulk_lines')
      .select(['reference', 'voucher_id'])
      .where('bulk_order_id', '=', id)
      .where('voucher_id', 'is not', null)
      .execute();
    expect(vouchers).toHaveLength(2);
    for (const { reference, voucher_id } of vouchers) await leadsTo(reference, voucher_id ?? 0);
    const ofOrder = await scene.find(generateBulkId(id, order.operation_id));
    for (const { voucher_id } of vouchers)
      expect(ofOrder.html).toContain(`/support/vouchers/${voucher_id}"`);
    expect(ofOrder.html).toContain('2 of 3 generated, 1 refused');
    const ofRefused = await scene.find(refused);
    expect(ofRefused.html).toContain(`line 3 of bulk order ${id}`);
    expect(ofRefused.html).toContain('refused: ');
  });
});

test('an answer that was settled as not done is found by its reference', async () => {
  const { gift } = await scene.voucherIn('paying');
  const { id } = await scene.redemptionOf(gift);
  const ofPayment = `T-${randomUUID()}`;
  scene.expectDone(
    await scene.repaired('settle-payment', id, { outcome: 'not-done', reference: ofPayment }),
  );
  await leadsTo(ofPayment, gift.id);
  const topup = await scene.topupIn('UNKNOWN');
  const ofTopup = `T-${randomUUID()}`;
  scene.expectDone(
    await scene.repaired('settle-top-up', topup, { outcome: 'not-done', reference: ofTopup }),
  );
  expect((await scene.find(ofTopup)).location).toBe(`/support/top-ups/${topup}`);
});

test('a voucher is found by the number that its owner had before a correction', async () => {
  const gift = await scene.gift();
  const [before, after] = [gift.owner ?? '', newOwner()];
  const { id } = await scene.asked('correct-number', gift.id, { msisdn: after });
  await scene.confirm(id, await scene.staff('SUPERVISOR'));
  scene.expectDone(await scene.ended(id));
  for (const number of [before, after]) await leadsTo(number, gift.id);
  const { rows } =
    await sql`select from repairs where former_msisdn like ${`%${before.slice(4)}%`}`.execute(
      scene.stack.database,
    );
  expect(rows).toEqual([]);
});

test('a reference of ours is found in any case', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant });
  done(await redeem(client, gift, { verificationCode: await scene.claimed(client, gift) }));
  const { platform_reference } = await scene.stack.database
    .selectFrom('redemptions')
    .select('platform_reference')
    .where('voucher_id', '=', gift.id)
    .executeTakeFirstOrThrow();
  await leadsTo(platform_reference.toLowerCase(), gift.id);
});

describe('companies and people are found', () => {
  test('a partner by a part of its name', async () => {
    const name = `Abay ${randomUUID()}`;
    await scene.stack.database
      .updateTable('partners')
      .set({ company_name: name })
      .where('id', '=', scene.partner.id)
      .execute();
    for (const text of [name, name.toUpperCase().slice(2, 25)])
      await opens(text, `/support/partners/${scene.partner.id}`);
  });

  test('a merchant that was deleted, whose payments can be looked at, and which is not changed', async () => {
    const { database } = scene.stack;
    const { gift, merchant } = await scene.voucherIn('redeemed');
    const { id: account } = await makeAccount(scene.stack, { kind: 'merchant', id: merchant.id });
    const { identifier } = await database
      .updateTable('merchants')
      .set({ status: 'DEACTIVATED', deleted_at: sql<Date>`now()` })
      .where('id', '=', merchant.id)
      .returning('identifier')
      .executeTakeFirstOrThrow();
    const page = `/support/merchants/${merchant.id}`;
    await opens(identifier, page);
    const operator = await staffClient(scene.stack, 'OPERATOR');
    const read = async (path: string) => (await operator.client.get(path)).html;
    expect(await read(`/support/vouchers/${gift.id}`)).toContain(`href="${page}"`);
    expect(await read(page)).toMatch(/<h1>.+Deleted.+<\/h1>/);
    expect(await read(`${page}/sales`)).toContain('97.50');
    const person = `${page}/people/${account}`;
    const shown = await read(person);
    expect(shown).toContain('The merchant was deleted');
    const { token = '' } = hiddenFields(shown, '/support/sign-out');
    const reset = await operator.client.post(`${person}/password`, { token, why: 'Ticket 4711' });
    expect(reset.status).toBe(404);
  });

  test('a merchant by its name, its identifier and its e-mail address', async () => {
    const { id } = scene.merchant;
    const row = await scene.stack.database
      .updateTable('merchants')
      .set({ merchant_name: `Bole ${randomUUID()}`, email: `${randomUUID()}@bole.example` })
      .where('id', '=', id)
      .returning(['merchant_name', 'identifier', 'email'])
      .executeTakeFirstOrThrow();
    for (const text of [row.merchant_name, row.identifier, row.email.toUpperCase()])
      await opens(text, `/support/merchants/${id}`);
  });

  test('several of one name are listed, each with a link to its page and its balances', async () => {
    const name = `Awash ${randomUUID()}`;
    const ids = [(await makePartner(scene.stack)).id, (await makePartner(scene.stack)).id];
    for (const id of ids)
      await scene.stack.database
        .updateTable('partners')
        .set({ company_name: `${name} ${id}` })
        .where('id', '=', id)
        .execute();
    const { html } = await scene.find(name);
    for (const id of ids)
      expect(html).toContain(`<a href="/support/partners/${id}">partner ${name} ${id}</a>`);
    expect(html).toMatch(/active, gift wallet ETB [\d,]+\.\d\d, airtime wallet ETB/);
  });

  test('a company stands above its people, also if they came later', async () => {
    const { id } = await makePartner(scene.stack);
    const name = `sor${randomUUID().slice(0, 8)}`;
    const { database } = scene.stack;
    await database
      .updateTable('partners')
      .set({ company_name: name })
      .where('id', '=', id)
      .execute();
    const { email } = await makeAccount(scene.stack, { kind: 'partner', id });
    await database
      .updateTable('portal_accounts')
      .set({ email: `${name}.${email}` })
      .where('email', '=', email)
      .execute();
    const { html } = await scene.find(name);
    expect(html.indexOf(`person ${name}.`)).toBeGreaterThan(html.indexOf(`partner ${name}<`));
    expect(html.indexOf(`partner ${name}<`)).toBeGreaterThan(0);
  });

  test('a person of a company by the e-mail address', async () => {
    const company = { kind: 'partner', id: scene.partner.id } as const;
    const { email } = await makeAccount(scene.stack, company);
    const { id } = await scene.stack.database
      .selectFrom('portal_accounts')
      .select('id')
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    await opens(email, `/support/partners/${scene.partner.id}/people/${id}`);
  });

  test('a person by a part of the e-mail address, and of the service by the name', async () => {
    const { email, name } = scene.agent.account;
    for (const text of [email, email.slice(3, 20), name.toLowerCase()]) {
      const { html } = await scene.find(text);
      expect(html).toContain(`person ${email}`);
      expect(html).toContain('Hanna AGENT, agent');
    }
  });
});

describe('other records are shown', () => {
  test('a case about no voucher by its number and by the reference of its line', async () => {
    const reference = `LINE-${randomUUID().toUpperCase()}`;
    const { rows } = await sql<{ id: number }>`
      insert into cases (subject_kind, subject, why, amount, provider, reference)
      values ('line', ${`gsma 2026-11-01 ${reference}`}, 'foreign', 100, 'gsma', ${reference})
      returning id`.execute(scene.stack.database);
    const id = rows[0]?.id;
    for (const text of [`case ${id}`, reference, reference.toLowerCase()])
      await opens(text, `/support/cases/${id}`);
  });

  test('a case about a voucher by its number: the case itself, not the voucher', async () => {
    const { gift } = await scene.voucherIn('redeemed');
    const { operation_id, payment_reference } = await scene.redemptionOf(gift);
    await takenBack(scene.stack.database, operation_id);
    const { id } = await caseOf(scene.stack.database, payment_reference);
    const { location, html } = await scene.find(`case ${id}`);
    expect(location ?? html).toContain(`/support/cases/${id}`);
  });

  test('what a caller asks for: the value and the last day of vouchers', async () => {
    const owner = newOwner();
    await scene.gift({ owner });
    await scene.gift({ owner });
    expect((await scene.find(owner)).html).toMatch(/ETB\s100\.00<\/span> left, valid until/);
  });

  test('a repair by its number, and by the letter that settled it', async () => {
    const { gift } = await scene.voucherIn('paying');
    const { id } = await scene.redemptionOf(gift);
    const letter = `LETTER-${randomUUID()}`;
    const decided = { outcome: 'done', reference: `MP-${randomUUID()}`, letter };
    const repair = await scene.repaired('settle-payment', id, decided);
    scene.expectDone(repair);
    await leadsTo(letter, gift.id);
    await opens(`repair ${repair.id}`, `/support/repairs/${repair.id}`);
    const { words } = await scene.firstOfVoucher(gift.id);
    expect(words).toContain(`the provider’s reference ${decided.reference}.`);
    expect(words).not.toContain(letter);
  });

  test('a deposit and a goodwill credit by their references', async () => {
    const reference = `Cbe 2026/0042 #7 ${randomUUID()}`;
    await scene.stack.database.transaction().execute((transaction) =>
      addDeposit(transaction, {
        partnerId: scene.partner.id,
        wallet: 'gift',
        amount: parseMoney('1234.5'),
        reference,
      }),
    );
    const page = `/support/partners/${scene.partner.id}`;
    const deposit = `${page}/deposits/${encodeURIComponent(reference)}`;
    await opens(reference.toUpperCase(), deposit);
    const { status, html } = await scene.agent.client.get(deposit);
    expect(status).toBe(200);
    for (const words of [reference, '1,234.50', 'gift wallet']) expect(html).toContain(words);
    await scene.addServiceFees('50');
    const ticket = `Ticket+${randomUUID()}`;
    const repair = await scene.repaired('credit-goodwill', scene.partner.id, {
      wallet: 'airtime',
      amount: '50',
      reference: ticket,
    });
    await opens(ticket.toLowerCase(), `${page}/money`);
    const ofWallet = repairWorkflowId(repair.id, repair.operation_id);
    await opens(ofWallet, `/support/repairs/${repair.id}`);
  });

  test('a call by its X-Request-Id, refused or not', async () => {
    const accepted = await scene.asPartner.get('/info/get-current-balance');
    const refused = await fetch(`${scene.asPartner.base}/info/get-current-balance`, {
      headers: { Authorization: 'Bearer nonsense' },
    });
    for (const [headers, state] of [
      [accepted.headers, 'answered 200'],
      [refused.headers, 'token-invalid'],
    ] as const) {
      const id = headers.get('X-Request-Id') ?? '';
      const { html } = await until(async () => {
        const answer = await scene.find(id);
        expect(answer.html).toContain('Also found');
        return answer;
      });
      expect(html).toContain(`/info/get-current-balance: ${state}`);
    }
  });

  test('an operation that left nothing else, with its refusal', async () => {
    const operationId = randomBytes(16).toString('hex');
    const identity = {
      operationId,
      company: { kind: 'partner', id: scene.partner.id },
      kind: 'generate-voucher',
      requestId: randomUUID(),
      requestDigest: randomBytes(32).toString('hex'),
    } as const;
    await recordAbandonedRequest(scene.stack.database, identity, 1);
    const { html } = await scene.find(generateVoucherId(operationId));
    expect(html).toContain('generate voucher: refused, still processing');
  });
});

describe('the Temporal UI', () => {
  const open = (id: string) =>
    scene.agent.client.get(`/support/workflows/${encodeURIComponent(id)}`);

  test('leads back to the page of a voucher, a repair, a case and a company', async () => {
    const gift = await scene.gift({});
    const operation = await newestOperation('generate-voucher');
    expect(await open(generateVoucherId(operation))).toMatchObject({
      status: 303,
      location: `/support/vouchers/${gift.id}`,
    });
    const pages = [
      [repairWorkflowId(7, operation), '/support/repairs/7'],
      ['case:vouchers:12', '/support/cases/12'],
      ['case:due-vouchers:vouchers:3', '/support/partners/3'],
      ['check-payout-account:vouchers:5', '/support/merchants/5/terms'],
    ] as const;
    for (const [id, location] of pages)
      expect(await open(id), id).toMatchObject({ status: 303, location });
    expect((await open(reconcileId('vouchers'))).html).toContain('The reconciliation');
    // No number is looked for by an address.
    expect((await open('0911234567')).status).toBe(404);
  });

  test('is one link away for each view of the guide', async () => {
    const { html } = await scene.agent.client.get('/support/guide');
    expect(html).toContain(
      'href="https://temporal.example/namespaces/default/workflows?query=NeedsAction%20%3D%20true"',
    );
    expect(html).not.toContain('localhost:8233');
  });
});

test('a workflow of the service is explained, with its page', async () => {
  const { html } = await scene.find(reconcileId('vouchers'));
  expect(html).toContain('The reconciliation of money on hold');
  expect(html).toContain(
    'https://temporal.example/namespaces/default/workflows/reconcile%3Avouchers"',
  );
});
