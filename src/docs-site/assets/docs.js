// The scripts of the documentation: tabs of languages, buttons that copy, and marks in the lists at
// the side of the text. Without scripts, programs stand one below the other and are selected by
// hand.

/** The language that the reader chose last is shown on every page. */
const CHOICE = 'docs-language';
const groups = [...document.querySelectorAll('[data-tabs]')].map(tabGroup);

function tabGroup(group, number) {
  const panels = [...group.querySelectorAll('[data-tab]')];
  const list = made('div', 'tab-list');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  const tabs = panels.map((panel, place) => {
    const tab = made('button', 'tab-button', panel.dataset.tab);
    tab.type = 'button';
    tab.id = `tab-${number}-${place}`;
    panel.id = `panel-${number}-${place}`;
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', panel.id);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    tab.addEventListener('click', () => choose(panel.dataset.tab));
    return tab;
  });
  list.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const next = tabs.at((tabs.indexOf(document.activeElement) + step) % tabs.length);
    next.focus();
    next.click();
  });
  list.append(...tabs);
  group.prepend(list);
  group.classList.add('is-tabbed');
  return { panels, tabs };
}

/** A group that does not have the language shows its first one. */
function show(language) {
  for (const { panels, tabs } of groups) {
    const found = panels.findIndex((panel) => panel.dataset.tab === language);
    const shown = Math.max(found, 0);
    for (const [place, panel] of panels.entries()) {
      panel.hidden = place !== shown;
      tabs[place].setAttribute('aria-selected', String(place === shown));
      tabs[place].tabIndex = place === shown ? 0 : -1;
    }
  }
}

function choose(language) {
  const before = document.activeElement?.getBoundingClientRect().top ?? 0;
  localStorage.setItem(CHOICE, language);
  show(language);
  // Programs above have other lengths now: what the reader pressed stays where it was.
  scrollBy(0, (document.activeElement?.getBoundingClientRect().top ?? 0) - before);
}

show(localStorage.getItem(CHOICE));

for (const block of document.querySelectorAll('.copyable')) {
  const button = made('button', 'copy-button secondary', 'Copy');
  button.type = 'button';
  const said = made('span', 'visually-hidden');
  said.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    const program = block.querySelector('pre');
    getSelection()?.selectAllChildren(program);
    try {
      await navigator.clipboard.writeText(program.textContent);
      said.textContent = 'Copied.';
      button.textContent = 'Copied';
    } catch {
      said.textContent = 'Selected: copy it with your keyboard.';
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
  block.append(button, said);
}

// The menu is longer than a screen: it shows the page that is read.
const current = document.querySelector('.menu [aria-current]');
const menu = current?.closest('.menu');
if (current?.offsetTop > menu?.clientHeight)
  menu.scrollTop = current.offsetTop - menu.clientHeight / 2;

// The list of contents marks the last section that has come to the top.
const links = [...document.querySelectorAll('.contents a')];
const sections = links.map((link) =>
  document.getElementById(decodeURIComponent(link.hash.slice(1))),
);
const mark = () => {
  const here = sections.findLastIndex((section) => section.getBoundingClientRect().top < 120);
  for (const [place, link] of links.entries()) link.classList.toggle('is-here', place === here);
};
if (links.length > 0) {
  addEventListener('scroll', mark, { passive: true });
  mark();
}

function made(tag, className = '', text = '') {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}
