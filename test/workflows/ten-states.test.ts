import { afterAll, beforeAll, expect, it } from 'vitest';
import { GENERATE } from '../end-to-end/gift/gift-scene.ts';
import type { RedemptionScene } from '../end-to-end/gift/redemption-scene.ts';
import { NUMBER_IN_CLEAR } from '../support/number-in-clear.ts';
import { until } from '../support/until.ts';
import { detailsOf } from './details-of.ts';
import { makeTenStates, type State, setTenStatesScene, tenStates } from './make-ten-states.ts';

let scene: RedemptionScene;
const found: Partial<Record<State, string>> = {};

beforeAll(async () => {
  scene = await setTenStatesScene();
  await makeTenStates(scene, (state, _handle, details) => {
    found[state] = details;
  });
}, 300_000);
afterAll(() => scene?.stop());

it.each(Object.keys(tenStates) as State[])('%s', (state) => {
  for (const words of tenStates[state]) expect(found[state]).toMatch(words);
  // Nobody's number is there as it is.
  expect(found[state]).not.toMatch(NUMBER_IN_CLEAR);
});

it('a request that one step decides says what it did, or why it was refused', async () => {
  const { stack, asPartner, partner } = scene;
  const generate = (denomination: 100 | 'unpriced') =>
    asPartner.post(GENERATE, {
      denominationId: partner.denominations[denomination],
      merchantId: scene.merchant.id,
      msisdn: null,
      isRestricted: true,
    });
  const { voucher } = (await generate(100)).body.data;
  await generate('unpriced');
  await asPartner.post(`/vouchers/${voucher.id}/cancel`, undefined);
  const pages = async (type: string) => {
    const query = `WorkflowType = "${type}" and TaskQueue = "${stack.config.temporal.temporalTaskQueue}"`;
    const all: string[] = [];
    for await (const { workflowId } of stack.temporal.client.workflow.list({ query }))
      all.push(await detailsOf(stack.temporal.client.workflow.getHandle(workflowId)));
    return all.join('\n');
  };
  await until(async () => {
    const generated = await pages('generateVoucher');
    expect(generated).toContain(`**Generated**: voucher ${voucher.id} of`);
    expect(generated).toMatch(/\*\*Refused\*\*: a voucher of partner .+ no money has moved\./s);
    expect(await pages('cancelVoucher')).toMatch(
      /\*\*Cancelled\*\*: voucher .+ ETB 100\.00 went back/,
    );
  });
});
