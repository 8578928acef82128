import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { Money } from '../../domain/money.ts';
import type { DemoFile } from '../start/demo-data.ts';
import {
  createCaller,
  type DemoCaller,
  DemoError,
  inBirr,
  moneyOf,
  type Transcript,
} from './narration.ts';
import {
  createMerchant,
  createOperator,
  type DemoPartner,
  logPartnerIn,
  prepareSale,
} from './steps.ts';

const messagesSchema = z.array(z.object({ text: z.string(), provider: z.string() }));
const booksSchema = z.object({
  payouts: z.array(
    z.object({
      amount: z.string(),
      status: z.string(),
      provider: z.string(),
      at: z.iso.datetime(),
    }),
  ),
  topups: z.array(z.object({ amount: z.string(), status: z.string(), provider: z.string() })),
});

/** The last digits of a number select the scenario of the sandbox. */
const endingOf = { success: '000', decline: '006' } as const;

/** An unused number, without messages and top-ups; of Ethio telecom by default. */
export const newPhoneNumber = (
  wish: keyof typeof endingOf = 'success',
  operator: 'ethio' | 'safaricom' = 'ethio',
): string => {
  // Safaricom's numbers begin with 70 and 71, and none with 719.
  const middle = String(randomInt(operator === 'ethio' ? 100_000 : 19_000)).padStart(5, '0');
  return `+251${operator === 'ethio' ? '9' : '7'}${middle}${endingOf[wish]}`;
};

/** The messages of a phone of the sandbox, newest first. */
export const readPhone = (sandbox: DemoCaller, title: string, msisdn: string) =>
  sandbox({
    title,
    path: `/messages?to=${encodeURIComponent(msisdn)}`,
    answer: messagesSchema,
  });

/** The newest verification code among messages. */
export function newestCode(messages: z.output<typeof messagesSchema>): string {
  for (const { text } of messages) {
    const code = /^(\d{6}|\d{8}) is your code/.exec(text)?.[1];
    if (code) return code;
  }
  throw new DemoError('No message with a verification code has arrived.');
}

/**
 * Reads the newest payout from the books of the mobile-money providers; says who paid.
 *
 * @throws {DemoError} when it differs from the expected one
 */
export async function confirmPayout(
  { sandbox, transcript }: { readonly sandbox: DemoCaller; readonly transcript: Transcript },
  expected: { readonly since: Date; readonly amount: Money; readonly fee: Money },
): Promise<{ readonly provider: string }> {
  const { payouts } = await sandbox({
    title: "The mobile-money provider's own books contain the payment.",
    path: '/books',
    answer: booksSchema,
  });
  const [newest] = payouts.filter(({ at }) => new Date(at) >= expected.since);
  transcript.confirm(
    newest?.status === 'completed' && moneyOf(newest.amount) === expected.amount,
    `the merchant was paid ${inBirr(expected.amount)}, the fee was ${inBirr(expected.fee)}`,
  );
  return { provider: newest?.provider ?? '' };
}

/**
 * Reads the deliveries to a phone number from the books of the airtime providers; says who delivered.
 *
 * @throws {DemoError} unless there is exactly one, with the expected amount if one is named
 */
export async function confirmDelivery(
  { sandbox, transcript }: { readonly sandbox: DemoCaller; readonly transcript: Transcript },
  expected: { readonly msisdn: string; readonly amount?: Money },
): Promise<{ readonly provider: string }> {
  const { topups } = await sandbox({
    title: "The airtime provider's own books contain it.",
    path: `/books?to=${encodeURIComponent(expected.msisdn)}`,
    answer: booksSchema,
  });
  const [delivered, ...more] = topups.filter(({ status }) => status === 'completed');
  if (!delivered || more.length > 0)
    throw new DemoError(`The provider has not delivered to ${expected.msisdn} exactly once.`);
  const amount = moneyOf(delivered.amount);
  transcript.confirm(
    amount === (expected.amount ?? amount),
    `the number got ${inBirr(amount)}, once`,
  );
  return delivered;
}

/**
 * The cheapest package for numbers of Ethio telecom.
 *
 * @throws {DemoError} where the partner may sell none
 */
async function findPackage(partner: DemoPartner) {
  const query = {
    q: 'productCategory.categoryName=PACKAGES,metadata.operator=ETHIO_TELECOM',
    sortBy: 'productPrice.amount:ASC',
    limit: 1,
  };
  const { items } = await partner(
    'It looks up the cheapest package that it may sell for numbers of Ethio telecom.',
    ({ products }) => products.list(query).firstPage(),
  );
  const [found] = items;
  if (!found) throw new DemoError('The partner may sell no package of Ethio telecom.');
  return {
    productId: found.id,
    name: found.productName,
    price: moneyOf(found.productPrice.amount),
  };
}

/** The companies and addresses of the stories. */
export type DemoScene = Awaited<ReturnType<typeof setScene>>;

/** Logs the partner in and reads the catalogue, like every integration. */
export async function setScene(demo: DemoFile, transcript: Transcript) {
  transcript.chapter('The partner prepares its sale');
  const startedAt = new Date();
  const { merchantId } = demo.merchant;
  const { partner, partnerId } = await logPartnerIn(demo, transcript);
  const denominationOf = await prepareSale(partner, merchantId);
  const found = await findPackage(partner);
  const merchant = createMerchant(demo, transcript);
  const sandbox = createCaller(transcript, demo.sandboxUrl);
  return {
    transcript,
    startedAt,
    partner,
    partnerId,
    merchant,
    merchantId,
    sandbox,
    operator: createOperator(transcript),
    /** The phone number of the gifts' owner. */
    owner: newPhoneNumber(),
    package: found,
    /** The id of the denomination of an amount. */
    denominationOf,
  };
}

/** Generates a gift of so many birr at the merchant; without a phone number it is anonymous. */
export async function orderVoucher(
  { partner, merchantId, denominationOf }: DemoScene,
  title: string,
  { amountEtb, msisdn }: { readonly amountEtb: number; readonly msisdn: string | null },
) {
  const order = { denominationId: denominationOf(amountEtb), merchantId, msisdn };
  const { voucher } = await partner(title, ({ vouchers }) => vouchers.generate(order));
  return { code: voucher.voucherCode, amount: moneyOf(voucher.amount) };
}
