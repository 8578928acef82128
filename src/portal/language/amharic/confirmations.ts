/** What a person is about to do, where the portal asks for a proof. */
export const confirmations = {
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
  'You are about to switch on one-time passwords for {1}.': 'ለ{1} የአንድ ጊዜ የይለፍ ቃሎችን ሊያበሩ ነው።',
  'You are about to require one-time passwords of everybody.': 'የአንድ ጊዜ የይለፍ ቃል ከሁሉም ሰው ሊጠይቁ ነው።',
  'You are about to leave one-time passwords to each person.':
    'የአንድ ጊዜ የይለፍ ቃልን ለእያንዳንዱ ሰው ምርጫ ሊተዉ ነው።',
  'You are about to let {1} sign in as {2}.': '{1} እንደ {2} እንዲገባ ሊፈቅዱ ነው።',
  'You are about to change the role of {1} to {2}.': 'የ{1} ሚና ወደ {2} ሊቀይሩ ነው።',
  'You are about to remove {1}.': '{1} ሊያስወግዱ ነው።',
  'You are about to pause the webhook <1>{1}</1>.': 'ዌብሁክ <1>{1}</1> ለጊዜው ሊያቆሙ ነው።',
  'You are about to resume the webhook <1>{1}</1>.': 'ዌብሁክ <1>{1}</1> እንደገና ሊያስጀምሩ ነው።',
  'You are about to send a test event to the webhook <1>{1}</1>.':
    'ወደ ዌብሁክ <1>{1}</1> የሙከራ ክስተት ሊልኩ ነው።',
  'You are about to remove the webhook <1>{1}</1>.': 'ዌብሁክ <1>{1}</1> ሊያስወግዱ ነው።',
} as const;
