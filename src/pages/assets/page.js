// The texts of the page's language.
const texts =
  document.documentElement.lang === 'am'
    ? {
        copy: 'ቅዳ',
        copied: 'ተቀድቷል።',
        selected: 'ተመርጧል፦ በቁልፍ ሰሌዳዎ ይቅዱት።',
        get: 'የይለፍ ቁልፍ አልተጠቀሙም። እንደገና ይሞክሩ ወይም ኮድ ያስገቡ።',
        create: 'የይለፍ ቁልፍ አልተፈጠረም። እንደገና ይሞክሩ፣ ወይም የይለፍ ቁልፍ የሌለው መሣሪያ ይጠቀሙ።',
      }
    : {
        copy: 'Copy',
        copied: 'Copied.',
        selected: 'Selected: copy it with your keyboard.',
        get: 'No passkey was used. Try again, or enter a code.',
        create: 'No passkey was made. Try again, or use a device that has none yet.',
      };

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

// Loads a page with fields again after a while, unless somebody has typed something, or opened a part of it. A filter
// that is set was open from the beginning.
const { refresh } = document.body.dataset;
const openAtFirst = new Set(document.querySelectorAll('details[open]'));
if (refresh) setInterval(() => isUntouched() && location.reload(), Number(refresh) * 1000);

function isUntouched() {
  const fields = [...document.querySelectorAll('input')];
  const options = [...document.querySelectorAll('option')];
  return (
    fields.every((field) => field.value === field.defaultValue) &&
    options.every((option) => option.selected === option.defaultSelected) &&
    [...document.querySelectorAll('details[open]')].every((part) => openAtFirst.has(part))
  );
}

// Asks the browser for a passkey, puts its answer into the form, and sends the form. Where the browser has no
// passkeys, the buttons stay hidden, and people enter codes.
const passkeys = {
  get: (options) =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
    }),
  create: (options) =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    }),
};
if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  for (const note of document.querySelectorAll('[data-without-passkeys]')) note.remove();
  for (const part of document.querySelectorAll('[data-passkey]')) offerPasskey(part);
}

function offerPasskey(part) {
  const { passkey: asked, options } = part.dataset;
  const [answer, button, said] = part.children;
  const { form } = button;
  part.hidden = false;
  button.addEventListener('click', async () => {
    said.textContent = '';
    if (!isReady(form)) return;
    try {
      answer.value = JSON.stringify(await passkeys[asked](JSON.parse(options)));
    } catch {
      said.textContent = texts[asked];
      return;
    }
    form.noValidate = true;
    form.requestSubmit();
  });
}

// The passkey takes the place of the code.
function isReady({ elements }) {
  return [...elements].every((field) => field.name === 'code' || field.reportValidity());
}
