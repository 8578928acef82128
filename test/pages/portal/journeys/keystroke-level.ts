import type { Locator, Page } from 'playwright-core';

/**
 * How long a person takes, in seconds. Keystrokes and clicks by the keystroke-level model: Card, Moran and
 * Newell, "The Keystroke-Level Model for User Performance Time with Interactive Systems", Communications of
 * the ACM 23 (7), 1980, pages 396 to 410. Its K is 0.2 s for an average skilled typist; a click is H, 0.4 s
 * to the mouse, and P, 1.1 s to the target; R, the response of the system, is taken as 1.5 s for each page.
 *
 * Reading at 225 words a minute: the mean of silent reading of English non-fiction is 238 (Brysbaert, "How
 * many words do we read per minute?", Journal of Memory and Language 109, 2019), of 175 to 300 for most
 * adults. M, the 1.35 s of mental preparation, is not counted besides: every word is counted as read in
 * order to decide, though nobody reads all of a page.
 *
 * A selection that is closed shows one option; whoever opens it reads them all.
 *
 * A repair is waited for as long as it lasts at most: the second at which workers look for it
 * (WORKER_PICKUP_SECONDS), a second for its workflow, and the second after which its page loads itself again.
 * Not by a clock, because a machine of tests is slow for other reasons than a page.
 */
const model = { key: 0.2, click: 1.5, page: 1.5, word: 60 / 225, repair: 3 } as const;

/** The words that can be seen in a part of a page, to the end of another part of it: a function of the browser. */
const WORDS_OF = `(root, end = root) => {
  const isShown = (element) => element.checkVisibility({
    contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true });
  const isSeen = (element) => element.tagName === 'OPTION'
    ? element.selected && isShown(element.closest('select')) : isShown(element);
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let seen = '';
  while (texts.nextNode()) {
    const { parentElement, data } = texts.currentNode;
    const isAfter = !end.contains(parentElement) &&
      end.compareDocumentPosition(parentElement) & Node.DOCUMENT_POSITION_FOLLOWING;
    const isLeftOut = isAfter || parentElement.closest('script, style, .skip, caption') !== null;
    if (!isLeftOut && isSeen(parentElement)) seen += ' ' + data;
  }
  return seen.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)).length;
}`;

/** A person at a page: does what people do, and counts it. */
export class Person {
  words = 0;
  private keys = 0;
  private clicks = 0;
  private pages = 0;
  private repairs = 0;

  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Reads every word of a part of the page that is not folded. */
  read = (selector = 'main'): Promise<void> =>
    this.readAll(`document.querySelectorAll(${JSON.stringify(selector)})`);

  /** As text, because the types of a browser are not those of tests. */
  private async readAll(parts: string): Promise<void> {
    const counts = await this.page.evaluate(`[...${parts}].map((part) => (${WORDS_OF})(part))`);
    for (const count of counts as number[]) this.words += count;
  }

  /** Reads every word of the page from its top to the end of a part of it. */
  async readDownTo(selector: string): Promise<void> {
    const end = `document.querySelector(${JSON.stringify(selector)})`;
    this.words += Number(
      await this.page.evaluate(`(${WORDS_OF})(document.querySelector('main'), ${end})`),
    );
  }

  async click(target: Locator, leadsTo: 'a page' | 'the same page'): Promise<void> {
    this.clicks += 1;
    if (leadsTo === 'the same page') return target.click();
    this.pages += 1;
    await Promise.all([this.page.waitForEvent('load'), target.click()]);
  }

  async type(target: Locator, text: string): Promise<void> {
    await target.fill(text);
    this.clicks += 1;
    this.keys += text.length;
  }

  /** Opens a selection, reads its options, and chooses. */
  async choose(target: Locator, label: string): Promise<void> {
    for (const option of await target.locator('option').allTextContents())
      this.words += option.trim().split(/\s+/).length;
    await target.selectOption(label);
    this.clicks += 2;
  }

  /** Waits for the end of a repair. */
  async waitForRepair(end: Locator): Promise<void> {
    await end.waitFor({ timeout: 60_000 });
    this.repairs += 1;
  }

  get seconds(): number {
    const { words, keys, clicks, pages, repairs } = this;
    const { word, key, click, page, repair } = model;
    return words * word + keys * key + clicks * click + pages * page + repairs * repair;
  }

  /** For a report. */
  get account(): string {
    const { words, keys, clicks, pages, repairs, seconds } = this;
    return (
      `${seconds.toFixed(0)} s: ${words} words, ${keys} keystrokes, ${clicks} clicks, ${pages} pages, ` +
      `${repairs} repairs`
    );
  }
}
