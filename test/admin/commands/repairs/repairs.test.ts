import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCase } from '../../../../src/db/positions/cases.ts';
import type { Gift } from '../../../end-to-end/gift/gift-scene.ts';
import { type RepairScene, setRepairScene } from '../../../end-to-end/repairs/repair-scene.ts';
import { type Commands, commandsOn } from '../../scene.ts';

/** Repairs by the command line, which needs the database alone. */
let scene: RepairScene;
let commands: Commands;

beforeAll(async () => {
  scene = await setRepairScene({ REPAIR_CONFIRM_FROM: '400', CLAIM_LIFETIME_SECONDS: '600' });
  const { database, secrets } = scene.stack.config;
  commands = commandsOn({
    DATABASE_URL: database.databaseUrl,
    DIGEST_KEY: secrets.digestKey.toString('base64'),
    DATA_KEYS: secrets.dataKeys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(','),
    REPAIR_CONFIRM_FROM: '400',
  });
});
afterAll(() => scene?.stop());

const WHY = ['--why', 'Ticket 4711'];

/** The option that "voucher show" prints for a command. */
async function factsOf({ id }: Gift, command: string): Promise<string[]> {
  const { repairs } = await commands.json(`voucher show ${id}`);
  const found = repairs.find((one: { readonly command: string }) =>
    one.command.startsWith(command),
  );
  return ['--facts', found?.facts];
}

const cancel = (name: string | number) => ['voucher', 'cancel', String(name), ...WHY];

it('asks for a repair without the phone number in its reason, and shows what came of it', async () => {
  const { gift } = await scene.voucherIn('claimed');
  const { code, out } = await commands.admin([
    ...['voucher', 'claim', 'extend', String(gift.id)],
    ...['--minutes', '15', ...(await factsOf(gift, 'voucher claim extend'))],
    ...['--why', 'Call 0911 234 567 back'],
  ]);
  expect([code, out]).toEqual([0, expect.stringContaining('was taken out of the reason')]);
  const repair = /^Repair (\d+)/.exec(out)?.[1] ?? '';
  scene.expectDone(await scene.ended(Number(repair)));
  const shown = await commands.admin(['desk', 'repair', 'show', repair]);
  expect(shown.out).toMatch(/The claim stays open for 15 minutes at least/);
  expect(shown.out).toContain('Call [number] back');
  expect((await commands.admin('desk repair list --state DONE')).out).toContain('extend-claim');
});

it('asks for a repair of the claim that was shown alone', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant });
  await scene.claimed(client, gift);
  const cancelClaim = ['voucher', 'claim', 'cancel', String(gift.id), ...WHY];
  const shown = `"voucher show ${gift.id}" prints the facts.\n`;
  expect(await commands.admin(cancelClaim)).toMatchObject({ err: `Missing: --facts. ${shown}` });
  const facts = await factsOf(gift, 'voucher claim cancel');
  const { out } = await commands.admin(`voucher show ${gift.id}`);
  expect(out).toContain(`\nvoucher claim cancel ${gift.id} ${facts.join(' ')}  voucher `);
  scene.expectDone(await scene.repaired('cancel-claim', gift.id));
  await scene.claimed(client, gift);
  const late = await commands.admin([...cancelClaim, ...facts]);
  expect(late.err).toBe(`It has changed meanwhile: look at it, and ask again. ${shown}`);
  expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEM_INITIATED' });
});

it.each([
  ['payment', 'voucher', 'voucher settle-payment'],
  ['top-up', 'top-up', 'top-up settle'],
] as const)('settles no %s that another provider has by now', async (_what, shown, command) => {
  const { database } = scene.stack;
  const id =
    shown === 'voucher'
      ? (await scene.voucherIn('paying')).gift.id
      : await scene.topupIn('UNKNOWN');
  const { repairs } = await commands.json(`${shown} show ${id}`);
  const found = repairs.find((one: { readonly command: string }) =>
    one.command.startsWith(command),
  );
  const operationId = /^operationId=([^,]+),provider=\w/.exec(found.facts)?.[1] ?? '';
  const words = `${found.command} --outcome not-done --reference LETTER --facts ${found.facts}`;
  const moveTo = (provider: string) =>
    database
      .updateTable('placements')
      .set({ provider })
      .where('operation_id', '=', operationId)
      .execute();
  await moveTo('another');
  expect((await commands.admin([...words.split(' '), ...WHY])).err).toContain('It has changed');
  await moveTo(found.facts.split('provider=')[1]);
});

it.each(['paying', 'reversed'] as const)(
  'shows the facts of a payment that is %s, however many newer ones its voucher has',
  async (what) => {
    const { database } = scene.stack;
    const { gift } = await scene.voucherIn(what === 'paying' ? 'paying' : 'redeemed');
    const { id, operation_id } = await scene.redemptionOf(gift);
    if (what === 'reversed')
      await sql`
        insert into redemption_reversals (redemption_id, operation_id, request_digest, reference)
        values (${id}, ${`reversal of ${operation_id}`}, 'digest', gen_random_uuid())`.execute(
        database,
      );
    await sql`
      insert into redemptions (operation_id, request_digest, voucher_id, company_kind, company_id, merchant_id,
        to_merchant, service_fee, status, settled_at, payment_reference, platform_reference, payee)
      select operation_id || number, request_digest, voucher_id, company_kind, company_id, merchant_id,
        to_merchant, service_fee, 'VOIDED', now(), gen_random_uuid(), platform_reference || number, payee
      from redemptions, generate_series(1, 11) as number where id = ${id}`.execute(database);
    const { repairs } = await commands.json(`voucher show ${gift.id}`);
    const shown = repairs.map((one: { readonly command: string }) => one.command);
    expect(shown).toContain(`voucher settle-payment ${id}`);
  },
);

it('settles a case only with the amount and the message that were shown', async () => {
  const { database } = scene.stack;
  const opened = async (amount: string, message: string) => {
    const balance = {
      subject_kind: 'balance',
      subject: 'gsma 2026-11-22',
      why: 'balance',
    } as const;
    await openCase(database, { ...balance, amount, message, provider: 'gsma' });
    const { id } = (await commands.json('cases list'))[0];
    return { id, facts: (await commands.json(`cases show ${id}`)).facts };
  };
  const { id, facts } = await opened('100', 'ETB 100 are missing.');
  expect((await commands.admin(`cases show ${id}`)).out).toContain(`\n--facts ${facts}  The case`);
  const settle = (seen: string[]) =>
    commands.admin(['cases', 'settle', String(id), ...seen, ...WHY]);
  expect((await settle([])).err).toBe(`Missing: --facts. "cases show ${id}" prints the facts.\n`);
  for (const [amount, message] of [
    ['150', 'ETB 100 are missing.'],
    ['100', 'ETB 100 and a fee are missing.'],
  ] as const) {
    await opened(amount, message);
    expect((await settle(['--facts', facts])).err).toContain('It has changed meanwhile');
  }
  await opened('100', 'ETB 100 are missing.');
  expect((await settle(['--facts', facts])).code).toBe(0);
});

it('refuses with what to do instead, and asks for nothing', async () => {
  const gift = await scene.gift();
  const { code, err } = await commands.admin([
    ...['voucher', 'claim', 'cancel', String(gift.id)],
    ...WHY,
  ]);
  expect([code, err]).toEqual([1, expect.stringContaining('the merchant claims again')]);
  const wrong = ['voucher', 'claim', 'extend', String(gift.id), '--minutes', '61', ...WHY];
  expect((await commands.admin(wrong)).err).toContain('from 1 to 60');
  expect((await commands.admin(['voucher', 'cancel', String(gift.id)])).code).toBe(1);
  expect((await commands.admin(['desk', 'repair', 'show', '2000000000'])).err).toContain(
    'no repair',
  );
});

it('asks for nothing that needs two people, and cannot speak as one of them', async () => {
  const gift = await scene.gift({ denomination: 500 });
  const words = ['voucher', 'cancel', String(gift.id), ...WHY];
  for (const name of ['staff:1', 'hanna', 'abebe']) {
    const { code, err } = await commands.admin([...words, '--actor', name]);
    expect([code, err]).toEqual([1, expect.stringContaining('/support')]);
  }
  // Two people are always needed, so that there is no such command.
  const correct = ['repair', 'correct-number', String(gift.id), '--msisdn', '+251911234567'];
  expect((await commands.admin([...correct, ...WHY])).code).toBe(1);
  expect(await commands.json('desk repair list --state ASKED')).toEqual([]);
});

it('refuses a reference that names a customer', async () => {
  const { gift } = await scene.voucherIn('paying');
  const { id } = await scene.redemptionOf(gift);
  for (const reference of ['0911 234 567', 'MP1 to +251911234567', 'code 123456']) {
    const words = ['voucher', 'settle-payment', String(id), '--outcome', 'done'];
    const { code, err } = await commands.admin([...words, '--reference', reference, ...WHY]);
    expect([code, err]).toEqual([1, expect.stringContaining('leave it out')]);
    expect(err).not.toContain(reference);
  }
});

it('takes a redemption by our reference as by its id', async () => {
  const { gift } = await scene.voucherIn('paying');
  const { id, platform_reference: reference } = await scene.redemptionOf(gift);
  const reversal = (name: string) => [
    ...['voucher', 'reverse-redemption', name, '--consent', 'Hanna, by letter'],
    ...WHY,
  ];
  for (const name of [String(id), reference])
    expect((await commands.admin(reversal(name))).err).toContain('Its payment is not known yet');
  expect((await commands.admin(reversal('RDM-0'))).err).toContain('There is no redemption RDM-0');
});

it('seals a number, and repeats nothing under the same key', async () => {
  const id = await scene.topupIn('FAILED');
  const msisdn = scene.number();
  const { repairs } = await commands.json(`top-up show ${id}`);
  expect(repairs).toEqual([
    { command: `top-up retry ${id}`, facts: 'attempt=2', about: `top-up ${id}` },
  ]);
  const words = [
    ...['top-up', 'retry', String(id), '--msisdn', msisdn, '--facts', 'attempt=2'],
    ...['--key', 'one', ...WHY],
  ];
  const { repair } = await commands.json(words);
  scene.expectDone(await scene.ended(repair));
  expect(
    JSON.stringify(await commands.json(['desk', 'repair', 'show', String(repair)])),
  ).not.toContain(msisdn.slice(4));
  expect(await commands.json(words)).toMatchObject({ repair, isNew: false });
  expect(await scene.topup(id)).toMatchObject({ status: 'SUCCESS', attempt: 2 });
  const other = [...['voucher', 'cancel'], String((await scene.gift()).id), '--key', 'one', ...WHY];
  expect((await commands.admin(other)).err).toContain(`belongs to repair ${repair}`);
});

it('cancels a voucher by its serial number, and the workflow of its claim is told', async () => {
  const { gift } = await scene.voucherIn('claimed');
  const { serial_number, current_claim_id } = await scene.stack.database
    .selectFrom('vouchers')
    .select(['serial_number', 'current_claim_id'])
    .where('id', '=', gift.id)
    .executeTakeFirstOrThrow();
  const claim = await scene.claimWorkflow(current_claim_id ?? '');
  const { repair } = await commands.json(cancel(serial_number));
  scene.expectDone(await scene.ended(repair));
  expect(await claim.result()).toEqual({ ended: 'withdrawn' });
  expect(await scene.voucher(gift)).toMatchObject({ status: 'CANCELLED', returned: '100.000000' });
  expect(await scene.audited(repair)).toEqual(['hanna: ask repair', 'hanna: cancel voucher']);
});

it('cancels once what ten ask for at the same moment', async () => {
  const gift = await scene.gift();
  const before = await scene.balances();
  const command = [...cancel(gift.id), '--json'];
  const asked = await Promise.all(Array.from({ length: 10 }, () => commands.admin(command)));
  const isTaken = ({ code }: { readonly code: number }) => code === 0;
  const taken = asked.filter(isTaken).map(({ out }) => JSON.parse(out));
  expect(taken.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(taken.map(({ repair }) => repair)).size).toBe(1);
  scene.expectDone(await scene.ended(taken[0].repair));
  // The voucher may be cancelled before the last of the ten asks.
  const late = await commands.admin(command);
  expect(late.err).toContain('cancelled');
  for (const refused of asked.filter((one) => !isTaken(one))) expect(refused).toEqual(late);
  const after = await scene.balances();
  expect(after.eMoneyWalletBalance - before.eMoneyWalletBalance).toBeCloseTo(100);
});

it('refuses to cancel a redeemed one, in the words that pages have', async () => {
  const { gift } = await scene.voucherIn('redeemed');
  const asked = await scene.ask('cancel-voucher', gift.id);
  const { code, err } = await commands.admin(cancel(gift.id));
  expect([code, err]).toEqual([1, `${'refusal' in asked && asked.refusal}\n`]);
});

it.each(['999999', '000000000000000000', 'abc', '-1'])('refuses to cancel "%s"', async (name) => {
  const words = ['voucher', 'cancel', ...WHY, '--', name];
  const { code, out, err } = await commands.admin(words);
  expect([code, out, err.trim().split('\n').length]).toEqual([1, '', 1]);
});

it('adds up what the command line cancels and takes back within a day', async () => {
  const gifts = await Promise.all(Array.from({ length: 4 }, () => scene.gift()));
  const said: string[] = [];
  for (const { id } of gifts) said.push((await commands.admin(cancel(id))).err);
  expect([said[0], said.at(-1)]).toEqual(['', expect.stringContaining('Two people are needed')]);
  const words = ['money', 'deposit', '--partner', String(scene.partner.id), '--wallet', 'gift'];
  await commands.json([...words, '--amount', '300', '--reference', 'CBE-4711']);
  const correction = ['money', 'correct-deposit', 'CBE-4711', '--amount', '0', ...WHY];
  expect((await commands.admin(correction)).err).toContain('Two people are needed');
});

it('shows the queue of the support desk', async () => {
  const { gift } = await scene.voucherIn('paying');
  const { id } = await scene.redemptionOf(gift);
  const ofPayment = async (options: string) =>
    (await commands.json(`desk list${options}`)).filter(
      ({ subject }: { readonly subject: string }) => subject === `payment ${id}`,
    );
  expect(await ofPayment('')).toEqual([]);
  await scene.stack.database
    .updateTable('redemptions')
    .set({ created_at: new Date(Date.now() - 3_600_000) })
    .where('id', '=', id)
    .execute();
  expect(await ofPayment(` --where kind=unknown,partnerId=${scene.partner.id}`)).toMatchObject([
    { kind: 'unknown', amount: '100.000000', provider: 'gsma', assignee: null },
  ]);
  expect(await ofPayment(' --where kind=case')).toEqual([]);
  expect((await commands.admin('desk list')).out).toContain(`payment ${id}`);
  expect((await commands.admin('desk list --where kind=unknwon')).err).toContain('must be one of');
});
