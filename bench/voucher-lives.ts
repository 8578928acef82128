import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { merchantRoutes } from '../src/merchant/routes.ts';
import { partnerRoutes } from '../src/partner/routes.ts';
import { makeMerchant } from '../test/support/companies.ts';
import { bareCall, barePath } from './baselines/bare-route.ts';
import { LANES } from './compare.ts';
import { makeSeller, merchantHeaders, partnerHeaders } from './partner-calls.ts';
import {
  type BenchCall,
  type CallSequence,
  type Calls,
  get,
  post,
  postSigned,
} from './run-load.ts';
import type { Service } from './service.ts';

const AMOUNT = 100;
/** The sandbox accepts the messages to numbers with this ending. */
const ENDING = '50';

let owners = 0;

/** A number that nobody had before. */
function newOwner(): string {
  owners += 1;
  return `+2519${String(owners).padStart(6, '0')}${ENDING}`;
}

/** What both sides of a comparison of lives need: where the codes arrive, and who may sign. */
interface Scene {
  readonly service: Service;
  readonly sandboxUrl: string;
}

/** The call that reads the newest message to a number in the sandbox. */
const readMessages = ({ sandboxUrl }: Scene, owner: string): BenchCall => ({
  ...get(`${sandboxUrl}/messages?to=${encodeURIComponent(owner)}`, { Accept: 'application/json' }),
  isPlain: true,
});

export const codeIn = (messages: unknown): string => {
  const [newest] = messages as readonly { readonly text: string }[];
  return /^(\d{6}|\d{8}) is your code/.exec(newest?.text ?? '')?.[1] ?? '';
};

/**
 * Whole lives of vouchers, each lane with a partner and a merchant of its own, and with one API of the
 * service: the partner generates a
 * voucher, the merchant claims it with a signed request, the code is read from the sandbox, and the
 * merchant redeems all of it.
 */
export async function voucherLives(scene: Scene): Promise<Calls> {
  const { service } = scene;
  const lanes = await Promise.all(
    Array.from({ length: LANES }, async (_, number) => {
      const partner = await makeSeller(service);
      const merchant = await makeMerchant(service);
      return {
        url: service.urls[number % service.urls.length] ?? service.url,
        merchant,
        denominationId: partner.denominations[AMOUNT],
        ofPartner: await partnerHeaders(service, partner),
        ofMerchant: await merchantHeaders(service, merchant),
      };
    }),
  );
  return (number) => {
    const lane = lanes[number];
    if (!lane) throw new RangeError('There are fewer companies than lanes');
    const { url, merchant, denominationId } = lane;
    const signed = (path: string, content: object): BenchCall =>
      postSigned(
        `${url}${merchantRoutes.basePath}/topup-transactions${path}`,
        { ...content, idempotencyKey: randomUUID() },
        { privateKey: merchant.privateKey, headers: lane.ofMerchant },
      );
    return async (send) => {
      const msisdn = newOwner();
      const generated = await send(
        post(
          `${url}${partnerRoutes.basePath}/topup-transactions/generate-voucher`,
          { denominationId, merchantId: merchant.id, msisdn },
          lane.ofPartner,
        ),
      );
      const { voucher } = generated as { voucher: { voucherCode: string } };
      const { voucherCode } = voucher;
      await send(signed('/initiate-claim', { voucherCode }));
      const verificationCode = codeIn(await send(readMessages(scene, msisdn)));
      await send(signed('/redeem-gift', { voucherCode, verificationCode }));
    };
  };
}

/** The lives of all lanes in turns, as a steady rate needs them. */
export function livesInTurns(calls: Calls): CallSequence {
  let begun = 0;
  return (send) => lifeOf(calls, begun++ % LANES)(send);
}

/** The next life of a lane. */
export function lifeOf(calls: Calls, lane: number): CallSequence {
  const next = calls(lane);
  if (typeof next !== 'function') throw new TypeError('A life is several calls');
  return next;
}

/**
 * The skeleton of the same lives behind the same Koa: workflows without a database and without checks.
 * The client does the same, too: it signs, and reads the code.
 */
export async function bareLives(scene: Scene): Promise<Calls> {
  const { service } = scene;
  const { privateKey, payoutNumber } = await makeMerchant(service);
  const generation = bareCall(service.url, 'bare');
  const signed = (path: string, content: object) =>
    postSigned(service.url + barePath(path), content, { privateKey });
  return () => async (send) => {
    const [life, owner] = [randomUUID(), newOwner()];
    await send(generation);
    await send(signed('/bare-claim', { life, owner, payee: payoutNumber }));
    codeIn(await send(readMessages(scene, owner)));
    await send(signed('/bare-redeem', { life }));
  };
}

/** Ends when a query finds no row any more. */
async function untilNone({ database }: Service, query: RawBuilder<unknown>): Promise<void> {
  while ((await query.execute(database)).rows.length > 0) await sleep(20);
}

/** Ends when every message was sent, and so each workflow of a life has nothing left to do. */
export const messagesSettled = (service: Service): Promise<void> =>
  untilNone(
    service,
    sql`select from messages where settled_at is null and status in ('QUEUED', 'SENDING') limit 1`,
  );

/** Ends when what was done has its numbers, which the service gives in the background. */
export const eventsNumbered = (service: Service): Promise<void> =>
  untilNone(service, sql`select from events where number is null limit 1`);

/**
 * Checks that as many vouchers were paid and confirmed as lives ended, and nothing else was.
 *
 * @throws when there is another number of one of them
 */
export async function requireLives({ database }: Service, completed: number): Promise<void> {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from vouchers where status = 'REDEEMED' and remaining = 0) as redeemed,
      (select count(*) from vouchers) as vouchers,
      (select count(*) from redemptions where status = 'POSTED') as paid,
      (select count(*) from redemptions) as redemptions,
      (select count(*) from messages
        where kind = 'REDEMPTION_CONFIRMATION' and status = 'SENT') as confirmed,
      (select count(*) from messages where kind = 'VERIFICATION_CODE' and status = 'SENT') as codes
    `.execute(database);
  const [found = {}] = rows;
  if (Object.values(found).every((count) => count === completed)) return;
  throw new Error(`${completed} lives ended, but there are ${JSON.stringify(found)}`);
}
