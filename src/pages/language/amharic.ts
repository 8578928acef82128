import { account, business } from './amharic-company.ts';
import { bulkTexts, catalogue, selling, statements, topups } from './amharic-sales.ts';

/** Layout, navigation, lists, problems. */
const common = {
  'Bulk orders': 'የጅምላ ትዕዛዞች',
  Prices: 'ዋጋዎች',
  Packages: 'ጥቅሎች',
  'Voucher portal': 'የቫውቸር ፖርታል',
  'Skip to the content': 'ወደ ይዘቱ ይለፉ',
  'Test environment': 'የሙከራ አካባቢ',
  'Live environment': 'እውነተኛ አካባቢ',
  'Try everything: no real money moves here.': 'ሁሉንም ይሞክሩ፦ እዚህ እውነተኛ ገንዘብ አይንቀሳቀስም።',
  'Real money moves here.': 'እዚህ እውነተኛ ገንዘብ ይንቀሳቀሳል።',
  'Test environment. Keys begin with gvs_test_.': 'የሙከራ አካባቢ። ቁልፎች በ gvs_test_ ይጀምራሉ።',
  'Live environment. Keys begin with gvs_live_.': 'እውነተኛ አካባቢ። ቁልፎች በ gvs_live_ ይጀምራሉ።',
  'Times are in {1} (UTC{2}): <1>change the time zone</1>.':
    'ሰዓቶች በ{1} (UTC{2}) ናቸው፦ <1>የሰዓት ክልሉን ይቀይሩ</1>።',
  'Sign out': 'ይውጡ',
  Partner: 'አጋር',
  Merchant: 'ነጋዴ',
  Menu: 'ምናሌ',
  'Close the menu': 'ምናሌውን ዝጋ',
  Portal: 'ፖርታል',
  Help: 'እገዛ',
  Documentation: 'ሰነዶች',
  Business: 'ሥራ',
  Overview: 'አጠቃላይ እይታ',
  Balances: 'ቀሪ ሂሳቦች',
  Vouchers: 'ቫውቸሮች',
  'Top-ups': 'ሙሌቶች',
  Sales: 'ሽያጭ',
  Redemptions: 'የተመነዘሩ ቫውቸሮች',
  Payouts: 'ክፍያዎች',
  'API access': 'የAPI መዳረሻ',
  'Getting started': 'ለመጀመር',
  'Keys and addresses': 'ቁልፎችና አድራሻዎች',
  Webhooks: 'ዌብሁኮች',
  'Try it': 'ይሞክሩት',
  Activity: 'እንቅስቃሴ',
  You: 'እርስዎ',
  People: 'ሰዎች',
  Account: 'መለያ',
  Show: 'አሳይ',
  'Show all': 'ሁሉንም አሳይ',
  All: 'ሁሉም',
  From: 'ከ',
  To: 'እስከ',
  Back: 'ተመለስ',
  Pages: 'ገጾች',
  Previous: 'ቀዳሚ',
  Next: 'ቀጣይ',
  '{1}–{2} of {3}': 'ከ{3} ውስጥ {1}–{2}',
  'Download as CSV': 'በCSV ያውርዱ',
  'None yet': 'እስካሁን የለም',
  None: 'የለም',
  'No matches': 'ተመሳሳይ አልተገኘም',
  'No entry matches the filters. Change the form above.': 'ከማጣሪያው ጋር የሚስማማ የለም። ከላይ ያለውን ቅጽ ይቀይሩ።',
  When: 'መቼ',
  What: 'ምን',
  Who: 'ማን',
  Name: 'ስም',
  Change: 'ለውጥ',
  State: 'ሁኔታ',
  Day: 'ቀን',
  Figures: 'አሃዞች',
  Amount: 'መጠን',
  Number: 'ቁጥር',
  Kind: 'ዓይነት',
  Owner: 'ባለቤት',
  ETB: 'ብር',
  'ETB {1}': 'ETB {1}',
  Save: 'አስቀምጥ',
  Done: 'ተጠናቋል',
  'Enter a day such as 2026-01-31.': 'ቀኑን እንደ 2026-01-31 ያስገቡ።',
  'The first day is after the last one.': 'የመጀመሪያው ቀን ከመጨረሻው በኋላ ነው።',
  'Choose at most 366 days.': 'ቢበዛ 366 ቀናት ይምረጡ።',
  'Phone number, serial number or reference': 'ስልክ ቁጥር፣ መለያ ቁጥር ወይም ማጣቀሻ',
  'Enter a phone number, a serial number or a reference.': 'ስልክ ቁጥር፣ መለያ ቁጥር ወይም ማጣቀሻ ያስገቡ።',
  'Only the newest {1} are shown.': 'አዲሶቹ {1} ብቻ ይታያሉ።',
  'No movement of this wallet has it.': 'በዚህ ዋሌት የተገኘ እንቅስቃሴ የለም።',
  'Whole statement': 'ሙሉ መግለጫ',
  'Only the newest {1} are shown. Choose days to see others.':
    'አዲሶቹ {1} ብቻ ይታያሉ። ሌሎችን ለማየት ቀናትን ይምረጡ።',
  'Choose one of these.': 'ከእነዚህ አንዱን ይምረጡ።',
  'To the overview': 'ወደ አጠቃላይ እይታ',
  'Request <1>{1}</1>': 'ጥያቄ <1>{1}</1>',
  'Page not found': 'ገጹ አልተገኘም',
  'The page does not exist, or it belongs to another company.': 'ገጹ የለም፣ ወይም የሌላ ድርጅት ነው።',
  'The form was not accepted': 'ቅጹ ተቀባይነት አላገኘም',
  'It was open for too long, your browser sent no cookie, or it came from another site. Nothing was changed. Open the page again and repeat it.':
    'ቅጹ ለረጅም ጊዜ ክፍት ነበር፣ አሳሽዎ ኩኪ አልላከም፣ ወይም ከሌላ ድረ ገጽ መጥቷል። ምንም አልተቀየረም። ገጹን እንደገና ከፍተው ይድገሙት።',
  'Not for your role': 'ለእርስዎ ሚና አልተፈቀደም',
  'Your role in this company does not include this page. Nothing was changed. An owner of the account can give you another role.':
    'በዚህ ድርጅት ያለዎት ሚና ይህን ገጽ አያካትትም። ምንም አልተቀየረም። የመለያው ባለቤት ሌላ ሚና ሊሰጥዎ ይችላል።',
  'The form is too large': 'ቅጹ በጣም ትልቅ ነው',
  'Send a smaller form or file.': 'አነስ ያለ ቅጽ ወይም ፋይል ይላኩ።',
  'Not a form': 'ቅጽ አይደለም',
  'This page accepts only forms in the encoding of browsers.': 'ይህ ገጽ ከአሳሽ የሚላኩ ቅጾችን ብቻ ይቀበላል።',
  'Not possible': 'አይቻልም',
  'This page cannot be used in this way.': 'ይህ ገጽ በዚህ መንገድ አይሠራም።',
  'The request is not valid': 'ጥያቄው ትክክል አይደለም',
  'Go back and try it again.': 'ተመልሰው እንደገና ይሞክሩ።',
  'Too many requests': 'በጣም ብዙ ጥያቄዎች',
  'Your network or your company sent too many requests, so this one was not processed. Nothing was changed. Wait a minute, then try again.':
    'ከኔትወርክዎ ወይም ከድርጅትዎ በጣም ብዙ ጥያቄዎች ስለመጡ ይህ አልተስተናገደም። ምንም አልተቀየረም። አንድ ደቂቃ ጠብቀው እንደገና ይሞክሩ።',
  'Too many rows for one file': 'ለአንድ ፋይል በጣም ብዙ ረድፎች',
  'A file has at most 20000 rows. Go back, choose fewer days, and download it in parts.':
    'አንድ ፋይል ቢበዛ 20000 ረድፎች ይይዛል። ተመልሰው ጥቂት ቀናትን ይምረጡና በክፍል ያውርዱ።',
  'We are busy': 'አሁን ሥራ በዝቶብናል',
  'The service cannot answer at the moment. Nothing was changed. Try again in a few seconds.':
    'አገልግሎቱ አሁን መመለስ አይችልም። ምንም አልተቀየረም። ከጥቂት ሰከንዶች በኋላ እንደገና ይሞክሩ።',
  'Something went wrong': 'ስህተት ተፈጥሯል',
  'The service failed, and the error was recorded. Try again; if it fails again, contact support with the number below.':
    'አገልግሎቱ አልተሳካም፤ ስህተቱ ተመዝግቧል። እንደገና ይሞክሩ፤ ካልተሳካ ከታች ባለው ቁጥር ድጋፍ ሰጪውን ያነጋግሩ።',
  'The outcome is not known': 'ውጤቱ አይታወቅም',
  'The service failed before it could answer. Your change may have been made, or it may still be made. Load this page again: your browser sends the same form once more, and a sale or an order takes place once. Do not fill in a new form before.':
    'አገልግሎቱ ከመመለሱ በፊት አልተሳካም። ለውጥዎ ተፈጽሞ ሊሆን ይችላል፣ ወይም ገና ሊፈጸም ይችላል። ይህን ገጽ እንደገና ይጫኑ፦ አሳሽዎ ያንኑ ቅጽ እንደገና ይልካል፣ ሽያጭ ወይም ትዕዛዝም አንድ ጊዜ ብቻ ይፈጸማል። ከዚያ በፊት አዲስ ቅጽ አይሙሉ።',
  'Account suspended': 'መለያው ታግዷል',
  'This account is suspended': 'ይህ መለያ ታግዷል',
  '{1} cannot use the service at the moment: its calls are refused, and its access cannot be changed here. Money and vouchers are unaffected.':
    '{1} አሁን አገልግሎቱን መጠቀም አይችልም፦ ጥሪዎቹ አይስተናገዱም፣ መዳረሻውም እዚህ አይቀየርም። ገንዘብና ቫውቸሮች አልተነኩም።',
  'Contact support to reinstate it.': 'እንዲከፈት ድጋፍ ሰጪውን ያነጋግሩ።',
} as const;

/** The sentences about a change, where the portal asks for a proof. */
const confirmations = {
  'You are about to make the key “{1}”.': 'ቁልፍ “{1}” ሊፈጥሩ ነው።',
  'You are about to replace the key “{1}” by a new one.': 'ቁልፍ “{1}” በአዲስ ሊተኩ ነው።',
  'You are about to revoke the key “{1}”.': 'ቁልፍ “{1}” ሊሰርዙ ነው።',
  'You are about to give the key “{1}” the scopes <1>{2}</1>.':
    'ለቁልፍ “{1}” እነዚህን ፈቃዶች ሊሰጡ ነው፦ <1>{2}</1>።',
  'You are about to set the daily limits of the key “{1}”: ETB {2}, vouchers and top-ups {3}.':
    'የቁልፍ “{1}” ዕለታዊ ገደቦችን ሊወስኑ ነው፦ ETB {2}፣ ቫውቸሮችና ሙሌቶች {3}።',
  'You are about to let calls come from <1>{1}</1>.': 'ጥሪዎች ከ<1>{1}</1> እንዲመጡ ሊፈቅዱ ነው።',
  'You are about to refuse calls from <1>{1}</1>.': 'ከ<1>{1}</1> የሚመጡ ጥሪዎችን ሊከለክሉ ነው።',
  'You are about to revoke the public key <1>{1}</1>.': 'ይፋዊ ቁልፍ <1>{1}</1> ሊሰርዙ ነው።',
  'You are about to register the public key <1>{1}</1>.': 'ይፋዊ ቁልፍ <1>{1}</1> ሊያስመዘግቡ ነው።',
  'You are about to download the voucher codes of bulk order {1}.':
    'የጅምላ ትዕዛዝ {1} የቫውቸር ኮዶችን ሊያወርዱ ነው።',
  'You are about to download the result of bulk order {1}.': 'የጅምላ ትዕዛዝ {1} ውጤትን ሊያወርዱ ነው።',
  'You are about to switch on one-time passwords for {1}.': 'ለ{1} የአንድ ጊዜ የይለፍ ቃሎችን ሊያበሩ ነው።',
  'You are about to add a passkey for {1}.': 'ለ{1} የይለፍ ቁልፍ ሊጨምሩ ነው።',
  'You are about to require a second factor of everybody.': 'ሁለተኛ ማረጋገጫ ከሁሉም ሰው ሊጠይቁ ነው።',
  'You are about to leave the second factor to each person.': 'ሁለተኛ ማረጋገጫን ለእያንዳንዱ ሰው ምርጫ ሊተዉ ነው።',
  'You are about to let {1} sign in as {2}.': '{1} እንደ {2} እንዲገባ ሊፈቅዱ ነው።',
  'You are about to change the role of {1} to {2}.': 'የ{1} ሚና ወደ {2} ሊቀይሩ ነው።',
  'You are about to remove {1}.': '{1} ሊያስወግዱ ነው።',
  'You are about to pause the webhook <1>{1}</1>.': 'ዌብሁክ <1>{1}</1> ለጊዜው ሊያቆሙ ነው።',
  'You are about to resume the webhook <1>{1}</1>.': 'ዌብሁክ <1>{1}</1> እንደገና ሊያስጀምሩ ነው።',
  'You are about to send a test event to the webhook <1>{1}</1>.':
    'ወደ ዌብሁክ <1>{1}</1> የሙከራ ክስተት ሊልኩ ነው።',
  'You are about to remove the webhook <1>{1}</1>.': 'ዌብሁክ <1>{1}</1> ሊያስወግዱ ነው።',
} as const;

/** Monthly statements, and the language of messages to owners. */
const months = {
  Statements: 'መግለጫዎች',
  'Monthly statements': 'ወርሃዊ መግለጫዎች',
  'What moved in a month of {1}, as a page to print and as a file for spreadsheets. A statement is there two hours after its month, and does not change any more.':
    'በ{1} ወር የተንቀሳቀሰው፣ ለማተም እንደ ገጽና ለሠንጠረዥ እንደ ፋይል። መግለጫው ወሩ ካለቀ ከሁለት ሰዓት በኋላ ይገኛል፣ ከዚያ አይቀየርም።',
  'No statements': 'መግለጫ የለም',
  'The first month with a movement has not ended yet.': 'እንቅስቃሴ ያለበት የመጀመሪያው ወር ገና አላለቀም።',
  'Statements, newest first': 'መግለጫዎች፣ አዲሱ መጀመሪያ',
  Month: 'ወር',
  'To print': 'ለማተም',
  'For spreadsheets': 'ለሠንጠረዥ',
  Page: 'ገጽ',
  '{1}<1> of {2}</1>': '{1}<1> የ{2}</1>',
  'Messages to owners': 'ለባለቤቶች የሚላኩ መልእክቶች',
  'Codes, confirmations, reminders and notices for the owners of your vouchers are in this language. It holds for messages from now on.':
    'ለቫውቸሮችዎ ባለቤቶች የሚላኩ ኮዶች፣ ማረጋገጫዎች፣ ማስታወሻዎችና ማስታወቂያዎች በዚህ ቋንቋ ናቸው። ከአሁን ጀምሮ ለሚላኩ መልእክቶች ይሠራል።',
  'Language of messages': 'የመልእክቶች ቋንቋ',
  'Messages to owners are in {1} now.': 'ለባለቤቶች የሚላኩ መልእክቶች አሁን በ{1} ናቸው።',
} as const;

/** The overview's figures, low balances, margins. */
const overview = {
  '{1} in the last 7 days, {2}': 'ባለፉት 7 ቀናት {1}፣ {2}',
  'as in the 7 days before': 'ከቀደሙት 7 ቀናት ጋር እኩል',
  'nothing in the 7 days before': 'በቀደሙት 7 ቀናት ምንም',
  '{1} % more than in the 7 days before': 'ከቀደሙት 7 ቀናት በ{1} % የበለጠ',
  '{1} % less than in the 7 days before': 'ከቀደሙት 7 ቀናት በ{1} % ያነሰ',
  'As a table<1> ({1})</1>': 'በሠንጠረዥ<1> ({1})</1>',
  'Figures<1> ({1})</1>': 'አሃዞች<1> ({1})</1>',
  'Vouchers sold': 'የተሸጡ ቫውቸሮች',
  'Top-ups delivered': 'የደረሱ ሙሌቶች',
  'Paid to you': 'የተከፈለዎት',
  'Payments to merchants': 'ለነጋዴዎች የሚከፈሉ ክፍያዎች',
  'Payments to you': 'ለእርስዎ የሚከፈሉ ክፍያዎች',
  'Failed top-ups': 'ያልተሳኩ ሙሌቶች',
  'Payments that were refused': 'ተቀባይነት ያላገኙ ክፍያዎች',
  'The figures of the last days are not available at the moment.': 'የመጨረሻዎቹ ቀናት አሃዞች አሁን አይገኙም።',
  Underway: 'በሂደት ላይ',
  'Nothing: every outcome is known.': 'ምንም የለም፦ ውጤቱ ሁሉ ታውቋል።',
  'The provider has not said yet how these end. Their money is on hold.':
    'አቅራቢው የእነዚህን ውጤት ገና አላሳወቀም። ገንዘባቸው ተይዟል።',
  '<1>{1}</1>: {2} for {3}': '<1>{1}</1>፦ {2} በ{3}',
  'None in the last 7 days.': 'ባለፉት 7 ቀናት የለም።',
  'The provider gave no reason': 'አቅራቢው ምክንያት አልሰጠም',
  'Show them': 'አሳያቸው',
  Low: 'ዝቅተኛ',
  'Low below {1}.': 'ከ{1} በታች ዝቅተኛ ነው።',
  'Warn when it is low': 'ዝቅ ሲል አስጠንቅቅ',
  'Change the warning': 'ማስጠንቀቂያውን ቀይር',
  'Low balance': 'ዝቅተኛ ቀሪ ሂሳብ',
  'When is the {1} low?': '{1} ዝቅተኛ የሚባለው መቼ ነው?',
  'Below this balance the overview warns, and your webhooks get the event <1>balance.low</1>, once each time the balance falls below it.':
    'ከዚህ ቀሪ ሂሳብ በታች አጠቃላይ እይታው ያስጠነቅቃል፤ ቀሪ ሂሳቡ ከዚህ በታች በወረደ ቁጥር ዌብሁኮችዎ <1>balance.low</1> የሚለውን ክስተት አንድ ጊዜ ያገኛሉ።',
  'Low below, in ETB': 'ዝቅተኛ የሚባልበት፣ በብር',
  'Empty: no warning.': 'ባዶ፦ ማስጠንቀቂያ የለም።',
  'Enter an amount above 0, such as 1000 or 99.50.': 'ከ0 በላይ መጠን ያስገቡ፣ ለምሳሌ 1000 ወይም 99.50።',
  'The low balance of the gift wallet is saved.': 'የስጦታ ዋሌት ዝቅተኛ ቀሪ ሂሳብ ተቀምጧል።',
  'The low balance of the airtime wallet is saved.': 'የአየር ሰዓት ዋሌት ዝቅተኛ ቀሪ ሂሳብ ተቀምጧል።',
  Margin: 'ትርፍ',
  'Your selling price less the cost in ETB, at the exchange rate that your server named with each sale.':
    'የመሸጫ ዋጋዎ ከብር ወጪው ሲቀነስ፣ ሰርቨርዎ በእያንዳንዱ ሽያጭ በገለጸው የምንዛሪ ተመን።',
  Counted: 'የተቆጠረ',
  '{1} of {2}': 'ከ{2} ውስጥ {1}',
  'Sold, USD': 'የተሸጠ፣ USD',
  'Cost, USD': 'ወጪ፣ USD',
  'Margin, USD': 'ትርፍ፣ USD',
  'Margin, ETB': 'ትርፍ፣ ብር',
} as const;

/** Why the service did not do what a person asked for: messages of domain/reasons.ts. */
const refusals = {
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
  'There is no active merchant with this id or identifier': 'በዚህ መለያ ኮድ የሚሠራ ነጋዴ የለም',
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

/**
 * The Amharic of the portal, by the English texts. The pages of API access are in English, as the
 * documentation is: their readers are developers.
 */
export const amharic = {
  ...common,
  ...account,
  ...confirmations,
  ...business,
  ...topups,
  ...months,
  ...overview,
  ...bulkTexts,
  ...catalogue,
  ...selling,
  ...statements,
  ...refusals,
} as const;
