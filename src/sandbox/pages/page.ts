import type { Context } from 'koa';
import { type Html, html } from '../../rendering/html.ts';

const style = html`
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #f5f6f8; --card: #fff; --line: #d8dce2;
  --quiet: #5c6570; --accent: #0b6b4f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --paper: #14171a; --card: #1f2429;
  --line: #363d45; --quiet: #a2abb5; --accent: #5cc9a3; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 54rem; padding: 1rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--accent); }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.quiet { color: var(--quiet); font-size: .875rem; }
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: 1rem 0; }
label { display: grid; gap: .25rem; flex: 1 1 14rem; font-size: .875rem; }
input, select, button { font: inherit; padding: .6rem .8rem; border-radius: .5rem;
  border: 1px solid var(--line); background: var(--card); color: inherit; }
button { background: var(--accent); color: var(--card); border-color: var(--accent); }
button.plain { background: var(--card); color: inherit; border-color: var(--line); }
label.box { display: flex; align-items: center; gap: .5rem; flex: 1 1 100%; }
select { max-width: 100%; }
ul { list-style: none; padding: 0; display: grid; gap: .75rem; }
.message { background: var(--card); border: 1px solid var(--line); padding: .75rem 1rem;
  border-radius: .25rem 1rem 1rem 1rem; max-width: 34rem; }
.message p { margin: .25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; background: var(--card); }
th, td { overflow-wrap: normal; text-align: left; padding: .4rem .6rem; border-bottom: 1px solid var(--line);
  vertical-align: top; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
`;

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers with a self-contained page without scripts. */
export function answerPage(
  ctx: Context,
  page: { title: string; content: Html; refreshSeconds?: number },
): void {
  const refresh =
    page.refreshSeconds && html`<meta http-equiv="refresh" content="${page.refreshSeconds}">`;
  ctx.set('Content-Security-Policy', contentSecurityPolicy);
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Referrer-Policy', 'no-referrer');
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refresh || undefined}
<title>${page.title}</title>
<style>${style}</style>
</head>
<body>
${page.content}
</body>
</html>
`.toString();
}
