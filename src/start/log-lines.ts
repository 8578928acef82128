const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'fatal',
};

/** A line of the log for people: time, level, message and details; below it the stacks of its errors. */
export function logLine(json: string): string {
  const { level, time, msg, process: _process, ...details } = JSON.parse(json);
  const stacks: string[] = [];
  const shown = Object.entries(withoutStacks(details, stacks)).map(
    ([name, value]) =>
      `${name}=${typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value)}`,
  );
  const clock = new Date(time).toTimeString().slice(0, 8);
  const first = [clock, LEVELS[level] ?? level, msg, ...shown].filter(Boolean).join(' ');
  return [first, ...stacks.map((stack) => stack.replace(/^/gm, '    '))].join('\n');
}

/** An error's stack is many lines: it stands below, and so do those of its causes. */
function withoutStacks(
  details: Record<string, unknown>,
  stacks: string[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).flatMap(([name, value]) => {
      if (name === 'stack') {
        stacks.push(String(value));
        return [];
      }
      const isCause = name === 'cause' && typeof value === 'object' && value !== null;
      return [[name, isCause ? withoutStacks(value as Record<string, unknown>, stacks) : value]];
    }),
  );
}
