import { randomUUID } from 'node:crypto';
import { signatureHeader } from '../../clients/typescript/src/index.ts';
import type { Company } from '../../src/domain/vouchers/voucher.ts';
import type { World } from '../world.ts';
import { type ClientCall, type ClientLog, companyName, type LogEntry } from './client-log.ts';
import { bodyOf, type CallResponse } from './outcome.ts';

/** Far above what a caller is promised to wait; a call that takes longer hangs. */
export const ANSWER_SECONDS = 30;

/** Sends a call for a client, logs what came of it, and gives the entry. */
export type SendCall = (client: number, call: ClientCall) => Promise<LogEntry>;

/** Calls of all companies at one service; each logs in when it has no token that holds. */
export function createSendCall(url: string, world: World, log: ClientLog): SendCall {
  const tokens = new Map<string, string>();
  const baseOf = ({ kind }: Company) =>
    `${url}/api/v1/${kind === 'partner' ? '' : 'merchant/'}client`;
  const credentialsOf = ({ kind, id }: Company) => {
    const known = (kind === 'partner' ? world.partners : world.merchants).find(
      (one) => one.id === id,
    );
    if (!known) throw new Error(`There is no ${kind} ${id}`);
    return known;
  };

  async function logIn(client: number, company: Company): Promise<string | undefined> {
    const call: ClientCall = { operation: 'login', company, path: '/auth/login' };
    const body = JSON.stringify({ key: credentialsOf(company).apiKey });
    const entry = await exchange(client, call, { body, headers: {} });
    if (entry.response.kind === 'lost' || entry.response.status !== 200) return undefined;
    const { accessToken } = JSON.parse(entry.response.text);
    tokens.set(companyName(company), accessToken);
    return accessToken;
  }

  async function exchange(
    client: number,
    call: ClientCall,
    sent: { readonly body?: string; readonly headers: Record<string, string> },
  ): Promise<LogEntry> {
    const startedAt = performance.now();
    const sentAt = new Date().toISOString();
    const response = await receive(baseOf(call.company) + call.path, sent);
    const milliseconds = Math.round(performance.now() - startedAt);
    return log.add({ client, call, sentAt, milliseconds, response });
  }

  return async (client, call) => {
    const { company } = call;
    const token = tokens.get(companyName(company)) ?? (await logIn(client, company));
    const body =
      call.body &&
      JSON.stringify(
        company.kind === 'merchant' ? { ...call.body, idempotencyKey: call.key } : call.body,
      );
    const headers: Record<string, string> = { 'x-api-token': token ?? randomUUID() };
    const merchant = world.merchants.find(({ id }) => id === company.id);
    if (company.kind === 'merchant' && body !== undefined && merchant)
      headers['x-signature'] = signatureHeader(merchant.privateKey, body);
    if (company.kind === 'partner' && call.key !== undefined) headers['Idempotency-Key'] = call.key;
    const entry = await exchange(client, call, {
      headers,
      ...(body === undefined ? {} : { body }),
    });
    if (bodyOf(entry.response)?.statusCode === 401) tokens.delete(companyName(company));
    return entry;
  };
}

async function receive(
  url: string,
  sent: { readonly body?: string; readonly headers: Record<string, string> },
): Promise<CallResponse> {
  try {
    const response = await fetch(url, {
      ...(sent.body === undefined ? {} : { method: 'POST', body: sent.body }),
      headers: { ...sent.headers, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(ANSWER_SECONDS * 1_000),
    });
    return { kind: 'answered', status: response.status, text: await response.text() };
  } catch (error) {
    const { name, cause } = error as Error;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : name;
    return { kind: 'lost', why: code };
  }
}
