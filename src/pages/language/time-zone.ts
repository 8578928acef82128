import { forReader, reader } from './language.ts';

/** Writes times in a zone. */
export const inTimeZone = <Result>(zone: string, handle: () => Result): Result =>
  forReader({ ...reader(), zone }, handle);

/** The zone of the request. */
export const timeZone = (): string => reader().zone;

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

/** The time on the clocks of the zone: YYYY-MM-DD HH:MM:SS. */
const clockTime = (date: Date): string => formatOf(timeZone()).format(date);

const dayOf = (date: Date): string => clockTime(date).slice(0, 10);
const timeOfDay = (date: Date): string => clockTime(date).slice(11);

/** The day of the zone that a time falls on, and its time of day with seconds. */
export const zonedTime = (date: Date): { readonly day: string; readonly time: string } => ({
  day: dayOf(date),
  time: timeOfDay(date),
});

/** How far the clocks are ahead of UTC at a time. */
const offsetMs = (date: Date): number =>
  Date.parse(`${clockTime(date).replace(' ', 'T')}Z`) - Math.floor(date.getTime() / 1_000) * 1_000;

/** When a day begins in the zone. */
export const beginningOf = (day: string): Date => instantOf(day, '00:00');

/** When the clocks of the zone show a day and a time (HH:MM); the offset may have changed since the guess. */
export function instantOf(day: string, time: string): Date {
  const asUtc = Date.parse(`${day}T${time}:00Z`);
  const guess = asUtc - offsetMs(new Date(asUtc));
  return new Date(asUtc - offsetMs(new Date(guess)));
}

/** The offset at a time, such as `+03:00`. */
export function offsetText(date: Date): string {
  const minutes = Math.round(offsetMs(date) / 60_000);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}

/** A time for a file: ISO 8601 with the zone's offset. */
export const fileTime = (date: Date): string =>
  clockTime(date).replace(' ', 'T') + offsetText(date);
