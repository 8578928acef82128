import { parseMoney } from '../domain/money.ts';
import type { RepairLimits } from './repair-kind.ts';

/** The limits of repairs, the same for all who ask for them and for the worker. */
export const repairLimits = (
  settings: {
    readonly REPAIR_CONFIRM_FROM: string;
    readonly REPAIR_CONFIRM_SECONDS: number;
    readonly VOUCHER_VALIDITY_DAYS: number;
    readonly REVERSAL_WINDOW_SECONDS: number;
    readonly SERVED_COUNTRIES: readonly string[];
  },
  numberHash: RepairLimits['numberHash'],
): RepairLimits => ({
  confirmFrom: parseMoney(settings.REPAIR_CONFIRM_FROM),
  confirmSeconds: settings.REPAIR_CONFIRM_SECONDS,
  voucherValidityDays: settings.VOUCHER_VALIDITY_DAYS,
  reversalWindowSeconds: settings.REVERSAL_WINDOW_SECONDS,
  servedCountries: settings.SERVED_COUNTRIES,
  numberHash,
});
