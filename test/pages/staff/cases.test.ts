import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { providerReferenceOf } from '../../../src/db/positions/placements.ts';
import { makeSecrets } from '../../../src/local/start/backing-services.ts';
import { commandsOn } from '../../admin/scene.ts';
import { done, type Gift, newOwner } from '../../end-to-end/gift/gift-scene.ts';
import {
  type RedemptionScene,
  redeem,
  setRedemptionScene,
} from '../../end-to-end/gift/redemption-scene.ts';
import { idOf, sale } from '../../end-to-end/topups/topup-scene.ts';
import { deposit } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import type { PortalClient } from '../portal/portal-client.ts';
import { staffClient } from './staff-client.ts';

const TEMPORAL_UI_URL = 'https://temporal.example';

let scene: RedemptionScene;
let agent: Awaited<ReturnType<typeof staffClient>>;
/** Of one owner: redeemed, and then a second one that nobody claimed. */
let gifts: readonly [Gift, Gift];
let topup: { readonly id: number; readonly failedTo: string; readonly deliveredTo: string };

const secrets = makeSecrets();
const owner = newOwner();

beforeAll(async () => {
  scene = await setRedemptionScene({ ...secrets, TEMPORAL_UI_URL });
  const { stack, partner, asPartner } = scene;
  const { merchant, client } = await scene.payee('merchant');
  const redeemed = await scene.gift({ owner, merchant, denomination: 500 });
  const code = await scene.claimed(client, redeemed);
  done(await redeem(client, redeemed, { verificationCode: code }));
  gifts = [redeemed, await scene.gift({ owner, merchant, denomination: 500 })];
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '1000', 'airtime');
  const [failedTo, deliveredTo] = ['+251910000002', '+251910000000'];
  const failed = await asPartner.post('/topup-transactions/airtime-topup', {
    amount: 50,
    msisdn: failedTo,
    ...sale,
  });
  topup = { id: Number(idOf(failed)), failedTo, deliveredTo };
  done(
    await asPartner.post('/topup-transactions/retry-topup', {
      transactionId: topup.id,
      msisdn: deliveredTo,
    }),
  );
  agent = await staffClient(stack);
});
afterAll(() => scene?.stop());

const find = (client: PortalClient, what: string) =>
  client.submit('/support', '/support/find', { what });

const redemptionOf = (gift: Gift) =>
  scene.stack.database
    .selectFrom('redemptions')
    .selectAll()
    .select(providerReferenceOf(sql.ref('redemptions.operation_id')).as('provider_reference'))
    .where('voucher_id', '=', gift.id)
    .executeTakeFirstOrThrow();

const newestEntry = () =>
  scene.stack.database
    .selectFrom('audit_log')
    .select(['actor', 'action', 'subject_kind', 'subject_id', 'details'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();

describe('the search of staff', () => {
  test('leads to the one case that a serial, a code or any reference names', async () => {
    const [gift] = gifts;
    const { serial_number, operation_id } = await scene.stack.database
      .selectFrom('vouchers')
      .select(['serial_number', 'operation_id'])
      .where('id', '=', gift.id)
      .executeTakeFirstOrThrow();
    const redemption = await redemptionOf(gift);
    const claim = await scene.stack.database
      .selectFrom('voucher_claims')
      .select('workflow_id')
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    const texts = [
      serial_number,
      ` ${serial_number.slice(0, 9)} ${serial_number.slice(9)} `,
      gift.voucherCode,
      gift.voucherCode.replaceAll('-', '').toLowerCase(),
      redemption.platform_reference,
      redemption.payment_reference,
      redemption.provider_reference ?? '',
      claim.workflow_id ?? '',
      `generate-voucher:${operation_id}`,
      operation_id,
    ];
    for (const text of texts)
      expect(await find(agent.client, text), text).toMatchObject({
        status: 303,
        location: `/support/vouchers/${gift.id}`,
      });
  });

  test('leads to a top-up by its number, references and workflow', async () => {
    const attempts = await scene.stack.database
      .selectFrom('topup_attempts')
      .select(['reference', 'operation_id'])
      .select(providerReferenceOf(sql.ref('topup_attempts.operation_id')).as('provider_reference'))
      .where('topup_id', '=', topup.id)
      .execute();
    const { workflow_id } = await scene.stack.database
      .selectFrom('topups')
      .select('workflow_id')
      .where('id', '=', topup.id)
      .executeTakeFirstOrThrow();
    const texts = attempts.flatMap((one) => [
      one.reference,
      one.provider_reference,
      one.operation_id,
    ]);
    for (const text of [...texts, workflow_id])
      if (text !== null)
        expect((await find(agent.client, text)).location, text).toBe(
          `/support/top-ups/${topup.id}`,
        );
    const byNumber = await find(agent.client, String(topup.id));
    expect(byNumber.location ?? byNumber.html).toContain(`/support/top-ups/${topup.id}`);
  });

  test('lists the cases of a number, newest first, in every way of writing it, and masks it', async () => {
    for (const text of [
      owner,
      owner.slice(1),
      `0${owner.slice(4)}`,
      `+251 ${owner.slice(4, 6)} ${owner.slice(6)}`,
    ]) {
      const { status, html } = await find(agent.client, text);
      expect(status).toBe(200);
      const [older, newer] = gifts.map(({ id }) => html.indexOf(`/support/vouchers/${id}"`));
      expect(newer).toBeGreaterThan(0);
      expect(older).toBeGreaterThan(newer ?? 0);
      expect(html.replace(/value="[^"]*"/g, '')).not.toContain(owner.slice(4));
    }
  });

  test('finds a top-up by the number of a later attempt', async () => {
    const { html, location } = await find(agent.client, topup.deliveredTo);
    expect(location ?? html).toContain(`/support/top-ups/${topup.id}`);
  });

  test('says so where it finds nothing, whatever the text', async () => {
    for (const text of [
      randomUUID(),
      'nobody knows',
      "%' or true --",
      '   ',
      newOwner(),
      '<b>x</b>',
    ])
      expect((await find(agent.client, text)).html).toContain('Nothing found');
  });

  test('is written down with the person; a number only as its hash, a code not at all', async () => {
    await find(agent.client, owner);
    const ofNumber = await newestEntry();
    expect(ofNumber).toMatchObject({ actor: `staff:${agent.account.id}`, action: 'find case' });
    expect(ofNumber.details).toMatchObject({
      by: 'number',
      numberHash: scene.stack.digests.numberHash(owner),
      found: 2,
    });
    await find(agent.client, gifts[0].voucherCode);
    expect((await newestEntry()).details).toMatchObject({ by: 'voucher code', found: 1 });
    const verificationCode = '91728364';
    await find(agent.client, verificationCode);
    expect((await newestEntry()).details).toMatchObject({ by: 'reference', found: 0 });
    const log = await scene.stack.database.selectFrom('audit_log').select('details').execute();
    const text = JSON.stringify(log);
    expect(text).not.toContain(owner.slice(4));
    expect(text).not.toContain(gifts[0].voucherCode.replaceAll('-', ''));
    expect(text).not.toContain(verificationCode);
  });
});

describe('the page of a case', () => {
  test('tells the story with links to workflows, and what to do next', async () => {
    const { html } = await agent.client.get(`/support/vouchers/${gifts[0].id}`);
    for (const text of [
      'Generated for',
      'claimed',
      'was taken by the SMS provider',
      'was paid',
      'Next',
    ])
      expect(html).toContain(text);
    expect(html).toMatch(
      /https:\/\/temporal\.example\/namespaces\/default\/workflows\/claim%3A\d{18}%3A[0-9a-f]+"/,
    );
    expect(html).not.toContain(owner.slice(4));
    expect(html).not.toContain(gifts[0].voucherCode);
  });

  test('tells the attempts of a top-up', async () => {
    const { html } = await agent.client.get(`/support/top-ups/${topup.id}`);
    for (const text of ['Attempt 1', 'failed', 'Attempt 2', 'was delivered', 'Next'])
      expect(html).toContain(text);
    expect(html).not.toContain(topup.failedTo.slice(4));
  });

  test('shows the number only by a form, and writes that down', async () => {
    const path = `/support/vouchers/${gifts[0].id}`;
    const { html, status } = await agent.client.submit(path, `${path}/number`);
    expect(status).toBe(200);
    expect(html).toContain(owner);
    expect(await newestEntry()).toMatchObject({
      actor: `staff:${agent.account.id}`,
      action: 'show number',
      subject_kind: 'voucher',
      subject_id: gifts[0].id,
    });
    expect((await agent.client.get(`${path}/number`)).location).toBe(path);
    expect((await agent.client.get(path)).html).not.toContain(owner);
  });

  test('names the merchants that redeem it', async () => {
    const name = 'Test Merchant';
    const [free, bound] = [await scene.gift(), await scene.gift()];
    for (const [gift, isRestricted] of [
      [free, false],
      [bound, true],
    ] as const)
      await scene.stack.database
        .updateTable('vouchers')
        .set({ is_restricted: isRestricted })
        .where('id', '=', gift.id)
        .execute();
    const pageOf = async ({ id }: Gift) => (await agent.client.get(`/support/vouchers/${id}`)).html;
    expect(await pageOf(free)).toContain(`at ${name}, or at another merchant`);
    expect(await pageOf(bound)).toContain(`only at ${name}`);
  });

  test('is not found where there is no such case', async () => {
    for (const path of ['/support/vouchers/999999999', '/support/top-ups/x', '/support/vouchers/0'])
      expect((await agent.client.get(path)).status).toBe(404);
  });
});

describe('the command find', () => {
  const commands = () => {
    const { databaseUrl: DATABASE_URL } = scene.stack.config.database;
    return commandsOn({ ...secrets, DATABASE_URL, TEMPORAL_UI_URL });
  };

  test('tells the story of a case, with the links of its workflows', async () => {
    const { out } = await commands().admin(['desk', 'find', gifts[0].voucherCode]);
    expect(out).toContain('was taken by the SMS provider');
    expect(out).toContain('Next\nGive the merchant the provider’s reference');
    expect(out).toContain('https://temporal.example/namespaces/default/workflows/claim%3A');
    expect(out).not.toMatch(/<|&amp;|&#39;/);
    expect(out).not.toContain(owner.slice(4));
    expect(await newestEntry()).toMatchObject({ actor: 'hanna', action: 'find case' });
  });

  test('lists several, and ends with an error where there is none', async () => {
    const { cases, more } = await commands().json(['desk', 'find', owner]);
    expect(cases.map(({ id }: { id: number }) => id)).toEqual([gifts[1].id, gifts[0].id]);
    expect(more).toBe(0);
    const none = await commands().admin(['desk', 'find', 'RDM-0000000000000000']);
    expect(none.code).toBe(1);
    expect(none.err).toContain('Nothing found');
  });
});
