import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./start-and-be-killed.ts', import.meta.url));

/** Starts a server in another process that dies by SIGKILL once the server is ready. */
export async function killedStart(
  kind: 'postgres' | 'temporal',
  directory: string,
  port: number,
): Promise<{ readonly pid?: number; readonly url?: string }> {
  const words = [script, kind, directory, `${port}`];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (signal !== 'SIGKILL') throw new Error(`The start of ${kind} failed`);
  return JSON.parse(output);
}
