import type { Month, MonthlyStatement } from '../../../domain/statements/monthly-statement.ts';
import type { Company } from '../../../domain/voucher.ts';
import type { Database } from '../../connection.ts';
import { readMerchantMonth } from './merchant-month.ts';
import { readPartnerMonth } from './partner-month.ts';

/** The statement of a company for a month of a time zone (IANA name). */
export const readCompanyMonth = (
  database: Database,
  { kind, id }: Company,
  month: { readonly month: Month; readonly zone: string },
): Promise<MonthlyStatement> =>
  kind === 'partner'
    ? readPartnerMonth(database, id, month)
    : readMerchantMonth(database, id, month);
