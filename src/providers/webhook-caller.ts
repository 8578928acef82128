import { Resolver } from 'node:dns/promises';
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request } from 'node:http';
import { Agent as HttpsAgent, request as requestTls } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All global unicast addresses of IPv6 lie in it (RFC 4291). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address belongs to the public internet: not loopback, private, link-local,
 * carrier-grade NAT, multicast or reserved. An IPv6 form that holds an IPv4 address does not,
 * because a gateway would lead it back into a private network. IPv4-mapped addresses count as IPv4.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

/** The most of an answer that is read. */
const ANSWER_LIMIT_BYTES = 64 * 1_024;
/** What people see of an answer. */
const EXCERPT_LENGTH = 500;

/** One message to a receiver. */
interface WebhookCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a receiver did with a message. Only a status of 200 to 299 is a delivery. */
export interface WebhookAnswer {
  readonly isDelivered: boolean;
  /** Null where no answer came. */
  readonly status: number | null;
  readonly milliseconds: number;
  /** The beginning of the answer's body as text, in one line. */
  readonly excerpt: string | null;
  /** Why it was not delivered, in a sentence for the company. */
  readonly problem: string | null;
}

export interface WebhookCaller {
  /** Never throws for anything that a receiver does. */
  call(call: WebhookCall): Promise<WebhookAnswer>;
}

/** DNS servers do not know these names (RFC 6761). */
const isThisMachine = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname);

class AddressNotPublicError extends Error {
  readonly code = 'EADDRESSNOTPUBLIC';
}

/**
 * Calls receivers that companies have registered, and so unchecked hosts. The addresses of a name
 * are checked where the connection is made, so that a name which changes between check and use
 * gains nothing. Redirects are not followed, no proxy is used, and no connection is shared between
 * two calls.
 */
export function createWebhookCaller(options: {
  /** `address` or `address:port`; empty for the servers of the system. */
  readonly dnsServers: readonly string[];
  /** Limit of the whole call: name, connection, headers and body. */
  readonly timeoutMs: number;
  /** For development and tests: admits http and addresses of private networks. */
  readonly allowsPrivate: boolean;
}): WebhookCaller {
  const { dnsServers, timeoutMs, allowsPrivate } = options;
  const mayConnect = (address: string) => allowsPrivate || isPublicAddress(address);

  async function addressesOf(hostname: string) {
    const found = isThisMachine(hostname) ? ['127.0.0.1', '::1'] : await resolved(hostname);
    if (found.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
    const allowed = found.filter(mayConnect);
    if (allowed.length === 0) throw new AddressNotPublicError();
    return allowed.map((address) => ({ address, family: isIP(address) }));
  }

  /** Without the system's thread pool, in which a hanging name would keep others waiting. */
  async function resolved(hostname: string): Promise<string[]> {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
    if (dnsServers.length > 0) resolver.setServers(dnsServers);
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    return answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  }

  const lookup: LookupFunction = (hostname, { all }, done) => {
    addressesOf(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (all || !first) done(null, addresses);
        else done(null, first.address, first.family);
      },
      (error) => done(error, []),
    );
  };

  function open(call: WebhookCall, signal: AbortSignal): ClientRequest {
    const url = new URL(call.url);
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    // An address in digits is never looked up.
    if (isIP(literal) !== 0 && !mayConnect(literal)) throw new AddressNotPublicError();
    const shared = {
      method: 'POST',
      headers: { ...call.headers, 'Content-Length': Buffer.byteLength(call.body).toString() },
      lookup,
      signal,
    };
    if (url.protocol === 'https:')
      return requestTls(url, { ...shared, agent: new HttpsAgent({ keepAlive: false }) });
    if (!allowsPrivate) throw Object.assign(new Error('plain http'), { code: 'EPLAINHTTP' });
    return request(url, { ...shared, agent: new HttpAgent({ keepAlive: false }) });
  }

  return {
    async call(call) {
      const startedAt = performance.now();
      const deadline = AbortSignal.timeout(timeoutMs);
      const elapsed = () => Math.round(performance.now() - startedAt);
      try {
        const incoming = await answerTo(open(call, deadline), call.body);
        const excerpt = await readExcerpt(incoming);
        const status = incoming.statusCode ?? 0;
        const isDelivered = status >= 200 && status <= 299;
        const problem = isDelivered ? null : statusProblem(status);
        return { isDelivered, status, milliseconds: elapsed(), excerpt, problem };
      } catch (error) {
        const problem = deadline.aborted
          ? `The receiver did not answer within ${timeoutMs / 1_000} s.`
          : failureProblem(error);
        return {
          isDelivered: false,
          status: null,
          milliseconds: elapsed(),
          excerpt: null,
          problem,
        };
      }
    },
  };
}

const answerTo = (outgoing: ClientRequest, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    outgoing.on('response', resolve);
    // An answer of 101 is no response: nothing else would tell that the call has ended.
    outgoing.on('upgrade', (incoming, socket) => {
      socket.destroy();
      resolve(incoming);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

/** The status has already decided, so an answer that is too long or breaks off is only cut. */
async function readExcerpt(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of incoming) {
      chunks.push(chunk);
      length += chunk.length;
      // Leaving the loop destroys the connection.
      if (length >= ANSWER_LIMIT_BYTES) break;
    }
  } catch {
    // The rest of the answer does not matter.
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, EXCERPT_LENGTH * 4));
  const line = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return line === '' ? null : line.slice(0, EXCERPT_LENGTH);
}

function statusProblem(status: number): string {
  if (status >= 300 && status <= 399)
    return `The receiver redirects (${status}): register the address that it redirects to.`;
  return `The receiver answered ${status}.`;
}

const failures: Readonly<Record<string, string>> = {
  EADDRESSNOTPUBLIC: 'The address is not on the public internet.',
  EPLAINHTTP: 'The address must begin with https://.',
  ENOTFOUND: 'The name of the receiver has no address.',
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: 'The receiver closed the connection without an answer.',
  CERT_HAS_EXPIRED: 'The certificate of the receiver has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the receiver is for another name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the receiver is self-signed.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The receiver does not send the certificates between its own and a known authority.',
};

/** Only the code is shown: a message may contain addresses of our network. */
function failureProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  if (code.startsWith('HPE_')) return 'The receiver did not answer in HTTP.';
  return failures[code] ?? `The connection to the receiver failed (${code}).`;
}
