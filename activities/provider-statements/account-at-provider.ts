import type { StatementProvider } from '../../src/db/provider-statements/statement-lines.ts';
import type { ProviderAccount } from '../../src/providers/statement.ts';

/** A provider with what it says of our balance, or credit. */
export interface BalanceAtProvider {
  readonly name: string;
  readonly account: Pick<ProviderAccount, 'balance'>;
}

/** A provider of value, with what it says of our account. */
export interface AccountAtProvider extends StatementProvider {
  readonly account: ProviderAccount;
}
