/** ASKED waits for the confirmation of a second person; READY and RUNNING are carried out. */
export const repairStates = ['ASKED', 'READY', 'RUNNING', 'DONE', 'REFUSED', 'EXPIRED'] as const;
export type RepairState = (typeof repairStates)[number];

/** How a repair ended that waited for a second person: by the one who asked for it, or by another one. */
export const waitingEnds = { WITHDRAWN: 'Withdrawn', DECLINED: 'Declined' } as const;
type WaitingEnd = keyof typeof waitingEnds;

/** The result of a repair that somebody ended while it waited, and why. */
export const resultOfWaiting = (end: WaitingEnd, why: string): string =>
  `${waitingEnds[end]}: ${why}`;

/** Reads such a result; undefined for any other end. */
export function readWaitingEnd({
  state,
  result,
}: {
  readonly state: RepairState;
  readonly result: string | null;
}): { readonly end: WaitingEnd; readonly why: string } | undefined {
  for (const [end, word] of Object.entries(waitingEnds))
    if (state === 'REFUSED' && result?.startsWith(`${word}: `))
      return { end: end as WaitingEnd, why: result.slice(word.length + 2) };
  return undefined;
}

/** What a repair is about. */
export const repairSubjects = [
  'voucher',
  'redemption',
  'top-up',
  'deposit',
  'partner',
  'case',
] as const;
export type RepairSubject = (typeof repairSubjects)[number];

/** The actor of the audit log for a person of the service, by the id of the account. */
export const staffActor = (accountId: number): string => `staff:${accountId}`;

/** Whether a person of the service has signed in; anybody can give any other name on the command line. */
export const isStaffActor = (actor: string): boolean => actor.startsWith('staff:');

/** The type of the failure of a step that the database refuses, so that only a person can help. */
export const DATABASE_REFUSES = 'DatabaseRefuses';
