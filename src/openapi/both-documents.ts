import type { OpenAPIObject } from 'openapi3-ts/oas31';
import type { Endpoint } from '../http/endpoint.ts';
import type { PublicDocument } from '../http/files.ts';
import { merchantRoutes } from '../merchant/routes.ts';
import { partnerRoutes } from '../partner/routes.ts';
import { type DocumentTexts, openApiDocument, tagOf } from './document.ts';

const ENVELOPE =
  'Every answer but the log-in and the test endpoint has the envelope `{ success, message, statusCode, data }`; ' +
  '`message` is for people, `statusCode` for programs. A refusal names its reason in the header ' +
  '`x-error-reason`, which tells the meanings of one code apart. New fields and reasons can be added ' +
  'at any time: ignore unknown fields.';

const ACCESS =
  'Log in with the API key of the portal from a registered address, and send the access token in ' +
  'the header `x-api-token`. It is valid for 300 seconds: log in again when the answer is 401.';

const WEBHOOKS =
  'The section `webhooks` has what the service sends to the addresses that you register: each event once or more ' +
  'often, those of one subject in their order. Check the signature of each message.';

const ACCESS_TAG = {
  name: 'Access',
  description: 'The access token, and a check of key and address.',
  paths: ['/auth/', '/test', '/key'],
};

const EVENTS_TAG = {
  name: 'Events',
  description: 'The events of your company, in their order.',
  paths: ['/events'],
};

const partner: DocumentTexts = {
  title: 'Partner API',
  description: [
    'Partners sell gift vouchers, airtime and packages.',
    ACCESS,
    ENVELOPE,
    'Send the header `Idempotency-Key` with every request that moves money: the same request ' +
      'under the same key is carried out once, and its repetitions get its answer.',
    WEBHOOKS,
  ].join('\n\n'),
  tags: [
    ACCESS_TAG,
    {
      name: 'Top-ups',
      description: 'Airtime and packages for a phone number, their states and retries.',
      paths: [
        '/topup-transactions/airtime-topup',
        '/topup-transactions/airtime-package-topup',
        '/topup-transactions/retry-topup',
        '/topup-transactions/:transactionId',
      ],
    },
    {
      name: 'Bulk orders',
      description: 'Many vouchers at once: the order, its progress, its lines, its cancellation.',
      paths: ['/vouchers/bulk', '/bulk-orders'],
    },
    {
      name: 'Gift vouchers',
      description: 'Generation, claim, redemption and state of vouchers.',
      paths: [
        '/vouchers',
        '/topup-transactions/generate',
        '/topup-transactions/initiate',
        '/topup-transactions/redeem',
      ],
    },
    EVENTS_TAG,
    {
      name: 'Lists',
      description: 'Reference data, balances, prices and quotes, and your top-ups.',
      paths: ['/'],
    },
  ],
};

const merchant: DocumentTexts = {
  title: 'Merchant API',
  description: [
    'Merchants claim and redeem gift vouchers; the money reaches them by mobile money.',
    ACCESS,
    ENVELOPE,
    'Requests that change something are signed: the header `x-signature` carries a signature of ' +
      'the body with the private key whose public key is registered in the portal. Their body ' +
      'has an `idempotencyKey`: the same request under the same key is carried out once.',
    'The HTTP status of a refusal is the first three digits of its `statusCode`.',
    WEBHOOKS,
  ].join('\n\n'),
  tags: [
    ACCESS_TAG,
    {
      name: 'Vouchers',
      description: 'Claim, redemption and detail of vouchers.',
      paths: ['/topup-transactions/'],
    },
    {
      name: 'Lists',
      description: 'Your redemptions and their reversal, and your payouts by day.',
      paths: ['/redemptions', '/payouts'],
    },
    EVENTS_TAG,
  ],
};

const routes = { partner: partnerRoutes, merchant: merchantRoutes };
const texts = { partner, merchant };

/** What belongs together in an API, under the name of its tag. */
interface EndpointGroup {
  readonly name: string;
  readonly description: string;
  readonly endpoints: readonly Endpoint[];
}

/** The endpoints of a surface by their tags, in the order of the document. */
export const endpointGroups = (surface: keyof typeof texts): EndpointGroup[] =>
  texts[surface].tags.map(({ name, description }) => ({
    name,
    description,
    endpoints: routes[surface].endpoints.filter(
      (endpoint) => tagOf(texts[surface].tags, endpoint).name === name,
    ),
  }));

type BothDocuments = Readonly<Record<'partner' | 'merchant', OpenAPIObject>>;

/** A process has one address; making the documents takes tens of milliseconds of its event loop. */
const made = new Map<string, BothDocuments>();

/** The documents of both surfaces, by the name in their address; made once for each address. */
export function openApiDocuments(publicUrl: string): BothDocuments {
  const documents = made.get(publicUrl) ?? {
    partner: openApiDocument(partnerRoutes, partner, publicUrl),
    merchant: openApiDocument(merchantRoutes, merchant, publicUrl),
  };
  made.set(publicUrl, documents);
  return documents;
}

/** The served documents: `/docs/partner/openapi.json` and `/docs/merchant/openapi.json`. */
export const servedDocuments = (publicUrl: string): PublicDocument[] =>
  (['partner', 'merchant'] as const).map((name) => ({
    path: `/docs/${name}/openapi.json`,
    type: 'application/json; charset=utf-8',
    body: () => JSON.stringify(openApiDocuments(publicUrl)[name]),
  }));
