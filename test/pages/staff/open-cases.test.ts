import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addTransfers, serviceFeesBalance } from '../../../src/db/ledger/ledger.ts';
import { localText } from '../../../src/domain/local-time.ts';
import { commandsOn } from '../../admin/scene.ts';
import { caseOf } from '../../positions/cases.ts';
import { doneLate, observe, takenBack } from '../../positions/placements.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import { until } from '../../support/until.ts';
import { hiddenFields, makeAccount, signedIn } from '../portal/portal-client.ts';
import { DAY } from './first-words.ts';
import { staffClient } from './staff-client.ts';
import { type StaffScene, setStaffScene } from './staff-scene.ts';

/** What a person must settle, by the pages of /support, with the rights of the API's role. */
let scene: StaffScene;
let agent: Awaited<ReturnType<typeof staffClient>>;
let operator: Awaited<ReturnType<typeof staffClient>>;
let partnerName: string;

beforeAll(async () => {
  scene = await setStaffScene({
    CALLER_WAIT_SECONDS: '2',
    TEMPORAL_UI_URL: 'https://temporal.example',
    REPAIR_CONFIRM_FROM: '900',
  });
  agent = await staffClient(scene.stack, 'AGENT');
  operator = await staffClient(scene.stack, 'OPERATOR');
  ({ company_name: partnerName } = await scene.stack.database
    .selectFrom('partners')
    .select('company_name')
    .where('id', '=', scene.partner.id)
    .executeTakeFirstOrThrow());
});
afterAll(() => scene?.stop());

const commands = () => commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });

const pathOf = (id: number) => `/support/cases/${id}`;

/** A payment that its provider took back, and its case. */
async function takenBackPayment() {
  const { gift } = await scene.voucherIn('redeemed');
  const { operation_id, payment_reference } = await scene.redemptionOf(gift);
  await takenBack(scene.stack.database, operation_id);
  return { gift, found: await caseOf(scene.stack.database, payment_reference) };
}

/** A payment that its provider made after it was settled as not made, and its case. */
async function latePayment() {
  const { gift } = await scene.voucherIn('paying');
  const { id: paying, operation_id, payment_reference } = await scene.redemptionOf(gift);
  const decided = { outcome: 'not-done', reference: 'LETTER' };
  scene.expectDone(await scene.repaired('settle-payment', paying, decided));
  await doneLate(scene.stack.database, operation_id);
  return { gift, found: await caseOf(scene.stack.database, payment_reference) };
}

/** A top-up that was delivered and taken back, and its case. */
async function takenBackTopup() {
  const id = await scene.topupIn('SUCCESS');
  const { operation_id, reference } = await scene.stack.database
    .selectFrom('topup_attempts')
    .select(['operation_id', 'reference'])
    .where('topup_id', '=', id)
    .executeTakeFirstOrThrow();
  await takenBack(scene.stack.database, operation_id);
  return { id, found: await caseOf(scene.stack.database, reference) };
}

/** The provider before the present one, which did nothing and gave this message. */
const failedBefore = (operationId: string, message: string) =>
  sql`
  with present as (
    update placements set position = 2 where operation_id = ${operationId} returning *)
  insert into placements (kind, reference, provider, operation_id, voucher_id, ordered, placed_at,
    said, said_at, message)
  select kind, reference, 'mpesa', operation_id, voucher_id, ordered,
    placed_at - interval '2 seconds', 'nothing', placed_at - interval '1 second', ${message}
  from present`.execute(scene.stack.database);

/** The words of a page, without the tags. */
const read = async (path: string, client = agent.client): Promise<string> =>
  (await client.get(path)).html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');

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
    const headingOf = async (query: string) =>
      /<h1>(.*?)<\/h1>/.exec((await agent.client.get(`/support/cases${query}`)).html)?.[1];
    expect(await headingOf('')).toBe('Open cases');
    expect(await headingOf('?state=')).toBe('All cases');
    expect(await read('/support/cases?state=')).toContain('We kept it');
    expect((await agent.client.get('/support/cases')).html).toContain(
      'href="/support/cases?state=">Show all',
    );
  });
});

describe('a payment that was taken back', () => {
  let back: Awaited<ReturnType<typeof takenBackPayment>>;
  beforeAll(async () => {
    back = await takenBackPayment();
  });

  it('says what the provider says, what to do, and what each choice moves', async () => {
    const { html } = await operator.client.get(pathOf(back.found.id));
    expect(html).toContain('A provider took it back');
    expect(html).toContain('GSMA mobile money says that it took it back');
    expect(html).toMatch(/GSMA mobile money took ETB\s97\.50 back from .+, and the voucher paid\./);
    expect(html).toContain('<legend>Who gets ETB\u00A097.50?</legend>');
    expect(html).toContain('The voucher gets back ETB\u00A0100.00, fee included.');
    expect(html).toContain(`${partnerName} gets ETB\u00A097.50 into its gift wallet.`);
    expect(html).toContain('Our fees keep ETB\u00A097.50.');
    expect(html).not.toContain('second person');
    expect(html).toContain(`href="/support/vouchers/${back.gift.id}"`);
    expect(html).toContain('https://temporal.example');
    const forAgent = await agent.client.get(pathOf(back.found.id));
    expect(forAgent.html).toContain('an operator settles it');
    expect(forAgent.html).not.toContain('/ask/settle-case');
  });

  it('has no bearer chosen beforehand, and the browser asks for one', async () => {
    const { html } = await operator.client.get(pathOf(back.found.id));
    expect(html).toMatch(/<input type="radio" name="by" value="payer" required>/);
    expect(html).not.toContain(' checked');
  });

  it('has a title that tells what happened', async () => {
    expect(await read('/support/cases')).toContain(`${back.found.id}: A provider took it back`);
  });

  it('is refused without a bearer, and the case stays open', async () => {
    const { found } = back;
    const answer = await settle(operator, found.id, '');
    expect([answer.status, answer.html]).toEqual([
      409,
      expect.stringContaining('say who bears it'),
    ]);
    const { closed_at } = await caseOf(scene.stack.database, found.reference ?? '');
    expect(closed_at).toBeNull();
  });

  it('is not found by a subject that is no id', async () => {
    const action = '/support/repairs/ask/settle-case';
    const fields = hiddenFields((await operator.client.get(pathOf(back.found.id))).html, action);
    const typed = { ...fields, subject: 'x', why: 'Ticket 4711' };
    const answer = await operator.client.post(action, typed);
    expect([answer.status, answer.html]).toEqual([409, expect.stringContaining('Not asked for')]);
  });

  it('is closed to agents and supervisors, also by a form of their own making', async () => {
    const { found } = back;
    const supervisor = await staffClient(scene.stack, 'SUPERVISOR');
    for (const { client } of [agent, supervisor]) {
      const { html } = await client.get('/support');
      const { token = '' } = hiddenFields(html, '/support/find');
      const answer = await client.post('/support/repairs/ask/settle-case', {
        token,
        subject: String(found.id),
        by: 'platform',
        why: 'Ticket 4711',
        once: 'A'.repeat(43),
      });
      expect(answer.status).toBe(403);
    }
  });

  it('tells what each provider said in its turn, also without words', async () => {
    const { gift, found } = back;
    await failedBefore((await scene.redemptionOf(gift)).operation_id, '');
    const words = await read(pathOf(found.id));
    const places = [
      'M-Pesa got the order.',
      'M-Pesa says that it did nothing.',
      'GSMA mobile money got the order.',
      'GSMA mobile money says that it did ETB 97.50',
      'GSMA mobile money says that it took it back',
    ].map((text) => words.indexOf(text));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(0);
    expect(await read(`/support/vouchers/${gift.id}`)).toContain(
      'was not taken by M-Pesa. GSMA mobile money was asked next.',
    );
  });
});

describe('a late payment', () => {
  let late: Awaited<ReturnType<typeof latePayment>>;
  beforeAll(async () => {
    late = await latePayment();
  });

  it('has a title that tells what happened', async () => {
    expect(await read('/support/cases')).toContain(
      `${late.found.id}: A provider did an order after all`,
    );
  });

  it('warns where the service fees would have less than nothing', async () => {
    const { database } = scene.stack;
    const correction = {
      operationId: randomUUID(),
      partnerId: scene.partner.id,
      step: 'correction',
      debit: 'service-fees',
      credit: 'funding',
      amount: (await serviceFeesBalance(database)) ?? 0n,
    } as const;
    await database.transaction().execute((transaction) => addTransfers(transaction, [correction]));
    const words = await read(pathOf(late.found.id), operator.client);
    expect(words).toContain('That leaves ETB -97.50.');
  });

  it('is charged to its own voucher', async () => {
    const { gift, found } = late;
    expect((await settle(operator, found.id, 'payer')).status).toBe(303);
    await untilClosed(found.id);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEMED', remaining: '0.000000' });
    expect(await findBrokenInvariants(scene.stack.database)).toEqual([]);
  });
});

describe('a case', () => {
  it('offers what differs for a top-up, and says why the payer is none of it', async () => {
    const { found } = await takenBackTopup();
    const { html } = await operator.client.get(pathOf(found.id));
    expect([...html.matchAll(/name="by" value="(\w*)"/g)].map(([, value]) => value)).toEqual([
      ...['partner', 'platform', 'provider'],
    ]);
    expect(html).toContain('The payer of a top-up is its partner.');
    const answer = await settle(operator, found.id, 'payer');
    expect([answer.status, answer.html]).toEqual([
      409,
      expect.stringContaining('The payer of a top-up is its partner. Choose another bearer.'),
    ]);
  });

  it('tells what was read in a statement, and what a receipt says', async () => {
    const { gift } = await scene.voucherIn('redeemed');
    const { operation_id, payment_reference } = await scene.redemptionOf(gift);
    await scene.stack.database
      .transaction()
      .execute((transaction) =>
        observe(transaction, operation_id, { said: 'undone', source: 'statement' }),
      );
    const { id } = await caseOf(scene.stack.database, payment_reference);
    const told = await read(pathOf(id));
    expect(told).toContain('The statement of GSMA mobile money says that it took it back');
    await settle(operator, id, 'provider');
    await untilClosed(id);
    expect(await read(pathOf(id))).toContain(
      'An operator booked that GSMA mobile money did ETB 97.50',
    );
  });

  it.each([
    ['done', { said: 'undone' }, 'did ETB 97.50, reference MP1'],
    ['not-done', { said: 'done', providerReference: 'OP-late' }, 'did nothing'],
  ] as const)('says that a person booked an answer: %s', async (outcome, later, words) => {
    const { gift } = await scene.voucherIn('paying');
    const { id, operation_id, payment_reference } = await scene.redemptionOf(gift);
    scene.expectDone(await scene.repaired('settle-payment', id, { outcome, reference: 'MP1' }));
    await scene.stack.database
      .transaction()
      .execute((transaction) => observe(transaction, operation_id, later));
    const found = await caseOf(scene.stack.database, payment_reference);
    expect(await read(pathOf(found.id))).toContain(
      `An operator booked that GSMA mobile money ${words}`,
    );
  });

  it('is not settled about another difference than its form showed', async () => {
    const { gift, found } = await takenBackPayment();
    const { operation_id } = await scene.redemptionOf(gift);
    const action = '/support/repairs/ask/settle-case';
    const { html } = await operator.client.get(pathOf(found.id));
    // The provider says meanwhile that it took a part back only.
    await scene.stack.database
      .transaction()
      .execute((transaction) =>
        observe(transaction, operation_id, { said: 'done', amount: 40_000_000n }),
      );
    const sent = { ...hiddenFields(html, action), by: 'partner', why: 'Ticket 4711' };
    const answer = await operator.client.post(action, sent);
    expect([answer.status, answer.html]).toEqual([
      409,
      expect.stringContaining('It has changed meanwhile: look at it, and ask again.'),
    ]);
    expect(answer.html).toContain('<legend>Who gets ETB\u00A057.50?</legend>');
    const again = { ...hiddenFields(answer.html, action), by: 'partner', why: 'Ticket 4711' };
    expect((await operator.client.post(action, again)).status).toBe(303);
    await untilClosed(found.id);
  });

  it('is not there, or not a number', async () => {
    for (const path of ['/support/cases/999999', '/support/cases/x'])
      expect((await agent.client.get(path)).status).toBe(404);
  });
});

describe('a settled case', () => {
  let settled: Awaited<ReturnType<typeof takenBackPayment>>;
  let repairPath: string;
  beforeAll(async () => {
    settled = await takenBackPayment();
    const { id } = settled.found;
    repairPath = (await settle(operator, id, 'partner', 'Agreed, ticket 4712')).location ?? '';
    await untilClosed(id);
  });

  it('names who bears it, who settled it and when, and leads to the repair and back', async () => {
    const { gift, found } = settled;
    const { html } = await agent.client.get(pathOf(found.id));
    expect(html).toContain(`href="${repairPath}"`);
    const words = await read(pathOf(found.id));
    expect(words).toContain('The partner got it');
    expect(words).toContain(`${partnerName} gets ETB 97.50 into its gift wallet.`);
    expect(words).toMatch(new RegExp(`Settled${DAY} by ${operator.account.name}`));
    expect(words).toContain('NoteAgreed, ticket 4712');
    const repair = await until(async () => {
      const page = await operator.client.get(repairPath);
      expect(page.html).toContain('Done');
      return page.html;
    });
    expect(repair).toMatch(new RegExp(`href="${pathOf(found.id)}">Case ${found.id}</a>`));
    expect(repair).toContain(`href="/support/vouchers/${gift.id}">To the voucher`);
  });

  it('has the same time on the case, in the story and on the repair', async () => {
    const { gift, found } = settled;
    const { closed_at } = await caseOf(scene.stack.database, found.reference ?? '');
    const settledAt = localText(closed_at ?? new Date(0), 'Africa/Addis_Ababa');
    expect(await read(pathOf(found.id))).toContain(`Settled${settledAt}`);
    const { rows } = await sql<{ asked_at: Date; changed_at: Date }>`
      select asked_at, changed_at from repairs
      where subject_kind = 'case' and subject_id = ${String(found.id)}`.execute(
      scene.stack.database,
    );
    const timeOf = (name: 'asked_at' | 'changed_at') =>
      localText(rows[0]?.[name] ?? new Date(0), 'Africa/Addis_Ababa');
    expect(await read(repairPath)).toContain(`Asked${timeOf('asked_at')}`);
    expect(await read(`/support/vouchers/${gift.id}`)).toContain(`${timeOf('changed_at')}Repair`);
  });

  it('is followed by a later case of the same order, and each leads to the other', async () => {
    const { gift, found } = settled;
    const { operation_id, payment_reference } = await scene.redemptionOf(gift);
    await doneLate(scene.stack.database, operation_id);
    const later = await caseOf(scene.stack.database, payment_reference);
    expect(later.id).not.toBe(found.id);
    expect((await agent.client.get(pathOf(found.id))).html).toContain(`href="${pathOf(later.id)}"`);
    expect((await agent.client.get(pathOf(later.id))).html).toContain(`href="${pathOf(found.id)}"`);
    const words = `Settled before:case ${found.id} about ETB 97.50: The partner got it`;
    expect(await read(pathOf(later.id))).toContain(words);
    expect(await read(`/support/vouchers/${gift.id}`)).toContain(words);
    expect(await read(pathOf(later.id))).toContain(`${partnerName} has the money.`);
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

  it('leaves in the story what was said at each time, and names the partner', async () => {
    const { gift } = await takenBackPayment();
    const { operation_id, provider_reference: first } = await scene.redemptionOf(gift);
    await doneLate(scene.stack.database, operation_id, 'OP-second');
    await takenBack(scene.stack.database, operation_id);
    const story = await read(`/support/vouchers/${gift.id}`);
    expect(story).toContain(`was paid ETB 97.50, the provider’s reference is ${first}.`);
    expect(story).toContain('did ETB 97.50, reference OP-second.');
    expect(story).toContain(`whether the money was returned to ${partnerName}.`);
    expect(story).not.toContain('returned to you');
    const { partner, stack } = scene;
    const person = await signedIn(
      stack,
      await makeAccount(stack, { kind: 'partner', id: partner.id }),
    );
    const portal = await read(`/portal/vouchers/${gift.id}`, person);
    expect(portal).toContain(`was paid ETB 97.50, the provider’s reference is ${first}.`);
    expect(portal).toContain('whether the money was returned to you.');
  });

  it('says before that a second person is needed, who reads what moves', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant, denomination: 1000 });
    await scene.redeemed(client, gift);
    const { operation_id, payment_reference } = await scene.redemptionOf(gift);
    await takenBack(scene.stack.database, operation_id);
    const { id } = await caseOf(scene.stack.database, payment_reference);
    const { html } = await operator.client.get(pathOf(id));
    expect(html).toContain('A second person must confirm it: it is ETB 900.00 or more.');
    expect(html).toContain('>Ask a second person</button>');
    const location = (await settle(operator, id, 'partner')).location ?? '';
    const waiting = (await operator.client.get(pathOf(id))).html;
    expect(waiting).toContain(`<a href="${location}">Repair`);
    expect(waiting).toContain('Ask a supervisor to confirm it.');
    expect(waiting).not.toContain('name="by"');
    const supervisor = await staffClient(scene.stack, 'SUPERVISOR');
    const words = await read(location, supervisor.client);
    const moved = `${partnerName} gets ETB 975.00 into its gift wallet.`;
    expect(words).toContain(moved);
    expect(words).toContain('Who bears the amount in suspenseThe partner');
    expect(words).toContain('AmountETB 975.00');
    const desk = (await supervisor.client.get('/support')).html;
    expect(desk).toContain(`href="${location}"`);
    expect(desk).not.toContain(`href="${pathOf(id)}"`);
    await supervisor.client.submit(location, `${location}/confirm`, {});
    await untilClosed(id);
    expect(await read(pathOf(id))).toContain(moved);
  });

  const ofAmount = (amount: bigint) => ({ said: 'done', amount }) as const;
  const atFirst = { provider: 'mpesa', said: 'done' } as const;
  it.each([
    [
      'a smaller payment',
      ...['partner', ofAmount(90_000_000n)],
      'paid Test Merchant ETB 90.00 where ETB 97.50 was ordered, and PARTNER has the rest.',
      'Tell Test Merchant and PARTNER that PARTNER pays the missing ETB 7.50, outside this service.',
    ],
    [
      'two payments',
      ...['platform', atFirst],
      'M-Pesa and GSMA mobile money paid Test Merchant ETB 195.00 where ETB 97.50 was ordered, and we bear',
      'Tell Test Merchant that it got ETB 97.50 too much.',
    ],
  ] as [string, string, Parameters<typeof observe>[2], string, string][])(
    'is told truly on the voucher, and who must be told: %s by the %s',
    async (_, by, seen, happened, told) => {
      const { gift } = await scene.voucherIn('redeemed');
      const { operation_id, payment_reference } = await scene.redemptionOf(gift);
      if (seen.provider) await failedBefore(operation_id, '');
      await scene.stack.database
        .transaction()
        .execute((transaction) => observe(transaction, operation_id, seen));
      const { id } = await caseOf(scene.stack.database, payment_reference);
      const { serial_number: serial } = await scene.stack.database
        .selectFrom('vouchers')
        .select('serial_number')
        .where('id', '=', gift.id)
        .executeTakeFirstOrThrow();
      expect(await read('/support')).toContain(`voucher ${serial}`);
      expect(await read('/support/cases')).toContain(`Voucher ${serial}`);
      const { location } = await settle(operator, id, by);
      await untilClosed(id);
      const named = (words: string) => words.replaceAll('PARTNER', partnerName);
      for (const path of [`/support/vouchers/${gift.id}`, location ?? '', pathOf(id)])
        expect(await read(path)).toContain(named(told));
      const listed = (await commands().admin('cases list --all')).out;
      expect(listed).toMatch(new RegExp(`${payment_reference}.*Voucher ${serial}`));
      const { out } = await commands().admin(`cases show ${id}`);
      expect(out).toContain(named(told));
      expect(out).toContain('GSMA mobile money says that it did ETB');
      expect(await read(`/support/vouchers/${gift.id}`)).toContain(named(happened));
    },
  );
});
