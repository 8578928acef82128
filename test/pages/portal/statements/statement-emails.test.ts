import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listUndeliveredEmails } from '../../../../src/db/outbox.ts';
import type { PortalRole } from '../../../../src/domain/access.ts';
import { lastClosedMonth, type Month, monthsBetween } from '../../../../src/domain/statements.ts';
import type { Company } from '../../../../src/domain/vouchers/voucher.ts';
import {
  createFailpoint,
  type Failpoint,
  failpoints,
} from '../../../../src/runtime/process/failpoint.ts';
import type { ReceivedMail } from '../../../../src/sandbox/requests.ts';
import { type GiftScene, setGiftScene } from '../../../end-to-end/gift/gift-scene.ts';
import { makeMerchant, makePartner, type TestPartner } from '../../../support/companies.ts';
import { until } from '../../../support/until.ts';
import { type Account, hiddenFields, makeAccount, signedIn } from '../portal-client.ts';

const ZONE = 'Africa/Addis_Ababa';
const PATH = '/portal/account/statement-by-email';

let scene: GiftScene;
let armed: Failpoint = () => undefined;
let month: Month;
let before: Month;
let other: TestPartner;

beforeAll(async () => {
  scene = await setGiftScene(
    { WORKER_PICKUP_SECONDS: '0.05', PUBLIC_URL: 'http://localhost:3000' },
    { failpoint: (name) => armed(name) },
  );
  other = await makePartner(scene.stack, { giftWallet: '777' });
  await scene.redeemed(scene.asMerchant, await scene.gift());
  month = lastClosedMonth(new Date(), ZONE);
  [, before = month] = monthsBetween('2000-01' as Month, month);
  await movedInto(month, scene.partner.id);
  await movedInto(before, other.id);
});
afterAll(() => scene?.stop());

/** Dates all transfers of a partner, and the redemptions of its vouchers, into a month. */
const movedInto = (wanted: Month, partnerId: number) =>
  scene.stack.database.transaction().execute(async (transaction) => {
    const day = sql`${`${wanted}-15`}::timestamptz`;
    await sql`set local session_replication_role = replica`.execute(transaction);
    await sql`update ledger_transfers set created_at = ${day}
      where exists (select from ledger_accounts where partner_id = ${partnerId}
        and id in (debit_account_id, credit_account_id))`.execute(transaction);
    await sql`update redemptions set created_at = ${day}, settled_at = ${day}
      where voucher_id in (select id from vouchers where partner_id = ${partnerId})`.execute(
      transaction,
    );
  });

const partnerOf = ({ id }: { readonly id: number }): Company => ({ kind: 'partner', id });

/** Somebody who has been there for long, at a mailbox that behaves as its name says. */
async function person(
  company: Company,
  { role, mailbox = 'somebody' }: { readonly role?: PortalRole; readonly mailbox?: string } = {},
): Promise<Account> {
  const email = `${mailbox}-${randomUUID()}@mail.example`;
  const account = await makeAccount(scene.stack, company, { email, ...(role ? { role } : {}) });
  await change(account, { statements_until: new Date('2026-01-01') });
  return account;
}

const change = ({ email }: Account, values: Record<string, unknown>) =>
  scene.stack.database
    .updateTable('portal_accounts')
    .set(values)
    .where('email', '=', email)
    .execute();

/** How many statements are in each state. */
async function counts() {
  const { rows } = await sql<{ sent: number; untried: number; postponed: number; waiting: number }>`
    select count(*) filter (where state = 'SENT') as sent,
      count(*) filter (where state = 'SENDING' or state = 'QUEUED' and attempts = 0) as untried,
      count(*) filter (where state = 'QUEUED' and attempts > 0) as postponed,
      count(*) filter (where settled_at is null) as waiting
    from outbox where kind = 'statements'`.execute(scene.stack.database);
  return Object.fromEntries(
    Object.entries(rows[0] ?? {}).map(([name, count]) => [name, Number(count)]),
  );
}

/** Runs the expiry run, and waits until everything that it has queued was tried. */
async function runExpiry() {
  const { client } = scene.stack.temporal;
  const taskQueue = scene.stack.config.temporal.temporalTaskQueue;
  const workflowId = `expiry-${randomUUID()}`;
  const before = await counts();
  const result = await client.workflow.execute('expireVouchers', { workflowId, taskQueue });
  const after = await until(async () => {
    const now = await counts();
    expect(now.untried).toBe(0);
    return now;
  });
  return {
    queued: (result as { queuedReports: number }).queuedReports,
    sent: Number(after.sent) - Number(before.sent),
    postponed: after.postponed,
  };
}

/** Mails, oldest first. */
const mailsTo = ({ email }: Account): ReceivedMail[] =>
  scene.stack.sandbox.books.mails(email).toReversed();

const filesTo = (account: Account): string[] =>
  mailsTo(account).flatMap(({ attachments }) => attachments.map(({ name }) => name));

const outcomesOf = async ({ email }: Account) => {
  const { rows } = await sql<{ month: string; outcome: string }>`
    select split_part(subject, ' ', 3) as month,
      concat_ws(': ', state, case state when 'CANCELLED' then problem end) as outcome
    from outbox join portal_accounts as account on account.id = recipient
    where kind = 'statements' and account.email = ${email}`.execute(scene.stack.database);
  return Object.fromEntries(rows.map((row) => [row.month, row.outcome]));
};

const EMPTY = 'CANCELLED: The statement is empty';

const namesOf = (company: Company, ...months: readonly Month[]) =>
  months.flatMap((one) =>
    ['html', 'csv'].map((type) => `statement-${company.kind}-${company.id}-${one}.${type}`),
  );

test('each who may see statements gets those of the own company, once, and the last two at most', async () => {
  const company = partnerOf(scene.partner);
  const merchant: Company = { kind: 'merchant', id: scene.merchant.id };
  const quiet: Company = { kind: 'merchant', id: (await makeMerchant(scene.stack)).id };
  const suspended = await makePartner(scene.stack);
  await movedInto(before, suspended.id);
  const owner = await person(company);
  const finance = await person(company, { role: 'finance' });
  await change(finance, { language: 'am' });
  const ofMerchant = await person(merchant);
  const ofOther = await person(partnerOf(other));
  const others = {
    developer: await person(company, { role: 'developer' }),
    viewer: await person(company, { role: 'viewer' }),
    removed: await person(company),
    new: await makeAccount(scene.stack, company),
    quiet: await person(quiet),
    suspended: await person(partnerOf(suspended)),
    switchedOff: await person(company),
  };
  await change(others.removed, { disabled_at: new Date() });
  await scene.stack.database
    .updateTable('partners')
    .set({ status: 'SUSPENDED' })
    .where('id', '=', suspended.id)
    .execute();
  const switching = await signedIn(scene.stack, others.switchedOff);
  expect((await switching.submit('/portal/account', PATH)).status).toBe(303);
  expect((await switching.get('/portal/account')).html).toContain('You do not get it.');

  expect(await runExpiry()).toEqual({ queued: 8, sent: 5, postponed: 0 });
  expect(filesTo(owner)).toEqual(namesOf(company, month));
  expect(filesTo(finance)).toEqual(namesOf(company, month));
  expect(filesTo(ofMerchant)).toEqual(namesOf(merchant, month));
  expect(filesTo(ofOther).toSorted()).toEqual(namesOf(partnerOf(other), before, month).toSorted());
  for (const [name, account] of Object.entries(others))
    expect([name, mailsTo(account)]).toEqual([name, []]);
  expect(await outcomesOf(owner)).toEqual({ [month]: 'SENT', [before]: EMPTY });
  expect(await outcomesOf(others.quiet)).toEqual({ [month]: EMPTY, [before]: EMPTY });

  const client = await signedIn(scene.stack, owner);
  const [mail] = mailsTo(owner);
  for (const { name, content } of mail?.attachments ?? []) {
    const file = name.endsWith('csv') ? 'csv' : 'html';
    expect(content.trim()).toBe(
      (await client.get(`/portal/statements/${month}/${file}`)).html.trim(),
    );
    expect(content).toContain(file === 'html' ? `partner ${company.id}` : 'Vouchers generated');
    expect(content).not.toContain('777');
  }
  expect(mail?.text).toContain('http://localhost:3000/portal/account');
  expect(mailsTo(finance)[0]?.text).toContain('ወርሃዊ መግለጫ');

  expect(await runExpiry()).toMatchObject({ queued: 0 });
  expect([owner, finance, ofMerchant, ofOther].map((one) => mailsTo(one).length)).toEqual([
    ...[1, 1, 1, 2],
  ]);

  // What was not wanted, or came before a role, is not sent later either.
  await switching.submit('/portal/account', PATH);
  await change(others.developer, { role: 'finance' });
  await scene.stack.database.updateTable('partners').set({ status: 'ACTIVE' }).execute();
  expect(await runExpiry()).toMatchObject({ queued: 1 });
  expect(filesTo(others.suspended)).toHaveLength(4);
  expect(mailsTo(others.switchedOff)).toHaveLength(0);
  expect(mailsTo(others.developer)).toHaveLength(0);
});

test('a fault at any step costs no e-mail, and sends none twice but under its Message-ID', async () => {
  const people: Account[] = [];
  for (const step of failpoints.outbox) {
    people.push(await person(partnerOf(scene.partner)), await person(partnerOf(other)));
    armed = createFailpoint(`${step}:throw`);
    await runExpiry();
    await until(async () => expect((await counts()).waiting).toBe(0));
  }
  armed = () => undefined;
  const mails = people.flatMap(mailsTo);
  expect(people.map((one) => new Set(mailsTo(one).map(({ messageId }) => messageId)).size)).toEqual(
    failpoints.outbox.flatMap(() => [1, 2]),
  );
  // Only after the last step but one the e-mail was out, and not recorded.
  expect(mails).toHaveLength(3 * failpoints.outbox.length + 1);
});

test('what the mail server does not take waits; what it refuses, or may have taken, is not sent again', async () => {
  const company = partnerOf(scene.partner);
  const busy = await person(company, { mailbox: 'busy' });
  const stubborn = await person(company, { mailbox: 'busy' });
  const refused = await person(company, { mailbox: 'refused' });
  const dropped = await person(company, { mailbox: 'dropped' });
  const willing = await person(company);
  expect(await runExpiry()).toMatchObject({ sent: 1, postponed: 2 });
  // It is tried again after a second.
  await until(async () => expect(await outcomesOf(busy)).toMatchObject({ [month]: 'QUEUED' }));
  expect(await outcomesOf(refused)).toMatchObject({ [month]: 'REFUSED' });
  expect(await outcomesOf(dropped)).toMatchObject({ [month]: 'UNKNOWN' });
  // It is given up seven days after the first try.
  const { rows: waiting } = await sql`
    select from outbox where kind = 'statements' and settled_at is null
      and give_up_at between now() + interval '6 days' and now() + interval '7 days'`.execute(
    scene.stack.database,
  );
  expect(waiting).toHaveLength(2);

  const { email } = busy;
  await change(busy, { email: email.replace('busy', 'free') });
  // A message that is being sent meanwhile has read the former address.
  await until(async () => {
    await sql`update outbox set give_up_at = now() - interval '1 hour', due_at = now()
      where kind = 'statements' and state = 'QUEUED'`.execute(scene.stack.database);
    expect((await counts()).waiting).toBe(0);
  });
  expect(await outcomesOf({ ...busy, email: email.replace('busy', 'free') })).toMatchObject({
    [month]: 'SENT',
  });
  expect(await outcomesOf(stubborn)).toMatchObject({ [month]: 'GIVEN_UP' });
  const ofCompany = { queue: 'statements', companyKind: 'partner', companyId: company.id };
  const undelivered = await listUndeliveredEmails(scene.stack.database, 10);
  expect(undelivered.filter(({ period }) => period === month)).toMatchObject([
    { ...ofCompany, email: stubborn.email, outcome: 'GIVEN_UP' },
    { ...ofCompany, email: refused.email, outcome: 'REFUSED' },
  ]);
  expect(mailsTo({ ...busy, email: email.replace('busy', 'free') })).toHaveLength(1);
  expect([dropped, willing].map((one) => mailsTo(one).length)).toEqual([1, 1]);
});

test('only owners and people of finance choose, each for themselves; a role that ends and a suspension cancel', async () => {
  const company = partnerOf(scene.partner);
  const developer = await person(company, { role: 'developer' });
  const asDeveloper = await signedIn(scene.stack, developer);
  const { html } = await asDeveloper.get('/portal/account');
  expect(html).not.toContain(PATH);
  const sent = { ...hiddenFields(html, '/portal/account/time-zone'), wanted: 'yes' };
  expect((await asDeveloper.post(PATH, sent)).status).toBe(403);
  const finance = await person(company, { role: 'finance' });
  const asFinance = await signedIn(scene.stack, finance);
  expect((await asFinance.submit('/portal/account', PATH, { wanted: 'x' })).status).toBe(400);

  const ofOther = await person(partnerOf(other));
  const setOther = (status: 'ACTIVE' | 'SUSPENDED') =>
    scene.stack.database
      .updateTable('partners')
      .set({ status })
      .where('id', '=', other.id)
      .execute();
  armed = (name) =>
    (name === 'outbox-read'
      ? Promise.all([change(finance, { role: 'viewer' }), setOther('SUSPENDED')])
      : undefined) as never;
  await runExpiry();
  armed = () => undefined;
  await setOther('ACTIVE');
  await runExpiry();
  for (const one of [finance, ofOther]) {
    expect(await outcomesOf(one)).toMatchObject({
      [month]: 'CANCELLED: The recipient does not get it any more',
    });
    // A month may close while this test runs: its statement is another one.
    const sent = mailsTo(one).flatMap(({ attachments }) => attachments.map(({ name }) => name));
    expect(sent.filter((name) => name.includes(month))).toEqual([]);
  }
});
