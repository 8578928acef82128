import { listAddresses, registerAddress, removeAddress } from './commands/addresses.js';
import { issueApiKey, listApiKeysCommand, revokeApiKeyCommand } from './commands/api-keys.js';
import { audit } from './commands/audit.js';
import { cancelVoucher } from './commands/cancel-voucher.js';
import {
  changeMerchantCategory,
  changeProductCategory,
  createMerchantCategory,
  createProductCategory,
  listMerchantCategoriesCommand,
  listProductCategoriesCommand,
} from './commands/categories.js';
import { checkLedger } from './commands/check-ledger.js';
import {
  changeDenomination,
  createDenomination,
  listDenominationsCommand,
} from './commands/denominations.js';
import { deposit } from './commands/deposit.js';
import { setPayoutAccount, setServiceFee } from './commands/merchant-terms.js';
import {
  activateMerchant,
  changeMerchant,
  createMerchant,
  deactivateMerchant,
} from './commands/merchants.js';
import {
  changePartner,
  createPartner,
  listPartnersCommand,
  reinstatePartner,
  showPartner,
  suspendPartner,
} from './commands/partners.js';
import { grantAccessCommand, revokeAccessCommand } from './commands/product-access.js';
import { changeProduct, createProduct, listProductsCommand } from './commands/products.js';
import {
  listPublicKeysCommand,
  registerPublicKey,
  revokePublicKeyCommand,
} from './commands/public-keys.js';
import { listMerchantsCommand, showMerchant } from './commands/show-merchants.js';
import { listVouchersCommand, showVoucher } from './commands/show-vouchers.js';
import { statement } from './commands/statement.js';

/** Every command, in the order in which help shows it. */
export const allCommands = [
  listPartnersCommand,
  listMerchantsCommand,
  listMerchantCategoriesCommand,
  listProductsCommand,
  listProductCategoriesCommand,
  listDenominationsCommand,
  listVouchersCommand,
  listApiKeysCommand,
  listAddresses,
  listPublicKeysCommand,
  showPartner,
  showMerchant,
  showVoucher,
  createPartner,
  createMerchant,
  createMerchantCategory,
  createProduct,
  createProductCategory,
  createDenomination,
  changePartner,
  changeMerchant,
  changeMerchantCategory,
  changeProduct,
  changeProductCategory,
  changeDenomination,
  setServiceFee,
  setPayoutAccount,
  deposit,
  grantAccessCommand,
  issueApiKey,
  registerAddress,
  registerPublicKey,
  revokeAccessCommand,
  revokeApiKeyCommand,
  revokePublicKeyCommand,
  removeAddress,
  suspendPartner,
  reinstatePartner,
  deactivateMerchant,
  activateMerchant,
  cancelVoucher,
  statement,
  checkLedger,
  audit,
];

/** What help says of each verb that several commands share. */
export const verbs: Readonly<Record<string, string>> = {
  list: 'Show what there is, with the ids',
  show: 'Show one partner, merchant or voucher in full',
  create: 'Add partners, merchants and what is sold',
  change: 'Change partners, merchants and what is sold',
  set: 'Set the fee and the payout account of a merchant',
  grant: 'Let a partner sell a product',
  issue: 'Make an API key',
  register: 'Register addresses and public keys',
  revoke: 'Take access, API keys and public keys away',
  remove: 'Remove an address',
  suspend: 'Stop a partner',
  reinstate: 'Let a suspended partner work again',
  deactivate: 'Stop a merchant',
  activate: 'Let a deactivated merchant work again',
  cancel: 'Cancel a voucher',
};
