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
  'Its identifier, such as MER-0001. Empty: all merchants without their own price.':
    'መለያ ኮዱ፣ ለምሳሌ MER-0001። ባዶ፦ የራሳቸው ዋጋ የሌላቸው ነጋዴዎች ሁሉ።',
  'Set the price': 'ዋጋውን ወስን',
  'Enter an amount above 0 with at most 6 decimals, such as 9.50.':
    'ከ0 በላይ የሆነ፣ ቢበዛ 6 የአስርዮሽ አሃዞች ያሉት መጠን ያስገቡ፣ ለምሳሌ 9.50።',
  'There is no active merchant with this identifier.': 'በዚህ መለያ ኮድ የሚሠራ ነጋዴ የለም።',
  'The price of the voucher of ETB {1} is USD {2} now.': 'የETB {1} ቫውቸር ዋጋ አሁን USD {2} ነው።',
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
