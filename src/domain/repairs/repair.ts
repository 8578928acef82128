/** ASKED waits for the confirmation of a second person; READY and RUNNING are carried out. */
export const repairStates = ['ASKED', 'READY', 'RUNNING', 'DONE', 'REFUSED', 'EXPIRED'] as const;
export type RepairState = (typeof repairStates)[number];

/** What a repair is about. */
export const repairSubjects = ['voucher', 'redemption', 'top-up', 'deposit', 'partner'] as const;
export type RepairSubject = (typeof repairSubjects)[number];

/** The actor of the audit log for a person of the service, by the id of the account. */
export const staffActor = (accountId: number): string => `staff:${accountId}`;

/** Whether a person of the service has signed in; anybody can give any other name on the command line. */
export const isStaffActor = (actor: string): boolean => actor.startsWith('staff:');

/** The type of the failure of a step that the database refuses, so that only a person can help. */
export const DATABASE_REFUSES = 'DatabaseRefuses';
