import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RepairScene, setRepairScene } from '../../end-to-end/repairs/repair-scene.ts';
import { textOf } from './journeys/business-scene.ts';
import { makeAccount, type PortalClient, signedIn } from './portal-client.ts';

/** What a partner reads about a payment or a top-up that staff settled as not made: no provider has said so. */
let scene: RepairScene;
let person: PortalClient;
const notDone = { outcome: 'not-done', reference: 'LETTER-4711' };

beforeAll(async () => {
  scene = await setRepairScene({ CALLER_WAIT_SECONDS: '2' });
  const { partner, stack } = scene;
  person = await signedIn(stack, await makeAccount(stack, { kind: 'partner', id: partner.id }));
});
afterAll(() => scene?.stop());

async function inBoth(path: string): Promise<{ readonly en: string; readonly am: string }> {
  const read = async (language: 'am' | 'en') => {
    await person.submit('/portal/account', '/portal/account/language', { language });
    return textOf((await person.get(path)).html);
  };
  return { am: await read('am'), en: await read('en') };
}

test('a payment: support has settled it, and the money is on the voucher', async () => {
  const { gift } = await scene.voucherIn('paying');
  const { id } = await scene.redemptionOf(gift);
  scene.expectDone(await scene.repaired('settle-payment', id, notDone));
  const { en, am } = await inBoth(`/portal/vouchers/${gift.id}`);
  expect(en).toContain(
    'Support settled the payment as not made. The money was returned to the voucher.',
  );
  expect(am).toContain('ድጋፍ ሰጪው ክፍያው እንዳልተፈጸመ ወስኗል። ገንዘቡ ወደ ቫውቸሩ ተመልሷል።');
  for (const words of ['was refused', 'Nothing was charged', 'ተቀባይነት አላገኘም', 'settled by hand'])
    expect(en + am).not.toContain(words);
});

test('a top-up: its attempt quotes no provider', async () => {
  const id = await scene.topupIn('UNKNOWN');
  scene.expectDone(await scene.repaired('settle-top-up', id, notDone));
  const { en, am } = await inBoth(`/portal/top-ups/${id}`);
  expect(en).toContain('Support settled it as not delivered.');
  expect(am).toContain('ድጋፍ ሰጪው እንዳልደረሰ ወስኗል።');
  const { body } = await scene.asPartner.get(`/topup-transactions/${id}`);
  expect(body.data.message).toBe('settled by hand as not done');
  for (const text of [en, am, JSON.stringify(body)]) expect(text).not.toMatch(/LETTER-4711|repair/);
});
