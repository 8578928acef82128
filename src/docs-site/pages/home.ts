import { TITLE } from '../layout.ts';
import { guides } from '../markdown.ts';
import { DOCS_PATH, type DocsPage } from '../page.ts';
import { markdownPage } from './guides.ts';
import { indexPath } from './reference.ts';

/** The first page: where to begin, by what a reader wants. */
export const homePage: DocsPage = {
  ...markdownPage({
    path: '',
    title: TITLE,
    summary: 'Where to begin',
    markdown: () => `# ${TITLE}

Partners sell gift vouchers, airtime and packages through the partner API. Merchants claim and redeem vouchers
through the merchant API; the money reaches them by mobile money.

## Begin

- [Partners: the first call in five minutes](${DOCS_PATH}/guides/first-call-partner)
- [Merchants: the first signed call in five minutes](${DOCS_PATH}/guides/first-call-merchant)

## Reference

- [Partner API](${DOCS_PATH}${indexPath('partner')}) ([OpenAPI](${DOCS_PATH}/partner/openapi.json))
- [Merchant API](${DOCS_PATH}${indexPath('merchant')}) ([OpenAPI](${DOCS_PATH}/merchant/openapi.json))
- [Errors: every code, and what to do](${DOCS_PATH}/errors)
- [Downloads: clients, Bruno collections, examples](${DOCS_PATH}/downloads)
- [Changelog](${DOCS_PATH}/changelog)

## Guides

${guides()
  .map(({ path, title, summary }) => `- [${title}](${DOCS_PATH}${path}): ${summary}`)
  .join('\n')}
`,
  }),
  entries: () => [],
};
