import type { AccountChecked } from '../src/domain/payout-account.ts';
import { payoutAccounts } from './activity-options.ts';
import type { CheckPayoutAccountInput } from './contracts.ts';
import { showDetails } from './current-details.ts';

/** Asks the providers for the payout account of a merchant, for staff. It moves no money. */
export async function checkPayoutAccount({
  merchantId,
}: CheckPayoutAccountInput): Promise<AccountChecked> {
  const checked = await payoutAccounts.checkPayoutAccount(merchantId);
  const { isPaid, problems } = checked;
  showDetails(
    `**${isPaid ? 'Paid' : 'Not paid'}**: the payout account of merchant ${merchantId}.`,
    ...(problems.length === 0 ? [] : [problems.map((problem) => `- ${problem}`).join('\n')]),
    'What each provider says stands at `/support` under *Payout accounts*.',
  );
  return checked;
}
