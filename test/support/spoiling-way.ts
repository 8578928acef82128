import type { IncomingMessage, ServerResponse } from 'node:http';
import { startRawServer } from '../providers/raw-server.ts';

/** The answer of a provider that has done what it was asked for. */
export interface ProviderAnswer {
  readonly status: number;
  readonly body: string;
}

export type Spoil = (answer: ProviderAnswer, response: ServerResponse) => void;

const json = (response: ServerResponse, { status, body }: ProviderAnswer) =>
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);

const page = (status: number) => (_answer: ProviderAnswer, response: ServerResponse) =>
  response
    .writeHead(status, { 'Content-Type': 'text/html' })
    .end('<html><h1>It works!</h1></html>');

/** The fields of an object are objects, and the items of a list are words. */
const ofOtherTypes = (body: string): unknown => {
  const content: unknown = JSON.parse(body);
  if (Array.isArray(content)) return content.map(String);
  return Object.fromEntries(
    Object.entries(content as object).map(([name, value]) => [name, { value }]),
  );
};

/** What can become of an answer on its way back; the provider has done it each time. */
export const spoils: Readonly<Record<string, Spoil>> = {
  'a page of HTML': page(200),
  'a page of HTML with status 401': page(401),
  'a page of HTML with status 403': page(403),
  'a page of HTML with status 404': page(404),
  'a redirect': (_answer, response) =>
    response.writeHead(307, { Location: '/faults', 'Content-Type': 'application/json' }).end('{}'),
  'an error with status 200': (_answer, response) =>
    json(response, {
      status: 200,
      body: JSON.stringify({
        errorCategory: 'internal',
        errorCode: 'genericError',
        requestId: '1',
        errorMessage: 'Internal error',
        errors: [{ code: 1009001 }],
      }),
    }),
  'half of its JSON': ({ status, body }, response) =>
    json(response, { status, body: body.slice(0, body.length / 2) }),
  'JSON of other types': ({ status, body }, response) =>
    json(response, { status, body: JSON.stringify(ofOtherTypes(body)) }),
  'an object without fields': ({ status }, response) => json(response, { status, body: '{}' }),
  null: ({ status }, response) => json(response, { status, body: 'null' }),
  'no body': ({ status }, response) => response.writeHead(status).end(),
  'a body that breaks off': ({ status, body }, response) => {
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(body) });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  },
  'bytes that are not HTTP': (_answer, response) => response.socket?.end('220 mail.example\r\n'),
  'a huge body': ({ status, body }, response) =>
    json(response, { status, body: `${body.slice(0, -1)},"padding":"${'x'.repeat(1_000_000)}"}` }),
  'a slow drip': ({ status, body }, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    let sent = 0;
    const timer = setInterval(() => response.write(body[sent++ % body.length]), 100);
    response.on('close', () => clearInterval(timer));
  },
  'the references of another request': ({ status, body }, response) =>
    json(response, { status, body: body.replace(/[0-9a-f]{8}(?=[0-9a-f-]{20,})/gi, '00000000') }),
  'a connection that breaks': (_answer, response) => response.destroy(),
  'status 500': (_answer, response) => json(response, { status: 500, body: '{}' }),
};

const FORWARDED = [
  ...['content-type', 'authorization', 'x-correlationid', 'x-callback-url', 'x-date', 'accept'],
];

/**
 * A way to the sandbox that spoils the answers of orders (POST, PUT) as long as it is told to, after the
 * sandbox has taken and done them. `setTarget` says where it leads.
 */
export async function makeSpoilingWay() {
  let target = '';
  let spoil: Spoil | undefined;
  let spoilsInquiries = false;
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = FORWARDED.flatMap((name): [string, string][] =>
      typeof request.headers[name] === 'string' ? [[name, request.headers[name]]] : [],
    );
    const isOrder = request.method === 'POST' || request.method === 'PUT';
    const answer = await fetch(target + request.url, {
      method: request.method ?? 'GET',
      headers,
      ...(isOrder ? { body: Buffer.concat(chunks) } : {}),
    });
    const read = { status: answer.status, body: await answer.text() };
    if (spoil && (isOrder || spoilsInquiries)) spoil(read, response);
    else json(response, read);
  };
  const server = await startRawServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  return {
    url: server.url,
    close: server.close,
    setTarget(url: string) {
      target = url;
    },
    spoilWith(what: Spoil | undefined, options: { readonly inquiries?: true } = {}) {
      spoil = what;
      spoilsInquiries = options.inquiries ?? false;
    },
  };
}
