import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectDatabase, type Database } from '../../../../src/db/connection.ts';
import {
  listProviderStates,
  type ProviderState,
  recordProviderStates,
} from '../../../../src/db/providers.ts';
import { tellProviderStates } from '../../../../src/runtime/worker/background/tell-provider-states.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';

/** Operators see what running workers know of providers, and nothing of those that no longer run. */
let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connectDatabase(testDatabase.urlFor('worker'), { poolSize: 2 });
});
afterAll(async () => {
  await database?.destroy();
  await testDatabase?.drop();
});

const closed: ProviderState = {
  provider: 'gsma',
  state: 'closed',
  takesCalls: true,
  hasMoney: true,
};

it('a worker tells its states while it runs', async () => {
  let state: ProviderState = closed;
  await recordProviderStates(database, 'dead', [closed], -1);
  const telling = tellProviderStates({
    database,
    readStates: () => [state],
    intervalMs: 250,
    logger: pino({ enabled: false }),
  });
  const [first] = await until(async () => {
    const states = await listProviderStates(database);
    expect(states).toMatchObject([closed]);
    return states;
  });
  state = { ...closed, state: 'open', takesCalls: false };
  const [next] = await until(async () => {
    const states = await listProviderStates(database);
    expect(states).toMatchObject([state]);
    return states;
  });
  expect(next?.since.getTime()).toBeGreaterThan(first?.since.getTime() ?? Number.NaN);
  await telling.stop();
  const { rows } = await sql`select from provider_states`.execute(database);
  expect(rows).toEqual([]);
});

it('counts the time since which a provider takes calls, or takes none', async () => {
  const sinceOf = async (differing: Partial<ProviderState>) => {
    await recordProviderStates(database, 'counting', [{ ...closed, ...differing }], 60);
    const [state] = await listProviderStates(database);
    // A time of JavaScript has milliseconds: the next change is in another one.
    await sleep(2);
    return state?.since;
  };
  const taking = await sinceOf({});
  const stuck = await sinceOf({ takesCalls: false });
  expect(stuck).not.toEqual(taking);
  for (const state of ['open', 'half-open', 'open'] as const)
    expect(await sinceOf({ state, takesCalls: false }), state).toEqual(stuck);
  expect(await sinceOf({ state: 'half-open' })).not.toEqual(stuck);
  await sql`delete from provider_states`.execute(database);
});

it('a worker that has not told anything for some time is not listed', async () => {
  await recordProviderStates(database, 'silent', [closed], -1);
  await recordProviderStates(database, 'running', [closed], 60);
  expect(await listProviderStates(database)).toMatchObject([{ worker: 'running' }]);
});
