import type { PortalClient } from '../portal/portal-client.ts';

/** Regular expression: a day with its time, as the pages write it. */
export const DAY = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d';

/** What stands before everything that is folded away, and the repairs in it: open, or behind a button. */
export async function firstWords(client: PortalClient, path: string) {
  const { html } = await client.get(path);
  const next = /<section class="card next">([\s\S]*?)<\/section>/.exec(html)?.[1] ?? '';
  const [shown = ''] = next.split('<div class="choices">');
  const kindsIn = (part: string) =>
    [...part.matchAll(/repairs\/ask\/([\w-]+)"/g)].map(([, kind]) => kind);
  return {
    words: shown
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
    open: kindsIn(shown),
    instead: kindsIn(next.slice(shown.length)),
  };
}
