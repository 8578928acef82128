import type { PartnerClient } from '../clients/typescript/src/index.ts';
import { addRoute } from '../src/db/providers.ts';
import type { RouteKind, routedProviders } from '../src/domain/providers.ts';
import { makeMerchant, type TestPartner } from '../test/support/companies.ts';
import { clientOf, makeSeller, prepareTopups } from './partner-calls.ts';
import type { Service } from './service.ts';

/** Operations of one kind, which two providers can carry out. */
export interface ProviderStream {
  /** Plural, as titles need it. */
  readonly name: string;
  readonly kind: RouteKind;
  /** The default of the kind, with the setting of its address. */
  readonly first: {
    readonly name: string;
    readonly setting: 'AIRTIME_URL' | 'MOBILE_MONEY_URL' | 'SMS_URL';
  };
  /** The other one. */
  readonly second: {
    readonly name: string;
    readonly provider: (typeof routedProviders)[RouteKind][number];
  };
  /** Gives a seller what the operations need; returns the next one. */
  prepare(service: Service, seller: Seller): Promise<SendOperation>;
}

interface Seller {
  readonly partner: TestPartner;
  readonly client: PartnerClient;
}

type SendOperation = () => Promise<unknown>;

/** Used in turns; one whose operation hangs is busy. */
const VOUCHERS = 100;

export const providerStreams: readonly ProviderStream[] = [
  {
    name: 'top-ups',
    kind: 'topup-airtime',
    first: { name: 'DT One', setting: 'AIRTIME_URL' },
    second: { name: 'Reloadly', provider: 'reloadly' },
    async prepare(service, { partner, client }) {
      const body = await prepareTopups(service, partner, { amount: 50, msisdn: '0911234567' });
      return () => client.topUps.sendAirtime(body);
    },
  },
  {
    name: 'payments',
    kind: 'payout',
    first: { name: 'GSMA', setting: 'MOBILE_MONEY_URL' },
    second: { name: 'M-Pesa', provider: 'mpesa' },
    async prepare(service, seller) {
      const next = await vouchersInTurns(service, seller, () => null);
      return () => seller.client.vouchers.redeem({ voucherCode: next(), amount: 1 });
    },
  },
  {
    name: 'messages',
    kind: 'sms',
    first: { name: "Africa's Talking", setting: 'SMS_URL' },
    second: { name: 'SMPP', provider: 'smpp' },
    async prepare(service, seller) {
      const numberOf = (place: number) => `+25191${String(place).padStart(4, '0')}000`;
      const next = await vouchersInTurns(service, seller, numberOf);
      return () => seller.client.vouchers.initiateClaim({ voucherCode: next() });
    },
  },
];

/** Operations of a new partner: by the provider of its route, or by the default. */
export async function operationsOf(
  service: Service,
  { kind, prepare }: ProviderStream,
  provider?: string,
): Promise<SendOperation> {
  const partner = await makeSeller(service);
  if (provider !== undefined)
    await service.database
      .transaction()
      .execute((transaction) =>
        addRoute(transaction, { kind, provider, position: 1, partner_id: partner.id }),
      );
  return prepare(service, { partner, client: clientOf(service, partner) });
}

/** Generates vouchers for these owners; gives their codes in turns. */
async function vouchersInTurns(
  service: Service,
  { partner, client }: Seller,
  ownerOf: (place: number) => string | null,
): Promise<() => string> {
  // Without a fee: M-Pesa carries whole birr.
  const merchant = await makeMerchant(service, { service_fee_percent: '0' });
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
