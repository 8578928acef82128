import { createHash } from 'node:crypto';
import { voucherCodeFromRandom } from '../../src/domain/vouchers/voucher.ts';

/*
 * A history is vouchers 1, 2, 3, … in blocks of 20, all alike: 6 were redeemed at once, 10 in two
 * parts, 2 have expired, 2 are active. So a voucher has 5 transfers on average. Of ten blocks nine
 * belong to the measured companies.
 */
const BLOCK = 20;
const FIRST_ACTIVE_PLACE = 18;
/** Every block of this number belongs to other companies. */
const FOREIGN_BLOCK = 10;

/** The other partners and merchants, which share a tenth of a history. */
export const OTHER_COMPANIES = 9;

/** The least number of vouchers of which all companies have some. */
export const SMALLEST_HISTORY = BLOCK * FOREIGN_BLOCK * OTHER_COMPANIES;

/** A voucher is worth so much, in birr. */
export const AMOUNT = 100;

/** SQL over `number`, that of a voucher: where it stands in its block, and which block it is. */
const placeSql = `((number - 1) % ${BLOCK})`;
const blockSql = `((number - 1) / ${BLOCK})`;
export const isForeignSql = `(${blockSql} % ${FOREIGN_BLOCK} = ${FOREIGN_BLOCK - 1})`;
/** Which of the other companies a foreign block belongs to, from 0. */
export const otherCompanySql = `(${blockSql} / ${FOREIGN_BLOCK} % ${OTHER_COMPANIES})`;
/** How often a voucher was redeemed. */
export const partsSql = `(case when ${placeSql} < 6 then 1 when ${placeSql} < 16 then 2 else 0 end)`;
/** The number of redemptions of all vouchers before this one. */
export const redemptionsBeforeSql = `(${blockSql} * 26
  + case when ${placeSql} < 6 then ${placeSql} else 6 + 2 * (least(${placeSql}, 16) - 6) end)`;
export const hasExpiredSql = `(${placeSql} in (16, 17))`;
export const isActiveSql = `(${placeSql} >= ${FIRST_ACTIVE_PLACE})`;

/** The code of a voucher of a history, in its canonical form. */
export const voucherCodeOf = (number: number): string =>
  voucherCodeFromRandom(createHash('sha256').update(`voucher ${number}`).digest().subarray(0, 14));

/** The phone number of its owner, whose messages the sandbox accepts: one in a million. */
export const ownerOf = (number: number): string =>
  `+2519${String(number % 1_000_000).padStart(6, '0')}50`;

const isOfMeasured = (number: number): boolean =>
  Math.floor((number - 1) / BLOCK) % FOREIGN_BLOCK !== FOREIGN_BLOCK - 1;

const isActive = (number: number): boolean => (number - 1) % BLOCK >= FIRST_ACTIVE_PLACE;

/** The number of any voucher of the measured companies in a history of so many. */
export function anyVoucher(vouchers: number): number {
  for (;;) {
    const number = 1 + Math.floor(Math.random() * vouchers);
    if (isOfMeasured(number)) return number;
  }
}

/**
 * The numbers of the active vouchers of the measured companies, each once and in random order.
 *
 * @throws RangeError when there are no more
 */
export function activeVouchers(vouchers: number): () => number {
  const left: number[] = [];
  for (let number = 1; number <= vouchers; number += 1)
    if (isActive(number) && isOfMeasured(number)) left.push(number);
  return () => {
    const at = Math.floor(Math.random() * left.length);
    const drawn = left[at];
    if (drawn === undefined)
      throw new RangeError(`A history of ${vouchers} vouchers has too few active ones`);
    left[at] = left[left.length - 1] ?? drawn;
    left.pop();
    return drawn;
  };
}
