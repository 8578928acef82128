import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Commands, commandsOn } from '../../admin/scene.ts';
import { backUp } from '../../support/restore.ts';
import { makeSpoilingWay } from '../../support/spoiling-way.ts';
import { providerSettings } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';

/** M-Pesa cannot list what it paid: its organisation statement says it after a restore. */
let scene: RedemptionScene;
let operator: Commands;
let withoutMpesa: Commands;
let toService: Awaited<ReturnType<typeof makeSpoilingWay>>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'statement-'));
  toService = await makeSpoilingWay();
  scene = await setRedemptionScene({
    MOBILE_MONEY_PROVIDER: 'mpesa',
    CALLBACK_URL: `${toService.url}/callbacks`,
  });
  toService.setTarget(scene.stack.url);
  const settings = {
    ...providerSettings(scene.stack.sandbox),
    DATABASE_URL: scene.stack.urlFor('operator'),
  };
  operator = commandsOn({ ...settings, MOBILE_MONEY_PROVIDER: 'mpesa' });
  withoutMpesa = commandsOn({ ...settings, MPESA_URL: undefined });
});
afterAll(async () => {
  await scene?.stop();
  await toService?.close();
  await rm(folder, { recursive: true, force: true });
});

async function statement(change: (text: string) => string = (text) => text): Promise<string> {
  const zone = 'Africa/Addis_Ababa';
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format();
  const url = `${scene.stack.sandbox.url}/statements/mpesa/${day}.csv?zone=${zone}`;
  const file = join(folder, 'statement.csv');
  await writeFile(file, change(await (await fetch(url)).text()));
  return file;
}

test('what M-Pesa paid since a restore is booked from its statement, once', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const [kept, lost] = [
    await scene.gift({ merchant, owner: null, denomination: 1000 }),
    await scene.gift({ merchant, owner: null, denomination: 1000 }),
  ];
  expect((await redeem(client, kept)).status).toBe(200);
  const restore = await backUp(scene.stack.database);
  const request = { idempotencyKey: randomUUID() };
  const paid = await redeem(client, lost, request);
  expect(paid.status).toBe(200);
  await restore();
  expect(await operator.admin('recovery fence')).toMatchObject({ code: 0 });

  const without = await operator.json('recovery book');
  expect(without).toMatchObject({ booked: 0, isComplete: false });
  expect(without.gaps).toEqual([expect.stringContaining('--mpesa-statement')]);
  const withFile = (file: string, command = 'list') => [
    ...['recovery', command, '--mpesa-statement', file],
  ];
  const none = join(folder, 'none.csv');
  expect((await operator.admin(withFile(none))).err).toContain(`The file ${none} cannot be read`);

  // A file without our references names only what our rows know by their receipts.
  const unnamed = await operator.json(
    withFile(await statement((text) => text.replace('Originator Conversation ID', 'Other'))),
  );
  expect(unnamed.counts).toEqual({ agrees: 1, foreign: 1 });
  expect(unnamed.gaps).toEqual([expect.stringContaining('without our reference')]);

  // A file of whole days has mostly earlier rows; one that has no others may be the wrong one.
  const earlier = (rows: readonly string[]) =>
    rows.map((row) => row.replaceAll(/\d{4}-\d\d-\d\dT/g, '2026-01-01T'));
  const ofDays = (change: (rows: readonly string[]) => readonly string[]) =>
    statement((text) => {
      const [columns = '', ...rows] = text.trimEnd().split(/\r?\n/);
      return [columns, ...change(rows)].join('\n');
    });
  const days = await ofDays((rows) => [...earlier(rows), ...earlier(rows), ...rows]);
  expect((await operator.json(withFile(days))).counts).toEqual({ agrees: 1, lost: 1 });
  const old = await operator.admin(withFile(await ofDays(earlier), 'book'));
  expect(old.err).toContain('add --empty');

  // A provider may write our references in capitals.
  const file = await statement((text) =>
    text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (found) => found.toUpperCase()),
  );
  const listed = await operator.json(withFile(file));
  expect(listed).toMatchObject({ counts: { agrees: 1, lost: 1 }, gaps: [] });
  expect(JSON.stringify(listed)).not.toContain(merchant.payoutNumber.slice(1));
  // The file is enough for somebody who has no settings of M-Pesa.
  expect(await withoutMpesa.json(withFile(file))).toMatchObject({
    counts: listed.counts,
    gaps: [],
  });
  expect(await operator.json(withFile(file, 'book'))).toMatchObject({
    booked: 1,
    isComplete: true,
  });
  expect(await operator.json(withFile(file, 'book'))).toMatchObject({ booked: 0 });
  expect(await operator.json('cases list')).toMatchObject([
    { provider: 'mpesa', amount: '975.000000' },
  ]);
  expect((await operator.admin(['recovery', 'lift', '--why', 'booked'])).code).toBe(0);

  // M-Pesa pays a repeated request again: it is asked, and nothing is sent.
  const { referenceNumber } = paid.body.data;
  await until(async () => {
    const again = await redeem(client, lost, request);
    expect(again.body).toMatchObject({ statusCode: 200, data: { referenceNumber } });
  });
  expect(scene.amountsPaidTo(merchant)).toEqual(['975.00 completed', '975.00 completed']);
  expect(await operator.json('cases list')).toEqual([]);
});
