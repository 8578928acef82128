export {
  ApiError,
  type FailedTopUp,
  type Issue,
  NoAnswerError,
  OpenRequestError,
  type RefusalFacts,
} from './errors.js';
export type * as MerchantApi from './generated/merchant.js';
export type * as PartnerApi from './generated/partner.js';
export type { List, Page } from './list.js';
export { MerchantClient, type MerchantSettings } from './merchant-client.js';
export { PartnerClient } from './partner-client.js';
export type { CallOptions, ChangeOptions, ClientSettings } from './settings.js';
export { signatureHeader } from './signature.js';
export { verifyWebhook, WebhookError, type WebhookEvent } from './webhook.js';
