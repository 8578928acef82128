/**
 * The canonical form of a number: 0911…, 251911… and +251911… all give +251911…. Other text is
 * returned unchanged. Query strings turn a `+` into a space, which is repaired.
 */
export function canonicalNumber(text: string): string {
  const compact = text.replace(/[\s().-]/g, '');
  const digits = compact.replace(/^(\+|00)/, '');
  if (!/^\d{7,15}$/.test(digits)) return text.trim();
  if (/^0\d{9}$/.test(digits)) return `+251${digits.slice(1)}`;
  return `+${digits}`;
}

/** E.164: a plus sign and up to 15 digits. */
export const isE164 = (text: string): boolean => /^\+[1-9]\d{6,14}$/.test(text);
