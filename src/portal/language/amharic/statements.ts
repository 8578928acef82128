/** Lines of statements (domain/statements/statement-labels.ts), the more special ones first. */
export const statements = {
  'Deposit {1} reversed': 'ተቀማጭ {1} ተመልሷል',
  'Deposit {1}': 'ተቀማጭ {1}',
  'Credited as goodwill, {1}': 'በመልካም ፈቃድ ገቢ ተደርጓል፣ {1}',
  'Voucher {1}: {2} paid late, redemption {3}, charged as agreed':
    'ቫውቸር {1}፦ ለ{2} ዘግይቶ ተከፍሏል፣ ምንዘራ {3}፣ በስምምነቱ መሠረት ተቀንሷል',
  'Top-up {1}, attempt {2}: delivered late, charged as agreed':
    'ሙሌት {1}፣ ሙከራ {2}፦ ዘግይቶ ደርሷል፣ በስምምነቱ መሠረት ተቀንሷል',
  'Top-up {1}: made before a recovery of the service, charged as agreed':
    'ሙሌት {1}፦ አገልግሎቱ መልሶ ከመቋቋሙ በፊት ተፈጽሟል፣ በስምምነቱ መሠረት ተቀንሷል',
  'Payment {1}: made before a recovery of the service, charged as agreed':
    'ክፍያ {1}፦ አገልግሎቱ መልሶ ከመቋቋሙ በፊት ተፈጽሟል፣ በስምምነቱ መሠረት ተቀንሷል',
  'Top-up {1}: done a second time, charged as agreed': 'ሙሌት {1}፦ ለሁለተኛ ጊዜ ተፈጽሟል፣ በስምምነቱ መሠረት ተቀንሷል',
  'Payment {1}: done a second time, charged as agreed':
    'ክፍያ {1}፦ ለሁለተኛ ጊዜ ተፈጽሟል፣ በስምምነቱ መሠረት ተቀንሷል',
  'Top-up {1}, attempt {2}: taken back by the provider, money returned':
    'ሙሌት {1}፣ ሙከራ {2}፦ አቅራቢው መልሶታል፣ ገንዘቡ ተመልሷል',
  'Voucher {1}: the payment to {2} was taken back, redemption {3}, service fee returned':
    'ቫውቸር {1}፦ ለ{2} የተከፈለው ተመልሷል፣ ምንዘራ {3}፣ የአገልግሎት ክፍያው ተመልሷል',
  'Voucher {1}: the payment to {2} was taken back, redemption {3}, money returned':
    'ቫውቸር {1}፦ ለ{2} የተከፈለው ተመልሷል፣ ምንዘራ {3}፣ ገንዘቡ ተመልሷል',
  'Voucher {1}: {2} reversed redemption {3}, payment returned':
    'ቫውቸር {1}፦ {2} ምንዘራ {3} መልሷል፣ ክፍያው ተመልሷል',
  'Voucher {1}: {2} reversed redemption {3}, service fee returned':
    'ቫውቸር {1}፦ {2} ምንዘራ {3} መልሷል፣ የአገልግሎት ክፍያው ተመልሷል',
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
