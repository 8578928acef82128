import type { ProviderStatementLine } from '../../src/domain/positions/statement-line.ts';
import type { ProviderAccount, StatementPeriod } from '../../src/providers/statement.ts';

/** All lines of a provider statement; fails where the provider does not list it completely. */
export async function statementLines(
  { listStatement }: Pick<ProviderAccount, 'listStatement'>,
  period: StatementPeriod,
): Promise<ProviderStatementLine[]> {
  const lines: ProviderStatementLine[] = [];
  for await (const page of listStatement?.(period) ?? []) {
    if (page.kind !== 'page') throw new Error(page.message);
    lines.push(...page.rows.filter((row) => row !== 'ignored'));
  }
  return lines;
}

/** A statement up to now, and a little further: the clocks of providers differ. */
export const since = (from: Date): StatementPeriod => ({ from, to: new Date(Date.now() + 60_000) });
