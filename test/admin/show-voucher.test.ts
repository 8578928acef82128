import { afterAll, beforeAll, expect, test } from 'vitest';
import { testNumbers } from '../end-to-end/privacy/stored-numbers.ts';
import { takenBack } from '../positions/placements.ts';
import { makeVoucher, redemptions } from './movements.ts';
import { type AdminScene, type Catalogue, makeCatalogue, openScene } from './scene.ts';

const OWNER = '+251911222333';

let scene: AdminScene;
let catalogue: Catalogue;

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeCatalogue(scene);
  await scene.json(`money deposit --partner ${catalogue.partnerId} --wallet gift --amount 9000`);
});
afterAll(() => scene?.close());

test('a voucher is shown with its claims, redemptions, references, messages and money', async () => {
  const { database } = scene;
  const { id } = await makeVoucher(database, catalogue, { amount: '5000' });
  const redeem = redemptions(database, catalogue);
  const operationId = await redeem.hold(id, '1200');
  await redeem.post(operationId);
  await redeem.void(await redeem.hold(id, '100'));
  await database
    .insertInto('voucher_claims')
    .values({
      id: '00000000-0000-4000-8000-000000000001',
      operation_id: 'claim-1',
      workflow_id: 'claim:1:claim-1',
      voucher_id: id,
      company_kind: 'merchant',
      company_id: catalogue.merchantId,
      amount: '1500',
      status: 'EXPIRED',
      expires_at: new Date(),
      code_digest: 'digest-of-code',
      code_digits: 6,
    })
    .execute();
  await database
    .insertInto('messages')
    .values({
      kind: 'VERIFICATION_CODE',
      msisdn: testNumbers.store(OWNER),
      voucher_id: id,
      claim_id: '00000000-0000-4000-8000-000000000001',
      status: 'REFUSED',
      provider_reference: 'ATXid_1',
      provider_message: 'UserInBlacklist',
    })
    .execute();
  const rows = await database
    .selectFrom('redemptions')
    .select(['platform_reference', 'payment_reference'])
    .where('voucher_id', '=', id)
    .orderBy('id')
    .execute();

  const { out, code } = await scene.admin(`voucher show ${id}`);
  expect(code).toBe(0);
  expect(out).toMatch(/Amount +ETB 5,000\.00/);
  expect(out).toContain(
    'Abyssinia Coffee claimed ETB 1,500.00. It expired before a code was entered.',
  );
  const [paid, refused] = rows;
  expect(out).toContain(
    `Redemption ${paid?.platform_reference}: ETB 1,200.00 for Abyssinia Coffee, and a service fee of ETB 30.00.`,
  );
  expect(out).toContain('was paid ETB 1,200.00, the provider’s reference is MM-1.');
  expect(out).toContain('The payment was refused: no such account. Nothing was charged.');
  expect(out).toContain(refused?.payment_reference);
  expect(out).toMatch(/The code for \+2519\*{5}333 could not be sent: the SMS provider refused it/);
  expect(out).toMatch(/gift +reserved +5,000\.00\n/);
  expect(out).toMatch(/gift-hold +mobile-money-clearing +1,200\.00\n/);

  const json = await scene.json(`voucher show ${id}`);
  expect(json.transfers).toHaveLength(6);
  expect(json.record).toMatchObject({
    id,
    claims: [{ amount: '1500.000000', status: 'EXPIRED' }],
    redemptions: [
      { status: 'POSTED', reference: paid?.platform_reference, providerReference: 'MM-1' },
      { status: 'VOIDED', providerMessage: 'no such account' },
    ],
    messages: [
      {
        msisdn: '+2519*****333',
        providerReference: 'ATXid_1',
        providerMessage: 'UserInBlacklist',
      },
    ],
  });
  expect(await scene.json(`voucher show ${json.name}`)).toEqual(json);
  expect(out + JSON.stringify(json)).not.toContain(OWNER);

  await takenBack(database, operationId);
  const { changed_at } = await database
    .selectFrom('redemptions')
    .select('changed_at')
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow();
  const shown = (await scene.admin(`voucher show ${id}`)).out;
  expect(shown).toContain('The provider reversed the payment to Abyssinia Coffee.');
  // With its day, where that is another one than here.
  expect(shown).toContain(`${changed_at?.toISOString().slice(11, 16)} UTC)`);
});

test.each([999_999_999, '000000000000000000', 'abc'])('there is no voucher %s', async (name) => {
  expect(await scene.admin(`voucher show ${name}`)).toMatchObject({
    code: 1,
    err: `There is no voucher ${name}: see "voucher list".\n`,
  });
});
