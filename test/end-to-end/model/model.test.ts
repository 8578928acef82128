import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../../support/stack.ts';
import { compareAll } from './compare.ts';
import {
  claimAndRedeemCommand,
  claimCommand,
  generateCommand,
  type ModelCommand,
  redeemCommand,
  repeatCommand,
  showVoucherCommand,
} from './gift-commands.ts';
import { newModel } from './model.ts';
import {
  cancelCommand,
  depositCommand,
  expireCommand,
  lapseCommand,
  retryCommand,
  topupCommand,
} from './other-commands.ts';
import { changeMindCommand } from './provider-commands.ts';
import { makeRealService } from './real-service.ts';

/** Other runs: `MODEL_SEED=7 MODEL_RUNS=100 npx vitest run test/end-to-end/model/model.test.ts`. */
const { MODEL_SEED, MODEL_RUNS } = process.env;
const SEED = Number(MODEL_SEED ?? 20_261_121);
const RUNS = Number(MODEL_RUNS ?? 15);
const COMMANDS = 60;
/** In cents; small enough to be used up. */
const WALLETS = { gift: 200_000, airtime: 20_000 };

const place = fc.nat(5);
const by = fc.constantFrom('partner', 'partner', 0, 0, 0, 1, 'stranger') as fc.Arbitrary<
  'partner' | 'stranger' | 0 | 1
>;
const cents = fc.option(fc.integer({ min: 1, max: 60_000 }), { nil: undefined });
const merchant = fc.constantFrom(0, 0, 1) as fc.Arbitrary<0 | 1>;

const generated = fc
  .record({
    denomination: fc.constantFrom('100', '500', '1000'),
    merchant,
    isAnonymous: fc.boolean(),
    isRestricted: fc.boolean(),
  })
  .map(generateCommand);
const claimed = fc.record({ place, by, cents }).map(claimCommand);
const code = fc.constantFrom('right', 'right', 'right', 'right', 'wrong', 'missing');
const redemption = fc.record({ place, by, cents, code });
const redeemed = redemption.map(redeemCommand);
const passedOn = redemption.map(claimAndRedeemCommand);
const airtimeCents = fc.oneof(
  fc.integer({ min: 450, max: 550 }),
  fc.integer({ min: 550, max: 12_000 }),
);
const toppedUp = fc
  .record({ cents: fc.option(airtimeCents), isDelivered: fc.boolean() })
  .map((options) => topupCommand({ ...options, cents: options.cents ?? undefined }));
const mindChanged = fc
  .record({
    place,
    attempt: fc.nat(2),
    choices: fc.array(fc.constantFrom('payer', 'platform', 'nobody'), {
      minLength: 1,
      maxLength: 3,
    }),
  })
  .map(changeMindCommand);

const commands: fc.Arbitrary<ModelCommand>[] = [
  generated,
  generated,
  claimed,
  passedOn,
  passedOn,
  passedOn,
  redeemed,
  redeemed,
  toppedUp,
  fc.record({ place, isDelivered: fc.boolean() }).map(retryCommand),
  mindChanged,
  mindChanged,
  fc
    .tuple(fc.constantFrom('gift', 'airtime'), fc.integer({ min: 1, max: 50_000 }))
    .map((drawn) => depositCommand(...drawn)),
  place.map(cancelCommand),
  place.map(expireCommand),
  place.map(lapseCommand),
  place.map(showVoucherCommand),
  fc.nat(99).map(repeatCommand),
];

/** What random commands must have met; the rarer refusals come in longer runs. */
const EXPECTED = [
  'generate-voucher 200',
  ...['initiate-claim 200', 'initiate-claim 4091', 'initiate-claim 400', 'initiate-claim 404'],
  ...['redeem-gift 200', 'redeem-gift 4034', 'redeem-gift 5031'],
  ...['redeem-gift 4031', 'redeem-gift 4033', 'redeem-gift 403', 'redeem-gift 404'],
  ...['airtime-topup 200', 'airtime-topup 424', 'airtime-topup 400'],
  ...['retry-topup 200', 'retry-topup 409'],
];

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

test('the service does what a plain model of its rules does', { timeout: 600_000 }, async () => {
  const seen = new Set<string>();
  const property = fc.asyncProperty(
    fc.commands(commands, { maxCommands: COMMANDS, size: 'max' }),
    async (drawn) => {
      const model = newModel(WALLETS);
      const real = await makeRealService(stack, WALLETS, seen);
      await fc.asyncModelRun(() => ({ model, real }), drawn);
      await compareAll(model, real);
    },
  );
  // What fails is told with its seed and made shorter; not for long, because each try is slow.
  await fc.assert(property, { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: 300_000 });
  if (MODEL_SEED !== undefined || MODEL_RUNS !== undefined) return;
  expect(EXPECTED.filter((one) => !seen.has(one))).toEqual([]);
});
