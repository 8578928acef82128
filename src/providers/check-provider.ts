import type { ProviderAccount } from './statement.js';

/** Whether a provider accepts our login, in words for an operator. */
interface CheckedProvider {
  readonly ok: boolean;
  readonly detail: string;
}

/** Logs in to a provider and asks for our balance, where it tells one. Moves and sends nothing. */
export async function checkProvider({
  balance,
  check,
}: Pick<ProviderAccount, 'balance' | 'check'>): Promise<CheckedProvider> {
  if (balance) {
    const found = await balance();
    return found.kind === 'balance'
      ? { ok: true, detail: `logged in, balance ${found.currency} ${found.amount}` }
      : { ok: false, detail: found.message };
  }
  const reason = await check?.();
  return reason === undefined
    ? { ok: true, detail: check ? 'logged in; it tells no balance' : 'configured; it has no check' }
    : { ok: false, detail: reason };
}
