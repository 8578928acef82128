/** How the sandbox's Africa's Talking answers about a message, and whether the phone gets it. */
export interface SmsBehaviour {
  readonly isReceived: boolean;
  readonly answer:
    | 'queued'
    | 'invalid-number'
    | 'blacklisted'
    | 'gateway-error'
    | 'rejected'
    | 'internal-error'
    | 'no-recipients'
    | 'connection-dropped'
    | 'unavailable'
    | 'too-many-requests'
    | 'not-authorised';
}

/** What becomes of a payout or a top-up in the provider's books. */
export type BooksBehaviour =
  | 'not-taken'
  | 'completed'
  | 'failed'
  | 'pending'
  | 'completed-later'
  | 'reversed-later';

/** What becomes of a payout, and how the sandbox's GSMA API answers. */
export interface PayoutBehaviour {
  readonly books: BooksBehaviour;
  readonly answer:
    | 'transaction'
    | 'transaction-in-pascal-case'
    | 'request-state'
    | 'no-such-account'
    | 'account-barred'
    | 'declined'
    | 'duplicate'
    | 'internal-error'
    | 'connection-dropped'
    | 'unavailable'
    | 'too-many-requests'
    | 'not-authorised';
}

/** What becomes of a top-up, how the sandbox's DT One answers, and how it calls back. */
export interface AirtimeBehaviour {
  readonly books: BooksBehaviour;
  readonly answer:
    | 'transaction'
    | 'transaction-with-pin'
    | 'transaction-in-title-case'
    | 'connection-dropped'
    | 'unavailable'
    | 'too-many-requests'
    | 'not-authorised';
  /** The reason of a failed one, as in DECLINED-INVALID-CREDIT-PARTY. */
  readonly reason?: string;
  readonly callback: 'once' | 'before-the-answer' | 'twice' | 'lost' | 'out-of-order';
}

/** What the last two digits of a number ask for. */
export interface SuffixRow {
  /** The last two digits of the number. */
  readonly suffix: string;
  readonly meaning: string;
  /** Absent where the suffix means nothing to the service: it then succeeds at once. */
  readonly sms?: SmsBehaviour;
  readonly payout?: PayoutBehaviour;
  readonly airtime?: AirtimeBehaviour;
}
