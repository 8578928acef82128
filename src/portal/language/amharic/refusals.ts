/** Why the service did not do what a person asked for: messages of domain/reasons.ts. */
export const refusals = {
  'It was accepted, and it still runs. Look again in a minute.':
    'ተቀባይነት አግኝቷል፤ ገና በሂደት ላይ ነው። ከአንድ ደቂቃ በኋላ እንደገና ይመልከቱ።',
  'Your role no longer includes this. Nothing was changed.': 'ሚናዎ ከእንግዲህ ይህን አያካትትም። ምንም አልተቀየረም።',
  'The account is suspended: contact support': 'መለያው ታግዷል፦ ድጋፍ ሰጪውን ያነጋግሩ',
  'This idempotency key was already used for a different request': 'ይህ ቁልፍ ለሌላ ጥያቄ ጥቅም ላይ ውሏል',
  'Specify the merchant by merchantId or merchantIdentifier':
    'ነጋዴውን በ merchantId ወይም በ merchantIdentifier ይግለጹ',
  'You have no access to this product': 'ይህ ምርት አልተፈቀደልዎትም',
  'There is no active denomination with this id': 'በዚህ መለያ ኮድ የሚሠራ የቫውቸር መጠን የለም',
  'Messages are not sent to numbers of this country': 'ወደዚህ አገር ቁጥሮች መልእክት አይላክም',
  'The result of the generation is not known yet. Without an Idempotency-Key, a repeated request would generate another voucher: check the balance first':
    'የቫውቸሩ ውጤት ገና አልታወቀም። ጥያቄው ቢደገም ሌላ ቫውቸር ሊወጣ ይችላል፦ መጀመሪያ ቀሪ ሂሳቡን ይመልከቱ',
  'There is no top-up with this transaction id': 'በዚህ መለያ ኮድ ሙሌት የለም',
  'Only a failed top-up can be retried': 'እንደገና ሊሞከር የሚችለው ያልተሳካ ሙሌት ብቻ ነው',
  'The phone number of this top-up was erased: retry it with the number in msisdn':
    'የዚህ ሙሌት የስልክ ቁጥር ተሰርዟል፦ ቁጥሩን አስገብተው እንደገና ይሞክሩ',
  'The service sends no top-ups to the operator of this phone number':
    'አገልግሎቱ ወደዚህ ቁጥር ኦፕሬተር ሙሌት አይልክም',
  'The package belongs to a different operator than the phone number': 'ጥቅሉ የስልክ ቁጥሩ ኦፕሬተር አይደለም',
  'The amount is outside the range that the operator accepts': 'መጠኑ ኦፕሬተሩ ከሚቀበለው ክልል ውጪ ነው',
  'The top-up failed and nothing was charged; it can be retried':
    'ሙሌቱ አልተሳካም፣ ምንም አልተቀነሰም፤ እንደገና ሊሞከር ይችላል',
  'This attempt failed, and the top-up was delivered since: do not retry it':
    'ይህ ሙከራ አልተሳካም፣ ሙሌቱ ግን ከዚያ በኋላ ደርሷል፦ እንደገና አይሞክሩት',
  'This attempt failed, and another one is being processed': 'ይህ ሙከራ አልተሳካም፣ ሌላ ሙከራ በሂደት ላይ ነው',
  'There is no voucher with this id': 'በዚህ መለያ ኮድ ቫውቸር የለም',
  'There is no active merchant with this id': 'በዚህ መለያ ኮድ የሚሠራ ነጋዴ የለም',
  'No price is defined for the product: set a selling price for this denomination first':
    'ለምርቱ ዋጋ አልተወሰነም፦ መጀመሪያ ለዚህ መጠን የመሸጫ ዋጋ ይወስኑ',
  'Not enough money in the wallet': 'በዋሌቱ በቂ ገንዘብ የለም',
  'This is more than the daily limit leaves': 'ይህ ከቀኑ ወሰን ቀሪ ይበልጣል',
  'This phone number has reached its limit of the day': 'ይህ የስልክ ቁጥር የቀን ወሰኑ ላይ ደርሷል',
  'The voucher is already redeemed': 'ቫውቸሩ ተመንዝሯል',
  'A redemption of this voucher is being paid: repeat the request when it has ended':
    'የዚህ ቫውቸር ምንዘራ በመከፈል ላይ ነው፦ ሲያበቃ እንደገና ይሞክሩ',
  'The expiration date of the voucher has passed': 'የቫውቸሩ ጊዜ አልፏል',
  'The owner misses no message: no claim is open, and the last confirmation was sent':
    'ባለቤቱ ያልደረሰው መልእክት የለም፦ ክፍት ጥያቄ የለም፣ የመጨረሻው ማረጋገጫም ተልኳል',
  'A message was sent to the owner a moment ago': 'ለባለቤቱ ከጥቂት ጊዜ በፊት መልእክት ተልኳል',
  'Too many messages were sent to this number today': 'ወደዚህ ቁጥር ዛሬ በጣም ብዙ መልእክቶች ተልከዋል',
  'The provider refused too many messages to this number: check the number, then wait':
    'አቅራቢው ወደዚህ ቁጥር ብዙ መልእክቶችን አልተቀበለም፦ ቁጥሩን ያረጋግጡና ይጠብቁ',
  'The SMS could not be sent: nothing was changed': 'SMS ሊላክ አልቻለም፦ ምንም አልተቀየረም',
  'The database could not complete the request: nothing was changed':
    'ጥያቄው ሊጠናቀቅ አልቻለም፦ ምንም አልተቀየረም',
  'The service cannot process this request right now: repeat it in a moment':
    'አገልግሎቱ ይህን ጥያቄ አሁን ማስተናገድ አይችልም፦ ከጥቂት ጊዜ በኋላ ይድገሙት',
  'The service failed to process the request': 'አገልግሎቱ ጥያቄውን ማስተናገድ አልቻለም',
} as const;
