import type { RepairSubject } from '../repairs/repair.ts';

/** What a person of the service is: each role may do all that the one before may. */
export const staffRoles = ['AGENT', 'SUPERVISOR', 'OPERATOR'] as const;
export type StaffRole = (typeof staffRoles)[number];

/**
 * What a page for staff needs. `own`: the person's own account. `look`: find and read cases. `ask`:
 * ask for a repair. `confirm`: confirm what somebody else asked for. `operate`: everything else.
 */
export type StaffNeed = 'own' | 'look' | 'ask' | 'confirm' | 'operate';

const allowed: Readonly<Record<StaffNeed, readonly StaffRole[]>> = {
  own: staffRoles,
  look: staffRoles,
  ask: staffRoles,
  confirm: ['SUPERVISOR', 'OPERATOR'],
  operate: ['OPERATOR'],
};

/** Whether a role of staff may use a page. */
export const mayAsStaff = (role: StaffRole, need: StaffNeed): boolean =>
  allowed[need].includes(role);

/** Whoever repairs these gives money of the platform, or takes money of a partner. */
const ofOperators: readonly RepairSubject[] = ['deposit', 'partner', 'case'];

/** What the repairs of a subject need. */
export const needOfRepair = (subject: RepairSubject): StaffNeed =>
  ofOperators.includes(subject) ? 'operate' : 'ask';

/** The roles of staff in words for people. */
export const staffRoleMeanings: Readonly<Record<StaffRole, string>> = {
  AGENT: 'find and read cases, and ask for repairs',
  SUPERVISOR: 'also confirm repairs that somebody else asked for',
  OPERATOR: 'everything',
};

/** A person of the service who has signed in. */
export interface Staff {
  /** Of the account. */
  readonly id: number;
  readonly name: string;
  readonly role: StaffRole;
}
