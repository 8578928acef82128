import { randomBytes, randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import readRawBody from 'raw-body';
import { z } from 'zod';

/**
 * The canonical form of a number: 0911…, 251911… and +251911… all give +251911…. Other text is
 * returned unchanged. Query strings turn a `+` into a space, which is repaired.
 */
export function canonicalNumber(text: string): string {
  const compact = text.replace(/[\s().-]/g, '');
  const digits = compact.replace(/^(\+|00)/, '');
  if (!/^\d{7,15}$/.test(digits)) return text.trim();
  if (/^0\d{9}$/.test(digits)) return `+251${digits.slice(1)}`;
  return `+${digits}`;
}

/** E.164: a plus sign and up to 15 digits. */
export const E164 = /^\+[1-9]\d{6,14}$/;

export type TakenStatus = 'pending' | 'completed' | 'failed' | 'reversed';

/** A payout or top-up that a provider accepted. */
export interface TakenRequest {
  /** Its name in the books. */
  readonly id: string;
  /** The provider that took it. */
  readonly provider: string;
  /** The caller's reference. */
  readonly reference: string;
  readonly to: string;
  readonly amount: string;
  readonly currency: string;
  readonly takenAt: Date;
  /** Its statuses over time; the current one is the last whose time has come. */
  readonly statuses: { readonly status: TakenStatus; readonly from: Date }[];
}

/** A row of `GET /books`. */
export interface BooksRow
  extends Pick<TakenRequest, 'provider' | 'reference' | 'to' | 'amount' | 'currency'> {
  readonly status: TakenStatus;
  readonly at: string;
}

export interface BooksFilter {
  readonly provider?: string | undefined;
  readonly reference?: string | undefined;
  readonly to?: string | undefined;
}

/** The current status of a request. */
export function statusOf(taken: TakenRequest): TakenStatus {
  const now = new Date();
  return taken.statuses.findLast(({ from }) => from <= now)?.status ?? 'pending';
}

export const rowOf = (taken: TakenRequest): BooksRow => ({
  provider: taken.provider,
  reference: taken.reference,
  to: taken.to,
  amount: taken.amount,
  currency: taken.currency,
  status: statusOf(taken),
  at: taken.takenAt.toISOString(),
});

/** Stores accepted requests, indexed by each of the keys. */
export function createTakenRequests<Taken extends TakenRequest, Key extends keyof Taken>(
  keys: readonly Key[],
) {
  const requests: Taken[] = [];
  const index = new Map(keys.map((key) => [key, new Map<Taken[Key], Taken[]>()]));
  return {
    add(taken: Taken): Taken {
      requests.push(taken);
      for (const [key, byValue] of index)
        byValue.set(taken[key], [...(byValue.get(taken[key]) ?? []), taken]);
      return taken;
    },
    /** The newest of one provider, or of any. */
    find: (key: Key, value: Taken[Key], provider?: string): Taken | undefined =>
      index.get(key)?.get(value)?.findLast(isOf(provider)),
    /** Newest first; of one provider, or of all. */
    all: (provider?: string): Taken[] => requests.filter(isOf(provider)).toReversed(),
    /** Newest first. */
    rows: ({ reference, to, provider }: BooksFilter = {}): BooksRow[] =>
      requests
        .filter((taken) => reference === undefined || taken.reference === reference)
        .filter((taken) => to === undefined || canonicalNumber(taken.to) === canonicalNumber(to))
        .filter(isOf(provider))
        .toReversed()
        .map(rowOf),
  };
}

const isOf = (provider: string | undefined) => (taken: TakenRequest) =>
  provider === undefined || taken.provider === provider;

const bodyLimitBytes = 64 * 1024;

/**
 * The body as text, read once; throws an HTTP error (413, 400) that the application turns into a
 * reply.
 */
export function readText(ctx: Context): Promise<string> {
  ctx.state.text ??= readRawBody(ctx.req, {
    limit: bodyLimitBytes,
    length: ctx.request.length,
    encoding: 'utf8',
  });
  return ctx.state.text;
}

/** The body as JSON; undefined for other content. */
async function readJson(ctx: Context): Promise<unknown> {
  const text = await readText(ctx);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A request by its schema, or else the first field that the schema does not allow. */
export async function readRequest<Request>(
  ctx: Context,
  schema: z.ZodType<Request>,
): Promise<{ readonly request?: Request; readonly malformed?: string }> {
  const { data: request, error } = schema.safeParse(await readJson(ctx));
  return error ? { malformed: error.issues[0]?.path.join('.') || 'body' } : { request };
}

/** Whether no provider accepts a key, secret or password. Any other value is accepted. */
export const isWrongKey = (key: string): boolean => key.trim() === '' || key.startsWith('wrong');

/** Whether the request has a key and a secret in HTTP Basic that are accepted. */
export function hasBasicCredentials(ctx: Context): boolean {
  const [scheme = '', encoded = ''] = ctx.get('Authorization').split(' ');
  const [, key = '', secret = ''] =
    /^([^:]+):(.+)$/.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return scheme.toLowerCase() === 'basic' && !isWrongKey(key) && !isWrongKey(secret);
}

/** The access tokens that a provider has given. */
export function createTokens(lifetimeSeconds: number) {
  const expiries = new Map<string, number>();
  return {
    lifetimeSeconds,
    give(): string {
      const token = randomBytes(24).toString('base64url');
      expiries.set(token, Date.now() + lifetimeSeconds * 1000);
      return token;
    },
    /** Whether a request has one of them that is not over. */
    accepts(ctx: Context): boolean {
      const token = ctx.get('Authorization').replace(/^bearer /i, '');
      return (expiries.get(token) ?? 0) > Date.now();
    },
  };
}
export type Tokens = ReturnType<typeof createTokens>;

/** An address that a callback can be sent to. */
export const webAddress = z.url({ protocol: /^https?$/ });

/** A whole number of a query, from 1 on. */
export const numberParameter = (value: unknown, otherwise: number): number =>
  typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : otherwise;

/** An answer: an object is sent as JSON, text as text/plain; `dropped` closes the connection. */
export type SandboxReply =
  | {
      readonly status: number;
      readonly body: string | object;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | 'dropped';

/** Sends the answer, or closes the connection like a lost network. */
export function give(ctx: Context, reply: SandboxReply): void {
  if (reply === 'dropped') {
    ctx.respond = false;
    ctx.req.socket.destroy();
    return;
  }
  ctx.set(reply.headers ?? {});
  ctx.status = reply.status;
  if (typeof reply.body === 'string') ctx.type = 'text/plain';
  ctx.body = reply.body;
}

/** Answers a tester what is wrong. */
export function problem(ctx: Context, status: number, message: string): void {
  ctx.status = status;
  ctx.body = { message };
}

export const tooManyRequests: SandboxReply = {
  status: 429,
  body: 'Too Many Requests',
  headers: { 'Retry-After': '5' },
};
export const notAuthorised: SandboxReply = {
  status: 401,
  body: 'The supplied authentication is invalid',
};

/** What all providers answer to numbers with such a scenario. */
export const commonReplies: Readonly<Partial<Record<string, SandboxReply>>> = {
  'connection-dropped': 'dropped',
  'not-authorised': notAuthorised,
  'too-many-requests': tooManyRequests,
};

/** A text message that a phone received. */
export interface ReceivedMessage {
  readonly id: string;
  /** The provider that delivered it. */
  readonly provider: string;
  /** E.164 */
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** ISO 8601 */
  readonly receivedAt: string;
}

/** An e-mail that an address received. */
export interface ReceivedMail {
  readonly id: string;
  /** Its Message-ID; a repeated e-mail appears twice with it. */
  readonly messageId: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  /** Its plain text. */
  readonly text: string;
  readonly attachments: readonly ReceivedFile[];
  /** ISO 8601 */
  readonly receivedAt: string;
}

/** A file of text that was attached to an e-mail. */
export interface ReceivedFile {
  readonly name: string;
  readonly type: string;
  readonly content: string;
}

/** A message on its way, with the id that its provider gave it; a new one without it. */
export type GivenMessage = Pick<ReceivedMessage, 'to' | 'from' | 'text'> &
  Partial<Pick<ReceivedMessage, 'id' | 'provider'>>;
export type GivenMail = Omit<ReceivedMail, 'id' | 'receivedAt'>;

export const receivedMessage = (given: GivenMessage): ReceivedMessage => ({
  id: newMessageId(),
  provider: 'africas-talking',
  ...given,
  to: canonicalNumber(given.to),
  receivedAt: new Date().toISOString(),
});

export const receivedMail = (given: GivenMail): ReceivedMail => ({
  id: randomUUID(),
  ...given,
  to: given.to.toLowerCase(),
  receivedAt: new Date().toISOString(),
});

/** The received messages of phones and mailboxes. */
export function createReceived() {
  const messagesByNumber = new Map<string, ReceivedMessage[]>();
  const allMessages: ReceivedMessage[] = [];
  const allMails: ReceivedMail[] = [];
  return {
    addMessage(message: ReceivedMessage): void {
      const ofNumber = messagesByNumber.get(message.to) ?? [];
      messagesByNumber.set(message.to, ofNumber);
      ofNumber.push(message);
      allMessages.push(message);
    },
    addMail(mail: ReceivedMail): void {
      allMails.push(mail);
    },
    /** Newest first; of one phone, or of all. */
    messages: (to?: string): ReceivedMessage[] =>
      (to === undefined
        ? allMessages
        : (messagesByNumber.get(canonicalNumber(to)) ?? [])
      ).toReversed(),
    /** Newest first; of one address in any notation, or of all. */
    mails: (to?: string): ReceivedMail[] =>
      allMails.filter((mail) => to === undefined || mail.to === to.toLowerCase()).toReversed(),
  };
}

/** An id as Africa's Talking gives them. */
export const newMessageId = (): string => `ATXid_${randomBytes(16).toString('hex')}`;
