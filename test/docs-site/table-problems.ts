import type { Page } from 'playwright-core';

/** The widths of a phone, a tablet and a desk. */
const WIDTHS = [390, 768, 1200];

/** Runs in the browser: what is wrong with the tables of the page as they are shown now. */
const LOOK = `(() => {
  const problems = [];
  const isSeen = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1;
  };
  const textsOf = (element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) if (walker.currentNode.data.trim() !== '') texts.push(walker.currentNode);
    return texts;
  };
  const rangeOf = (text, start, end) => {
    const range = document.createRange();
    range.setStart(text, start);
    range.setEnd(text, end);
    return range;
  };
  const boxesOf = (element) =>
    textsOf(element).flatMap((text) => [...rangeOf(text, 0, text.length).getClientRects()]);
  const isOver = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  const isHidden = (element) => element.closest('details:not([open])') !== null;
  const linesOf = (range) => new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  const widthOf = (range) => [...range.getClientRects()].reduce((sum, { width }) => sum + width, 0);
  // A word stays whole where it would fit into its cell, and so does each part of code between spaces.
  const torn = (cell) => {
    const room = (cell.querySelector('div') ?? cell).getBoundingClientRect().width;
    return textsOf(cell).flatMap((text) => {
      const part = text.parentElement.closest('code') ? /\\S+/g : /[\\p{L}\\p{N}]+/gu;
      return [...text.data.matchAll(part)].flatMap(({ 0: word, index }) => {
        const range = rangeOf(text, index, index + word.length);
        return linesOf(range) > 1 && widthOf(range) < room - 4 ? [word] : [];
      });
    });
  };
  for (const table of document.querySelectorAll('main table')) {
    if (isHidden(table)) continue;
    const isStacked = getComputedStyle(table.querySelector('td')).display !== 'table-cell';
    const cells = [...table.querySelectorAll(isStacked ? 'td' : 'th, td')];
    const report = (cell, problem) => problems.push(problem + ': ' + cell.textContent.slice(0, 60));
    for (const cell of cells) {
      if (cell.textContent.trim() === '' || !isSeen(cell)) report(cell, 'blank');
      const label = getComputedStyle(cell, '::before').content;
      if (isStacked && !cell.matches('.head') && ['none', 'normal', '""'].includes(label))
        report(cell, 'without a label');
      for (const word of torn(cell)) report(cell, 'torn at ' + word);
      const cut = [cell, ...cell.querySelectorAll('*')].some(
        (one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1,
      );
      const isOutside = boxesOf(cell).some(({ left, right }) => left < 0 || right > innerWidth + 1);
      if (cut || isOutside) report(cell, 'cut');
    }
    for (const row of table.rows) {
      const boxes = [...row.cells].filter(isSeen).map(boxesOf);
      boxes.forEach((own, place) => {
        const others = boxes.slice(place + 1).flat();
        if (own.some((one) => others.some((other) => isOver(one, other))))
          report(row.cells[place], 'overlapped');
      });
    }
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) problems.push('the page scrolls sideways');
  return { problems, tables: document.querySelectorAll('main table').length };
})()`;

/** What a reader of a page's tables would suffer from, at each width. */
export async function findTableProblems(
  page: Page,
): Promise<{ readonly problems: string[]; readonly tables: number }> {
  const problems: string[] = [];
  let tables = 0;
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const seen = (await page.evaluate(LOOK)) as { problems: string[]; tables: number };
    problems.push(...seen.problems.map((problem) => `${width} px: ${problem}`));
    tables = seen.tables;
  }
  return { problems, tables };
}
