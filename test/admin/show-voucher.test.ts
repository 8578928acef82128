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
  expect(out).toMatch(/Claims\n.*\n.*Abyssinia Coffee +1,500\.00 +EXPIRED/);
  const [paid, refused] = rows;
  expect(out).toMatch(
    new RegExp(
      `POSTED .*Abyssinia Coffee +1,200\\.00 +30\\.00 +${paid?.platform_reference} +${paid?.payment_reference} +\\S+ +MM-1`,
    ),
  );
  expect(out).toMatch(
    new RegExp(`VOIDED .* 100\\.00 .*${refused?.payment_reference} .*no such account`),
  );
  expect(out).toMatch(
    /VERIFICATION_CODE +\+2519\*{5}333 +REFUSED +(?:\S+ +)?ATXid_1 +UserInBlacklist/,
  );
  expect(out).toMatch(/gift +reserved +5,000\.00\n/);
  expect(out).toMatch(/gift-hold +mobile-money-clearing +1,200\.00\n/);

  const json = await scene.json(`voucher show ${id}`);
  expect(json).toMatchObject({
    id,
    claims: [{ amount: '1500.000000', status: 'EXPIRED' }],
    redemptions: [
      { status: 'POSTED', reference: paid?.platform_reference, providerReference: 'MM-1' },
      { status: 'VOIDED', providerMessage: 'no such account' },
    ],
    messages: [{ msisdn: '+2519*****333', providerReference: 'ATXid_1' }],
  });
  expect(json.ledgerHistory).toHaveLength(6);
  expect(out + JSON.stringify(json)).not.toContain(OWNER);

  await takenBack(database, operationId);
  const { changed_at } = await database
    .selectFrom('redemptions')
    .select('changed_at')
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow();
  const shown = (await scene.admin(`voucher show ${id}`)).out;
  expect(shown).toMatch(/PAID LATE +TAKEN BACK/);
  // With its day, where that is another one than here.
  expect(shown).toContain(`${changed_at?.toISOString().slice(11, 16)} UTC)`);
});
