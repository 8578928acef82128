/** Bulk orders, and what is wrong with their files. */
export const bulkTexts = {
  'Orders of many vouchers, newest first, from the portal and from the API. <1>Order vouchers in bulk</1>':
    'የብዙ ቫውቸሮች ትዕዛዞች፣ አዲሱ መጀመሪያ፣ ከፖርታሉና ከAPI። <1>ቫውቸሮችን በጅምላ ይዘዙ</1>',
  'Ordered from': 'ከታዘዘበት ቀን',
  'Ordered to': 'እስከ ታዘዘበት ቀን',
  Order: 'ትዕዛዝ',
  Ordered: 'የታዘዘበት',
  Lines: 'መስመሮች',
  Refused: 'ተቀባይነት ያላገኙ',
  Running: 'በሂደት ላይ',
  'Being cancelled': 'በመሰረዝ ላይ',
  'Orders appear here as soon as somebody uploads one, or your server sends one.':
    'አንድ ሰው ትዕዛዝ እንደጫነ፣ ወይም ሰርቨርዎ እንደላከ እዚህ ይታያል።',
  'All bulk orders': 'ሁሉም የጅምላ ትዕዛዞች',
  'Bulk order {1}': 'የጅምላ ትዕዛዝ {1}',
  'Bulk order {1} {2}': 'የጅምላ ትዕዛዝ {1} {2}',
  Progress: 'ሂደት',
  'Lines done': 'ያለቁ መስመሮች',
  'Left out': 'የተተዉ',
  Ended: 'ያበቃበት',
  'It still runs': 'ገና በሂደት ላይ ነው',
  'This page is loaded again every {1} seconds.': 'ይህ ገጽ በየ{1} ሰከንዱ እንደገና ይጫናል።',
  'Download the result': 'ውጤቱን ያውርዱ',
  'Download the result with codes': 'ውጤቱን ከኮዶች ጋር ያውርዱ',
  'Cancel the order': 'ትዕዛዙን ሰርዝ',
  'Refused lines': 'ተቀባይነት ያላገኙ መስመሮች',
  'The person or the API key that ordered it may not order vouchers any more':
    'ያዘዘው ሰው ወይም የኤፒአይ ቁልፍ ከእንግዲህ ቫውቸር ማዘዝ አይችልም',
  'They cost nothing. Correct them, and order them again with the same references.':
    'ምንም አላስከፈሉም። ያርሟቸውና በያዙት ማጣቀሻ እንደገና ይዘዟቸው።',
  Line: 'መስመር',
  Why: 'ምክንያት',
  'And {1} more, in the result.': 'ሌሎች {1} በውጤቱ ውስጥ አሉ።',
  'Cancel bulk order {1}?': 'የጅምላ ትዕዛዝ {1} ይሰረዝ?',
  '{1} lines are not generated yet: they are left out, and cost nothing. The {2} vouchers that exist stay, and can be cancelled one by one.':
    '{1} መስመሮች ገና አልወጡም፦ ይተዋሉ፣ ምንም አያስከፍሉም። የወጡት {2} ቫውቸሮች ይቀራሉ፣ አንድ በአንድም ሊሰረዙ ይችላሉ።',
  'The order is being cancelled.': 'ትዕዛዙ በመሰረዝ ላይ ነው።',
  'The order has ended: nothing is left to cancel.': 'ትዕዛዙ አብቅቷል፦ የሚሰረዝ ነገር የለም።',
  'The order of {1} vouchers was accepted.': 'የ{1} ቫውቸሮች ትዕዛዝ ተቀባይነት አግኝቷል።',
  'Nothing was ordered': 'ምንም አልታዘዘም',
  'Order vouchers in bulk': 'ቫውቸሮችን በጅምላ ይዘዙ',
  'Up to {1} vouchers from a CSV file or from rows of a spreadsheet. The next page shows what they cost; nothing is ordered before you confirm it.':
    'ከCSV ፋይል ወይም ከሠንጠረዥ ረድፎች እስከ {1} ቫውቸሮች። ቀጣዩ ገጽ የሚያስከፍሉትን ያሳያል፤ እስኪያረጋግጡ ድረስ ምንም አይታዘዝም።',
  'CSV file': 'የCSV ፋይል',
  'Or pasted rows': 'ወይም የተለጠፉ ረድፎች',
  'Check the lines': 'መስመሮቹን አጣራ',
  'Download an example': 'ምሳሌ ያውርዱ',
  'The columns': 'ዓምዶቹ',
  'Columns of the file': 'የፋይሉ ዓምዶች',
  Column: 'ዓምድ',
  Meaning: 'ትርጉም',
  'Your own name of this voucher, without spaces. A reference that generated a voucher never generates another.':
    'ለዚህ ቫውቸር የሰጡት የራስዎ ስም፣ ያለ ክፍተት። አንድ ቫውቸር ያወጣ ማጣቀሻ ሌላ አያወጣም።',
  'Value of the voucher in ETB: one of your denominations.': 'የቫውቸሩ ዋጋ በብር፦ ከተፈቀዱልዎት መጠኖች አንዱ።',
  'Identifier of the merchant, such as MER-0001; or <1>merchantId</1>.':
    'የነጋዴው መለያ ኮድ፣ ለምሳሌ MER-0001፤ ወይም <1>merchantId</1>።',
  'Mobile number of the owner. Empty: an anonymous voucher.': 'የባለቤቱ የሞባይል ቁጥር። ባዶ፦ ስም አልባ ቫውቸር።',
  '<1>yes</1>: only this merchant redeems it; <2>no</2>: every merchant. Empty: <3>yes</3>.':
    '<1>yes</1>፦ ይህ ነጋዴ ብቻ ይመነዝረዋል፤ <2>no</2>፦ ማንኛውም ነጋዴ። ባዶ፦ <3>yes</3>።',
  '<1>Nothing was ordered: {1}.</1> Correct the lines and check them again.':
    '<1>ምንም አልታዘዘም፦ {1}።</1> መስመሮቹን አርመው እንደገና ያጣሩ።',
  'one problem': 'አንድ ችግር',
  '{1} problems': '{1} ችግሮች',
  'Line {1}:': 'መስመር {1}፦',
  'And {1} more.': 'ሌሎች {1} አሉ።',
  'Confirm a bulk order': 'የጅምላ ትዕዛዝ ያረጋግጡ',
  'Order one voucher for {1}?': 'አንድ ቫውቸር በ{1} ይታዘዝ?',
  'Order {1} vouchers for {2}?': '{1} ቫውቸሮች በ{2} ይታዘዙ?',
  'Repeat the order?': 'ትዕዛዙ ይደገም?',
  'Every reference has a voucher already. The order costs nothing, and only repeats their result.':
    'ሁሉም ማጣቀሻዎች አስቀድሞ ቫውቸሮች አሏቸው። ትዕዛዙ ምንም አያስከፍልም፣ ውጤታቸውን ብቻ ይደግማል።',
  'One reference has a voucher already': 'አንድ ማጣቀሻ አስቀድሞ ቫውቸር አለው',
  '{1} references have vouchers already': '{1} ማጣቀሻዎች አስቀድሞ ቫውቸሮች አሏቸው',
  '<1>{1}.</1> Their lines cost nothing. The result has the same voucher again, or refuses a line with other content.':
    '<1>{1}።</1> መስመሮቻቸው ምንም አያስከፍሉም። ውጤቱ ያንኑ ቫውቸር እንደገና ይይዛል፣ ሌላ ይዘት ያለው መስመር ግን ተቀባይነት አያገኝም።',
  '<1>The gift wallet is too small.</1> It has {1}. Lines are generated in their order until it is spent, and the rest is refused.':
    '<1>የስጦታ ዋሌቱ አይበቃም።</1> {1} አለው። መስመሮች እስኪያልቅ ድረስ በቅደም ተከተላቸው ይወጣሉ፣ ቀሪዎቹ ተቀባይነት አያገኙም።',
  '<1>{1}</1> and would be refused. <2>Set your prices</2> first.':
    '<1>{1}</1>፤ ተቀባይነት አያገኙም። መጀመሪያ <2>ዋጋዎችዎን ይወስኑ</2>።',
  'One line has no selling price': 'አንድ መስመር የመሸጫ ዋጋ የለውም',
  '{1} lines have no selling price': '{1} መስመሮች የመሸጫ ዋጋ የላቸውም',
  'What it costs': 'የሚያስከፍለው',
  'Vouchers by amount': 'ቫውቸሮች በመጠን',
  Count: 'ብዛት',
  'Gift wallet: {1} now, {2} after the order.': 'የስጦታ ዋሌት፦ አሁን {1}፣ ከትዕዛዙ በኋላ {2}።',
  'Order the vouchers': 'ቫውቸሮቹን እዘዝ',
  'The first lines': 'የመጀመሪያዎቹ መስመሮች',
  'The first lines of the order': 'የትዕዛዙ የመጀመሪያ መስመሮች',
  'Choose a file, or paste rows. The first row names the columns.':
    'ፋይል ይምረጡ ወይም ረድፎችን ይለጥፉ። የመጀመሪያው ረድፍ የዓምዶቹን ስሞች ይይዛል።',
  'There is no line below the names of the columns.': 'ከዓምዶቹ ስሞች በታች መስመር የለም።',
  'An order has at most {1} lines.': 'አንድ ትዕዛዝ ቢበዛ {1} መስመሮች ይይዛል።',
  'It has {1} cells for {2} columns.': 'ለ{2} ዓምዶች {1} ሕዋሶች አሉት።',
  'The rows cannot be read as CSV: {1}.': 'ረድፎቹ እንደ CSV ሊነበቡ አይችሉም፦ {1}።',
  'The first row names the columns, and column {1} is none of these: {2}.':
    'የመጀመሪያው ረድፍ የዓምዶቹን ስሞች ይይዛል፤ ዓምድ {1} ከእነዚህ አንዱ አይደለም፦ {2}።',
  'The column {1} is there twice.': 'ዓምድ {1} ሁለት ጊዜ አለ።',
  'The column {1} is missing.': 'ዓምድ {1} የለም።',
  '{1} is that of line {2}, too': '{1} የመስመር {2}ም ነው',
  '{1} was shortened by a spreadsheet: write all its digits, and save the file as text':
    'የሠንጠረዥ ፕሮግራም {1}ን አሳጥሮታል፤ ሁሉንም አሃዞች ይጻፉና ፋይሉን እንደ ጽሑፍ ያስቀምጡ',
  '{1} must be {2} or {3}': '{1} {2} ወይም {3} መሆን አለበት',
  '{1} {2} is not one of the active merchants': '{1} {2} ከሚሠሩት ነጋዴዎች አንዱ አይደለም',
  '{1} is none of your denominations': '{1} ከተፈቀዱልዎት መጠኖች አንዱ አይደለም',
  '{1} is none of your denominations: {2}': '{1} ከተፈቀዱልዎት መጠኖች አንዱ አይደለም፦ {2}',
  '{1} is that of several denominations: use {2}': '{1} የብዙ መጠኖች ነው፦ {2} ይጠቀሙ',
  'must be text': 'ጽሑፍ መሆን አለበት',
  'must have 1 to 100 printable characters without spaces':
    'ያለ ክፍተት ከ1 እስከ 100 የሚታተሙ ፊደላት ሊኖሩት ይገባል',
  'must have at most 100 characters': 'ቢበዛ 100 ፊደላት ሊኖሩት ይገባል',
  'must be a whole number above 0': 'ከ0 በላይ ሙሉ ቁጥር መሆን አለበት',
  'must be a mobile number, such as 0911234567 or +251911234567':
    'የሞባይል ቁጥር መሆን አለበት፣ ለምሳሌ 0911234567 ወይም +251911234567',
  'must be a decimal number above 0 with at most 6 decimals':
    'ከ0 በላይ የሆነ፣ ቢበዛ 6 የአስርዮሽ አሃዞች ያሉት ቁጥር መሆን አለበት',
  'must be a decimal number above 0, such as 57.25': 'ከ0 በላይ የሆነ የአስርዮሽ ቁጥር መሆን አለበት፣ ለምሳሌ 57.25',
  'must be an ISO 4217 currency code, such as USD': 'የISO 4217 የገንዘብ ኮድ መሆን አለበት፣ ለምሳሌ USD',
  'must be an ISO 3166-1 country code or name, such as US or Ethiopia':
    'የISO 3166-1 የአገር ኮድ ወይም ስም መሆን አለበት፣ ለምሳሌ US ወይም Ethiopia',
  '{1} must be sent': '{1} ያስፈልጋል',
} as const;

/** Prices of vouchers, packages. */
export const catalogue = {
  'Prices of vouchers': 'የቫውቸሮች ዋጋዎች',
  'A voucher costs you its value, from the gift wallet. Your selling price is what your customers pay, in USD; a voucher without one cannot be generated.':
    'ቫውቸር ከስጦታ ዋሌት ዋጋውን ያህል ያስከፍልዎታል። የመሸጫ ዋጋዎ ደንበኞችዎ በUSD የሚከፍሉት ነው፤ የመሸጫ ዋጋ የሌለው ቫውቸር ሊወጣ አይችልም።',
  'Your contact at the service gives you access to vouchers.': 'በአገልግሎቱ ያለው ተጠሪዎ ቫውቸሮችን ይፈቅድልዎታል።',
  'Not sold now': 'አሁን አይሸጥም',
  'Your price': 'የመሸጫ ዋጋዎ',
  For: 'ለማን',
  Since: 'የተጀመረበት',
  'All merchants without their own price': 'የራሳቸው ዋጋ የሌላቸው ነጋዴዎች ሁሉ',
  'Set<1> the price of the voucher of {1}</1>': 'ወስን<1> የ{1} ቫውቸር ዋጋን</1>',
  'Price of a voucher': 'የቫውቸር ዋጋ',
  'Price of the voucher of {1}': 'የ{1} ቫውቸር ዋጋ',
  'The price holds for vouchers that are generated from now on. It costs you {1} from the gift wallet each, whatever your price is.':
    'ዋጋው ከአሁን ጀምሮ ለሚወጡ ቫውቸሮች ይሠራል። የመሸጫ ዋጋዎ ምንም ቢሆን እያንዳንዱ ከስጦታ ዋሌት {1} ያስከፍልዎታል።',
  'Your price in USD': 'የመሸጫ ዋጋዎ በUSD',
  'Only for this merchant': 'ለዚህ ነጋዴ ብቻ',
  'Such as MER-0001. Leave it empty to set the price for all other merchants.':
    'ለምሳሌ MER-0001። ለሌሎች ነጋዴዎች ሁሉ ዋጋውን ለመወሰን ባዶ ይተዉት።',
  'USD {1} is {2} times USD {3}. If it is right, press “Set the price” again.':
    'USD {1} የUSD {3} {2} እጥፍ ነው። ትክክል ከሆነ “ዋጋውን ወስን” የሚለውን እንደገና ይጫኑ።',
  'USD {1} is 1/{2} of USD {3}. If it is right, press “Set the price” again.':
    'USD {1} የUSD {3} 1/{2} ነው። ትክክል ከሆነ “ዋጋውን ወስን” የሚለውን እንደገና ይጫኑ።',
  'Set the price': 'ዋጋውን ወስን',
  'Enter an amount above 0 with at most 6 decimals, such as 9.50.':
    'ከ0 በላይ የሆነ፣ ቢበዛ 6 የአስርዮሽ አሃዞች ያሉት መጠን ያስገቡ፣ ለምሳሌ 9.50።',
  'There is no active merchant with this identifier.': 'በዚህ መለያ ኮድ የሚሠራ ነጋዴ የለም።',
  'The price of the voucher of ETB {1} is USD {2} now.': 'የETB {1} ቫውቸር ዋጋ አሁን USD {2} ነው።',
  'The price of the voucher of ETB {1} for {2} is USD {3} now.':
    'የETB {1} ቫውቸር ዋጋ ለ{2} አሁን USD {3} ነው።',
  'The packages that you may send, and what each costs you from the airtime wallet. Airtime costs its amount. What your customers pay is up to you: your server says it with each top-up.':
    'ሊልኳቸው የሚችሏቸው ጥቅሎችና እያንዳንዱ ከአየር ሰዓት ዋሌት የሚያስከፍልዎት። የአየር ሰዓት መጠኑን ያህል ያስከፍላል። ደንበኞችዎ የሚከፍሉትን እርስዎ ይወስናሉ፦ ሰርቨርዎ ከእያንዳንዱ ሙሌት ጋር ይገልጸዋል።',
  'Your contact at the service gives you access to packages.': 'በአገልግሎቱ ያለው ተጠሪዎ ጥቅሎችን ይፈቅድልዎታል።',
  Operator: 'ኦፕሬተር',
  Any: 'ማንኛውም',
  'Ethio telecom': 'ኢትዮ ቴሌኮም',
  'Safaricom Ethiopia': 'ሳፋሪኮም ኢትዮጵያ',
  Id: 'መለያ ኮድ',
  'Costs you, ETB': 'የሚያስከፍልዎት፣ ብር',
} as const;

/** Lines of statements (domain/statements.ts). */
export const statements = {
  'Deposit {1} corrected': 'ተቀማጭ {1} ታርሟል',
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
  'To {1}: step {2} of operation {3}': 'ወደ {1}፦ ደረጃ {2}፣ ክዋኔ {3}',
  'From {1}: step {2} of operation {3}': 'ከ{1}፦ ደረጃ {2}፣ ክዋኔ {3}',
} as const;

/** Top-ups, sales, redemptions, payouts. */
export const topups = {
  'Airtime and packages that you have sent, newest first. A failed top-up was not charged, and it can be retried.':
    'የላኳቸው የአየር ሰዓትና ጥቅሎች፣ አዲሱ መጀመሪያ። ያልተሳካ ሙሌት አይቀነስም፣ እንደገናም ሊሞከር ይችላል።',
  'Top-ups appear here as soon as somebody sends one, or your server sends one.':
    'አንድ ሰው ወይም ሰርቨርዎ ሙሌት እንደላከ እዚህ ይታያል።',
  Reference: 'ማጣቀሻ',
  Accepted: 'ተቀባይነት ያገኘ',
  'In progress': 'በሂደት ላይ',
  'Unknown yet': 'ገና ያልታወቀ',
  'In progress or unknown': 'በሂደት ላይ ወይም ገና ያልታወቀ',
  Delivered: 'የደረሰ',
  Failed: 'ያልተሳካ',
  'Delivered late': 'ዘግይቶ የደረሰ',
  Reversed: 'የተመለሰ',
  Airtime: 'የአየር ሰዓት',
  Package: 'ጥቅል',
  Transaction: 'ግብይት',
  Sent: 'የተላከበት',
  'Sent from': 'ከተላከበት ቀን',
  'Sent to': 'እስከ ተላከበት ቀን',
  'Top-up {1}': 'ሙሌት {1}',
  'Top-up {1} {2}': 'ሙሌት {1} {2}',
  'All top-ups': 'ሁሉም ሙሌቶች',
  'The top-up': 'ሙሌቱ',
  Attempts: 'ሙከራዎች',
  Attempt: 'ሙከራ',
  'Provider’s reference': 'የአቅራቢው ማጣቀሻ',
  'Our reference': 'የእኛ ማጣቀሻ',
  'Last change': 'የመጨረሻ ለውጥ',
  'The provider says': 'አቅራቢው የሚለው',
  'Support settled it as not delivered.': 'ድጋፍ ሰጪው እንዳልደረሰ ወስኗል።',
  'Known once it is sent': 'ሲላክ ይታወቃል',
  'It has not been sent.': 'አልተላከም።',
  'Nothing was charged': 'ምንም አልተቀነሰም',
  'No money moved for this top-up.': 'ለዚህ ሙሌት ገንዘብ አልተንቀሳቀሰም።',
  'The provider reported a delivery later.': 'አቅራቢው በኋላ መድረሱን አሳውቋል።',
  'The provider reversed it later.': 'አቅራቢው በኋላ መልሶታል።',
  'It was accepted and is about to be sent.': 'ተቀባይነት አግኝቷል፤ ሊላክ ነው።',
  'It was sent. The money is on hold until the provider answers.': 'ተልኳል። አቅራቢው እስኪመልስ ገንዘቡ ተይዟል።',
  'The provider has not reported the result yet. The money stays on hold until it does.':
    'አቅራቢው ውጤቱን ገና አላሳወቀም። እስኪያሳውቅ ገንዘቡ እንደተያዘ ይቆያል።',
  'It was delivered and charged.': 'ደርሷል፣ ተቀንሷል።',
  'It failed, and nothing was charged. It can be retried.': 'አልተሳካም፣ ምንም አልተቀነሰም። እንደገና ሊሞከር ይችላል።',
  'It failed at first, and the provider delivered it later. Your wallet was charged. It cannot be retried.':
    'መጀመሪያ አልተሳካም፣ አቅራቢው በኋላ አድርሶታል። ከዋሌትዎ ተቀንሷል። እንደገና ሊሞከር አይችልም።',
  'It failed at first, and the provider delivered it later. Your wallet was not charged. It cannot be retried.':
    'መጀመሪያ አልተሳካም፣ አቅራቢው በኋላ አድርሶታል። ከዋሌትዎ አልተቀነሰም። እንደገና ሊሞከር አይችልም።',
  'The provider reversed it after the delivery. The money was returned to your wallet, and it can be retried.':
    'አቅራቢው ከደረሰ በኋላ መልሶታል። ገንዘቡ ወደ ዋሌትዎ ተመልሷል፣ እንደገናም ሊሞከር ይችላል።',
  'It was delivered and charged, and the provider reversed it later. The settlement is still open; until then it cannot be retried.':
    'ደርሶ ተቀንሷል፣ አቅራቢው በኋላ መልሶታል። ጉዳዩ ገና አልተፈታም፤ እስከዚያ እንደገና ሊሞከር አይችልም።',
  'Retry the top-up': 'ሙሌቱን እንደገና ሞክር',
  'Retry a top-up': 'ሙሌትን እንደገና መሞከር',
  'Retry top-up {1}?': 'ሙሌት {1} እንደገና ይሞከር?',
  '{1} is sent once more to {2}. {3} is put on hold in your airtime wallet. It is charged when the top-up is delivered, and returned when it fails again.':
    '{1} ወደ {2} እንደገና ይላካል። {3} በአየር ሰዓት ዋሌትዎ ይያዛል። ሙሌቱ ሲደርስ ይቀነሳል፣ ካልተሳካ ይመለሳል።',
  'Phone number': 'የስልክ ቁጥር',
  'the number that you enter': 'የሚያስገቡት ቁጥር',
  'The number of this top-up was erased. A package needs a number of the same operator.':
    'የዚህ ሙሌት ቁጥር ተሰርዟል። ጥቅል የዚያው ኦፕሬተር ቁጥር ያስፈልገዋል።',
  'Its price': 'ዋጋው',
  '<1>Another attempt was made, or the price has changed.</1> Nothing was sent.':
    '<1>ሌላ ሙከራ ተደርጓል፣ ወይም ዋጋው ተቀይሯል።</1> ምንም አልተላከም።',
  'Another number': 'ሌላ ቁጥር',
  'Empty: the same number. A package needs a number of the same operator.':
    'ባዶ፦ ያው ቁጥር። ጥቅል የዚያው ኦፕሬተር ቁጥር ያስፈልገዋል።',
  'Enter a mobile number, such as 0911234567 or +251911234567.':
    'የሞባይል ቁጥር ያስገቡ፣ ለምሳሌ 0911234567 ወይም +251911234567።',
  'The retry was accepted. Its result is not known yet.': 'ዳግም ሙከራው ተቀባይነት አግኝቷል። ውጤቱ ገና አልታወቀም።',
  'The top-up was delivered.': 'ሙሌቱ ደርሷል።',
  'The top-up was not retried': 'ሙሌቱ እንደገና አልተሞከረም',
  'Sales per day': 'የቀን ሽያጭ',
  'Vouchers count when they are generated, top-ups when they are delivered, also late.':
    'ቫውቸሮች ሲወጡ፣ ሙሌቶች ሲደርሱ፣ ቢዘገዩም፣ ይቆጠራሉ።',
  'Success rate of top-ups': 'የተሳኩ ሙሌቶች መጠን',
  'Success rate of payments': 'የተሳኩ ክፍያዎች መጠን',
  '% of the attempts of a day that were delivered': 'በቀኑ ከተሞከሩት የደረሱት፣ %',
  '% of the payments of a day that were made': 'በቀኑ ከነበሩ ክፍያዎች የተከፈሉት፣ %',
  'Merchants that were paid most': 'ብዙ የተከፈላቸው ነጋዴዎች',
  'From the claim to the payment': 'ከጥያቄ እስከ ክፍያ',
  'Your vouchers with an owner, in the last 14 days.': 'ባለቤት ያላቸው ቫውቸሮችዎ፣ ባለፉት 14 ቀናት።',
  'Counted up to {1}.': 'እስከ {1} የተቆጠረ።',
  'Nothing is counted yet.': 'እስካሁን የተቆጠረ የለም።',
  Claimed: 'የተጠየቁ',
  'Right code given': 'ትክክለኛ ኮድ የተሰጣቸው',
  'Out of your vouchers, in the last 14 days.': 'ከቫውቸሮችዎ፣ ባለፉት 14 ቀናት።',
  'Airtime wallet, last 14 days': 'የአየር ሰዓት ዋሌት፣ ያለፉት 14 ቀናት',
  'Gift wallet, last 14 days': 'የስጦታ ዋሌት፣ ያለፉት 14 ቀናት',
  'Unused vouchers, last 14 days': 'ያልተመነዘሩ ቫውቸሮች፣ ያለፉት 14 ቀናት',
  'No sales': 'ሽያጭ የለም',
  'Nothing was sold on these days.': 'በእነዚህ ቀናት ምንም አልተሸጠም።',
  'Vouchers: {1} for {2}': 'ቫውቸሮች፦ {1} በ{2}',
  'Top-ups: {1} for {2}': 'ሙሌቶች፦ {1} በ{2}',
  'ETB per day: vouchers': 'በቀን፣ ብር፦ ቫውቸሮች',
  'ETB per day: top-ups': 'በቀን፣ ብር፦ ሙሌቶች',
  'ETB per day: payouts': 'በቀን፣ ብር፦ ክፍያዎች',
  'From {1} to {2}. The table on this page has the figures.':
    'ከ{1} እስከ {2}። አሃዞቹ በዚህ ገጽ ሠንጠረዥ ውስጥ አሉ።',
  'Sales per day, newest first': 'የቀን ሽያጭ፣ አዲሱ መጀመሪያ',
  'ETB ': 'ብር ',
  'All days': 'ሁሉም ቀናት',
  'Vouchers that were redeemed with you, newest first: the redeemed amount, the service fee, and the amount paid to you through mobile money.':
    'በእርስዎ ዘንድ የተመነዘሩ ቫውቸሮች፣ አዲሱ መጀመሪያ፦ የተመነዘረው መጠን፣ የአገልግሎት ክፍያው፣ በሞባይል ገንዘብ የተከፈለዎት።',
  'Redemptions appear here as soon as a voucher is redeemed with you.':
    'ቫውቸር በእርስዎ ዘንድ እንደተመነዘረ እዚህ ይታያል።',
  Paid: 'የተከፈለ',
  'Not paid': 'ያልተከፈለ',
  'Paid late': 'ዘግይቶ የተከፈለ',
  'Redeemed from': 'ከተመነዘረበት ቀን',
  'Redeemed to': 'እስከ ተመነዘረበት ቀን',
  'Paid on': 'የተከፈለበት ቀን',
  Voucher: 'ቫውቸር',
  References: 'ማጣቀሻዎች',
  '<1><2>Ours</2> <3>{1}</3></1>{2}': '<1><2>የእኛ</2> <3>{1}</3></1>{2}',
  '<1><2>Provider’s</2> <3>{1}</3>': '<1><2>የአቅራቢው</2> <3>{1}</3>',
  'Taken, ETB': 'የተመነዘረ፣ ብር',
  'Fee, ETB': 'ክፍያ፣ ብር',
  'Paid to you, ETB': 'የተከፈለዎት፣ ብር',
  'Payouts per day': 'የቀን ክፍያዎች',
  'Payments to you through mobile money, by the day of the provider’s confirmation, without those that were reversed.':
    'በሞባይል ገንዘብ የተከፈሉዎት፣ አቅራቢው ባረጋገጠበት ቀን፣ ከተመለሱት በስተቀር።',
  'No payouts': 'ክፍያ የለም',
  'There were no payouts on these days.': 'በእነዚህ ቀናት ክፍያ አልነበረም።',
  'Payouts: {1} for {2}': 'ክፍያዎች፦ {1} በ{2}',
  'Payouts per day, newest first': 'የቀን ክፍያዎች፣ አዲሱ መጀመሪያ',
  'Paid, ETB': 'የተከፈለ፣ ብር',
  'Fees, ETB': 'የአገልግሎት ክፍያ፣ ብር',
  'Your fee and your account': 'የአገልግሎት ክፍያዎና ሂሳብዎ',
  'Paid to': 'የሚከፈልበት',
  'Paid there since': 'እዚያ የሚከፈለው ከ',
  'Not set': 'አልተወሰነም',
  '{1} % of the redeemed amount': 'ከተመነዘረው {1} %',
  'Mobile money': 'የሞባይል ገንዘብ',
  Wallet: 'ዋሌት',
  'If the account is not yours, inform your contact at the service at once.':
    'ሂሳቡ የእርስዎ ካልሆነ በአገልግሎቱ ያለውን ተጠሪዎን ወዲያውኑ ያሳውቁ።',
  '<1>Vouchers cannot be redeemed at your shops yet.</1> Your contact at the service must set the missing values.':
    '<1>ቫውቸሮች በሱቆችዎ ገና ሊመነዘሩ አይችሉም።</1> የጎደሉትን መረጃዎች በአገልግሎቱ ያለው ተጠሪዎ ማስገባት አለበት።',
} as const;

/** Sales one at a time at the portal. */
export const selling = {
  Sell: 'ሽጥ',
  'Sell something else': 'ሌላ ይሽጡ',
  'Sell a voucher': 'ቫውቸር ይሽጡ',
  'Send airtime': 'የአየር ሰዓት ይላኩ',
  'Send a package': 'ጥቅል ይላኩ',
  'One gift voucher, whose value comes from your gift wallet. The next page shows what it costs; nothing is sold before you confirm it.':
    'አንድ የስጦታ ቫውቸር፤ ዋጋው ከስጦታ ዋሌትዎ ይቀነሳል። ቀጣዩ ገጽ የሚያስከፍለውን ያሳያል፤ እስኪያረጋግጡ ድረስ ምንም አይሸጥም።',
  'Airtime for one phone number, from your airtime wallet. The next page shows what it costs; nothing is sent before you confirm it.':
    'ለአንድ ስልክ ቁጥር የአየር ሰዓት፣ ከአየር ሰዓት ዋሌትዎ። ቀጣዩ ገጽ የሚያስከፍለውን ያሳያል፤ እስኪያረጋግጡ ድረስ ምንም አይላክም።',
  'A package for one phone number of its operator, from your airtime wallet. The next page shows what it costs; nothing is sent before you confirm it.':
    'ለጥቅሉ ኦፕሬተር አንድ ስልክ ቁጥር ጥቅል፣ ከአየር ሰዓት ዋሌትዎ። ቀጣዩ ገጽ የሚያስከፍለውን ያሳያል፤ እስኪያረጋግጡ ድረስ ምንም አይላክም።',
  'Choose one': 'አንዱን ይምረጡ',
  'Choose a voucher.': 'ቫውቸር ይምረጡ።',
  'Choose a package.': 'ጥቅል ይምረጡ።',
  'Amount in ETB': 'መጠን በብር',
  'Enter an amount in ETB above 0 with at most 2 decimals, such as 99.50.':
    'ከ0 በላይ የሆነ፣ ቢበዛ 2 የአስርዮሽ አሃዞች ያሉት መጠን በብር ያስገቡ፣ ለምሳሌ 99.50።',
  'Its identifier, such as MER-0001.': 'መለያ ኮዱ፣ ለምሳሌ MER-0001።',
  'Enter the identifier of a merchant, such as MER-0001.': 'የነጋዴ መለያ ኮድ ያስገቡ፣ ለምሳሌ MER-0001።',
  'Phone number of the owner': 'የባለቤቱ ስልክ ቁጥር',
  'Empty: an anonymous voucher, redeemed without a code by SMS.':
    'ባዶ፦ ስም አልባ ቫውቸር፣ ያለ SMS ኮድ የሚመነዘር።',
  'The sale, for your figures': 'ሽያጩ፣ ለአሃዞችዎ',
  'ETB for one USD': 'የአንድ USD ዋጋ በብር',
  'Currency that the customer paid in': 'ደንበኛው የከፈለበት ገንዘብ',
  'Country that the customer buys from': 'ደንበኛው የሚገዛበት አገር',
  'Price of the sale in USD': 'የሽያጩ ዋጋ በUSD',
  'Such as USD.': 'ለምሳሌ USD።',
  'Such as US or Ethiopia.': 'ለምሳሌ US ወይም Ethiopia።',
  'Enter a number above 0, such as 57.25.': 'ከ0 በላይ የሆነ ቁጥር ያስገቡ፣ ለምሳሌ 57.25።',
  'Enter a currency code of ISO 4217, such as USD.': 'የISO 4217 የገንዘብ ኮድ ያስገቡ፣ ለምሳሌ USD።',
  'Enter a country by its code or English name, such as US or Ethiopia.':
    'አገሩን በኮዱ ወይም በእንግሊዝኛ ስሙ ያስገቡ፣ ለምሳሌ US ወይም Ethiopia።',
  'Your contact at the service gives you access to it.': 'በአገልግሎቱ ያለው ተጠሪዎ ይፈቅድልዎታል።',
  'Show what it costs': 'የሚያስከፍለውን አሳይ',
  '<1>It would be refused, so nothing was sold.</1> {1}': '<1>ተቀባይነት ስለማያገኝ ምንም አልተሸጠም።</1> {1}',
  'Airtime of {1}': 'የአየር ሰዓት በ{1}',
  'Gift voucher of {1}': 'የ{1} የስጦታ ቫውቸር',
  'Confirm the sale': 'ሽያጩን ያረጋግጡ',
  '<1>The price has changed, so nothing was sold.</1> This is what it costs now.':
    '<1>ዋጋው ስለተቀየረ ምንም አልተሸጠም።</1> አሁን የሚያስከፍለው ይህ ነው።',
  'It costs you': 'የሚያስከፍልዎት',
  'Gift wallet: {1} now, {2} after the sale.': 'የስጦታ ዋሌት፦ አሁን {1}፣ ከሽያጩ በኋላ {2}።',
  'Airtime wallet: {1} now, {2} after the sale.': 'የአየር ሰዓት ዋሌት፦ አሁን {1}፣ ከሽያጩ በኋላ {2}።',
  'Sell it': 'ሽጠው',
  'Change it': 'ቀይረው',
  'You are about to order one voucher for {1}.': 'አንድ ቫውቸር በ{1} ሊያዙ ነው።',
  'You are about to order {1} vouchers for {2}.': '{1} ቫውቸሮች በ{2} ሊያዙ ነው።',
  'You are about to retry top-up {1}.': 'ሙሌት {1} እንደገና ሊሞክሩ ነው።',
  'You are about to retry top-up {1} to {2}.': 'ሙሌት {1} ወደ {2} እንደገና ሊሞክሩ ነው።',
  'You are about to send airtime of {1} to {2}.': 'የ{1} የአየር ሰዓት ወደ {2} ሊልኩ ነው።',
  'You are about to send a package for {1} to {2}.': 'የ{1} ጥቅል ወደ {2} ሊልኩ ነው።',
  'You are about to sell an anonymous voucher of {1}.': 'የ{1} ስም አልባ ቫውቸር ሊሸጡ ነው።',
  'You are about to sell a voucher of {1} to {2}.': 'የ{1} ቫውቸር ለ{2} ሊሸጡ ነው።',
  'The voucher is sold': 'ቫውቸሩ ተሸጧል',
  '<1>Give this code to the owner now: it is shown only here.</1> Who has it can redeem the voucher, with the code by SMS if the voucher has an owner.':
    '<1>ይህን ኮድ አሁኑኑ ለባለቤቱ ይስጡ፦ የሚታየው እዚህ ብቻ ነው።</1> ኮዱ ያለው ሰው ቫውቸሩን መመንዘር ይችላል፤ ባለቤት ካለው በSMS የሚመጣው ኮድም ያስፈልጋል።',
  'Voucher code': 'የቫውቸር ኮድ',
  'This form was sent more than once. It sold once.': 'ይህ ቅጽ ከአንድ ጊዜ በላይ ተልኳል። የሸጠው አንድ ጊዜ ነው።',
  'The top-up was accepted. Its result is not known yet.': 'ሙሌቱ ተቀባይነት አግኝቷል። ውጤቱ ገና አልታወቀም።',
  'The top-up was not delivered.': 'ሙሌቱ አልደረሰም።',
  'Nothing was sold': 'ምንም አልተሸጠም',
  'The sale still runs': 'ሽያጩ ገና በሂደት ላይ ነው',
  'It was accepted. Look again in a few seconds: it is not sold twice.':
    'ተቀባይነት አግኝቷል። ከጥቂት ሰከንዶች በኋላ እንደገና ይመልከቱ፦ ሁለት ጊዜ አይሸጥም።',
  'Look again': 'እንደገና ተመልከት',
  'This form was sent before, with other entries. Open the page again and fill it in.':
    'ይህ ቅጽ ቀድሞ ከሌሎች መረጃዎች ጋር ተልኳል። ገጹን እንደገና ከፍተው ይሙሉት።',
} as const;
