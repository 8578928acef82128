import { z } from 'zod';
import { internationalDigits, presentableMessage } from '../../domain/providers.ts';
import { createApi, type HttpAnswer, readJson, storedText, tooManyRequests } from '../http-call.ts';
import type { ProviderOutcome } from '../outcome.ts';
import { readBalance } from '../statement.ts';
import type { SmsMessage, SmsSender } from './sms-sender.ts';

interface AfricasTalkingSettings {
  /** Up to, not including, `/version1`, e.g. https://api.africastalking.com */
  readonly baseUrl: string;
  readonly username: string;
  readonly apiKey: string;
  /** Registered sender id; the account's default without it. */
  readonly sender?: string | undefined;
  readonly timeoutSeconds: number;
}

const acceptedCodes: readonly number[] = [100, 101, 102];

interface Refusal {
  readonly name: string;
  readonly retryCanHelp: boolean;
  readonly anotherMayTake?: true;
}

/** Refusals by statusCode. 401 (held for a risk check) may still be sent, so it is not listed. */
const refusals: Readonly<Record<number, Refusal>> = {
  402: { name: 'InvalidSenderId', retryCanHelp: false, anotherMayTake: true },
  403: { name: 'InvalidPhoneNumber', retryCanHelp: false },
  404: { name: 'UnsupportedNumberType', retryCanHelp: false },
  405: { name: 'InsufficientBalance', retryCanHelp: true, anotherMayTake: true },
  406: { name: 'UserInBlacklist', retryCanHelp: false },
  407: { name: 'CouldNotRoute', retryCanHelp: true },
  409: { name: 'DoNotDisturbRejection', retryCanHelp: false },
  500: { name: 'InternalServerError', retryCanHelp: true, anotherMayTake: true },
  501: { name: 'GatewayError', retryCanHelp: true, anotherMayTake: true },
  502: { name: 'RejectedByGateway', retryCanHelp: true, anotherMayTake: true },
};

/** A balance such as "USD 1785.50". */
const accountSchema = z.object({
  UserData: z.object({ balance: z.string().regex(/^[A-Z]{3} \d+(\.\d+)?$/) }),
});

const answerSchema = z.object({
  SMSMessageData: z.object({
    Message: z.string().catch(''),
    Recipients: z.array(
      z.object({
        statusCode: z.coerce.number(),
        number: z.string(),
        messageId: storedText.catch(''),
      }),
    ),
  }),
});

/**
 * Africa's Talking bulk SMS over HTTP. Delivered means accepted by the provider.
 */
export function createAfricasTalking(settings: AfricasTalkingSettings): SmsSender {
  const { apiKey, username } = settings;
  const headers = () => ({ apiKey, Accept: 'application/json' });
  const { get, post } = createApi({ ...settings, headers });
  return {
    async send(message) {
      const answer = await post('/version1/messaging', formOf(message, settings));
      return answer.kind === 'answered' ? outcomeOf(answer, message) : answer;
    },
    async balance() {
      const answer = await get(`/version1/user?${new URLSearchParams({ username })}`);
      return readBalance(answer, accountSchema, ({ UserData }) => {
        const [currency, amount] = UserData.balance.split(' ');
        return { amount, currency };
      });
    },
  };
}

function formOf(message: SmsMessage, settings: AfricasTalkingSettings): URLSearchParams {
  const form = new URLSearchParams({
    username: settings.username,
    to: message.to,
    message: message.text,
    bulkSMSMode: '1',
  });
  if (settings.sender !== undefined) form.set('from', settings.sender);
  return form;
}

function outcomeOf(answer: HttpAnswer, message: SmsMessage): ProviderOutcome {
  if (answer.status === 201 || answer.status === 200) return outcomeOfAnswer(answer.body, message);
  if (answer.status === 401) return { kind: 'not-sent', message: 'The API key was not accepted.' };
  if (answer.status === 429) return tooManyRequests(answer);
  if (answer.status === 400)
    return refusedAccount('BadRequest', withoutCodes(answer.body, message));
  return { kind: 'unknown', message: `HTTP status ${answer.status}.` };
}

/** Status 201 proves nothing: the recipient's own code decides, and there may be no recipient. */
function outcomeOfAnswer(body: string, message: SmsMessage): ProviderOutcome {
  const data = readJson(answerSchema, body)?.SMSMessageData;
  if (data === undefined) return { kind: 'unknown', message: 'The answer cannot be read.' };
  if (data.Recipients.length === 0)
    return refusedWithoutRecipient(withoutCodes(data.Message, message));

  const recipient = data.Recipients.find(
    ({ number }) => internationalDigits(number) === internationalDigits(message.to),
  );
  if (!recipient) return { kind: 'unknown', message: 'The answer is about another number.' };
  const { statusCode, messageId } = recipient;
  if (acceptedCodes.includes(statusCode)) {
    return { kind: 'delivered', providerReference: messageId };
  }
  const refusal = refusals[statusCode];
  if (!refusal) return { kind: 'unknown', message: `Status code ${statusCode}.` };
  return refused(String(statusCode), refusal);
}

function refusedWithoutRecipient(words: string): ProviderOutcome {
  const known = Object.entries(refusals).find(([, { name }]) => name === words);
  return known ? refused(known[0], known[1]) : refusedAccount('NoRecipient', words);
}

const refused = (code: string, { name, ...refusal }: Refusal): ProviderOutcome => ({
  kind: 'refused',
  code,
  message: presentableMessage(name),
  ...refusal,
});

/** The provider took no recipient at all. */
const refusedAccount = (code: string, name: string): ProviderOutcome =>
  refused(code, { name, retryCanHelp: false, anotherMayTake: true });

/** Words of the provider that may repeat our text, whose code only its owner may read. */
const withoutCodes = (words: string, { text }: SmsMessage): string =>
  (text.match(/\d{4,}/g) ?? []).reduce((rest, code) => rest.replaceAll(code, '***'), words);
