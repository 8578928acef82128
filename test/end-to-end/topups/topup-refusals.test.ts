import { afterAll, beforeAll } from 'vitest';
import { partnerClient } from '../../support/clients.ts';
import { makePartner } from '../../support/companies.ts';
import { makeTopupProducts, type TopupProducts } from '../../support/topups.ts';
import { type RefusalCase, testRefusals } from '../bad-input/refusals.ts';
import { type Client, type GiftScene, setGiftScene } from '../gift/gift-scene.ts';
import { sale } from './topup-scene.ts';

/** The rows of the specification's table 7.2 for top-ups and lists. */
let scene: GiftScene;
/** With access to all products and an empty airtime wallet. */
let asPoor: Client;
let products: TopupProducts;
beforeAll(async () => {
  scene = await setGiftScene();
  const poor = await makePartner(scene.stack);
  products = await makeTopupProducts(scene.stack, poor);
  asPoor = await partnerClient(scene.stack, poor);
});
afterAll(() => scene?.stop());

const msisdn = '0911234550';

const airtime = (client: Client) =>
  client.post('/topup-transactions/airtime-topup', { amount: 50, msisdn, ...sale });

const bundle = (client: Client) =>
  client.post('/topup-transactions/airtime-package-topup', {
    productId: products.ethioPackage,
    msisdn,
    ...sale,
  });

const cases: readonly RefusalCase[] = [
  {
    operation: 'airtime-topup',
    reason: 'product-not-accessible',
    arrange: async () => () => airtime(scene.asPartner),
  },
  {
    operation: 'airtime-topup',
    reason: 'money-insufficient',
    arrange: async () => () => airtime(asPoor),
  },
  {
    operation: 'airtime-package-topup',
    reason: 'product-not-accessible',
    when: 'a product of another partner',
    arrange: async () => () => bundle(scene.asPartner),
  },
  {
    operation: 'airtime-package-topup',
    reason: 'money-insufficient',
    headers: { Allow: 'POST' },
    arrange: async () => () => bundle(asPoor),
  },
  {
    operation: 'list',
    reason: 'page-not-found',
    arrange: async () => () => scene.asPartner.get('/merchants?page=999'),
  },
];

testRefusals('partner', () => scene, cases, 'topups-and-lists');
