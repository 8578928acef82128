import { randomUUID } from 'node:crypto';
import { signatureHeader } from '../../../clients/typescript/src/index.ts';
import {
  type Answer,
  call,
  merchantClient,
  newestCode,
  partnerClient,
} from '../../support/clients.ts';
import {
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../../support/companies.ts';
import type { Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { CLAIM, done, GENERATE, REDEEM } from '../gift/gift-scene.ts';
import type { Canary } from './canary.ts';
import type { ProcessScene } from './process-scene.ts';

export type ProcessGifts = Awaited<ReturnType<typeof sellGifts>>;

let owners = 0;

/**
 * The steps of a gift's life through the API process that runs at the moment. Every secret that is
 * sent or received on the way is told to the canary.
 */
export async function sellGifts(scene: ProcessScene, canary: Canary, stack: () => Stack) {
  const partner: TestPartner = await makePartner(scene.stackAt(0));
  canary.add('API key', partner.apiKey);

  /** A merchant whose payments end as the suffix says. */
  async function makeShop(payoutSuffix: string): Promise<TestMerchant> {
    const phone = '+251911000000';
    const merchant = await makeMerchant(scene.stackAt(0), { payoutSuffix, phone });
    canary.add('API key', merchant.apiKey);
    canary.add('payout number', merchant.payoutNumber);
    canary.add('merchant number', phone);
    return merchant;
  }

  async function asPartner() {
    const client = await partnerClient(stack(), partner);
    canary.add('access token', client.token);
    return client;
  }

  /** Sends a request that a merchant has signed now; the same body is a repetition. */
  async function postSigned(merchant: TestMerchant, path: string, body: object): Promise<Answer> {
    const client = await merchantClient(stack(), merchant);
    const text = JSON.stringify({ idempotencyKey: `${path} of ${merchant.id}`, ...body });
    const header = signatureHeader(merchant.privateKey, text);
    canary.add('access token', client.token);
    canary.add('signature', header.split('\\n')[0] ?? '');
    return client.postRaw(path, text, { 'x-signature': header });
  }

  /** Generates a voucher for a new owner; `messageSuffix` steers the messages to it. */
  async function generate(merchant: TestMerchant, messageSuffix = '000') {
    owners += 1;
    const msisdn = `+2519${24_001 + owners * 10}${messageSuffix}`;
    canary.add('owner number', msisdn);
    const client = await asPartner();
    const key = { 'Idempotency-Key': randomUUID() };
    const { body } = done(
      await untilAnswered(() =>
        client.post(
          GENERATE,
          {
            denominationId: partner.denominations[500],
            merchantId: merchant.id,
            msisdn: msisdn.replace('+251', '0'),
          },
          key,
        ),
      ),
    );
    const voucherCode: string = body.data.voucher.voucherCode;
    canary.add('voucher code', voucherCode);
    return { msisdn, voucherCode };
  }

  /** Claims a new voucher; returns the request that redeems it, which can be sent again. */
  async function claim(merchant: TestMerchant): Promise<() => Promise<Answer>> {
    const { msisdn, voucherCode } = await generate(merchant);
    done(await untilAnswered(() => postSigned(merchant, CLAIM, { voucherCode })));
    const verificationCode = await newestCode(stack(), msisdn);
    canary.add('verification code', verificationCode);
    const body = { voucherCode, verificationCode, msisdn: msisdn.replace('+', '') };
    return () => postSigned(merchant, REDEEM, body);
  }

  /** Decides the payment to a merchant at the provider, as its support staff would. */
  async function completePayout(merchant: TestMerchant): Promise<void> {
    const [payout] = await scene.payoutsTo(merchant.payoutNumber);
    const address = `${scene.sandboxUrl}/books/payouts/${payout?.reference}`;
    done(await call(address, { body: { status: 'completed' } }));
  }

  return { partner, makeShop, asPartner, postSigned, generate, claim, completePayout };
}

/** For partners, and for merchants. */
const STILL_PROCESSING: readonly number[] = [409, 4092];

/** Repeats a request until it is no longer answered that it is still being processed. */
export const untilAnswered = (send: () => Promise<Answer>): Promise<Answer> =>
  until(async () => {
    const answer = await send();
    if (STILL_PROCESSING.includes(answer.body.statusCode)) throw new Error(answer.body.message);
    return answer;
  });
