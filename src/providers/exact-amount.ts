/**
 * The amount with at least two decimals, or undefined where it is not above zero or would lose
 * digits: providers limit the digits before and after the point.
 */
export function exactAmount(
  amount: string,
  limit: { readonly wholeDigits: number; readonly decimals: number },
): string | undefined {
  const [, whole, decimals = ''] = /^(0|[1-9]\d{0,29})(?:\.(\d{1,20}))?$/.exec(amount) ?? [];
  const kept = decimals.replace(/0+$/, '');
  if (whole === undefined || (whole === '0' && kept === '')) return undefined;
  if (whole.length > limit.wholeDigits || kept.length > limit.decimals) return undefined;
  return `${whole}.${kept.padEnd(2, '0')}`;
}
