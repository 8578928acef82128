import { z } from 'zod';
import { faultNote } from '../../guard/call-health.ts';
import type { HttpResult } from '../../http-call.ts';
import { readJson } from '../../read-json.ts';
import type { AccountAnswer, MobileMoney } from '../mobile-money.ts';
import { caseless } from './answers.ts';
import { saysNeverSeen } from './transformers.ts';

const statusSchema = caseless({
  accountstatus: z.string().transform((word) => word.toLowerCase()),
});
const text = z.string().trim().max(256);
const nameSchema = caseless({
  name: caseless({
    fullname: text.nullish(),
    firstname: text.nullish(),
    middlename: text.nullish(),
    lastname: text.nullish(),
  }),
});

/** With these a provider says that it does not serve the question, now or later. */
const notServed: readonly number[] = [400, 403, 404, 405, 410, 501];

/** With these it refuses every call for now, payments as well: it is out of order for us. */
const outOfOrder: readonly number[] = [401, 429];

/**
 * Asks for the status and the holder of an account, `GET /accounts/{key}/{value}/status` and
 * `/accountname` (providers.md 3.1), both at once.
 */
export function gsmaPayeeAccount(
  get: (path: string, deadline: AbortSignal) => Promise<HttpResult>,
  timeoutSeconds: number,
): NonNullable<MobileMoney['checkAccount']> {
  return async ({ key, value }) => {
    const path = `accounts/${encodeURIComponent(key)}/${encodeURIComponent(value)}`;
    const deadline = AbortSignal.timeout(timeoutSeconds * 1_000);
    const noteFault = faultNote();
    const ask = async (what: string): Promise<HttpResult> => {
      const answer = await get(`${path}/${what}`, deadline);
      // Without an answer there may have been no access token either.
      if (answer.kind !== 'answered' || outOfOrder.includes(answer.status)) noteFault();
      return answer;
    };
    const answers = await Promise.all([
      ask('status').then(readStatus),
      ask('accountname').then(readName),
    ]);
    const of = <Kind extends AccountAnswer['kind']>(kind: Kind) =>
      answers.find((one): one is Extract<AccountAnswer, { kind: Kind }> => one.kind === kind);
    const named = answers.find((one) => one.kind === 'open' && one.holder !== null);
    return of('closed') ?? of('unknown') ?? named ?? of('open') ?? { kind: 'not-offered' };
  };
}

/** Money to an unregistered number becomes a voucher of the provider, which nobody may collect. */
export function readStatus(answer: HttpResult): AccountAnswer {
  const rejected = readRejection(answer);
  if (rejected) return rejected;
  const status = answer.kind === 'answered' && readJson(statusSchema, answer.body)?.accountstatus;
  if (status === 'available') return { kind: 'open', holder: null };
  return status === 'unavailable' || status === 'unregistered'
    ? { kind: 'closed' }
    : { kind: 'unknown', message: 'The provider gave no readable status of the account.' };
}

/** The full name, or the parts that there are. */
export function readName(answer: HttpResult): AccountAnswer {
  const rejected = readRejection(answer);
  if (rejected) return rejected;
  const name = answer.kind === 'answered' && readJson(nameSchema, answer.body)?.name;
  if (!name) return { kind: 'not-offered' };
  const parts = [name.firstname, name.middlename, name.lastname].filter(Boolean).join(' ');
  return { kind: 'open', holder: name.fullname || parts || null };
}

/** Undefined where the provider answers the question. */
function readRejection(answer: HttpResult): AccountAnswer | undefined {
  if (answer.kind !== 'answered') return { kind: 'unknown', message: answer.message };
  if (answer.status === 200) return undefined;
  if (saysNeverSeen(answer)) return { kind: 'closed' };
  return notServed.includes(answer.status)
    ? { kind: 'not-offered' }
    : { kind: 'unknown', message: `HTTP status ${answer.status}.` };
}
