import { requestFailoverInquiry } from '../db/providers/failover-inquiries.ts';
import type {
  AirtimeProviderName,
  MobileMoneyProviderName,
} from '../domain/providers/provider-names.ts';
import type { Services } from '../http/services.ts';

/**
 * Has the provider that calls asked where another one has the operation by now: it may have done what that one was
 * asked for since. True where nothing else is to be done, because it is asked, or called too often.
 */
export async function hintFirstProvider(
  { database, hintWithinLimit }: Pick<Services, 'database' | 'hintWithinLimit'>,
  { operationId, provider }: { readonly operationId: string; readonly provider: string | null },
  from: AirtimeProviderName | MobileMoneyProviderName,
): Promise<boolean> {
  if (provider === null || provider === from) return false;
  const isAsked = await hintWithinLimit(`${operationId} ${from}`, () =>
    requestFailoverInquiry(database, operationId, from),
  );
  return isAsked ?? true;
}
