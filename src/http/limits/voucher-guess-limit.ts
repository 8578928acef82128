import { type Refusal, refuse } from '../../domain/errors.js';
import type { Company } from '../../domain/voucher.js';
import { addressGroup } from '../access/source-address.js';
import { type Quota, type RateLimits, refuseTooMany } from './rate-limits.js';
import { createRunningCounts } from './running-counts.js';

/** Who asks for a voucher by its code. */
interface Requester {
  readonly company: Company;
  readonly sourceAddress: string;
}

/**
 * Looks for a voucher while the requester may still miss one, and counts a miss (fault F51). Each
 * look-up takes its place in the budget before it begins and gives it back unless it was a miss,
 * so that many at the same moment never miss more often than one after the other. Where running
 * look-ups have taken the places, the next one waits for them.
 */
export type VoucherLookUp = <Result>(search: {
  readonly code: { readonly canonical: string | undefined };
  readonly run: () => Promise<Result>;
  /** The refusal that a result is, unless it repeats an earlier answer. */
  readonly refusalOf: (result: Result) => Pick<Refusal, 'reason'> | undefined;
  /** The result for a requester that has missed too often. */
  readonly refused: (refusal: Refusal) => Result;
}) => Promise<Result>;

/** The look-up of one requester. */
export type VoucherGuessLimit = (requester: Requester) => VoucherLookUp;

const COMPANY = 'voucher-misses-of-company';
const ADDRESS = 'voucher-misses-of-address';
/** The longest that a look-up waits for a place. */
const WAIT_MS = 5_000;

/** Limits how often companies ask for vouchers that do not exist or are another's. */
export function createVoucherGuessLimit(rateLimits: RateLimits): VoucherGuessLimit {
  const running = createRunningCounts();

  const giveBack = async (company: string, address?: string): Promise<void> => {
    await rateLimits.giveBack(COMPANY, company);
    if (address !== undefined) await rateLimits.giveBack(ADDRESS, address);
  };

  /**
   * Takes a place of the company and of its address. `again`: none was free, and one that was taken
   * by a running look-up may be now. Companies may share an address: one that has neither missed
   * nor runs anything else does not answer for what others have missed.
   */
  async function takePlaces(company: string, address: string): Promise<'taken' | 'again' | Quota> {
    const wereRunning = running.of(company) + running.of(address) > 0;
    const ofCompany = await rateLimits.spend(COMPANY, company);
    if (!ofCompany.ok) {
      await giveBack(company);
      if (running.of(company) > 0) await running.nextEnd(company, WAIT_MS);
      return wereRunning ? 'again' : ofCompany;
    }
    const ofAddress = await rateLimits.spend(ADDRESS, address);
    const isAlone = ofCompany.quota - ofCompany.remaining <= 1;
    if (ofAddress.ok || isAlone) return 'taken';
    await giveBack(company, address);
    const awaited = [company, address].find((subject) => running.of(subject) > 0);
    if (awaited !== undefined) await running.nextEnd(awaited, WAIT_MS);
    return wereRunning ? 'again' : ofAddress;
  }

  /** Look-ups of one company take their places one after the other. */
  const admit = (company: string, address: string): Promise<Refusal | undefined> =>
    running.inTurn(company, async () => {
      const deadline = performance.now() + WAIT_MS;
      for (;;) {
        const taken = await takePlaces(company, address);
        if (taken === 'taken') {
          running.begin(company, address);
          return undefined;
        }
        if (taken !== 'again') return refuseTooMany(taken);
        if (performance.now() >= deadline)
          return refuse('too-many-requests', { retryAfterSeconds: 1 });
      }
    });

  return (requester) =>
    async ({ code, run, refusalOf, refused }) => {
      const company = `${requester.company.kind} ${requester.company.id}`;
      const address = addressGroup(requester.sourceAddress);
      const refusal = await admit(company, address);
      if (refusal) return refused(refusal);
      let isMiss = false;
      try {
        const result = await run();
        isMiss = code.canonical !== undefined && tellsMiss(requester, refusalOf(result));
        return result;
      } finally {
        if (!isMiss) await giveBack(company, address);
        running.end(company, address);
      }
    };
}

/**
 * Whether an answer is one that a guess would get. Only what may be a code counts: a mistyped one
 * fails its check character and tells nobody anything.
 */
const tellsMiss = ({ company }: Requester, refusal: Pick<Refusal, 'reason'> | undefined): boolean =>
  refusal?.reason === 'voucher-not-found' ||
  (refusal?.reason === 'voucher-restricted' && company.kind === 'merchant');
