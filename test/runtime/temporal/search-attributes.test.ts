import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { done } from '../../end-to-end/gift/gift-scene.ts';
import {
  type RedemptionScene,
  redeem,
  setRedemptionScene,
} from '../../end-to-end/gift/redemption-scene.ts';
import { idOf, sale } from '../../end-to-end/topups/topup-scene.ts';
import { deposit } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';

/** What support searches by in the Temporal UI: every workflow of a customer has it from its start. */

let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene();
});
afterAll(() => scene?.stop());

/** The operations of the workflows that a query finds, sorted. */
async function found(query: string): Promise<string[]> {
  const { client } = scene.stack.temporal;
  const operations: string[] = [];
  const mine = `TaskQueue = "${scene.stack.config.temporal.temporalTaskQueue}"`;
  for await (const { searchAttributes } of client.workflow.list({ query: `${mine} AND ${query}` }))
    operations.push(String(searchAttributes.Operation?.[0]));
  return operations.sort();
}

test('a gift’s workflows are found by the hash of the owner’s number, and by the companies', async () => {
  const { stack, partner } = scene;
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant, denomination: 500 });
  const code = await scene.claimed(client, gift);
  done(await redeem(client, gift, { verificationCode: code }));
  const hash = stack.digests.numberHash(gift.owner ?? '');
  await until(async () =>
    expect(await found(`NumberHash = "${hash}"`)).toEqual(['claim', 'generate-voucher']),
  );
  expect(await found(`NumberHash = "${hash}" AND PartnerId = "${partner.id}"`)).toHaveLength(2);
  expect(await found(`MerchantId = "${merchant.id}"`)).toEqual(['claim']);
});

test('a redemption without a claim and a top-up are found by theirs', async () => {
  const { stack, partner, asPartner } = scene;
  const { merchant, client } = await scene.payee('merchant');
  const anonymous = await scene.gift({ owner: null, merchant });
  done(await redeem(client, anonymous));
  await until(async () => expect(await found(`MerchantId = "${merchant.id}"`)).toEqual(['redeem']));
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '100', 'airtime');
  const msisdn = '+251910000000';
  const sent = await asPartner.post('/topup-transactions/airtime-topup', {
    amount: 50,
    msisdn,
    ...sale,
  });
  expect(idOf(sent)).toBeDefined();
  const hash = stack.digests.numberHash(msisdn);
  await until(async () =>
    expect(await found(`NumberHash = "${hash}" AND PartnerId = "${partner.id}"`)).toEqual([
      'top-up',
    ]),
  );
});

test('the server takes every query that the guide for support gives', async () => {
  const guide = readFileSync('docs/guides/support.md', 'utf8');
  const [, section = ''] = guide.split('## Queries in the Temporal UI');
  const [table = ''] = section.split('A workflow has these from its start');
  const views = [
    ...table.matchAll(/^\| ([^|`]+) \| \[`([^`]+)`\]\((\S+)\) \| \[Save\]\((\S+)\) \|/gm),
  ];
  expect(views.length).toBeGreaterThan(5);
  for (const [, view = '', query = '', link = '', save = ''] of views) {
    expect(Object.fromEntries(new URL(link).searchParams)).toEqual({ query });
    expect(Object.fromEntries(new URL(save).searchParams)).toEqual({ query, savedQuery: view });
    await found(`(${query})`);
  }
  const queries = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, query = '']) => query),
  );
  expect(queries.length).toBeGreaterThan(5);
  for (const query of queries) await found(`(${query})`);
  expect(await found('(Operation = "claim" AND ExecutionStatus = "Running")')).toEqual([]);
  await expect(found('(NoSuchAttribute = "1")')).rejects.toThrow();
});
