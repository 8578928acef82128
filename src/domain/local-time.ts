const ISO = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?$/;
const DAY_FIRST = /^(\d\d)[-/](\d\d)[-/](\d{4}) (\d\d):(\d\d)(?::(\d\d))?$/;

/** The moment of a text; one without an offset is of the time zone (IANA name). */
export function momentOf(text: string, zone: string): Date | undefined {
  const iso = ISO.exec(text);
  if (iso?.[7]) return valid(new Date(text.replace(' ', 'T')));
  const dayFirst = DAY_FIRST.exec(text);
  const parts =
    iso ?? (dayFirst && [dayFirst[0], dayFirst[3], dayFirst[2], dayFirst[1], ...dayFirst.slice(4)]);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second = '00'] = parts;
  const local = valid(new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`));
  if (!local) return undefined;
  // The offset of the moment itself: on the day of a change of clocks it differs before the change.
  const near = new Date(local.getTime() - offsetMs(local, zone));
  return new Date(local.getTime() - offsetMs(near, zone));
}

/** A moment as `2021-12-06 08:13:39` in a time zone. */
export const localText = (at: Date, zone: string): string =>
  new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(at);

const valid = (date: Date): Date | undefined => (Number.isNaN(date.getTime()) ? undefined : date);

/** The offset of a time zone from UTC. */
const offsetMs = (at: Date, zone: string): number =>
  Date.parse(`${localText(at, zone).replace(' ', 'T')}Z`) -
  Math.floor(at.getTime() / 1_000) * 1_000;
