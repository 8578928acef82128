import { Agent, type RequestListener, request } from 'node:http';
import { connect, Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createAddressMatcher } from '../../src/http/access/source-address.ts';
import { type RunningServer, startHttpServer } from '../../src/http/http-server.ts';
import { until } from '../support/until.ts';

/** What one address can take from all others: a real server and real sockets of several addresses. */
let server: RunningServer;
const sockets: Socket[] = [];
const errors: Error[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  errors.splice(0);
  await server?.close();
});

const SMALL = { connectionLimit: 60, connectionsPerAddress: 20, connectionReserve: 12 };

async function start(
  options: Partial<typeof SMALL> & {
    idleTimeoutSeconds?: number;
    headersTimeoutSeconds?: number;
  } = {},
  handle: RequestListener = (_request, response) => response.end('served'),
): Promise<void> {
  const { idleTimeoutSeconds = 60, headersTimeoutSeconds = 60, ...connections } = options;
  server = await startHttpServer(handle, {
    settings: {
      host: '127.0.0.1',
      port: 0,
      publicUrl: 'https://api.example.com',
      idleTimeoutSeconds,
      headersTimeoutSeconds,
      requestTimeoutSeconds: headersTimeoutSeconds,
      ...SMALL,
      ...connections,
    },
    isTrustedProxy: createAddressMatcher(['127.0.0.99']),
    onError: (error) => errors.push(error),
  });
}

/** A connection that sends nothing and never closes its own side. */
function openSilent(localAddress: string): Socket {
  const socket = connect({
    port: server.port,
    host: '127.0.0.1',
    localAddress,
    allowHalfOpen: true,
  });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket.resume();
}

const openMany = (localAddress: string, count: number): Socket[] =>
  Array.from({ length: count }, () => openSilent(localAddress));

/** How many of them the server has closed. */
const closedOf = (opened: readonly Socket[]): number =>
  opened.filter((socket) => socket.readableEnded || socket.destroyed).length;

const serves = (localAddress: string): Promise<boolean> =>
  new Promise((resolve) => {
    const options = { port: server.port, host: '127.0.0.1', localAddress, agent: false };
    request(options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200));
    })
      .on('error', () => resolve(false))
      .end();
  });

describe('connections of one address', () => {
  test('are limited, and those of others are served meanwhile', async () => {
    await start();
    const opened = openMany('127.0.0.2', 50);
    await until(() => expect(closedOf(opened)).toBe(30));
    expect(await serves('127.0.0.2')).toBe(false);
    expect(await serves('127.0.0.3')).toBe(true);
    for (const socket of opened) socket.destroy();
    await until(async () => expect(await serves('127.0.0.2')).toBe(true));
  });

  test('that send nothing are closed though they never close their own side', async () => {
    await start({ headersTimeoutSeconds: 0.1 });
    const opened = openMany('127.0.0.2', 20);
    await until(() => expect(closedOf(opened)).toBe(20));
    await until(async () => expect(await serves('127.0.0.2')).toBe(true));
  });

  test('that read no answer are closed', async () => {
    const large = 'x'.repeat(1_000_000);
    let answered = 0;
    await start({ idleTimeoutSeconds: 0.3 }, (_request, response) => {
      response.end(large, () => {
        answered += 1;
      });
    });
    const socket = openSilent('127.0.0.2').pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    // Once nothing moves any more, reading finds what was sent until then, and the end.
    await until(async () => {
      const before = answered;
      await new Promise((resolve) => setTimeout(resolve, 700));
      expect(answered).toBe(before);
    });
    socket.resume();
    socket.once('end', () => socket.end());
    await closed;
    expect(answered).toBeLessThan(100);
  });

  test('of a trusted proxy are limited by the total alone', async () => {
    await start();
    const opened = openMany('127.0.0.99', 50);
    await until(async () => expect(await serves('127.0.0.99')).toBe(true));
    expect(closedOf(opened)).toBe(0);
  });
});

test('a few addresses leave a reserve to those with few connections, and never more in all', async () => {
  await start();
  const opened = ['127.0.0.2', '127.0.0.3', '127.0.0.4'].flatMap((address) =>
    openMany(address, 20),
  );
  await until(() => expect(closedOf(opened)).toBe(12));
  for (const last of [5, 6, 7]) expect(await serves(`127.0.0.${last}`)).toBe(true);
  expect(await serves('127.0.0.2')).toBe(false);
  const more = [5, 6].flatMap((last) => openMany(`127.0.0.${last}`, 8));
  await until(() => expect(closedOf(more)).toBe(4));
});

describe('a request with two Host headers', () => {
  test.each(['Host: a\r\nHost: b', 'Host: a\r\nhost: a', 'HOST: a\r\nX: y\r\nHost: b'])(
    'is refused (%j), with what comes behind it',
    async (hosts) => {
      const handled: (string | undefined)[] = [];
      await start({}, ({ url }, response) => {
        handled.push(url);
        response.end();
      });
      const socket = openSilent('127.0.0.2');
      let answer = '';
      socket.setEncoding('utf8').on('data', (text) => {
        answer += text;
      });
      const ended = new Promise((resolve) => socket.once('end', resolve));
      socket.write(`GET /one HTTP/1.1\r\n${hosts}\r\n\r\nGET /two HTTP/1.1\r\nHost: a\r\n\r\n`);
      await ended;
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('\r\nx-error-reason: http-malformed\r\n');
      const link = 'https://api.example.com/docs/errors#partner-400-http-malformed';
      expect(answer).toContain(`\r\nLink: <${link}>; rel="help"\r\n`);
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
        success: false,
        message: 'The request is not valid HTTP',
        statusCode: 400,
        data: null,
      });
      expect(handled).toEqual([]);
    },
  );
});

test.each([
  ['two Host headers', 'GET /two HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['an unknown expectation', 'GET /two HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n'],
  ['no HTTP', 'nonsense\r\n\r\n'],
])(
  'a refusal of %s is not taken for the answer to the request before it',
  async (_what, second) => {
    let answerFirst = () => {};
    await start({}, (_request, response) => {
      answerFirst = () => response.end('served');
    });
    const socket = openSilent('127.0.0.2');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n${second}`);
    socket.once('end', () => socket.end());
    await closed;
    answerFirst();
    expect(answer).toBe('');
  },
);

describe('a server', () => {
  test('goes on after connections that it could not accept', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen');
    await start();
    const [listening] = listen.mock.contexts as Server[];
    listen.mockRestore();
    // As Node.js tells of it where the process has no more files.
    const failure = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' });
    for (let count = 1; count <= 3; count += 1) listening?.emit('error', failure);
    expect(errors).toEqual([failure, failure, failure]);
    expect(await serves('127.0.0.2')).toBe(true);
  });

  test('keeps a connection after an answer as long as it promises, and says so', async () => {
    await start({ idleTimeoutSeconds: 77 });
    const { headers } = await fetch(`http://127.0.0.1:${server.port}`);
    expect(headers.get('Keep-Alive')).toBe('timeout=77');
  });

  test('that drains goes on serving, and closes each connection with its answer', async () => {
    let answerFirst = () => {};
    await start({}, ({ url }, response) => {
      if (url === '/first') answerFirst = () => response.end('first');
      else response.end('other');
    });
    const agent = new Agent({ keepAlive: true });
    const connectionOf = (path: string) =>
      new Promise<string | undefined>((resolve, reject) => {
        const sent = request({ agent, host: '127.0.0.1', port: server.port, path });
        sent.on('error', reject).end();
        sent.on('response', (answer) => {
          answer.resume().on('end', () => resolve(answer.headers.connection));
        });
      });
    expect(await connectionOf('/before')).toBe('keep-alive');
    const first = connectionOf('/first');
    const answersFirst = answerFirst;
    await until(() => expect(answerFirst).not.toBe(answersFirst));
    server.drain();
    expect(await connectionOf('/during')).toBe('close');
    answerFirst();
    expect(await first).toBe('close');
    agent.destroy();
  });

  test('that cannot listen says so', async () => {
    await start();
    const taken = startHttpServer(() => undefined, {
      settings: {
        host: '127.0.0.1',
        port: server.port,
        publicUrl: 'https://api.example.com',
        headersTimeoutSeconds: 1,
        requestTimeoutSeconds: 1,
        idleTimeoutSeconds: 1,
        ...SMALL,
      },
      isTrustedProxy: () => false,
      onError: (error) => errors.push(error),
    });
    await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(errors).toEqual([]);
  });
});

test('a caller that closes its half after a whole request gets the answer', async () => {
  await start({}, (_request, response) => {
    setTimeout(() => response.end('served'), 50);
  });
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  let answer = '';
  socket.setEncoding('utf8').on('data', (part) => {
    answer += part;
  });
  socket.end('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until(() => expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*served/));
});
