/** Lines of statements (domain/statements/statement-labels.ts), the more special ones first. */
export const statements = {
  'Deposit {1} reversed': 'ተቀማጭ {1} ተመልሷል',
  'Deposit {1}': 'ተቀማጭ {1}',
  'Credited as goodwill, {1}': 'በመልካም ፈቃድ ገቢ ተደርጓል፣ {1}',
  'Voucher {1}: payment to {2}, redemption {3}: done without a charge before, charged as agreed':
    'ቫውቸር {1}፦ ለ{2} የተከፈለው፣ ምንዘራ {3}፦ ቀድሞ ሳይቀነስ ተፈጽሟል፣ በስምምነቱ መሠረት ተቀንሷል',
  'Voucher {1}: payment to {2}, redemption {3}: not done in the end, money returned':
    'ቫውቸር {1}፦ ለ{2} ሊከፈል የነበረው፣ ምንዘራ {3}፦ በመጨረሻ አልተፈጸመም፣ ገንዘቡ ተመልሷል',
  'Top-up {1}, attempt {2}: done without a charge before, charged as agreed':
    'ሙሌት {1}፣ ሙከራ {2}፦ ቀድሞ ሳይቀነስ ተፈጽሟል፣ በስምምነቱ መሠረት ተቀንሷል',
  'Top-up {1}, attempt {2}: not done in the end, money returned':
    'ሙሌት {1}፣ ሙከራ {2}፦ በመጨረሻ አልተፈጸመም፣ ገንዘቡ ተመልሷል',
  'Top-up {1} from before a recovery of the service: done without a charge before, charged as agreed':
    'ሙሌት {1}፣ አገልግሎቱ መልሶ ከመቋቋሙ በፊት፦ ቀድሞ ሳይቀነስ ተፈጽሟል፣ በስምምነቱ መሠረት ተቀንሷል',
  'Top-up {1} from before a recovery of the service: not done in the end, money returned':
    'ሙሌት {1}፣ አገልግሎቱ መልሶ ከመቋቋሙ በፊት፦ በመጨረሻ አልተፈጸመም፣ ገንዘቡ ተመልሷል',
  'Payment {1} from before a recovery of the service: done without a charge before, charged as agreed':
    'ክፍያ {1}፣ አገልግሎቱ መልሶ ከመቋቋሙ በፊት፦ ቀድሞ ሳይቀነስ ተፈጽሟል፣ በስምምነቱ መሠረት ተቀንሷል',
  'Payment {1} from before a recovery of the service: not done in the end, money returned':
    'ክፍያ {1}፣ አገልግሎቱ መልሶ ከመቋቋሙ በፊት፦ በመጨረሻ አልተፈጸመም፣ ገንዘቡ ተመልሷል',
  'Voucher {1}: redemption {2} of {3} reversed, payment returned':
    'ቫውቸር {1}፦ ምንዘራ {2} የ{3} ተመልሷል፣ ክፍያው ተመልሷል',
  'Voucher {1}: redemption {2} of {3} reversed, service fee returned':
    'ቫውቸር {1}፦ ምንዘራ {2} የ{3} ተመልሷል፣ የአገልግሎት ክፍያው ተመልሷል',
  'Voucher {1} cancelled, its rest returned': 'ቫውቸር {1} ተሰርዟል፣ ቀሪው ተመልሷል',
  'Voucher {1} expired, its rest returned': 'ቫውቸር {1} ጊዜው አልፏል፣ ቀሪው ተመልሷል',
  'Voucher {1} generated': 'ቫውቸር {1} ወጥቷል',
  'Voucher {1} redeemed: service fee, redemption {2}': 'ቫውቸር {1} ተመንዝሯል፦ የአገልግሎት ክፍያ፣ ምንዘራ {2}',
  'Voucher {1} redeemed: {2} paid, redemption {3}': 'ቫውቸር {1} ተመንዝሯል፦ ለ{2} ተከፍሏል፣ ምንዘራ {3}',
  'Top-up {1}, airtime for {2}, attempt {3}: under way': 'ሙሌት {1}፣ የአየር ሰዓት ለ{2}፣ ሙከራ {3}፦ በሂደት ላይ',
  'Top-up {1}, airtime for {2}, attempt {3}: delivered': 'ሙሌት {1}፣ የአየር ሰዓት ለ{2}፣ ሙከራ {3}፦ ደርሷል',
  'Top-up {1}, airtime for {2}, attempt {3}: failed, money returned':
    'ሙሌት {1}፣ የአየር ሰዓት ለ{2}፣ ሙከራ {3}፦ አልተሳካም፣ ገንዘቡ ተመልሷል',
  'Top-up {1}, airtime for {2}, attempt {3}: failed': 'ሙሌት {1}፣ የአየር ሰዓት ለ{2}፣ ሙከራ {3}፦ አልተሳካም',
  'Top-up {1}, {2} for {3}, attempt {4}: under way': 'ሙሌት {1}፣ {2} ለ{3}፣ ሙከራ {4}፦ በሂደት ላይ',
  'Top-up {1}, {2} for {3}, attempt {4}: delivered': 'ሙሌት {1}፣ {2} ለ{3}፣ ሙከራ {4}፦ ደርሷል',
  'Top-up {1}, {2} for {3}, attempt {4}: failed, money returned':
    'ሙሌት {1}፣ {2} ለ{3}፣ ሙከራ {4}፦ አልተሳካም፣ ገንዘቡ ተመልሷል',
  'Top-up {1}, {2} for {3}, attempt {4}: failed': 'ሙሌት {1}፣ {2} ለ{3}፣ ሙከራ {4}፦ አልተሳካም',
} as const;
