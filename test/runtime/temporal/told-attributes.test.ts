import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { calls } from '../../../src/operations/workflow-calls.ts';
import {
  type RedemptionScene,
  setRedemptionScene,
} from '../../end-to-end/gift/redemption-scene.ts';
import { setWebhookScene, type WebhookScene } from '../../end-to-end/webhooks/webhook-scene.ts';
import { until } from '../../support/until.ts';
import { createStarts, expected, hasAll, type Starts } from './start-attributes.ts';

/** Webhooks, checks of payout accounts, and the queries of the guide. */

let scene: RedemptionScene;
let webhooks: WebhookScene;
let startedWith: Starts['startedWith'];
beforeAll(async () => {
  scene = await setRedemptionScene();
  webhooks = await setWebhookScene();
  ({ startedWith } = createStarts(scene.stack));
});
afterAll(async () => {
  await scene?.stop();
  await webhooks?.stop();
});

test('deliveries to a webhook are found by its company', async () => {
  const { url } = await webhooks.receiver();
  await webhooks.register(url);
  await webhooks.addEvents(['voucher:1']);
  const attributes = await createStarts(webhooks.stack).startedWith('deliver-webhooks');
  hasAll('deliver-webhooks', attributes);
  expect(attributes).toEqual({
    Operation: 'deliver-webhooks',
    Summary: expect.stringMatching(/^Webhook \d+ of partner \d+$/),
    PartnerId: String(webhooks.partner.id),
  });
});

test('a check of a payout account is found by its merchant', async () => {
  const { merchant } = await scene.payee('merchant');
  await scene.stack.api.services.workflows.call(
    calls.checkPayoutAccount,
    { merchantId: merchant.id },
    Date.now() + 60_000,
  );
  const attributes = await startedWith('check-payout-account', `MerchantId = "${merchant.id}"`);
  expect(attributes).toEqual({
    Operation: 'check-payout-account',
    Summary: `Payout account of merchant ${merchant.id}`,
    MerchantId: String(merchant.id),
  });
});

test('the guide for support says of each operation what its workflow is found by', () => {
  const guide = readFileSync('docs/guides/support.md', 'utf8');
  const [, table = ''] = guide.split('A workflow has these from its start');
  const missing = Object.keys(expected).filter((operation) => !table.includes(`\`${operation}\``));
  expect(missing).toEqual([]);
});

test('the server takes every query that the guide for support gives', async () => {
  const guide = readFileSync('docs/guides/support.md', 'utf8');
  const { client } = scene.stack.temporal;
  const found = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    const mine = `TaskQueue = "${scene.stack.config.temporal.temporalTaskQueue}"`;
    for await (const { workflowId } of client.workflow.list({ query: `${mine} AND ${query}` }))
      ids.push(workflowId);
    return ids;
  };
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
  await until(async () =>
    expect(await found('(Operation = "claim" AND ExecutionStatus = "Running")')).toEqual([]),
  );
  await expect(found('(NoSuchAttribute = "1")')).rejects.toThrow();
});
