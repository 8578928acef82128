/** What a provider of SMS says about a message that it has taken, and when. */
export type ReportBehaviour =
  | 'once'
  | 'before-the-answer'
  | 'twice'
  | 'lost'
  | 'out-of-order'
  | 'late'
  | 'not-delivered';

/** The answer of the sandbox's SMS providers to a message, and whether the phone receives it. */
export interface SmsBehaviour {
  /** Its delivery reports; once, where it is received, by default. */
  readonly report?: ReportBehaviour;
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

/** The course of a payout or a top-up in the provider's books. */
export type BooksBehaviour =
  | 'not-taken'
  | 'completed'
  | 'failed'
  | 'pending'
  | 'completed-later'
  | 'reversed-later';

/** How a provider tells a new status of a payout or a top-up. */
export type CallbackCourse = 'once' | 'before-the-answer' | 'twice' | 'lost' | 'out-of-order';

/** The course of a payout, the answer of the sandbox's mobile money, and its callbacks. */
export interface PayoutBehaviour {
  readonly books: BooksBehaviour;
  readonly callback: CallbackCourse;
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

/** The course of a top-up, the answer of the sandbox's DT One, and its callbacks. */
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
  /** The reason of a failure, as in DECLINED-INVALID-CREDIT-PARTY. */
  readonly reason?: string;
  readonly callback: CallbackCourse;
}

/** The course of a payout's reversal, and the answer of the sandbox's GSMA API. */
export interface ReversalBehaviour {
  readonly books: 'not-taken' | 'completed' | 'failed' | 'pending' | 'completed-later';
  readonly answer: 'transaction' | 'request-state' | 'declined' | 'connection-dropped';
}

/** The scenario of a reversal: the last two digits of the number that was paid. */
export interface ReversalRow {
  readonly suffix: string;
  readonly meaning: string;
  readonly reversal: ReversalBehaviour;
}

/** The scenario of the last two digits of a number. */
export interface SuffixRow {
  /** The last two digits of the number. */
  readonly suffix: string;
  readonly meaning: string;
  /** Absent where the suffix has no effect on the service: it succeeds at once. */
  readonly sms?: SmsBehaviour;
  readonly payout?: PayoutBehaviour;
  readonly airtime?: AirtimeBehaviour;
}
