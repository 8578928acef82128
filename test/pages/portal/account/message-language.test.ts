import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandsOn } from '../../../admin/scene.ts';
import { done, type Gift } from '../../../end-to-end/gift/gift-scene.ts';
import {
  type RedemptionScene,
  redeem,
  setRedemptionScene,
} from '../../../end-to-end/gift/redemption-scene.ts';
import { call } from '../../../support/clients.ts';
import { until } from '../../../support/until.ts';
import { hiddenFields, makeAccount, signedIn } from '../portal-client.ts';

/** Owners get their messages in the language that the voucher's partner has chosen. */
let scene: RedemptionScene;
beforeAll(async () => {
  // The API and the worker have no more rights than in production.
  scene = await setRedemptionScene({});
});
afterAll(() => scene?.stop());

const PATH = '/portal/account/message-language';
const company = () => ({ kind: 'partner', id: scene.partner.id }) as const;

const as = async (role: 'finance' | 'developer') =>
  signedIn(scene.stack, await makeAccount(scene.stack, company(), { role }));

const newestTo = async ({ owner }: Gift): Promise<string> => {
  const url = `${scene.stack.sandbox.url}/messages?to=${encodeURIComponent(owner ?? '')}`;
  return (await call(url, { headers: { Accept: 'application/json' } })).body[0]?.text ?? '';
};

const claim = async (gift: Gift) =>
  done(
    await scene.asMerchant.post('/topup-transactions/initiate-claim', {
      voucherCode: gift.voucherCode,
    }),
  );

test('a person of finance chooses Amharic, and an operator English again', async () => {
  const finance = await as('finance');
  const { html } = await finance.get('/portal/account');
  const sent = { ...hiddenFields(html, PATH), language: 'am' };
  expect((await finance.post(PATH, { ...sent, language: 'fr' })).status).toBe(400);
  expect((await finance.post(PATH, sent)).status).toBe(303);
  expect((await finance.get('/portal/account')).html).toContain('value="am" selected');

  const gift = await scene.gift();
  await claim(gift);
  const [, verificationCode] =
    /^(\d{6}) የስጦታ ቫውቸርዎ ኮድ ነው፤ 100\.00 ብር/.exec(await newestTo(gift)) ?? [];
  done(await redeem(scene.asMerchant, gift, { verificationCode }));
  await until(async () => expect(await newestTo(gift)).toMatch(/^ከስጦታ ቫውቸርዎ 100\.00 ብር/));

  const operator = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
  const set = `partner set-message-language ${scene.partner.id} --language en`;
  await operator.json(set);
  expect((await operator.admin(set)).out).toContain('No change');
  const other = await scene.gift();
  await claim(other);
  expect(await newestTo(other)).toMatch(/^\d{6} is your code/);
  const languages = await scene.stack.database
    .selectFrom('messages')
    .select('language')
    .orderBy('id')
    .execute();
  expect(languages.map(({ language }) => language)).toEqual(['am', 'am', 'en']);
  const actions = await scene.stack.database
    .selectFrom('audit_log')
    .select('action')
    .where('action', '=', 'set message-language')
    .execute();
  expect(actions).toHaveLength(2);
});

test('a person who only develops is not offered the choice, and may not make it', async () => {
  const developer = await as('developer');
  const { html } = await developer.get('/portal/account');
  expect(html).not.toContain(PATH);
  const sent = { ...hiddenFields(html, '/portal/account/time-zone'), language: 'am' };
  expect((await developer.post(PATH, sent)).status).toBe(403);
});
