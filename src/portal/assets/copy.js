// Adds a button that copies to each field that is meant to be copied; without scripts the field can
// be selected by hand.
for (const field of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'secondary';
  button.textContent = 'Copy';
  const said = document.createElement('span');
  said.className = 'quiet';
  said.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = 'Copied.';
    } catch {
      said.textContent = 'Selected: copy it with your keyboard.';
    }
  });
  const row = document.createElement('div');
  row.className = 'copy-row';
  row.append(button, said);
  field.after(row);
}
