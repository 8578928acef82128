import type { Month, MonthlyStatement } from '../../../domain/statements/monthly-statement.js';
import type { Company } from '../../../domain/voucher.js';
import type { Database } from '../../connection.js';
import { readMerchantMonth } from './merchant-month.js';
import { readPartnerMonth } from './partner-month.js';

/** The statement of a company for a month of a time zone (IANA name). */
export const readCompanyMonth = (
  database: Database,
  { kind, id }: Company,
  month: { readonly month: Month; readonly zone: string },
): Promise<MonthlyStatement> =>
  kind === 'partner'
    ? readPartnerMonth(database, id, month)
    : readMerchantMonth(database, id, month);
