const ISO = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?$/;
const DAY_FIRST = /^(\d\d)[-/](\d\d)[-/](\d{4}) (\d\d):(\d\d)(?::(\d\d))?$/;
const DAY_MS = 86_400_000;

/** The moment of a text; one without an offset is of the time zone (IANA name). */
export function momentOf(text: string, zone: string): Date | undefined {
  const iso = ISO.exec(text);
  if (iso?.[7]) return valid(new Date(text.replace(' ', 'T')));
  const dayFirst = DAY_FIRST.exec(text);
  const parts =
    iso ?? (dayFirst && [dayFirst[0], dayFirst[3], dayFirst[2], dayFirst[1], ...dayFirst.slice(4)]);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second = '00'] = parts;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  return valid(new Date(`${local}Z`)) && instantOf(local, zone);
}

/**
 * When the clocks of a time zone first show a time, such as `2021-12-06T08:13`. A time that they leave out is as much
 * later as they go on: a day without a midnight begins with the change.
 */
export function instantOf(local: string, zone: string): Date {
  const asUtc = Date.parse(`${local}Z`);
  const byOffsetAt = (utc: number) => new Date(asUtc - offsetMs(new Date(utc), zone));
  const [before, after] = [byOffsetAt(asUtc - DAY_MS), byOffsetAt(asUtc + DAY_MS)];
  const isShown = (at: Date) => offsetMs(at, zone) === asUtc - at.getTime();
  return isShown(before) || !isShown(after) ? before : after;
}

/** Formatters are costly to make. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  // Sweden writes times as ISO 8601 does.
  const made = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  formats.set(zone, made);
  return made;
}

/** A moment as `2021-12-06 08:13:39` in a time zone. */
export const localText = (at: Date, zone: string): string => formatOf(zone).format(at);

const valid = (date: Date): Date | undefined => (Number.isNaN(date.getTime()) ? undefined : date);

/** How far the clocks of a time zone are ahead of UTC at a moment. */
export const offsetMs = (at: Date, zone: string): number =>
  Date.parse(`${localText(at, zone).replace(' ', 'T')}Z`) -
  Math.floor(at.getTime() / 1_000) * 1_000;

/** Adds days to a day (YYYY-MM-DD); a negative number subtracts. */
export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
