import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  /** What the attributes say, by their names. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly process: string;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const valuesOf = (attributes: readonly KeyValue[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));

/** The process that sent a body: each sends its own. */
const processOf = (body: string): string | undefined =>
  valuesOf(JSON.parse(body).resourceSpans[0].resource.attributes)['process.type'];

/** A collector of traces on loopback: OTLP over HTTP, in JSON. */
export async function startOtlpReceiver() {
  const bodies: string[] = [];
  const authorizations = new Set<string | undefined>();
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      authorizations.add(request.headers.authorization);
      if (status === 200 && request.url === '/v1/traces')
        bodies.push(String(Buffer.concat(chunks)));
      response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    authorizations,
    /**
     * Everything that came, or what came of one process, as it came, without times: microseconds with the zeros after
     * them look like a phone number of our tests, such as 950001000.
     */
    text: (process?: string) =>
      bodies
        .filter((body) => process === undefined || processOf(body) === process)
        .join('\n')
        .replaceAll(/"\w*timeUnixNano":"[0-9]+"/gi, ''),
    answer(with_: number) {
      status = with_;
    },
    spans: (): ReceivedSpan[] =>
      bodies.flatMap((body) =>
        // biome-ignore lint/suspicious/noExplicitAny: the form of OTLP is looked at, not declared.
        (JSON.parse(body).resourceSpans as any[]).flatMap(({ resource, scopeSpans }) =>
          // biome-ignore lint/suspicious/noExplicitAny: as above
          scopeSpans.flatMap(({ spans }: any) =>
            // biome-ignore lint/suspicious/noExplicitAny: as above
            spans.map((span: any) => ({
              ...span,
              attributes: valuesOf(span.attributes),
              process: valuesOf(resource.attributes)['process.type'],
            })),
          ),
        ),
      ),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>;
