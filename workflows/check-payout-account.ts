import type { AccountChecked } from '../src/domain/payout-account.ts';
import { payoutAccounts } from './activity-options.ts';
import type { CheckPayoutAccountInput } from './contracts.ts';
import { bulletList, showDetails } from './current-details.ts';
import { tellCaller } from './steps/answers.ts';

/** Asks the providers for the payout account of a merchant, for staff. It moves no money. */
export async function checkPayoutAccount({
  merchantId,
}: CheckPayoutAccountInput): Promise<AccountChecked> {
  const checked = await payoutAccounts.checkPayoutAccount(merchantId);
  tellCaller(checked);
  const { isPaid, problems } = checked;
  showDetails(
    `**${isPaid ? 'Paid' : 'Not paid'}**: the payout account of merchant ${merchantId}.`,
    ...(problems.length === 0 ? [] : [bulletList(problems)]),
    'What each provider says stands at `/support` under *Payout accounts*.',
  );
  return checked;
}
