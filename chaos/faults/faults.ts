import { sql } from 'kysely';
import { changeRow } from '../../src/db/catalogue/companies.ts';
import { allProviders } from '../../src/domain/providers.ts';
import { providerFaults } from './broken-provider.ts';
import { changeItsMind } from './changed-minds.ts';
import { type FaultScene, lasting, type MakeFault, persist } from './fault-scene.ts';
import { forgetRedemption } from './forget-redemption.ts';
import {
  crashPostgres,
  emptyTemporal,
  killTemporal,
  startPostgresAgain,
  startTemporalAgain,
} from './servers.ts';
import { shortenReserve } from './short-reserve.ts';

const someProvider = ({ random }: FaultScene) => random.pick(allProviders);

const killing =
  (name: 'api' | 'worker'): MakeFault =>
  async ({ stack, random }) => {
    const restartMs = random.integer(0, 2_000);
    await stack[name].kill(restartMs);
    return `started again after ${restartMs} ms`;
  };

/** Every kind of fault that a run can make. */
export const faults = {
  'kill-api': killing('api'),
  'kill-worker': killing('worker'),

  async 'end-database-sessions'({ stack, random }) {
    const { rows } = await persist(() =>
      sql<{ pid: number }>`
        select pid from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() order by pid`.execute(
        stack.database,
      ),
    );
    const chosen = rows.filter(() => random.chance(0.5)).map(({ pid }) => pid);
    await persist(() =>
      sql`select pg_terminate_backend(pid) from unnest(${chosen}::int[]) as pid`.execute(
        stack.database,
      ),
    );
    return `${chosen.length} of ${rows.length}`;
  },

  async 'crash-database'({ stack, random }) {
    await crashPostgres(stack.services);
    const length = await lasting(random, 0, 3_000);
    await startPostgresAgain(stack.services);
    return length;
  },

  async 'kill-temporal'({ stack, random }) {
    await killTemporal(stack.services);
    const length = await lasting(random, 0, 4_000);
    await startTemporalAgain(stack.services);
    return length;
  },

  async 'empty-temporal'({ stack, random }) {
    await killTemporal(stack.services);
    await emptyTemporal(stack.services);
    const length = await lasting(random, 0, 4_000);
    await startTemporalAgain(stack.services);
    return `${length}, and everything in it is gone`;
  },

  async 'provider-unreachable'(scene) {
    const name = someProvider(scene);
    await scene.stack.ways[name].cut();
    const length = await lasting(scene.random, 500, 4_000);
    await scene.stack.ways[name].restore();
    return `${name} ${length}`;
  },

  async 'provider-hangs'(scene) {
    const name = someProvider(scene);
    scene.stack.ways[name].hang();
    const length = await lasting(scene.random, 500, 5_000);
    scene.stack.ways[name].flow();
    return `${name} ${length}`;
  },

  ...providerFaults,

  async 'suspend-partner'(scene) {
    const { id } = scene.random.pick(scene.world.partners);
    await setPartner(scene, id, 'SUSPENDED');
    const length = await lasting(scene.random, 300, 2_500);
    await setPartner(scene, id, 'ACTIVE');
    return `partner ${id} ${length}`;
  },

  async 'change-service-fee'({ stack, world, random }) {
    const { id } = random.pick(world.merchants);
    const percent = random.pick(['0.0000', '1.3300', '2.5000', '7.7700']);
    await persist(() =>
      stack.database
        .transaction()
        .execute((transaction) =>
          changeRow(transaction, 'merchants', id, { service_fee_percent: percent }),
        ),
    );
    return `merchant ${id} to ${percent} %`;
  },

  'short-reserve': shortenReserve,
  'forget-redemption': forgetRedemption,
  'reverse-delivery': (scene) => changeItsMind(scene, 'completed'),
  'deliver-late': (scene) => changeItsMind(scene, 'failed'),
} satisfies Readonly<Record<string, MakeFault>>;

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as FaultName[];

const setPartner = ({ stack }: FaultScene, id: number, status: 'ACTIVE' | 'SUSPENDED') =>
  persist(() =>
    stack.database
      .transaction()
      .execute((transaction) => changeRow(transaction, 'partners', id, { status })),
  );
