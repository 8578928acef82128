import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readStartConfig } from '../../../src/config/config.ts';
import { PORTS_IN_A_ROW } from '../../../src/config/local-ports.ts';
import { commandLine, freePorts } from '../../../src/local/processes.ts';
import { claimPlace } from '../../../src/local/start/claim-place.ts';

let directory: string;
let base: number;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'claim-place-')), 'data');
  base = await freePorts(PORTS_IN_A_ROW);
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await rm(directory, { recursive: true, force: true });
});

async function occupy(...ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    const server: Server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => once(server.close(), 'close'));
  }
}

/** What a start is refused with; undefined where it may go on. */
async function refusal(settings: Record<string, string>): Promise<string | undefined> {
  const config = readStartConfig({ DATA_DIR: directory, PORT_BASE: `${base}`, ...settings });
  try {
    const release = await claimPlace(config);
    await release();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The words of the line to paste. */
const lineIn = (message = ''): string[] =>
  /^ {2}(.*) npm start$/m.exec(message)?.[1]?.split(' ') ?? [];

/** The port that the line sets. */
const portIn = (message: string | undefined, setting: string) =>
  Number(
    lineIn(message)
      .find((word) => word.startsWith(`${setting}=`))
      ?.split('=')[1],
  );

test('a start goes on where the folder and all ports are free, and again after it', async () => {
  expect(await refusal({})).toBeUndefined();
  expect(await refusal({})).toBeUndefined();
});

test('all taken ports are named at once, with a line that starts beside them', async () => {
  await occupy(base, base + 4, base + 6);
  const message = await refusal({});
  expect(message).toContain(
    `Taken: ${base} (API), ${base + 4} (PostgreSQL), ${base + 6} (Temporal UI).`,
  );
  expect(lineIn(message)).toEqual([
    `DATA_DIR=${directory}`,
    `PORT_BASE=${portIn(message, 'PORT_BASE')}`,
  ]);
  expect(await refusal({ PORT_BASE: `${portIn(message, 'PORT_BASE')}` })).toBeUndefined();
});

test('a taken port that a setting names is set anew, and two servers share none', async () => {
  const [own, metrics] = [await freePorts(1), base + 1];
  await occupy(own);
  const message = await refusal({ PORT: `${own}`, METRICS_PORT: `${metrics}` });
  expect(message).toContain(
    `Taken: ${own} (API), ${metrics} (sandbox) twice, ${metrics} (metrics) twice.`,
  );
  const given = portIn(message, 'PORT_BASE');
  expect(lineIn(message)).toEqual([
    `DATA_DIR=${directory}`,
    ...[`PORT=${given}`, `METRICS_PORT=${given + 8}`, `PORT_BASE=${given}`],
  ]);
});

test('a port of a server that a setting names is not looked at', async () => {
  await occupy(base + 1, base + 2, base + 4, base + 5, base + 7);
  const nowhere = 'http://127.0.0.1:9';
  expect(
    await refusal({
      DATABASE_URL: 'postgres://127.0.0.1:9/none',
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      SMTP_URL: 'smtp://127.0.0.1:9',
      SMS_URL: nowhere,
      MOBILE_MONEY_URL: nowhere,
      AIRTIME_URL: nowhere,
      RELOADLY_URL: nowhere,
    }),
  ).toBeUndefined();
});

/** A process that listens on a port, with more words in its command line. */
async function listener(port: number, ...words: readonly string[]) {
  const script = `require('net').createServer().listen(${port}, '127.0.0.1', () => console.log('up'))`;
  const child = spawn(process.execPath, ['-e', script, '--', ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const ended = once(child, 'exit');
  ends.push(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  return { child, claim: { pid, command: await commandLine(pid) } };
}

test('the servers that a killed start has left are no obstacle', async () => {
  const cluster = join(await realpath(tmpdir()), relative(tmpdir(), directory), 'postgres');
  await mkdir(cluster, { recursive: true });
  const temporal = await listener(base + 5);
  await writeFile(join(directory, 'temporal.pid'), JSON.stringify(temporal.claim));
  const { claim, child: postgres } = await listener(base + 4, '-D', cluster, 'and', 'more');
  const pidFile = join(cluster, 'postmaster.pid');
  await writeFile(pidFile, [claim.pid, cluster, '', base + 4].join('\n'));
  expect(await refusal({})).toBeUndefined();
  expect(temporal.child.signalCode).toBe('SIGTERM');
  expect(postgres.signalCode).toBeNull();
  // It is not what holds another port.
  await writeFile(pidFile, [claim.pid, cluster, '', base].join('\n'));
  expect(await refusal({})).toContain(`Taken: ${base + 4} (PostgreSQL).`);
});

test('beside a stack in the same folder, the line has another folder and other ports', async () => {
  expect(await refusal({})).toBeUndefined();
  const { claim } = await listener(await freePorts(1));
  await writeFile(join(directory, 'start.pid'), JSON.stringify(claim));
  const alone = await refusal({});
  expect(alone).toContain(`Process ${claim.pid} already uses ${directory}.`);
  expect(lineIn(alone)).toEqual([`DATA_DIR=${directory}-${base}`, `PORT_BASE=${base}`]);

  await occupy(base + 3);
  const message = await refusal({});
  expect(message).toContain(`Taken: ${base + 3} (SMSC of the sandbox).`);
  const given = portIn(message, 'PORT_BASE');
  expect(lineIn(message)).toEqual([`DATA_DIR=${directory}-${given}`, `PORT_BASE=${given}`]);
  expect(
    await refusal({ DATA_DIR: `${directory}-${given}`, PORT_BASE: `${given}` }),
  ).toBeUndefined();
  await rm(`${directory}-${given}`, { recursive: true });
});
