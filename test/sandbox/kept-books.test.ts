import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { localPortsOf, PORTS_IN_A_ROW } from '../../src/config/local-ports.ts';
import { freePorts } from '../../src/local/processes.ts';
import { BOOKS_FILE } from '../../src/sandbox/books.ts';
import { openJournal } from '../../src/sandbox/journal.ts';
import { type ServiceProcess, startProcess } from '../harness/service-process.ts';
import { call } from '../support/clients.ts';
import { until } from '../support/until.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kept-books-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('the books of a sandbox that is killed', () => {
  let base: number;
  let sandbox: ServiceProcess;

  /** Starts its process and waits until it answers. */
  async function start(settings: Record<string, string> = { DATA_DIR: directory }): Promise<void> {
    sandbox = startProcess('src/sandbox.ts', { PORT_BASE: String(base), ...settings });
    await until(async () => expect((await ask('/books')).status, sandbox.output()).toBe(200));
  }
  const urlOf = (path: string) =>
    `http://127.0.0.1:${localPortsOf({ PORT_BASE: base }).sandbox}${path}`;
  const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
    call(urlOf(path), options);

  const pay = (correlationId: string, to: string) =>
    ask('/gsma/v1.2/mm/transactions/type/disbursement', {
      headers: { 'X-CorrelationID': correlationId },
      body: {
        amount: '100.00',
        currency: 'ETB',
        requestingOrganisationTransactionReference: correlationId,
        debitParty: [{ key: 'organisationid', value: 'sandbox' }],
        creditParty: [{ key: 'msisdn', value: to }],
      },
    });
  const booksOf = async (reference: string) =>
    (await ask(`/books?reference=${reference}`)).body.payouts.map(
      ({ status }: { status: string }) => status,
    );

  beforeEach(async () => {
    base = await freePorts(PORTS_IN_A_ROW);
    await start();
  });
  afterEach(() => sandbox.kill());

  test('have every payment: an inquiry says completed, and a repetition is a duplicate', async () => {
    const [paid, waiting] = [randomUUID(), randomUUID()];
    const answer = await pay(paid, '+251911000000');
    expect(answer).toMatchObject({ status: 201, body: { transactionStatus: 'completed' } });
    // Its outcome comes with its answer, three seconds later.
    const lost = pay(waiting, '+251911000100').catch(() => undefined);
    await until(async () => expect(await booksOf(waiting)).toEqual(['pending']));
    await sandbox.kill();
    await lost;
    await appendFile(join(directory, BOOKS_FILE), '["payout",{"reference":"half a li');

    await start();
    const link = await ask(`/gsma/v1.2/mm/responses/${paid}`);
    const inquiry = await call(link.body.link);
    expect(inquiry).toMatchObject({ status: 200, body: answer.body });
    const again = await pay(paid, '+251911000000');
    expect(again).toMatchObject({ status: 400, body: { errorCode: 'duplicateRequest' } });
    await until(async () => expect(await booksOf(waiting)).toEqual(['completed']));
    expect(await booksOf(paid)).toEqual(['completed']);
  });

  test('have what happened to it since: a reversal, messages, balances and what was paid in', async () => {
    const [paid, reversal] = [randomUUID(), randomUUID()];
    const { transactionReference } = (await pay(paid, '+251911000000')).body;
    const reverse = () =>
      ask(`/gsma/v1.2/mm/transactions/${transactionReference}/reversals`, {
        headers: { 'X-CorrelationID': reversal },
        body: {
          type: 'reversal',
          requestingOrganisationTransactionReference: reversal,
        },
      });
    expect(await reverse()).toMatchObject({ status: 201 });
    await ask('/balances/gsma', { method: 'PUT', body: { amount: 41.5 } });
    await ask('/balances/gsma/paid-in', { body: { amount: 500 } });
    await ask('/africas-talking/version1/messaging', {
      headers: { apiKey: 'sandbox', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'username=sandbox&to=%2B251911000000&message=Hello',
    });
    const look = async () => ({
      books: (await ask('/books')).body,
      statement: await (
        await fetch(urlOf(`/statements/gsma/${new Date().toISOString().slice(0, 10)}.csv`))
      ).text(),
      balance: (await ask('/gsma/v1.2/mm/accounts/organisationid/sandbox/balance')).body,
    });
    const before = await look();
    expect(before.books).toMatchObject({
      payouts: [{ status: 'reversed' }],
      reversals: [{ status: 'completed' }],
      messages: [{ text: 'Hello' }],
    });
    await sandbox.kill();
    await start();
    expect(await look()).toEqual(before);
    expect((await reverse()).status).not.toBe(201);
  });

  test('are gone without a data folder, as those of tests are', async () => {
    await sandbox.kill();
    await start({});
    const paid = randomUUID();
    await pay(paid, '+251911000000');
    expect(await booksOf(paid)).toEqual(['completed']);
    await sandbox.kill();
    await start({});
    expect(await booksOf(paid)).toEqual([]);
  });
});

describe('a journal', () => {
  const read = (file: string, mostBytes?: number) => {
    const entries: unknown[] = [];
    const journal = openJournal(file, (entry) => entries.push(entry), mostBytes);
    return { entries, journal };
  };

  test('is for its owner alone, and adds nothing once it is closed', async () => {
    const file = join(directory, 'made', 'journal');
    const { journal } = read(file);
    journal.add('one');
    journal.close();
    journal.add('two');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(read(file).entries).toEqual(['one']);
  });

  test('goes on behind its last whole line', async () => {
    const file = join(directory, 'journal');
    read(file).journal.add('one');
    await appendFile(file, '"tw');
    const { entries, journal } = read(file);
    expect(entries).toEqual(['one']);
    journal.add('three');
    expect(read(file).entries).toEqual(['one', 'three']);
    expect(await readFile(file, 'utf8')).toBe('"one"\n"three"\n');
  });

  test('holds the newest entries in two files of a bounded size', async () => {
    const file = join(directory, 'journal');
    const { journal } = read(file, 100);
    for (let entry = 10; entry < 90; entry += 1) journal.add(entry);
    const { entries } = read(file);
    expect(entries.length).toBeGreaterThan(33);
    expect(entries.length).toBeLessThanOrEqual(66);
    expect(entries).toEqual(Array.from(entries, (_, place) => 90 - entries.length + place));
    for (const name of [file, `${file}.former`])
      expect((await stat(name)).size).toBeLessThanOrEqual(100);
    // A change that alone is larger is kept nevertheless.
    read(file, 100).journal.add('x'.repeat(200));
    expect(read(file).entries.at(-1)).toHaveLength(200);
  });
});
