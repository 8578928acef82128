/** What a person is in the portal of a company. */
export const portalRoles = ['owner', 'finance', 'developer', 'viewer'] as const;
export type PortalRole = (typeof portalRoles)[number];

/**
 * What a page of the portal needs. `own`: the person's own account. `read`: pages about the business,
 * which change nothing. `export`: statements and files. `develop`: keys, addresses, calls and their
 * log. `operate`: what moves money or sends messages: orders, cancellations, retries, prices. `people`:
 * who else may do what.
 */
export type PortalNeed = 'own' | 'read' | 'export' | 'develop' | 'operate' | 'people';

const allowed: Readonly<Record<PortalNeed, readonly PortalRole[]>> = {
  own: portalRoles,
  read: portalRoles,
  export: ['owner', 'finance'],
  develop: ['owner', 'developer'],
  operate: ['owner', 'finance'],
  people: ['owner'],
};

/** Whether a role may use a page. */
export const mayUse = (role: PortalRole, need: PortalNeed): boolean => allowed[need].includes(role);

/** The roles that may use the pages of a need. */
export const rolesFor = (need: PortalNeed): readonly PortalRole[] => allowed[need];

/** The roles in words for people. */
export const portalRoleMeanings: Readonly<Record<PortalRole, string>> = {
  owner: 'everything, and who else may sign in',
  finance:
    'read everything about the business; order, cancel and retry; prices; statements and files',
  developer: 'read everything about the business; keys, addresses, calls and their log',
  viewer: 'read everything about the business, and change nothing',
};
