/** Some SMSCs count in minutes. */
const SHORTEST_SECONDS = 60;

/** A time from now as SMPP 3.4 has it (7.1.1.2): `000000000500000R` is five minutes. */
export function relativeTime(seconds: number): string {
  const whole = Math.max(SHORTEST_SECONDS, Math.ceil(seconds));
  const minutes = Math.floor(whole / 60);
  const hours = Math.floor(minutes / 60);
  const parts = [Math.floor(hours / 24), hours % 24, minutes % 60, whole % 60];
  return `0000${parts.map((part) => String(part).padStart(2, '0')).join('')}000R`;
}
