import { type Refusal, refuse } from '../../domain/refusals.ts';
import type { Company } from '../../domain/voucher.ts';
import type { VoucherLookUp } from '../../operations/voucher-look-up.ts';
import { addressGroup } from '../access/source-address.ts';
import { type Quota, type RateLimits, refuseTooMany } from './rate-limits.ts';
import { createRunningCounts } from './running-counts.ts';

/** The company that looks a voucher up by its code, and its address. */
interface Requester {
  readonly company: Company;
  readonly sourceAddress: string;
}

/**
 * The look-up of one requester. Each look-up takes a unit of the limit before it begins and returns it
 * unless it missed, so that concurrent look-ups cannot exceed the limit. When running look-ups hold all
 * units, the next look-up waits.
 */
export type VoucherGuessLimit = (requester: Requester) => VoucherLookUp;

const COMPANY = 'voucher-misses-of-company';
const ADDRESS = 'voucher-misses-of-address';
/** The longest wait of a look-up for a unit. */
const WAIT_MS = 5_000;

/** Limits how often companies look up vouchers that do not exist or belong to another company. */
export function createVoucherGuessLimit(rateLimits: RateLimits): VoucherGuessLimit {
  const running = createRunningCounts();

  const giveBack = async (company: string, address?: string): Promise<void> => {
    await rateLimits.giveBack(COMPANY, company);
    if (address !== undefined) await rateLimits.giveBack(ADDRESS, address);
  };

  /**
   * Takes a unit of the company and of its address. `again`: none was free, and a running look-up
   * may return one. Companies may share an address: a company without misses and without running
   * look-ups is not refused for the misses of others.
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

  /** Look-ups of one company take their units one at a time. */
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
 * Whether an answer is that of a guess. A code with a wrong check character does not count, because
 * its refusal reveals nothing.
 */
const tellsMiss = ({ company }: Requester, refusal: Pick<Refusal, 'reason'> | undefined): boolean =>
  refusal?.reason === 'voucher-not-found' ||
  (refusal?.reason === 'voucher-restricted' && company.kind === 'merchant');
