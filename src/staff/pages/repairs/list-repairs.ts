import { listRepairs } from '../../../db/repairs/repair-lists.ts';
import { emptyState } from '../../../portal/layout/parts.ts';
import { html } from '../../../rendering/html.ts';
import type { StaffPage } from '../../page.ts';
import { repairTable } from './repair-parts.ts';

const NEWEST = 50;

/** The repairs that wait for a second person, and the newest ones. */
export const showRepairs: StaffPage = {
  method: 'GET',
  path: '/repairs',
  access: 'staff',
  needs: 'look',
  async handle({ services }) {
    const [waiting, newest] = await Promise.all([
      listRepairs(services.database, { state: 'ASKED', limit: NEWEST }),
      listRepairs(services.database, { limit: NEWEST }),
    ]);
    return {
      kind: 'page',
      title: 'Repairs',
      content: html`<h1>Repairs</h1>
<section class="card"><h2>Waiting for confirmation</h2>${
        waiting.length === 0
          ? emptyState('Nothing waits', 'No repair waits for a second person.')
          : repairTable('Repairs that wait for a second person', waiting)
      }</section>
<section class="card"><h2>The newest ${NEWEST}</h2>${
        newest.length === 0
          ? emptyState('No repairs yet', 'A repair is asked for on the page of its case.')
          : repairTable('The newest repairs', newest)
      }</section>`,
    };
  },
};
