import { afterEach, expect, it } from 'vitest';
import { createAuthorizedCall, type TokenVerdict } from '../../src/providers/http-call.ts';
import { type RawServer, startRawServer } from './raw-server.ts';

let server: RawServer | undefined;
afterEach(() => server?.close());

/** A provider that says 401 to the first of its tokens, and two calls in a row. */
async function callTwice(method: 'GET' | 'POST', verdict: TokenVerdict): Promise<string[]> {
  let tokens = 0;
  server = await startRawServer((request, response) => {
    if (request.url !== '/token') {
      const isFirst = request.headers.authorization === 'Bearer t1';
      return response.writeHead(isFirst ? 401 : 200).end();
    }
    tokens += 1;
    return response.writeHead(200).end(`{"access_token":"t${tokens}","expires_in":60}`);
  });
  const { url } = server;
  const deadline = AbortSignal.timeout(10_000);
  const call = createAuthorizedCall({
    tokenRequest: { method: 'GET', url: `${url}/token`, headers: {} },
    judgeToken: ({ status }) => (status === 401 ? verdict : 'accepted'),
  });
  const seen: string[] = [];
  for (const name of ['first', 'second']) {
    const before = server.requests.length;
    const answer = await call({ method, url: `${url}/${name}`, headers: {}, deadline });
    const requests = server.requests.slice(before).map((line) => line.split(' /')[1]);
    seen.push(`${requests.join(' ')}: ${answer.kind === 'answered' && answer.status}`);
  }
  return seen;
}

it.each([
  ['GET', 'rejected', ['token first token first: 200', 'second: 200']],
  ['POST', 'rejected', ['token first token first: 200', 'second: 200']],
  ['GET', 'doubtful', ['token first token first: 200', 'second: 200']],
  // It may have been done: nothing is sent again, but the next call logs in.
  ['POST', 'doubtful', ['token first: 401', 'token second: 200']],
  ['POST', 'accepted', ['token first: 401', 'second: 401']],
] as const)('a %s whose token is %s', async (method, verdict, seen) => {
  expect(await callTwice(method, verdict)).toEqual(seen);
});
