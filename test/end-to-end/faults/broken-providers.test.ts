import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderName } from '../../../src/domain/providers.ts';
import type { ProviderFault } from '../../../src/sandbox/faults.ts';
import { askAll } from '../../positions/placements.ts';
import type { Answer } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { type BrokenScene, setBrokenScene } from './broken-providers-scene.ts';
import {
  type Booked,
  given,
  type Kind,
  kindOf,
  type MetOperation,
  toldBy,
} from './met-operations.ts';
import { reconciled } from './reconciled.ts';

/**
 * Each provider is broken in each way of the sandbox's page while one operation meets it (F20–F24): the
 * caller is answered while it is broken and hears nothing but the truth, the page of the case and the ledger agree
 * with the provider's books, and value is given at most once. Then the provider is mended, and it ends.
 */
let scene: BrokenScene;
beforeAll(async () => {
  scene = await setBrokenScene();
});
afterAll(() => scene?.stop());

const providers = Object.keys(kindOf) as ProviderName[];

/** Whether the provider does what it is asked for. */
type Effect = 'does it' | 'does nothing';

const faults: readonly (readonly [string, Partial<ProviderFault>, Effect])[] = [
  ['is down', { down: true }, 'does nothing'],
  ['is slow', { slowSeconds: 4 }, 'does it'],
  ['drops answers', { dropsAnswers: true }, 'does it'],
  ['loses callbacks', { losesCallbacks: true }, 'does it'],
  ['answers half of its JSON', { answers: 'garbage' }, 'does it'],
  ['answers JSON of other types', { answers: 'other-types' }, 'does it'],
  ['answers nothing', { answers: 'empty' }, 'does it'],
  ['answers with a redirect', { answers: 'redirect' }, 'does it'],
  ['answers with a page', { answers: 'html' }, 'does it'],
  ['answers too much', { answers: 'huge' }, 'does it'],
  ['answers without an end', { answers: 'slow-drip' }, 'does it'],
  ['answers 401', { answers: 'not-authorised' }, 'does nothing'],
  ['answers 429', { answers: 'too-many-requests' }, 'does nothing'],
  ['answers 503', { answers: 'unavailable' }, 'does nothing'],
];

/** What the first words of a case say. */
const words: Readonly<Record<Kind, Readonly<Record<Booked, RegExp>>>> = {
  payment: {
    done: /was paid/,
    'on hold': /has not confirmed it(: .+)?\. The money is on hold/,
    'not done':
      /The payment was not sent: .+ Nothing was paid|The payment was settled by hand as not made|it has not been redeemed/,
  },
  'top-up': {
    done: /It was delivered to/,
    'on hold': /has not confirmed it(: .+)?\. The money is on hold|has not answered yet/,
    'not done':
      /It was not sent: .+ Nothing was charged|Settled by hand as not delivered: nothing was charged/,
  },
  message: {
    done: /The SMS provider took the code|The code was delivered to the phone/,
    'on hold': /The code is not sent yet, or the SMS provider gave no answer/,
    'not done': /The code could not be sent|no claim is open|has not claimed it/,
  },
};

async function expectTruth(operation: MetOperation, kind: Kind, answer: Answer): Promise<void> {
  await until(async () => {
    const booked = await operation.booked();
    expect(await operation.page()).toMatch(words[kind][booked]);
    expect(await operation.booked()).toBe(booked);
    const told = toldBy(answer, kind);
    if (told !== undefined) expect(booked).toBe(told);
    if (booked === 'done') expect(given(operation)).toBe(1);
    if (booked === 'not done') expect(given(operation)).toBe(0);
  });
  expect(given(operation)).toBeLessThan(2);
}

describe.concurrent.each(providers)('%s', (provider) => {
  const kind = kindOf[provider];
  let prepare: () => Promise<MetOperation>;
  beforeAll(async () => {
    prepare = await scene.operationsAt(provider);
    // It works: there is a session, or a token.
    const operation = await prepare();
    await until(async () => expect((await operation.send()).status).toBe(200));
    await until(async () => expect(await operation.booked()).toBe('done'));
  });

  test.each(faults)('%s', { concurrent: false }, async (_what, fault, effect) => {
    const operation = await prepare();
    await scene.breakProvider(provider, fault);
    // Nobody mends it before the caller is answered.
    const first = await operation.send();
    await expectTruth(operation, kind, first);
    // What was done is never called refused, and the other way round.
    expect(toldBy(first, kind)).not.toBe(effect === 'does it' ? 'not done' : 'done');
    await scene.breakProvider(provider);

    if (kind === 'message') {
      // A message that may have been sent is not sent again.
      if (effect === 'does it') await until(() => expect(given(operation)).toBe(1));
      return expectTruth(operation, kind, await operation.send());
    }
    // M-Pesa tells nobody that it has never seen a payment: a person asks it.
    // On a busy machine one that is still on hold may also be about to end by itself.
    if (provider === 'mpesa' && effect === 'does nothing')
      await until(async () => {
        if ((await operation.booked()) === 'on hold') await operation.settleAsNotDone();
      });
    await until(async () => expect(await operation.booked()).not.toBe('on hold'));
    const last = await until(async () => {
      const answer = await operation.send();
      expect(toldBy(answer, kind)).toBeDefined();
      return answer;
    });
    await expectTruth(operation, kind, last);
    if (effect === 'does it') expect(toldBy(last, kind)).toBe('done');
  });
});

test('what a provider reverses later is seen, and the pages of its cases say so', async () => {
  const reversing = providers.filter((provider) => kindOf[provider] !== 'message');
  const operations = await Promise.all(
    reversing.map(async (provider) => {
      const operation = await (await scene.operationsAt(provider))();
      await scene.breakProvider(provider, { reversesLater: true });
      await until(async () =>
        expect(toldBy(await operation.send(), kindOf[provider])).toBe('done'),
      );
      await until(() => expect(given(operation)).toBe(0));
      await scene.breakProvider(provider);
      return operation;
    }),
  );
  const { database } = scene.stack;
  await askAll(database);
  const opened = await reconciled(scene.stack);
  for (const provider of reversing)
    expect(opened).toMatch(new RegExp(`A provider took it back, .+ at ${provider}\\b`));
  for (const operation of operations)
    expect(await operation.page()).toMatch(/took (the payment|it|ETB [\d,.]+) back/);
});
