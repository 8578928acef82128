// The texts of the page's language.
const texts =
  document.documentElement.lang === 'am'
    ? { copy: 'ቅዳ', copied: 'ተቀድቷል።', selected: 'ተመርጧል፦ በቁልፍ ሰሌዳዎ ይቅዱት።' }
    : { copy: 'Copy', copied: 'Copied.', selected: 'Selected: copy it with your keyboard.' };

// Adds a button that copies to each field and each block of commands that is meant to be copied;
// without scripts they can be selected by hand.
for (const field of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'secondary';
  button.textContent = texts.copy;
  const said = document.createElement('span');
  said.className = 'quiet';
  said.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    select(field);
    try {
      await navigator.clipboard.writeText(field.value ?? field.textContent);
      said.textContent = texts.copied;
    } catch {
      said.textContent = texts.selected;
    }
  });
  const row = document.createElement('div');
  row.className = 'copy-row';
  row.append(button, said);
  field.after(row);
}

function select(field) {
  if (field instanceof HTMLInputElement) field.select();
  else getSelection()?.selectAllChildren(field);
}

// Loads a page with fields again after a while, unless somebody has typed something, or opened a part of it.
const { refresh } = document.body.dataset;
if (refresh) setInterval(() => isUntouched() && location.reload(), Number(refresh) * 1000);

function isUntouched() {
  const fields = [...document.querySelectorAll('input')];
  const options = [...document.querySelectorAll('option')];
  return (
    fields.every((field) => field.value === field.defaultValue) &&
    options.every((option) => option.selected === option.defaultSelected) &&
    document.querySelector('details[open]') === null
  );
}
