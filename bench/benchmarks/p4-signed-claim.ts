import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { PartnerClient } from '../../clients/typescript/src/index.ts';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { makeMerchant, type TestMerchant, type TestPartner } from '../../test/support/companies.ts';
import { unsignedRoutes } from '../baselines/unsigned-route.ts';
import type { Benchmark } from '../benchmark.ts';
import { compare, LANES } from '../compare.ts';
import { clientOf, makeSeller, merchantHeaders } from '../partner-calls.ts';
import { type Calls, postSigned } from '../run-load.ts';
import { type Service, withService } from '../service.ts';

const BAR = 0.9;
/** Claimed in turns, each anew before its last claim has expired. */
const VOUCHERS_PER_LANE = 25;

/**
 * P4: a merchant's initiate-claim against the same with the check of its signature off. The client
 * signs either, so that both cost it the same.
 */
export const signedClaimBenchmark: Benchmark = {
  name: 'P4',
  async run(bench) {
    const title = 'initiate-claim, signed / unsigned';
    const comparison = await withService(bench, 'one process', (service) =>
      bench.progress.step(`P4 ${title}`, async (note) => {
        note('generating vouchers');
        const partner = await makeSeller(service);
        const issuer = { partner, client: clientOf(service, partner) };
        const result = await compare(bench, {
          subject: await claims(service, issuer, merchantRoutes.basePath),
          baseline: await claims(service, issuer, unsignedRoutes.basePath),
          note,
        });
        await requireClaims(service, {
          signed: result.subject.completed,
          unsigned: result.baseline.completed,
        });
        return result;
      }),
    );
    return [{ title, comparison, bar: BAR }];
  },
};

interface Issuer {
  readonly partner: TestPartner;
  readonly client: PartnerClient;
}

/** Claims below a base path, each lane by a merchant of its own for vouchers of its own. */
async function claims(service: Service, issuer: Issuer, basePath: string): Promise<Calls> {
  const lanes = await Promise.all(
    Array.from({ length: LANES }, async () => {
      const merchant = await makeMerchant(service);
      const headers = await merchantHeaders(service, merchant);
      return { merchant, headers, voucherCodes: await generate(issuer, merchant), next: 0 };
    }),
  );
  const url = `${service.url}${basePath}/topup-transactions/initiate-claim`;
  return (number) => {
    const lane = lanes[number];
    if (!lane) throw new RangeError('There are fewer merchants than lanes');
    const voucherCode = lane.voucherCodes[lane.next % VOUCHERS_PER_LANE];
    lane.next += 1;
    const content = { voucherCode, idempotencyKey: randomUUID() };
    const { headers, merchant } = lane;
    return postSigned(url, content, { privateKey: merchant.privateKey, headers });
  };
}

let owners = 0;

/** The codes of new vouchers, each with an owner of its own. */
async function generate({ client, partner }: Issuer, merchant: TestMerchant): Promise<string[]> {
  const voucherCodes: string[] = [];
  while (voucherCodes.length < VOUCHERS_PER_LANE) {
    owners += 1;
    const { voucher } = await client.vouchers.generate({
      denominationId: partner.denominations[100],
      merchantId: merchant.id,
      msisdn: `+25191${String(owners).padStart(4, '0')}050`,
    });
    voucherCodes.push(voucher.voucherCode);
  }
  return voucherCodes;
}

/**
 * Checks that as many claims exist as calls were answered, and that the signatures of exactly those
 * that were to be checked were.
 *
 * @throws when one of them differs
 */
async function requireClaims(
  service: Service,
  expected: { readonly signed: number; readonly unsigned: number },
): Promise<void> {
  const { rows } = await sql<{ claims: number; signed: number }>`
    select (select count(*) from voucher_claims) as claims,
      (select count(*) from signed_requests) as signed`.execute(service.database);
  const [found] = rows;
  if (found?.signed === expected.signed && found.claims === expected.signed + expected.unsigned)
    return;
  throw new Error(
    `${JSON.stringify(expected)} claims were answered, but there are ${JSON.stringify(found)}`,
  );
}
