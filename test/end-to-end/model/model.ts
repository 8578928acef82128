/** A caller: the partner that sells, another partner, or one of the merchants by its place. */
export type By = 'partner' | 'stranger' | 0 | 1;

export const MERCHANTS = [
  /** Is paid; 2.5 %. */
  { payoutSuffix: '000', feePercent: '2.5', feeHundredths: 250, isPaid: true },
  /** Its payments are refused; 1.33 %. */
  { payoutSuffix: '006', feePercent: '1.33', feeHundredths: 133, isPaid: false },
] as const;

export interface ModelVoucher {
  readonly isAnonymous: boolean;
  readonly isRestricted: boolean;
  readonly merchant: 0 | 1;
  /** All amounts of the model are whole cents. */
  readonly amount: number;
  remaining: number;
  status: 'ACTIVE' | 'REDEEM_INITIATED' | 'REDEEMED' | 'EXPIRED' | 'CANCELLED';
  isPastExpiry: boolean;
  /** Of each company, since it last sent a right one. */
  readonly wrongCodes: Record<By, number>;
  /** Everybody's, over its life. */
  allWrongCodes: number;
  claim:
    | {
        by: By;
        amount: number | undefined;
        feeHundredths: number | undefined;
        hasLongCode: boolean;
      }
    | undefined;
}

export interface ModelTopup {
  readonly amount: number;
  readonly attempts: ModelAttempt[];
}

export interface ModelAttempt {
  isDone: boolean;
  isCharged: boolean;
  /** What somebody bears instead of the wallet. */
  borne: number;
}

/** The whole service as arithmetic. */
export interface Model {
  gift: number;
  airtime: number;
  readonly vouchers: ModelVoucher[];
  readonly topups: ModelTopup[];
  /** What each merchant was paid. */
  readonly paid: [number, number];
}

export const newModel = (wallets: { gift: number; airtime: number }): Model => ({
  ...wallets,
  vouchers: [],
  topups: [],
  paid: [0, 0],
});

/** What the airtime provider has delivered. */
export const deliveredOf = ({ topups }: Model): number =>
  topups.reduce(
    (sum, { amount, attempts }) => sum + amount * attempts.filter(({ isDone }) => isDone).length,
    0,
  );

export const reservedOf = ({ vouchers }: Model): number =>
  vouchers.reduce((sum, { remaining }) => sum + remaining, 0);

/** Half up to a whole cent. */
const feeOf = (cents: number, hundredths: number): number =>
  Math.floor((cents * hundredths + 5_000) / 10_000);

const DONE = 200;
const WRONG_CODES = 5;
const WRONG_CODES_BEFORE_LONG_ONES = 20;

/** The statusCode on either surface. */
const code = (by: By, partner: number, merchant: number): number =>
  typeof by === 'number' ? merchant : partner;

export function generate(
  model: Model,
  voucher: Pick<ModelVoucher, 'isAnonymous' | 'isRestricted' | 'merchant' | 'amount'>,
): number {
  if (model.gift < voucher.amount) return 405;
  model.gift -= voucher.amount;
  model.vouchers.push({
    ...voucher,
    remaining: voucher.amount,
    status: 'ACTIVE',
    isPastExpiry: false,
    wrongCodes: { partner: 0, stranger: 0, 0: 0, 1: 0 },
    allWrongCodes: 0,
    claim: undefined,
  });
  return DONE;
}

export function claim(voucher: ModelVoucher, by: By, amount: number | undefined): number {
  const isElsewhere = typeof by === 'number' && voucher.isRestricted && by !== voucher.merchant;
  if (voucher.status === 'CANCELLED' || by === 'stranger' || isElsewhere)
    return code(by, 404, 4041);
  if (voucher.status === 'REDEEMED') return code(by, 404, 4042);
  if (voucher.status === 'EXPIRED' || voucher.isPastExpiry) return code(by, 403, 4036);
  if (voucher.isAnonymous) return 400;
  if (voucher.wrongCodes[by] >= WRONG_CODES) return 429;
  const payee = typeof by === 'number' ? by : voucher.isRestricted ? voucher.merchant : undefined;
  const feeHundredths = payee === undefined ? undefined : MERCHANTS[payee].feeHundredths;
  const claimed = amount ?? voucher.remaining;
  const isPossible =
    feeHundredths === undefined
      ? claimed <= voucher.remaining
      : paid(voucher.remaining, claimed, feeHundredths) !== undefined;
  if (!isPossible) return code(by, 403, 4091);
  voucher.status = 'REDEEM_INITIATED';
  voucher.claim = { by, amount, feeHundredths, hasLongCode: needsLongCode(voucher) };
  return DONE;
}

const needsLongCode = ({ allWrongCodes }: ModelVoucher): boolean =>
  allWrongCodes >= WRONG_CODES_BEFORE_LONG_ONES;

/** How an amount is split; undefined where it leaves nothing to pay, or too little for the fee. */
function paid(remaining: number, amount: number, feeHundredths: number) {
  const fee = feeOf(amount, feeHundredths);
  const toMerchant = amount === remaining ? remaining - fee : amount;
  const isPossible = toMerchant > 0 && toMerchant + fee <= remaining;
  return isPossible ? { toMerchant, fee } : undefined;
}

export function redeem(
  model: Model,
  voucher: ModelVoucher,
  request: { by: By; code: 'right' | 'wrong' | 'missing'; amount: number | undefined },
): number {
  const { by } = request;
  if (voucher.status === 'CANCELLED' || by === 'stranger') return code(by, 404, 4041);
  const payee = typeof by === 'number' ? by : voucher.merchant;
  if (voucher.isRestricted && payee !== voucher.merchant) return code(by, 403, 4031);
  if (voucher.status === 'REDEEMED') return code(by, 404, 4032);
  if (voucher.status === 'EXPIRED' || voucher.isPastExpiry) return code(by, 403, 4036);
  const claimed = voucher.claim?.by === by ? voucher.claim : undefined;
  if (!voucher.isAnonymous) {
    if (request.code === 'missing') return code(by, 403, 4033);
    if (!claimed) return code(by, 403, 4034);
    if (voucher.wrongCodes[by] >= WRONG_CODES) return 429;
    if (needsLongCode(voucher) && !claimed.hasLongCode) return code(by, 403, 4034);
    if (request.code === 'wrong') {
      voucher.wrongCodes[by] += 1;
      voucher.allWrongCodes += 1;
      return code(by, 403, 4035);
    }
  }
  const { remaining } = voucher;
  const amount = (voucher.isAnonymous ? request.amount : claimed?.amount) ?? remaining;
  if (amount > remaining) return code(by, 403, 4091);
  const feeHundredths = claimed?.feeHundredths ?? MERCHANTS[payee].feeHundredths;
  const sums = paid(remaining, amount, feeHundredths);
  if (!sums) return code(by, 403, 4096);
  const { toMerchant, fee } = sums;
  voucher.wrongCodes[by] = 0;
  voucher.claim = undefined;
  voucher.status = 'ACTIVE';
  if (!MERCHANTS[payee].isPaid) return code(by, 404, 5031);
  voucher.remaining -= toMerchant + fee;
  if (voucher.remaining === 0) voucher.status = 'REDEEMED';
  model.paid[payee] += toMerchant;
  return DONE;
}

/** Ends an ACTIVE voucher; what remains goes back. */
export function endVoucher(
  model: Model,
  voucher: ModelVoucher,
  status: 'EXPIRED' | 'CANCELLED',
): void {
  if (voucher.status !== 'ACTIVE') return;
  model.gift += voucher.remaining;
  voucher.remaining = 0;
  voucher.status = status;
}

export function topup(
  model: Model,
  order: { amount: number; isDelivered: boolean; isPackage: boolean },
): number {
  const { amount, isDelivered, isPackage } = order;
  if (!isPackage && (amount < 500 || amount > 1_000_000)) return 400;
  if (model.airtime < amount) return isPackage ? 405 : 400;
  const topup = { amount, attempts: [] };
  model.topups.push(topup);
  return attempt(model, topup, isDelivered);
}

export function retryTopup(model: Model, topup: ModelTopup, isDelivered: boolean): number {
  if (topup.attempts.some(({ isDone, isCharged }) => isDone || isCharged)) return 409;
  if (model.airtime < topup.amount) return 405;
  return attempt(model, topup, isDelivered);
}

function attempt(model: Model, { amount, attempts }: ModelTopup, isDone: boolean): number {
  attempts.push({ isDone, isCharged: isDone, borne: 0 });
  if (!isDone) return 424;
  model.airtime -= amount;
  return DONE;
}

/** What stands in suspense of an attempt. */
export const openOf = (amount: number, { isDone, isCharged, borne }: ModelAttempt): number =>
  (isDone ? amount : 0) - (isCharged ? amount : 0) - borne;

/** Somebody bears what stands in suspense: the wallet, or the platform. */
export function settle(
  model: Model,
  topup: ModelTopup,
  one: ModelAttempt,
  by: 'payer' | 'platform',
): void {
  const open = openOf(topup.amount, one);
  if (by === 'payer') model.airtime -= open;
  // The wallet pays for the attempt itself where it has not, and else for what somebody else got.
  if (by === 'payer' && one.isCharged === open < 0) one.isCharged = open > 0;
  else one.borne += open;
}
