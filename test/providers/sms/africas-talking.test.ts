import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAfricasTalking } from '../../../src/providers/sms/africas-talking.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { answerWith, closedAddress, startRawServer } from '../raw-server.ts';

const senderAt = (baseUrl: string, more: { sender?: string; timeoutSeconds?: number } = {}) =>
  createAfricasTalking({
    baseUrl,
    username: 'sandbox',
    apiKey: 'key',
    timeoutSeconds: 60,
    ...more,
  });

const delivered = { kind: 'delivered', providerReference: expect.stringMatching(/^ATXid_/) };
const refused = (code: string, message: string, retryCanHelp: boolean) => ({
  kind: 'refused',
  code,
  message,
  retryCanHelp,
});
/** For a reason of our account: another provider may take the message. */
const refusedAccount = (code: string, message: string, retryCanHelp = false) => ({
  ...refused(code, message, retryCanHelp),
  anotherMayTake: true,
});
const unknown = (message: string) => ({ kind: 'unknown', message });

describe('against the sandbox', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, delayScale: 0.001 });
  });
  afterAll(() => sandbox.close());

  const bySuffix: [suffix: string, outcome: object, received: number][] = [
    ['000', delivered, 1],
    ['001', delivered, 1],
    ['102', refused('403', 'InvalidPhoneNumber', false), 0],
    ['002', refused('403', 'InvalidPhoneNumber', false), 0],
    ['003', refused('406', 'UserInBlacklist', false), 0],
    ['004', refusedAccount('501', 'GatewayError', true), 0],
    ['005', delivered, 1],
    ['006', refusedAccount('502', 'RejectedByGateway', true), 0],
    ['007', refusedAccount('500', 'InternalServerError', true), 0],
    ['008', unknown('The connection to the provider failed (ECONNRESET).'), 1],
    ['009', unknown('HTTP status 503.'), 1],
    ['014', delivered, 1],
    ['016', { kind: 'not-sent', message: 'Too many requests.', retryAfterSeconds: 5 }, 0],
    ['018', { kind: 'not-sent', message: 'The API key was not accepted.' }, 0],
    ['019', refusedAccount('402', 'InvalidSenderId'), 0],
    ['100', delivered, 1],
    ['567', delivered, 1],
  ];
  it.each(bySuffix)('a number that ends in %s', async (suffix, outcome, received) => {
    const to = `+251911000${suffix}`;
    expect(await senderAt(sandbox.smsUrl).send({ to, text: 'ኮድ 123456 & more' })).toEqual(outcome);
    expect(sandbox.books.messages(to).map(({ text }) => text)).toEqual(
      Array(received).fill('ኮድ 123456 & more'),
    );
  });

  it('names the message and its sender', async () => {
    const message = { to: '+251711223344', text: 'Hello' };
    const outcome = await senderAt(sandbox.smsUrl, { sender: 'GIFTS' }).send(message);
    const [received] = sandbox.books.messages(message.to);
    expect(received).toMatchObject({ from: 'GIFTS', to: message.to });
    expect(outcome).toEqual({ kind: 'delivered', providerReference: received?.id });
  });

  it('a slow provider ends in unknown', async () => {
    const slow = await startSandbox({ port: 0 });
    const sender = senderAt(slow.smsUrl, { timeoutSeconds: 0.5 });
    expect(await sender.send({ to: '+251911000100', text: 'x' })).toEqual(
      unknown('The provider did not answer in time.'),
    );
    await slow.close();
  });
});

describe('against answers that the sandbox does not give', () => {
  const to = '+251911234567';
  const recipient = (statusCode: unknown, more: object = {}) => ({
    SMSMessageData: {
      Message: 'Sent to 1/1',
      Recipients: [{ statusCode, number: to, status: 'x', cost: '0', messageId: 'A1', ...more }],
    },
  });
  const none = (Message: string) => ({ SMSMessageData: { Message, Recipients: [] } });
  const accepted = { kind: 'delivered', providerReference: 'A1' };
  const unreadable = unknown('The answer cannot be read.');

  const byAnswer: [status: number, body: unknown, outcome: object][] = [
    [201, recipient(100), accepted],
    [201, recipient(101), accepted],
    [201, recipient(102), accepted],
    [200, recipient('101', { number: '251911234567' }), accepted],
    [200, recipient('101', { number: '0911234567' }), accepted],
    [201, recipient(401), unknown('Status code 401.')],
    [201, recipient(402), refusedAccount('402', 'InvalidSenderId')],
    [201, recipient(404), refused('404', 'UnsupportedNumberType', false)],
    [201, recipient(405), refusedAccount('405', 'InsufficientBalance', true)],
    [201, recipient(407), refused('407', 'CouldNotRoute', true)],
    [201, recipient(409), refused('409', 'DoNotDisturbRejection', false)],
    [201, recipient(999), unknown('Status code 999.')],
    [
      201,
      recipient(101, { number: '+251911999999' }),
      unknown('The answer is about another number.'),
    ],
    [201, none('InsufficientBalance'), refusedAccount('405', 'InsufficientBalance', true)],
    [201, none(`Bad ${to}`), refusedAccount('NoRecipient', 'Bad ***67')],
    [201, '<html>Welcome</html>', unreadable],
    [201, {}, unreadable],
    [201, { SMSMessageData: { Message: 'x' } }, unreadable],
    [201, 'null', unreadable],
    [201, '['.repeat(500), unreadable],
    [400, `Bad number ${to}`, refusedAccount('BadRequest', 'Bad number ***67')],
    [404, 'not here', unknown('HTTP status 404.')],
    [302, '', unknown('HTTP status 302.')],
    [500, recipient(101), unknown('HTTP status 500.')],
  ];
  it.each(byAnswer)('%i %j', async (status, body, outcome) => {
    const server = await startRawServer(answerWith(status, body));
    expect(await senderAt(server.url).send({ to, text: 'x' })).toEqual(outcome);
    expect(server.requests).toEqual(['POST /version1/messaging']);
    await server.close();
  });

  it.each([
    [400, 'Cannot send "123456 is your code"'],
    [201, none('Cannot send "123456 is your code"')],
  ])('%i that repeats our text shows no code', async (status, body) => {
    const server = await startRawServer(answerWith(status, body));
    expect(await senderAt(server.url).send({ to, text: '123456 is your code' })).toMatchObject({
      kind: 'refused',
      message: 'Cannot send "*** is your code"',
    });
    await server.close();
  });

  it('was not sent when nothing listens', async () => {
    const sender = senderAt(await closedAddress());
    expect(await sender.send({ to, text: 'x' })).toMatchObject({ kind: 'not-sent' });
  });
});
