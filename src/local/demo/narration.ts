import { styleText } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import type { ZodType, z } from 'zod';
import {
  ApiError,
  type ClientSettings,
  NoAnswerError,
  OpenRequestError,
} from '../../../clients/typescript/src/index.ts';
import { formatAmount, type Money, parseMoney } from '../../domain/money.ts';
import type { TemporalServer } from '../../runtime/temporal/temporal-server.ts';

/** The demo cannot go on; its message is for the person who runs it. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

const LINE_LENGTH = 88;
const SHOWN_ITEMS = 2;
const SECRET_FIELDS = ['key', 'accessToken'];
const SHOWN_OF_SECRET = 12;

/** The prefix of a secret: enough to recognise it, too little to use it. */
const shorten = (secret: string): string => `${secret.slice(0, SHOWN_OF_SECRET)}…`;

/**
 * JSON for people: on one line if it fits, else a line per field. Keys and tokens are shortened,
 * and long lists truncated.
 */
function readableJson(value: unknown, indent = ''): string {
  const flat = flatJson(value);
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= LINE_LENGTH)
    return flat;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.slice(0, SHOWN_ITEMS).map((item) => readableJson(item, inner))
    : fieldsOf(value).map(([name, field]) => `"${name}": ${readableJson(field, inner)}`);
  if (Array.isArray(value) && value.length > SHOWN_ITEMS)
    lines.push(`… and ${value.length - SHOWN_ITEMS} more`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.map((line) => inner + line).join(',\n')}\n${indent}${close}`;
}

function flatJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const fields = fieldsOf(value).map(([name, field]) => `"${name}": ${flatJson(field)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

const fieldsOf = (value: object): [string, unknown][] =>
  Object.entries(value).map(([name, field]) => [
    name,
    SECRET_FIELDS.includes(name) && typeof field === 'string' ? shorten(field) : field,
  ]);

type Format = Parameters<typeof styleText>[0];

/** The output of the transcript: a terminal, a file, or a test. */
interface TranscriptOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  hasColors?(): boolean;
}

export type Transcript = ReturnType<typeof createTranscript>;

const MARGIN = '   ';
/** Every request of the web has them. */
const USUAL_HEADERS = ['Accept', 'Content-Type'];

/**
 * Writes the story as text, in colours on terminals that support them: each step, each request with its answer, and
 * what it proves.
 */
export function createTranscript(output: TranscriptOutput) {
  const isColoured = output.isTTY === true && output.hasColors?.() === true;
  const paint = (format: Format, text: string) => (isColoured ? styleText(format, text) : text);
  const print = (text = '') => output.write(`${text}\n`);
  const indented = (value: unknown) => readableJson(value).replaceAll('\n', `\n${MARGIN}  `);
  let calls = 0;

  return {
    chapter(title: string): void {
      print(`\n${paint('bold', title)}\n${'─'.repeat(title.length)}`);
    },
    /** Announces a call in a sentence; calls are numbered. */
    sent(title: string, url: string, { method = 'GET', headers, body }: RequestInit): void {
      calls += 1;
      print(`\n${calls}. ${title}`);
      print(`${MARGIN}${paint('cyan', '→')} ${paint('bold', method)} ${url}`);
      for (const [name, value] of Object.entries(headers as Record<string, string>)) {
        if (USUAL_HEADERS.includes(name)) continue;
        const isSecret = name.startsWith('x-');
        print(`${MARGIN}  ${paint('dim', `${name}: ${isSecret ? shorten(value) : value}`)}`);
      }
      if (typeof body === 'string') print(`${MARGIN}  ${indented(JSON.parse(body))}`);
    },
    got(status: number, body: unknown): void {
      const text = paint(status < 400 ? 'green' : 'yellow', String(status));
      print(`${MARGIN}${paint('cyan', '←')} ${text} ${indented(body)}`);
    },
    /** Writes a command of the operator, numbered like the calls, with its output. */
    ran(title: string, command: string, output: string): void {
      calls += 1;
      print(`\n${calls}. ${title}`);
      print(`${MARGIN}${paint('cyan', '$')} ${paint('bold', command)}`);
      print(output.replaceAll(/^(?=.)/gm, `${MARGIN}  `));
    },
    /**
     * Writes a confirmed statement.
     *
     * @throws {DemoError} when it is false
     */
    confirm(isTrue: boolean, sentence: string): void {
      if (!isTrue) throw new DemoError(`This statement is false: ${sentence}`);
      print(`${MARGIN}${paint('green', `✓ ${sentence}`)}`);
    },
    say(text: string): void {
      print(text);
    },
  };
}

/** One page that the story reads. */
interface DemoCall<Answer extends ZodType> {
  /** A sentence about the step. */
  readonly title: string;
  readonly path: string;
  /** The part of the answer that the story needs. */
  readonly answer: Answer;
}

/** @throws {DemoError} without an answer, or for an unexpected one */
export type DemoCaller = <Answer extends ZodType>(
  call: DemoCall<Answer>,
) => Promise<z.output<Answer>>;

/** Reads below the address of the sandbox and writes that to the transcript. */
export const createCaller =
  (transcript: Transcript, baseUrl: string): DemoCaller =>
  async ({ title, path, answer }) => {
    const url = baseUrl + path;
    const headers = { Accept: 'application/json' };
    const { response, body } = await narrate(transcript, title, url, { headers }).catch((error) => {
      throw nothingAnswers(url, error);
    });
    const found = answer.safeParse(body);
    if (response.status === 200 && found.success) return found.data;
    throw new DemoError(`"${title}" got an unexpected answer, with the status ${response.status}.`);
  };

/** Sends a request, and writes it with its answer to the transcript. */
async function narrate(transcript: Transcript, title: string, url: string, request: RequestInit) {
  transcript.sent(title, url, request);
  const response = await fetch(url, request);
  const body = jsonOr(await response.clone().text());
  transcript.got(response.status, body);
  return { response, body };
}

/** The error of an address at which nothing listens. */
const nothingAnswers = (url: string, cause: unknown): DemoError =>
  new DemoError(
    `Nothing answers at ${new URL(url).origin}: start the service with "npm start", wait until ` +
      'it prints its addresses, and run the demo again.',
    { cause },
  );

/**
 * Calls of a client, each after a sentence about the step; the transcript shows what is sent and
 * answered.
 *
 * @throws {DemoError} without an answer, or for a refusal
 */
export type Narrated<Client> = <Result>(
  title: string,
  call: (client: Client) => Promise<Result>,
) => Promise<Result>;

/** A demo that waits is none: fewer and shorter pauses than in production. */
const PATIENCE = { attempts: 3, firstPauseSeconds: 0.5 };

/**
 * Makes a client whose requests appear in the transcript.
 *
 * @param make makes the client with the settings that it is given
 */
export function narratedClient<Client>(
  transcript: Transcript,
  { baseUrl, apiKey, company }: Pick<ClientSettings, 'baseUrl' | 'apiKey'> & { company: string },
  make: (settings: ClientSettings) => Client,
): Narrated<Client> {
  let title = '';
  const narratedFetch = async (url: string, request: RequestInit): Promise<Response> => {
    const isLogIn = url.endsWith('/auth/login');
    const sentence = isLogIn ? `The ${company} logs in with its API key.` : title;
    return (await narrate(transcript, sentence, url, request)).response;
  };
  const client = make({ baseUrl, apiKey, fetch: narratedFetch, ...PATIENCE });
  return async (sentence, call) => {
    title = sentence;
    try {
      return await call(client);
    } catch (error) {
      throw demoErrorOf(sentence, baseUrl, error);
    }
  };
}

/**
 * Makes a call that must be refused; returns the refusal.
 *
 * @throws {DemoError} when it succeeds, or is refused with another code
 */
export async function refused<Client>(
  narrated: Narrated<Client>,
  title: string,
  statusCode: number,
  call: (client: Client) => Promise<unknown>,
): Promise<ApiError> {
  const refusal = await narrated(title, (client) =>
    call(client).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof ApiError && error.statusCode === statusCode) return error;
        throw error;
      },
    ),
  );
  if (refusal) return refusal;
  throw new DemoError(`"${title}" expected a refusal with ${statusCode}, but it succeeded.`);
}

function demoErrorOf(title: string, baseUrl: string, error: unknown): unknown {
  if (error instanceof ApiError)
    return new DemoError(`"${title}" was refused with ${error.statusCode}: ${error.message}`);
  if (error instanceof NoAnswerError) return nothingAnswers(baseUrl, error);
  if (error instanceof OpenRequestError) return new DemoError(`"${title}": ${error.message}`);
  return error;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** An amount of the APIs: a JSON number for balances, text for vouchers. */
export const moneyOf = (amount: number | string): Money => parseMoney(String(amount));

/** An amount for people. */
export const inBirr = (money: Money): string => `ETB ${formatAmount(money)}`;

/** The Temporal server, and the range of workflows. */
interface WorkflowQuery {
  readonly server: TemporalServer;
  /** Empty where it is unknown; then workflows have no address. */
  readonly temporalUiUrl: string;
  readonly startedSince: Date;
}

/** A workflow in the Temporal UI. */
interface WorkflowLink {
  readonly type: string;
  readonly status: string;
  readonly url: string;
}

/** The address at which support staff find failed top-ups. */
export const failedTopupsUrl = ({
  temporalUiUrl,
  server,
}: Pick<WorkflowQuery, 'temporalUiUrl' | 'server'>): string =>
  `${temporalUiUrl}/namespaces/${server.namespace}/workflows?query=${encodeURIComponent('Outcome="FAILED"')}`;

/**
 * The workflows that requests have started since a moment, oldest first, without expiry runs.
 *
 * @throws {DemoError} when Temporal cannot be reached
 */
export async function listWorkflowLinks(query: WorkflowQuery): Promise<WorkflowLink[]> {
  const { server, temporalUiUrl, startedSince } = query;
  const { namespace } = server;
  const connection = await Connection.connect({ ...server, connectTimeout: '3s' }).catch(
    (cause) => {
      throw new DemoError(
        `Temporal cannot be reached at ${server.address}. If it needs TLS, set TEMPORAL_TLS and its ` +
          'related settings, as for the service.',
        { cause },
      );
    },
  );
  try {
    const client = new Client({ connection, namespace });
    const links: (WorkflowLink & { readonly startTime: Date })[] = [];
    for await (const { type, status, workflowId, runId, startTime } of client.workflow.list({
      query: `StartTime >= '${startedSince.toISOString()}' AND WorkflowType != 'expireVouchers'`,
    })) {
      const url =
        temporalUiUrl &&
        `${temporalUiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}/${runId}`;
      links.push({ type, status: status.name, url, startTime });
    }
    return links.sort((one, other) => one.startTime.getTime() - other.startTime.getTime());
  } finally {
    await connection.close();
  }
}
