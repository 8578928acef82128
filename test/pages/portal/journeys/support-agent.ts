import type { Page } from 'playwright-core';
import { look } from './browser.ts';
import { Person } from './keystroke-level.ts';

/** The steps of an agent, each of whose pages is looked at. */
export function supportAgent(page: Page, url: string, name: string) {
  const button = (title: string) => page.getByRole('button', { name: title, exact: true });
  /** The form of a repair. */
  const formOf = (kind: string) => page.locator(`form[action$="/ask/${kind}"]`);
  const person = new Person(page);
  let pictures = 0;
  const picture = () => {
    pictures += 1;
    return look(page, `complaint-${name}-${pictures}`);
  };

  return {
    person,
    picture,
    formOf,

    /** The complaint comes while the agent looks at another page: first to the guide beside the search. */
    async begin(complaint: string) {
      await page.goto(`${url}/support/account`);
      await person.click(page.getByRole('link', { name: /^Desk/ }), 'a page');
      // With a customer on the phone nobody reads what else waits.
      await person.read('header, nav, footer, main > :not(#queue)');
      await person.click(page.getByText(complaint, { exact: true }), 'the same page');
      await person.read('details[open] > :not(summary)');
      await picture();
    },

    /** Finds the case by what the customer says. */
    async find(what: string) {
      await person.type(page.getByLabel('Number, code, reference, name or e-mail'), what);
      await person.click(button('Find'), 'a page');
      await person.read();
      await picture();
    },

    /** Fills in the ticket, asks, and waits for the end. */
    async repair(kind: string, submit: string, note = 'Ticket 4711') {
      await person.type(formOf(kind).getByLabel('Ticket, and why'), note);
      await person.click(formOf(kind).getByRole('button', { name: submit }), 'a page');
      await person.waitForRepair(page.getByText('Done', { exact: true }));
      await person.read();
      await picture();
    },
  };
}
