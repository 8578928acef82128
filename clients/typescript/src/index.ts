export {
  ApiError,
  type FailedTopUp,
  type Issue,
  NoAnswerError,
  OpenRequestError,
  type RefusalFacts,
} from './errors.ts';
export type * as MerchantApi from './generated/merchant.ts';
export type * as PartnerApi from './generated/partner.ts';
export type { List, Page } from './list.ts';
export { MerchantClient, type MerchantSettings } from './merchant-client.ts';
export { PartnerClient } from './partner-client.ts';
export type { CallOptions, ChangeOptions, ClientSettings } from './settings.ts';
export { signatureHeader } from './signature.ts';
export { verifyWebhook, WebhookError, type WebhookEvent } from './webhook.ts';
