import type { ApiConfig } from '../../src/config/config.ts';
import { createDigests } from '../../src/crypto/digests.ts';
import { createNumberBox } from '../../src/crypto/phone-numbers.ts';
import { connectDatabase } from '../../src/db/connection.ts';
import {
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../../test/support/companies.ts';
import { fillHistory, type HistorySpan } from './fill-history.ts';
import { AMOUNT, OTHER_COMPANIES } from './history.ts';

/** Enough for a hundred million vouchers. */
const WALLET = '10000000000';
/** Younger than the retention of any rows. */
const HISTORY_DAYS = 20;

/** A database with a history, and the companies that own most of it. */
export interface GrownDatabase {
  readonly url: string;
  readonly vouchers: number;
  readonly partner: TestPartner;
  readonly merchant: TestMerchant;
}

interface GrownOptions {
  /** A migrated database without rows that nobody uses, with the rights of a superuser. */
  readonly url: string;
  /** Of the service that will use it. */
  readonly config: Pick<ApiConfig, 'process'> & {
    readonly secrets: Pick<ApiConfig['secrets'], 'digestKey' | 'dataKeys'>;
  };
  readonly vouchers: number;
  /** Some days by default, so that no expiry run prunes a history while it is measured. */
  readonly span?: HistorySpan;
  readonly signal: AbortSignal;
  /** Told how far it is. */
  readonly note: (detail: string) => void;
}

/** Makes companies, and a history of so many vouchers. */
export async function growDatabase(options: GrownOptions): Promise<GrownDatabase> {
  const { url, config, vouchers, span = { days: HISTORY_DAYS }, signal, note } = options;
  const digests = createDigests(config.secrets);
  const database = connectDatabase(url, { poolSize: 1 });
  try {
    const stack = { config, database, digests };
    const partner = await makePartner(stack, { giftWallet: WALLET });
    const merchant = await makeMerchant(stack);
    const [otherPartnerIds, otherMerchantIds]: [number[], number[]] = [[], []];
    for (let count = 0; count < OTHER_COMPANIES; count += 1) {
      otherPartnerIds.push((await makePartner(stack, { giftWallet: WALLET })).id);
      otherMerchantIds.push((await makeMerchant(stack)).id);
    }
    await fillHistory({
      databaseUrl: url,
      digests,
      numbers: createNumberBox(config.secrets),
      companies: {
        partnerId: partner.id,
        denominationId: partner.denominations[AMOUNT],
        merchantId: merchant.id,
        otherPartnerIds,
        otherMerchantIds,
      },
      vouchers,
      span,
      signal,
      note,
    });
    return { url, vouchers, partner, merchant };
  } finally {
    await database.destroy();
  }
}
