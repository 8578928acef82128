import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { moneyOf } from '../amounts.ts';
import { initiateClaim, readVoucher, redeem } from '../merchant-steps.ts';
import { generateVoucher } from '../partner-steps.ts';
import {
  confirmDelivery,
  confirmPayout,
  newestCode,
  newPhoneNumber,
  readPhone,
} from '../sandbox-reader.ts';
import type { DemoScene } from '../scene.ts';
import { sendAirtime } from '../topup-steps.ts';

const AMOUNT_ETB = 25;

/** The second provider of each kind; the first ones have served all chapters before. */
const routes = [
  {
    title: 'An operator lets M-Pesa pay what it can carry: whole birr.',
    words: ['--kind', 'payout', '--provider', 'mpesa', '--position', '1'],
  },
  {
    title: 'GSMA pays the rest, and what M-Pesa certainly did not do.',
    words: ['--kind', 'payout', '--provider', 'gsma', '--position', '2'],
  },
  {
    title: 'Messages to Safaricom go by SMPP.',
    words: ['--kind', 'sms', '--provider', 'smpp', '--operator', 'SAFARICOM_ETHIOPIA'],
  },
  {
    title: 'Airtime of Safaricom comes from Reloadly.',
    words: [
      '--kind',
      'topup-airtime',
      '--provider',
      'reloadly',
      '--operator',
      'SAFARICOM_ETHIOPIA',
    ],
  },
] as const;

const listSchema = z.array(z.object({ id: z.number() }));

/** Routes of an operator lead a gift and a top-up over the second provider of each kind. */
export async function shareBetweenProviders(scene: DemoScene): Promise<void> {
  const { change } = scene;
  const before = await readRoutes(scene, 'Without a route, the default of each kind serves it.');
  try {
    for (const { title, words } of routes)
      await change({ title, words: ['route', 'add', ...words] });
    await redeemByOthers(scene);
    await redeemWhatRemains(scene);
    await topUpByOthers(scene);
  } finally {
    const after = await readRoutes(scene, 'The routes hold until the operator removes them.');
    for (const id of after.filter((one) => !before.includes(one)))
      await change({
        title: `The operator removes route ${id}.`,
        words: ['route', 'remove', String(id)],
      });
  }
}

async function readRoutes({ operator }: DemoScene, title: string): Promise<number[]> {
  const found = await operator({ title, words: ['route', 'list'], answer: listSchema });
  return found.map(({ id }) => id);
}

/** A gift for a number of Safaricom, at a merchant who gets whole birr. */
async function redeemByOthers(scene: DemoScene): Promise<void> {
  const { transcript, partner, merchant, merchantId, sandbox, denominationOf } = scene;
  const msisdn = newPhoneNumber('success', 'safaricom');
  const { code } = await generateVoucher(
    partner,
    'The partner generates a gift of 1,000 ETB for a number of Safaricom.',
    { denominationId: denominationOf(1000), merchantId, msisdn },
  );
  await initiateClaim(merchant, 'The merchant starts a redemption.', code);
  const messages = await readPhone(sandbox, 'The code arrives.', msisdn);
  transcript.confirm(messages[0]?.provider === 'smpp', 'it came by SMPP');
  const verificationCode = newestCode(messages);
  await pay(scene, { voucherCode: code, verificationCode }, 'mpesa');
}

/** What is no whole birr goes to the next provider, at once. */
async function redeemWhatRemains(scene: DemoScene): Promise<void> {
  const { partner, merchantId, denominationOf } = scene;
  const { code } = await generateVoucher(
    partner,
    'The partner generates an anonymous gift of 500 ETB, of which the merchant gets 487.50.',
    { denominationId: denominationOf(500), merchantId, msisdn: null },
  );
  await pay(scene, { voucherCode: code }, 'gsma');
}

async function pay(
  scene: DemoScene,
  request: { readonly voucherCode: string; readonly verificationCode?: string },
  payer: string,
): Promise<void> {
  const { transcript, merchant } = scene;
  const { remaining, serviceFee } = await readVoucher(
    merchant,
    'The merchant looks the voucher up.',
    request.voucherCode,
  );
  const since = new Date();
  await redeem(merchant, 'It redeems the voucher.', request);
  const paid = { since, amount: remaining - serviceFee, fee: serviceFee };
  const { provider } = await confirmPayout(scene, paid);
  transcript.confirm(provider === payer, `${payer} paid it`);
}

async function topUpByOthers(scene: DemoScene): Promise<void> {
  const { transcript, partner } = scene;
  const order = { amount: AMOUNT_ETB, msisdn: newPhoneNumber('success', 'safaricom') };
  const title = `The partner sends ${AMOUNT_ETB} ETB of airtime to a number of Safaricom.`;
  await sendAirtime(partner, title, order, randomUUID());
  const { provider } = await confirmDelivery(scene, {
    msisdn: order.msisdn,
    amount: moneyOf(AMOUNT_ETB),
  });
  transcript.confirm(provider === 'reloadly', 'Reloadly delivered it');
}
