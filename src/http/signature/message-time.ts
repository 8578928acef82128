const ISO_TIME =
  /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/i;

/**
 * Classifies the message of a signature: a time within the window around `now` (milliseconds), a
 * time outside it, or not a time (design 8). Times are ISO 8601 (UTC without an offset) and Unix
 * seconds or milliseconds.
 */
export function checkFreshness(
  message: string,
  now: number,
  windowSeconds: number,
): 'time' | 'stale' | 'id' {
  const time = readTime(message);
  if (time === undefined) return 'id';
  return Math.abs(now - time) <= windowSeconds * 1_000 ? 'time' : 'stale';
}

function readTime(message: string): number | undefined {
  if (/^\d{10}$/.test(message)) return Number(message) * 1_000;
  if (/^\d{13}$/.test(message)) return Number(message);
  const match = ISO_TIME.exec(message);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = '00', fraction = '0', zone = 'Z'] = match;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const time = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3)}${offset}`,
  );
  return Number.isNaN(time) ? undefined : time;
}
