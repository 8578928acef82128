import type { Database } from '../db/connection.js';
import { readNumberStorage } from '../db/number-storage.js';
import type { NumberBox } from '../domain/phone.js';
import { createNumberBox, numberKeysOf } from './number-box.js';

/**
 * The sealing of numbers as the database wants it. Looks before the process serves anything, and then
 * at an interval until numbers are sealed, which is for ever; a fresh database is sealed from the
 * start.
 */
export async function openNumberBox(
  database: Database,
  config: Parameters<typeof numberKeysOf>[0] & { readonly FENCE_CHECK_SECONDS: number },
): Promise<NumberBox & { stop(): void }> {
  let storage = await readNumberStorage(database);
  let timer: NodeJS.Timeout | undefined;

  const wait = (): void => {
    if (storage === 'sealed') return;
    timer = setTimeout(() => void look(), config.FENCE_CHECK_SECONDS * 1_000);
    timer.unref();
  };

  async function look(): Promise<void> {
    // It stays as it is while the database has gone.
    storage = await readNumberStorage(database).catch(() => storage);
    wait();
  }

  wait();
  return {
    ...createNumberBox(numberKeysOf(config), () => storage),
    stop: () => clearTimeout(timer),
  };
}
