// Sends the call of a "Try it" form and shows status, headers and body of the answer. The access token
// of a log-in is kept for the other forms, in this window only.
const TOKEN = 'docs-access-token';

for (const form of document.querySelectorAll('[data-try-it]')) {
  const token = form.querySelector('[data-place=token]');
  if (token) token.value = sessionStorage.getItem(TOKEN) ?? '';
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const shown = form.querySelector('[data-answer]');
    shown.hidden = false;
    shown.textContent = 'Sending …';
    try {
      shown.textContent = await send(form);
    } catch (error) {
      shown.textContent = `The call was not sent: ${error.message}`;
    }
  });
}

async function send(form) {
  let url = form.dataset.url;
  const query = new URLSearchParams();
  const headers = {};
  for (const input of form.querySelectorAll('[data-place]')) {
    const { name, value } = input;
    const { place } = input.dataset;
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(value));
    else if (value === '') continue;
    else if (place === 'query') query.append(name, value);
    else headers[name] = value;
  }
  const body = form.elements.body?.value;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  // The page and the API have one address, whatever name it is called by.
  const { pathname } = new URL(url);
  const target = query.size > 0 ? `${pathname}?${query}` : pathname;
  const response = await fetch(target, { method: form.dataset.method, headers, body });
  const text = await response.text();
  rememberToken(text);
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  return [`${response.status} ${response.statusText}`, ...lines, '', pretty(text)].join('\n');
}

function rememberToken(text) {
  const token = parsed(text)?.accessToken;
  if (typeof token !== 'string') return;
  sessionStorage.setItem(TOKEN, token);
  for (const input of document.querySelectorAll('[data-place=token]')) input.value = token;
}

function pretty(text) {
  const value = parsed(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
