import { pino } from 'pino';
import { expect, it } from 'vitest';
import { DatabaseUnreachableError } from '../../../src/db/connection.ts';
import { failureText } from '../../../src/runtime/process/background-tasks.ts';
import { startSmallServer } from '../../../src/runtime/process/health.ts';

const LOOPBACK = { host: '127.0.0.1', logger: pino({ enabled: false }) };

it('tells what has ended a process, with its causes', () => {
  const refused = new Error('7 PERMISSION_DENIED: Request unauthorized.');
  const text = failureText(new Error('Failed to describe schedule', { cause: refused }));
  expect(text).toMatch(/^Error: Failed to describe schedule\n +at /);
  expect(text).toContain('\nCaused by: Error: 7 PERMISSION_DENIED: Request unauthorized.\n');
});

it('tells a person what to mend without a stack', () => {
  const error = new DatabaseUnreachableError(new Error('connect ECONNREFUSED'));
  expect(failureText(error)).toBe(error.message);
});

it('tells a person which port is taken, without a stack', async () => {
  const { port, stop } = await startSmallServer(() => undefined, { ...LOOPBACK, port: 0 });
  const error = await startSmallServer(() => undefined, { ...LOOPBACK, port }).catch(
    (refused: unknown) => refused,
  );
  expect(failureText(error)).toBe(
    `The port cannot be had: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
  );
  await stop();
});

it('tells what is no error, too', () => {
  expect(failureText('stopped')).toBe('stopped');
});
