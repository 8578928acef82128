// Sends the call of a "Try it" form from the browser, and shows what was sent and what came back. The
// access token of a log-in is kept for the other forms, in this window only; API keys and private keys
// stay in their fields.
const forms = document.querySelectorAll('[data-try-it]');
const signer = document.querySelector('[data-signer]');
const signerField = (name) => signer.querySelector(`[data-signer-field=${name}]`);

for (const form of forms) {
  const token = form.querySelector('[data-place=token]');
  if (token) token.value = sessionStorage.getItem(tokenName(form)) ?? '';
  const { body } = form.elements;
  if (body) body.value = withNewKey(body.value);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const shown = form.querySelector('[data-answer]');
    shown.textContent = 'Sending …';
    try {
      const request = await requestOf(form);
      const answer = await send(request);
      rememberToken(form, answer);
      shown.replaceChildren(...answerParts(request, answer));
    } catch (error) {
      shown.replaceChildren(made('p', 'message danger', `The call was not sent: ${error.message}`));
    }
  });
}

for (const panel of document.querySelectorAll('[data-console]')) {
  const choice = panel.querySelector('[data-choice]');
  const choose = () => {
    for (const call of panel.querySelectorAll('[data-call]'))
      call.hidden = call.dataset.call !== choice.value;
    if (signer) signer.hidden = !panel.querySelector('[data-call]:not([hidden]) [data-signed]');
  };
  choice.addEventListener('change', choose);
  choose();
  panel.hidden = false;
}

signer?.querySelector('[type=file]').addEventListener('change', async ({ target }) => {
  const [file] = target.files;
  if (file) signerField('key').value = await file.text();
  target.value = '';
});

async function requestOf(form) {
  const { method, url, signed } = form.dataset;
  // The page and the API have one address, whatever name it is called by.
  let target = new URL(url).pathname.replaceAll(/%7B(\w+)%7D/g, '{$1}');
  const query = new URLSearchParams();
  const headers = {};
  const fields = {};
  for (const { name, value, dataset } of form.querySelectorAll('[data-place]')) {
    if (dataset.place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value));
    else if (value === '') continue;
    else if (dataset.place === 'query') query.append(name, value);
    else if (dataset.place === 'body') fields[name] = value.trim();
    else headers[name] = value;
  }
  if (query.size > 0) target += `?${query}`;
  const isMade = form.querySelector('[data-place=body]') !== null;
  const body = isMade ? JSON.stringify(fields) : form.elements.body?.value;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const signature = signed === undefined ? undefined : await signatureOf(body);
  if (signature) headers['x-signature'] = signature.header;
  return { method, target, headers, body, signature };
}

/** The signature that the person's own program made, or one by the private key in the form. */
async function signatureOf(body) {
  const own = signerField('own').value.trim();
  if (own !== '') return { header: own };
  const privateKey = signerField('key').value;
  if (privateKey.trim() === '') throw new Error('paste or choose your private key first.');
  const message = signerField('message').value || new Date().toISOString();
  const { signCall } = await import(signer.dataset.module);
  return signCall({ privateKey, body, message, covers: signerField('covers').value });
}

async function send({ method, target, headers, body }) {
  const begin = performance.now();
  const response = await fetch(target, { method, headers, body, credentials: 'omit' });
  const text = await response.text();
  return { response, text, json: parsed(text), duration: performance.now() - begin };
}

/** The elements that show an answer, and the call that got it. */
function answerParts(request, { response, text, json, duration }) {
  const tone = response.ok ? 'success' : response.status < 500 ? 'warning' : 'danger';
  const line = made('p');
  const code = json?.statusCode;
  line.append(
    made('span', `badge ${tone}`, `${response.status} ${response.statusText}`.trim()),
    ` ${code && code !== response.status ? `statusCode ${code}, ` : ''}${Math.round(duration)} ms`,
  );
  const { method, target, headers, body = '', signature } = request;
  const sent = [`${method} ${target}`, ...Object.entries(headers).map(headerLine), '', body];
  return [
    line,
    ...(response.ok ? [] : [refusal(response, json)]),
    part('Answer', pretty(json, text), true),
    part('Headers of the answer', [...response.headers].map(headerLine).join('\n')),
    ...(signature?.text === undefined ? [] : [signedPart(signature)]),
    part('Request as it was sent', sent.join('\n')),
  ];
}

const headerLine = ([name, value]) => `${name}: ${value}`;

/** The line feeds are marked, because the two characters \n look alike in many tools. */
const signedPart = ({ text, length }) =>
  part(`Signed bytes (${length}; ↵ marks a line feed)`, text.replaceAll('\n', '↵\n'), true);

/** Why a call was refused: the message names the wrong fields, and a link explains the code. */
function refusal(response, json) {
  const box = made('div', 'message danger');
  box.append(made('p', '', json?.message ?? 'The call was refused.'));
  const [, help] = /<([^>]+)>; *rel="?help/.exec(response.headers.get('Link') ?? '') ?? [];
  if (help) {
    const link = made('a', '', 'What this code means');
    const { pathname, hash } = new URL(help, location.href);
    link.href = pathname + hash;
    box.append(link);
  }
  return box;
}

function part(title, text, isOpen = false) {
  const details = made('details');
  details.open = isOpen;
  const content = made('pre', 'code', text);
  content.tabIndex = 0;
  details.append(made('summary', '', title), content);
  return details;
}

function made(tag, className = '', text = '') {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}

/** The two APIs have tokens of their own. */
function tokenName(form) {
  return `access-token ${form.dataset.url.includes('/merchant/') ? 'merchant' : 'partner'}`;
}

function rememberToken(form, { json }) {
  const token = json?.accessToken;
  if (typeof token !== 'string') return;
  sessionStorage.setItem(tokenName(form), token);
  for (const other of forms) {
    const input = other.querySelector('[data-place=token]');
    if (input && tokenName(other) === tokenName(form)) input.value = token;
  }
}

/** Examples have a key that others have used. */
function withNewKey(body) {
  const key = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16));
  return body.replace(/("idempotencyKey": *")[^"]*"/, `$1try-${key.join('')}"`);
}

const pretty = (json, text) => (json === undefined ? text : JSON.stringify(json, null, 2));

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
