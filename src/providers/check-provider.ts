import type { ProviderAccount } from './statement.ts';

/** Whether a provider accepts our login, in words for an operator. */
interface CheckedProvider {
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * Logs in to a provider, asks for our balance where it tells one, and makes its own check. Moves and
 * sends nothing.
 */
export async function checkProvider({
  balance,
  check,
}: Pick<ProviderAccount, 'balance' | 'check'>): Promise<CheckedProvider> {
  const found = await balance?.();
  if (found?.kind === 'unknown') return { ok: false, detail: found.message };
  const reason = await check?.();
  if (reason !== undefined) return { ok: false, detail: reason };
  if (found) return { ok: true, detail: `logged in, balance ${found.currency} ${found.amount}` };
  return {
    ok: true,
    detail: check ? 'logged in; it tells no balance' : 'configured; it has no check',
  };
}
