import { setTimeout as sleep } from 'node:timers/promises';
import type { PartnerClient } from '../clients/typescript/src/index.js';
import { deposit, makeMerchant, makePartner, type TestPartner } from '../test/support/companies.js';
import { makeTopupProducts } from '../test/support/topups.js';
import { clientOf } from './partner-calls.js';
import type { Service } from './service.js';

/** Operations that need one provider. */
export interface ProviderStream {
  /** Plural, as titles need it. */
  readonly name: string;
  readonly setting: 'AIRTIME_URL' | 'MOBILE_MONEY_URL' | 'SMS_URL';
  start(service: Service): Promise<RunningStream>;
}

interface RunningStream {
  /** Ends it, and waits for the answers that are still to come. */
  stop(): Promise<void>;
}

const PER_SECOND = 10;
/** Used in turns; one whose operation hangs is busy. */
const VOUCHERS = 200;
const WALLET = '1000000000';

export const providerStreams: readonly ProviderStream[] = [
  {
    name: 'top-ups',
    setting: 'AIRTIME_URL',
    async start(service) {
      const { partner, client } = await seller(service);
      await makeTopupProducts(service, partner);
      await deposit(service, partner.id, WALLET, 'airtime');
      const sale = { exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' };
      const body = { amount: 50, msisdn: '0911234567', ...sale };
      return keepSending(() => client.topUps.sendAirtime(body));
    },
  },
  {
    name: 'payments',
    setting: 'MOBILE_MONEY_URL',
    async start(service) {
      const { partner, client } = await seller(service);
      const next = await vouchersInTurns(service, partner, client, () => null);
      return keepSending(() => client.vouchers.redeem({ voucherCode: next(), amount: 1 }));
    },
  },
  {
    name: 'messages',
    setting: 'SMS_URL',
    async start(service) {
      const { partner, client } = await seller(service);
      const numberOf = (place: number) => `+25191${String(place).padStart(4, '0')}000`;
      const next = await vouchersInTurns(service, partner, client, numberOf);
      return keepSending(() => client.vouchers.initiateClaim({ voucherCode: next() }));
    },
  },
];

async function seller(service: Service) {
  const partner = await makePartner(service);
  await deposit(service, partner.id, WALLET);
  return { partner, client: clientOf(service, partner) };
}

/** Generates vouchers for these owners; gives their codes in turns. */
async function vouchersInTurns(
  service: Service,
  partner: TestPartner,
  client: PartnerClient,
  ownerOf: (place: number) => string | null,
): Promise<() => string> {
  const merchant = await makeMerchant(service);
  const codes: string[] = [];
  for (let place = 0; place < VOUCHERS; place += 1) {
    const { voucher } = await client.vouchers.generate({
      denominationId: partner.denominations[1000],
      merchantId: merchant.id,
      msisdn: ownerOf(place),
    });
    codes.push(voucher.voucherCode);
  }
  let turn = 0;
  return () => {
    turn += 1;
    return codes[turn % codes.length] ?? '';
  };
}

/** Sends at a steady rate, whatever becomes of the answers. */
function keepSending(send: () => Promise<unknown>): RunningStream {
  const ending = new AbortController();
  const open = new Set<Promise<unknown>>();
  const run = async () => {
    while (!ending.signal.aborted) {
      const answer: Promise<unknown> = send()
        .catch(() => undefined)
        .finally(() => open.delete(answer));
      open.add(answer);
      await sleep(1_000 / PER_SECOND);
    }
  };
  const running = run();
  return {
    async stop() {
      ending.abort();
      await running;
      await Promise.all(open);
    },
  };
}
