import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Money } from '../../domain/money.ts';
import type { DemoFile } from '../start/demo-data.ts';
import { inBirr, moneyOf, refused, type Transcript } from './narration.ts';
import {
  confirmDelivery,
  confirmPayout,
  type DemoScene,
  newestCode,
  newPhoneNumber,
  orderVoucher,
  readPhone,
  setScene,
} from './scene.ts';
import {
  claimWhole,
  delivered,
  readBalances,
  readVoucher,
  sale,
  sendAirtime,
  sendAirtimeInVain,
} from './steps.ts';

/** Confirms what the airtime wallet has paid since. */
async function confirmCharge(
  { transcript, partner }: DemoScene,
  before: { readonly airtime: Money },
  amount: Money,
  sentence: string,
): Promise<void> {
  const after = await readBalances(partner, 'The partner reads its balances again.');
  transcript.confirm(after.airtime === before.airtime - amount, sentence);
}

/** A package costs the price of its product and goes to numbers of its mobile operator. */
async function buyPackage(scene: DemoScene): Promise<void> {
  const { transcript, partner } = scene;
  const { productId, name, price } = scene.package;
  const before = await readBalances(partner, 'The partner reads its balances.');
  const order = { productId, msisdn: newPhoneNumber() };
  const { transactionId } = await delivered(partner, `It buys "${name}".`, (topUps) =>
    topUps.sendPackage({ ...order, ...sale }),
  );
  const { status } = await partner('It reads the status of the top-up.', ({ topUps }) =>
    topUps.read(transactionId),
  );
  transcript.confirm(status === 'SUCCESS', 'the package was delivered');
  // The provider's cost differs from the selling price.
  await confirmDelivery(scene, { msisdn: order.msisdn });
  await confirmCharge(
    scene,
    before,
    price,
    `${inBirr(price)} were charged, the price of the package`,
  );
}

const statementSchema = z.object({
  lines: z.array(z.object({ explanation: z.string() })),
  closingBalance: z.string(),
  total: z.string(),
  ledgerBalance: z.string(),
});

/** The operator's view: every balance with the purpose of each line. */
async function explainMoney(scene: DemoScene): Promise<void> {
  const { transcript, partner, partnerId, operator, startedAt } = scene;
  const balances = await readBalances(partner, 'The partner reads its balances a last time.');
  for (const wallet of ['airtime', 'gift', 'reserved'] as const) {
    const { lines, closingBalance, total, ledgerBalance } = await operator.look({
      title: `The operator has the ${wallet} balance explained, from the beginning of this demo.`,
      words: [
        ...['money', 'statement', '--partner', partnerId, '--wallet', wallet],
        ...['--from', startedAt.toISOString()],
      ],
      answer: statementSchema,
    });
    transcript.confirm(
      moneyOf(closingBalance) === balances[wallet] && total === ledgerBalance,
      `${lines.length} lines lead to ${inBirr(balances[wallet])}, the balance that the partner sees`,
    );
  }
  await operator.look({
    title: 'It has the whole ledger checked against vouchers, redemptions and top-ups.',
    words: ['money', 'check-ledger'],
    answer: z.object({ ok: z.literal(true) }),
  });
  transcript.confirm(true, 'money and states agree everywhere');
}

/**
 * A failed top-up without a retry through the API: the end of the demo shows where support finds
 * it.
 */
async function leaveTopupToSupport({ transcript, partner }: DemoScene): Promise<void> {
  const transactionId = await sendAirtimeInVain(
    partner,
    'A top-up of 25 ETB fails, and the partner does not retry it.',
    { amount: 25, msisdn: newPhoneNumber('decline') },
  );
  const { status } = await partner('It reads the status of the top-up.', ({ topUps }) =>
    topUps.read(transactionId),
  );
  transcript.confirm(
    status === 'FAILED',
    `top-up ${transactionId} has failed, and its workflow waits for a retry`,
  );
}

/** A gift without an owner is redeemed with its code alone. */
async function redeemAnonymousGift(scene: DemoScene): Promise<void> {
  const { transcript, merchant } = scene;
  const { code } = await orderVoucher(
    scene,
    'The partner generates an anonymous gift of 100 ETB: msisdn is null.',
    {
      amountEtb: 100,
      msisdn: null,
    },
  );
  await merchant('The merchant redeems it at once, without a claim and a code.', ({ vouchers }) =>
    vouchers.redeem({ voucherCode: code }),
  );
  const detail = await readVoucher(merchant, 'The merchant looks the voucher up.', code);
  transcript.confirm(
    detail.status === 'REDEEMED' && detail.remaining === 0n,
    'the voucher is redeemed and its balance is zero',
  );
}

/**
 * The main story: a gift from its generation to its redemption by a merchant, with its transfers.
 */
async function redeemGiftAtTill(scene: DemoScene): Promise<void> {
  const { transcript, partner, merchant, sandbox, owner } = scene;
  const before = await readBalances(partner, 'The partner reads its balances.');
  const { code, amount } = await orderVoucher(
    scene,
    'It generates a gift of 500 ETB for a phone number.',
    {
      amountEtb: 500,
      msisdn: owner,
    },
  );
  const between = await readBalances(partner, 'The gift is paid for and reserved.');
  transcript.confirm(
    between.gift === before.gift - amount && between.reserved === before.reserved + amount,
    `${inBirr(amount)} went from the gift balance to the reserved balance`,
  );
  const noMessages = await readPhone(sandbox, "The owner's phone is still empty.", owner);
  transcript.confirm(noMessages.length === 0, 'no message has been sent');

  await claimWhole(merchant, 'At the till, the merchant starts a redemption.', code);
  const messages = await readPhone(sandbox, 'The owner gets a code by SMS.', owner);
  const verificationCode = newestCode(messages);
  const detail = await readVoucher(merchant, 'The merchant looks the voucher up.', code);
  transcript.confirm(detail.status === 'REDEEM_INITIATED', 'the voucher is waiting for its code');

  const request = { voucherCode: code, verificationCode };
  const key = randomUUID();
  const lastDigit = (Number(verificationCode.slice(-1)) + 1) % 10;
  const mistyped = { ...request, verificationCode: verificationCode.slice(0, -1) + lastDigit };
  await refused(merchant, 'The cashier mistypes the code and is refused.', 4035, ({ vouchers }) =>
    vouchers.redeem(mistyped, { idempotencyKey: key }),
  );
  const since = new Date();
  await merchant(
    'The correct code, under the same idempotency key: the merchant is paid.',
    ({ vouchers }) => vouchers.redeem(request, { idempotencyKey: key }),
  );
  await confirmPayout(scene, {
    since,
    amount: detail.remaining - detail.serviceFee,
    fee: detail.serviceFee,
  });
  const after = await readBalances(partner, 'The partner reads its balances again.');
  transcript.confirm(
    after.gift === between.gift && after.reserved === before.reserved,
    'the reserved balance of the gift is zero',
  );
}

const PART_ETB = 300;

/** A partner redeems less than the whole balance: the fee comes out of the remaining balance. */
async function redeemPartOfGift(scene: DemoScene): Promise<void> {
  const { transcript, partner, merchant, sandbox, owner } = scene;
  const { code, amount } = await orderVoucher(
    scene,
    'The partner generates a gift of 1000 ETB for the same owner.',
    {
      amountEtb: 1_000,
      msisdn: owner,
    },
  );
  await partner(`It claims ${PART_ETB} ETB of it.`, ({ vouchers }) =>
    vouchers.initiateClaim({ voucherCode: code, amount: PART_ETB }),
  );
  const messages = await readPhone(sandbox, 'The owner gets a code by SMS.', owner);
  const since = new Date();
  const request = { voucherCode: code, verificationCode: newestCode(messages) };
  await partner('The partner redeems with the code.', ({ vouchers }) => vouchers.redeem(request));
  const detail = await readVoucher(merchant, 'The merchant sees the remaining balance.', code);
  const part = moneyOf(PART_ETB);
  const fee = amount - part - detail.remaining;
  transcript.confirm(
    detail.status === 'ACTIVE' && fee >= 0n,
    `${inBirr(part)} and the fee of ${inBirr(fee)} are gone, ${inBirr(detail.remaining)} are left`,
  );
  await confirmPayout(scene, { since, amount: part, fee });
}

const DECLINED_ETB = 100;

/**
 * A failed attempt voids its hold at once; the retry holds the money again and goes to another
 * number.
 */
async function retryTopup(scene: DemoScene): Promise<void> {
  const { transcript, partner } = scene;
  const amount = moneyOf(DECLINED_ETB);
  const before = await readBalances(partner, 'The partner reads its balances.');
  const transactionId = await sendAirtimeInVain(
    partner,
    `It sends ${DECLINED_ETB} ETB to a number that the provider declines.`,
    { amount: DECLINED_ETB, msisdn: newPhoneNumber('decline') },
  );
  const between = await readBalances(partner, 'The money has already returned.');
  transcript.confirm(between.airtime === before.airtime, 'a failed top-up costs nothing');

  const msisdn = newPhoneNumber();
  await delivered(partner, 'It retries the same top-up, to another number.', (topUps) =>
    topUps.retry({ transactionId, msisdn }),
  );
  const { attempts } = await partner('The top-up has two attempts now.', ({ topUps }) =>
    topUps.read(transactionId),
  );
  transcript.confirm(
    attempts.map(({ status }) => status).join() === 'FAILED,SUCCESS',
    'the first attempt failed and the second was delivered',
  );
  await refused(partner, 'A delivered top-up cannot be retried.', 409, ({ topUps }) =>
    topUps.retry({ transactionId }),
  );
  await confirmDelivery(scene, { msisdn, amount });
  await confirmCharge(
    scene,
    before,
    amount,
    `${inBirr(amount)} were charged for both attempts together`,
  );
}

const SHARED_ETB = 25;

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
async function shareBetweenProviders(scene: DemoScene): Promise<void> {
  const { operator } = scene;
  const before = await readRoutes(scene, 'Without a route, the default of each kind serves it.');
  try {
    for (const { title, words } of routes)
      await operator.change({ title, words: ['providers', 'route', 'add', ...words] });
    await redeemByOthers(scene);
    await redeemWhatRemains(scene);
    await topupByOthers(scene);
  } finally {
    const after = await readRoutes(scene, 'The routes hold until the operator removes them.');
    for (const id of after.filter((one) => !before.includes(one)))
      await operator.change({
        title: `The operator removes route ${id}.`,
        words: ['providers', 'route', 'remove', String(id)],
      });
  }
}

async function readRoutes({ operator }: DemoScene, title: string): Promise<number[]> {
  const found = await operator.look({
    title,
    words: ['providers', 'route', 'list'],
    answer: listSchema,
  });
  return found.map(({ id }) => id);
}

/** A gift for a number of Safaricom, at a merchant who gets whole birr. */
async function redeemByOthers(scene: DemoScene): Promise<void> {
  const { transcript, merchant, sandbox } = scene;
  const msisdn = newPhoneNumber('success', 'safaricom');
  const { code } = await orderVoucher(
    scene,
    'The partner generates a gift of 1,000 ETB for a number of Safaricom.',
    {
      amountEtb: 1000,
      msisdn,
    },
  );
  await claimWhole(merchant, 'The merchant starts a redemption.', code);
  const messages = await readPhone(sandbox, 'The code arrives.', msisdn);
  transcript.confirm(messages[0]?.provider === 'smpp', 'it came by SMPP');
  const verificationCode = newestCode(messages);
  await pay(scene, { voucherCode: code, verificationCode }, 'mpesa');
}

/** An amount with cents goes to the next provider, at once. */
async function redeemWhatRemains(scene: DemoScene): Promise<void> {
  const { code } = await orderVoucher(
    scene,
    'The partner generates an anonymous gift of 500 ETB, of which the merchant gets 487.50.',
    {
      amountEtb: 500,
      msisdn: null,
    },
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
  await merchant('It redeems the voucher.', ({ vouchers }) => vouchers.redeem(request));
  const paid = { since, amount: remaining - serviceFee, fee: serviceFee };
  const { provider } = await confirmPayout(scene, paid);
  transcript.confirm(provider === payer, `${payer} paid it`);
}

async function topupByOthers(scene: DemoScene): Promise<void> {
  const { transcript, partner } = scene;
  const order = { amount: SHARED_ETB, msisdn: newPhoneNumber('success', 'safaricom') };
  const title = `The partner sends ${SHARED_ETB} ETB of airtime to a number of Safaricom.`;
  await sendAirtime(partner, title, order, randomUUID());
  const { provider } = await confirmDelivery(scene, {
    msisdn: order.msisdn,
    amount: moneyOf(SHARED_ETB),
  });
  transcript.confirm(provider === 'reloadly', 'Reloadly delivered it');
}

const AMOUNT_ETB = 50;

/** Airtime is delivered and charged once, even if the request is repeated. */
async function topupAirtime(scene: DemoScene): Promise<void> {
  const { transcript, partner } = scene;
  const order = { amount: AMOUNT_ETB, msisdn: newPhoneNumber() };
  const amount = moneyOf(AMOUNT_ETB);
  const before = await readBalances(partner, 'Airtime is paid out of walletBalance.');
  const key = randomUUID();
  const first = await sendAirtime(
    partner,
    `The partner sends ${AMOUNT_ETB} ETB of airtime, under an idempotency key.`,
    order,
    key,
  );
  const again = await sendAirtime(
    partner,
    'The connection might have broken: the same request again gets the same answer.',
    order,
    key,
  );
  transcript.confirm(
    again.transactionId === first.transactionId,
    `both answers are of top-up ${first.transactionId}`,
  );
  const { status } = await partner(
    'The status of a top-up can be read at any time.',
    ({ topUps }) => topUps.read(first.transactionId),
  );
  transcript.confirm(status === 'SUCCESS', 'it was delivered');
  await confirmDelivery(scene, { msisdn: order.msisdn, amount });
  await confirmCharge(scene, before, amount, `${inBirr(amount)} of airtime were charged, once`);
}

interface Chapter {
  readonly title: string;
  /** @throws {DemoError} at the first unexpected step */
  readonly play: (scene: DemoScene) => Promise<void>;
}

const chapters: readonly Chapter[] = [
  { title: 'A gift is redeemed at the till', play: redeemGiftAtTill },
  { title: 'A partner redeems a part of a gift', play: redeemPartOfGift },
  { title: 'An anonymous gift needs no code', play: redeemAnonymousGift },
  { title: 'Airtime is topped up', play: topupAirtime },
  { title: 'A failed top-up is retried to another number', play: retryTopup },
  { title: 'A package is bought', play: buyPackage },
  { title: 'A failed top-up waits for support staff', play: leaveTopupToSupport },
  { title: 'Six providers share the work', play: shareBetweenProviders },
  { title: 'The ledger explains the money, line by line', play: explainMoney },
];

/**
 * Plays all chapters against a running service.
 *
 * @throws {DemoError} at the first unexpected step
 */
export async function playStory(demo: DemoFile, transcript: Transcript): Promise<void> {
  const scene = await setScene(demo, transcript);
  for (const { title, play } of chapters) {
    transcript.chapter(title);
    await play(scene);
  }
}
