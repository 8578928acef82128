import { instantOf, localText, offsetMs } from '../../domain/local-time.ts';
import { forReader, reader } from './language.ts';

/** Writes times in a zone. */
export const inTimeZone = <Result>(zone: string, handle: () => Result): Result =>
  forReader({ ...reader(), zone }, handle);

/** The zone of the request. */
export const timeZone = (): string => reader().zone;

/** The day of the zone that a time falls on, and its time of day with seconds. */
export function zonedTime(date: Date): { readonly day: string; readonly time: string } {
  const [day = '', time = ''] = localText(date, timeZone()).split(' ');
  return { day, time };
}

/** When a day begins in the zone. */
export const beginningOf = (day: string): Date => instantOf(`${day}T00:00`, timeZone());

/** The offset at a time, such as `+03:00`. */
export function offsetText(date: Date): string {
  const minutes = Math.round(offsetMs(date, timeZone()) / 60_000);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}

/** A time for a file: ISO 8601 with the zone's offset. */
export function fileTime(date: Date): string {
  const { day, time } = zonedTime(date);
  return `${day}T${time}${offsetText(date)}`;
}
