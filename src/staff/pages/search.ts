import { html } from '../../process/html.js';
import type { StaffPage } from '../page.js';

/** The first page: what to do, and, with a search, the cases that it finds. */
export const showSearch: StaffPage = {
  method: 'GET',
  path: '',
  access: 'staff',
  needs: 'look',
  handle: ({ staff }) =>
    Promise.resolve({
      kind: 'page',
      title: 'Find',
      content: html`<h1>Find a case</h1><p>You are signed in as ${staff.name}.</p>`,
    }),
};
