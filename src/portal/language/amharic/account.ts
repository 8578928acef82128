/** Sign-in, account, one-time passwords, people. */
export const account = {
  'Sign in': 'ይግቡ',
  'For partners and merchants: keys, addresses, money and vouchers.':
    'ለአጋሮችና ለነጋዴዎች፦ ቁልፎች፣ አድራሻዎች፣ ገንዘብና ቫውቸሮች።',
  'E-mail address': 'የኢሜይል አድራሻ',
  Password: 'የይለፍ ቃል',
  'No account, or forgotten password? Ask your contact at the service: an operator makes a new one.':
    'መለያ የለዎትም ወይስ የይለፍ ቃል ረሱ? በአገልግሎቱ ያለውን ተጠሪዎን ይጠይቁ፦ ኦፕሬተር አዲስ ይሰጥዎታል።',
  'Your session has ended. Your last change was not made: sign in again.':
    'ክፍለ ጊዜዎ አብቅቷል። የመጨረሻው ለውጥዎ አልተደረገም፦ እንደገና ይግቡ።',
  'You are signed out.': 'ወጥተዋል።',
  'The code came too late, or the password was changed: sign in again.':
    'ኮዱ ዘግይቶ መጥቷል ወይም የይለፍ ቃሉ ተቀይሯል፦ እንደገና ይግቡ።',
  'Enter your e-mail address and your password.': 'የኢሜይል አድራሻዎንና የይለፍ ቃልዎን ያስገቡ።',
  'The e-mail address or the password is incorrect.': 'የኢሜይል አድራሻው ወይም የይለፍ ቃሉ ትክክል አይደለም።',
  'This password was valid for the first sign-in only and has expired. Ask your contact at the service for a new one.':
    'ይህ የይለፍ ቃል ለመጀመሪያው መግቢያ ብቻ ነበር፤ ጊዜው አልፏል። በአገልግሎቱ ያለውን ተጠሪዎን አዲስ ይጠይቁ።',
  'Too many wrong attempts. Wait a minute, then try again.':
    'በጣም ብዙ የተሳሳቱ ሙከራዎች። አንድ ደቂቃ ጠብቀው እንደገና ይሞክሩ።',
  'Too many wrong attempts. Wait {1} minutes, then try again.':
    'በጣም ብዙ የተሳሳቱ ሙከራዎች። {1} ደቂቃ ጠብቀው እንደገና ይሞክሩ።',
  'The link does not work': 'አገናኙ አይሠራም',
  'This link does not work': 'ይህ አገናኝ አይሠራም',
  'An invitation link works once and for a limited time, and a newer invitation replaces it.':
    'የግብዣ አገናኝ አንድ ጊዜና ለተወሰነ ጊዜ ብቻ ይሠራል፤ አዲስ ግብዣ ይተካዋል።',
  'If you have already chosen a password, <1>sign in</1>. Otherwise ask your contact at the service for a new invitation.':
    'የይለፍ ቃል ከመረጡ <1>ይግቡ</1>። ካልሆነ በአገልግሎቱ ያለውን ተጠሪዎን አዲስ ግብዣ ይጠይቁ።',
  'Too many links': 'በጣም ብዙ አገናኞች',
  'Too many links were opened': 'በጣም ብዙ አገናኞች ተከፍተዋል',
  'Wait {1}, then open the link again.': '{1} ይጠብቁ፣ ከዚያ አገናኙን እንደገና ይክፈቱ።',
  'Activate your account': 'መለያዎን ያንቁ',
  'Welcome, {1}': 'እንኳን ደህና መጡ፣ {1}',
  'Choose a password to activate your account. You sign in as <1>{1}</1>.':
    'መለያዎን ለማንቃት የይለፍ ቃል ይምረጡ። የሚገቡት እንደ <1>{1}</1> ነው።',
  'Activate the account': 'መለያውን አንቃ',
  'New password': 'አዲስ የይለፍ ቃል',
  'Current password': 'አሁን ያለው የይለፍ ቃል',
  'At least 12 characters; several words are easy to remember. Use it nowhere else.':
    'ቢያንስ 12 ፊደላት፤ ብዙ ቃላት ለማስታወስ ይቀላሉ። በሌላ ቦታ አይጠቀሙበት።',
  'This is not your current password.': 'ይህ አሁን ያለው የይለፍ ቃልዎ አይደለም።',
  'Choose a password that differs from the current one.': 'ከአሁኑ የተለየ የይለፍ ቃል ይምረጡ።',
  'Choose a password of at least 12 characters.': 'ቢያንስ 12 ፊደላት ያለው የይለፍ ቃል ይምረጡ።',
  'Choose a password of at most 200 characters.': 'ቢበዛ 200 ፊደላት ያለው የይለፍ ቃል ይምረጡ።',
  'Choose a password with more different characters: this one is easy to guess.':
    'የተለያዩ ፊደላት የበዙበት የይለፍ ቃል ይምረጡ፦ ይህን መገመት ቀላል ነው።',
  'This password is easy to guess: it consists of common words, rows of keys, repetitions, your e-mail address or the name of your company. Choose several unrelated words.':
    'ይህን የይለፍ ቃል መገመት ቀላል ነው፦ የተለመዱ ቃላት፣ ተከታታይ ቁልፎች፣ ድግግሞሽ፣ የኢሜይል አድራሻዎ ወይም የድርጅትዎ ስም ነው። የማይገናኙ ብዙ ቃላትን ይምረጡ።',
  'Change the password': 'የይለፍ ቃሉን ቀይር',
  'Your password is changed. Sessions on other devices have ended.':
    'የይለፍ ቃልዎ ተቀይሯል። በሌሎች መሣሪያዎች ያሉ ክፍለ ጊዜዎች አብቅተዋል።',
  'Choose your own password first: somebody else has seen this one.':
    'መጀመሪያ የራስዎን የይለፍ ቃል ይምረጡ፦ ይህን ሌላ ሰው አይቶታል።',
  Sessions: 'ክፍለ ጊዜዎች',
  'Ends your sessions on every device, including this one. Then sign in again.':
    'ይህን ጨምሮ በሁሉም መሣሪያዎች ያሉ ክፍለ ጊዜዎችዎን ያበቃል። ከዚያ እንደገና ይግቡ።',
  'Sign out everywhere': 'ከሁሉም ቦታ ይውጡ',
  Language: 'ቋንቋ',
  'Change the language': 'ቋንቋውን ቀይር',
  'The portal is in this language now.': 'ፖርታሉ አሁን በዚህ ቋንቋ ነው።',
  'Monthly statement by e-mail': 'ወርሃዊ መግለጫ በኢሜይል',
  'You get it some hours after the end of a month, as a page to print and as CSV.':
    'ወሩ ካለቀ ከጥቂት ሰዓታት በኋላ ለማተም እንደ ገጽና እንደ CSV ይደርስዎታል።',
  'You do not get it. The statements are in the portal.': 'አይደርስዎትም። መግለጫዎቹ በፖርታሉ አሉ።',
  'Send it to me': 'ይላክልኝ',
  'Do not send it to me': 'አይላክልኝ',
  'You get the monthly statement by e-mail now.': 'ከአሁን ጀምሮ ወርሃዊው መግለጫ በኢሜይል ይደርስዎታል።',
  'You do not get the monthly statement by e-mail any more.': 'ከአሁን ጀምሮ ወርሃዊው መግለጫ በኢሜይል አይደርስዎትም።',
  'Time zone': 'የሰዓት ክልል',
  'All times and days in the portal are in this zone.': 'በፖርታሉ ያሉ ሰዓቶችና ቀናት ሁሉ በዚህ ክልል ናቸው።',
  'Change the time zone': 'የሰዓት ክልሉን ቀይር',
  'Times are in {1} now.': 'ሰዓቶች አሁን በ{1} ናቸው።',
  'One-time password': 'የአንድ ጊዜ የይለፍ ቃል',
  'One-time passwords': 'የአንድ ጊዜ የይለፍ ቃሎች',
  'They are on: signing in takes a code of your app.': 'በርተዋል፦ ለመግባት የመተግበሪያዎ ኮድ ያስፈልጋል።',
  'They are off. With them a stolen password alone opens nothing.':
    'ጠፍተዋል። ሲበሩ የተሰረቀ የይለፍ ቃል ብቻውን ምንም አይከፍትም።',
  'Recovery codes, or switch off': 'የማገገሚያ ኮዶች፣ ወይም ማጥፋት',
  'Set them up': 'ያዘጋጇቸው',
  'With the password, signing in takes a code that an app on your phone shows for 30 seconds. So a stolen password alone opens nothing.':
    'ለመግባት ከይለፍ ቃሉ ጋር በስልክዎ ያለ መተግበሪያ ለ30 ሰከንድ የሚያሳየው ኮድ ያስፈልጋል። ስለዚህ የተሰረቀ የይለፍ ቃል ብቻውን ምንም አይከፍትም።',
  'Your company requires one-time passwords. Set yours up first, then everything else opens.':
    'ድርጅትዎ የአንድ ጊዜ የይለፍ ቃል ያስገድዳል። መጀመሪያ የእርስዎን ያዘጋጁ፣ ከዚያ ሌላው ሁሉ ይከፈታል።',
  'Set up': 'ማዘጋጀት',
  'Install an authenticator app, such as Aegis, Google Authenticator or 2FAS, and scan this code with it.':
    'እንደ Aegis፣ Google Authenticator ወይም 2FAS ያለ የማረጋገጫ መተግበሪያ ይጫኑና ይህን ኮድ ይቃኙ።',
  'QR code with the secret of your one-time passwords': 'የአንድ ጊዜ የይለፍ ቃሎችዎ ምስጢር ያለበት QR ኮድ',
  '<1>Open it in an app on this device</1>, or type the secret into the app:':
    '<1>በዚህ መሣሪያ ባለ መተግበሪያ ይክፈቱት</1>፣ ወይም ምስጢሩን በመተግበሪያው ይጻፉ፦',
  Secret: 'ምስጢር',
  'The six digits that the app shows now.': 'መተግበሪያው አሁን የሚያሳያቸው ስድስት አሃዞች።',
  'Switch on': 'አብራ',
  'Switch off': 'አጥፋ',
  'This is not the code of this secret. Check that the clock of your phone is right, and enter the code that the app shows now.':
    'ይህ የዚህ ምስጢር ኮድ አይደለም። የስልክዎ ሰዓት ትክክል መሆኑን አረጋግጠው መተግበሪያው አሁን የሚያሳየውን ኮድ ያስገቡ።',
  'One-time passwords are on': 'የአንድ ጊዜ የይለፍ ቃሎች በርተዋል',
  'One-time passwords are off.': 'የአንድ ጊዜ የይለፍ ቃሎች ጠፍተዋል።',
  'Recovery codes': 'የማገገሚያ ኮዶች',
  'New recovery codes': 'አዲስ የማገገሚያ ኮዶች',
  'Your recovery codes': 'የማገገሚያ ኮዶችዎ',
  'Make new recovery codes': 'አዲስ የማገገሚያ ኮዶች ፍጠር',
  'Make new recovery codes before you run out of them.': 'ኮዶቹ ከማለቃቸው በፊት አዲስ ይፍጠሩ።',
  'I have kept them': 'አስቀምጫቸዋለሁ',
  '<1>Keep these codes now: they are shown only once.</1> Print them, or put them into a password manager, apart from your phone. Each one signs you in once when you do not have your phone.':
    '<1>እነዚህን ኮዶች አሁን ያስቀምጡ፦ የሚታዩት አንድ ጊዜ ብቻ ነው።</1> ያትሟቸው ወይም ከስልክዎ ተለይተው በይለፍ ቃል ማስቀመጫ ያኑሯቸው። ስልክዎ በሌለበት እያንዳንዱ አንድ ጊዜ ያስገባዎታል።',
  'One-time passwords are on since {1}. Each recovery code replaces one, once, when you do not have your phone. You have {2} of them left.':
    'የአንድ ጊዜ የይለፍ ቃሎች ከ{1} ጀምሮ በርተዋል። ስልክዎ በሌለበት እያንዳንዱ የማገገሚያ ኮድ አንድ ጊዜ ይተካል። {2} ቀርተውዎታል።',
  'Another phone, or no app any more': 'ሌላ ስልክ፣ ወይም ያለ መተግበሪያ',
  'Your company requires one-time passwords. To move to another phone, switch them off here; the portal then leads you to set them up again.':
    'ድርጅትዎ የአንድ ጊዜ የይለፍ ቃል ያስገድዳል። ወደ ሌላ ስልክ ለመዛወር እዚህ ያጥፏቸው፤ ከዚያ ፖርታሉ እንደገና ወደ ማዘጋጀት ይመራዎታል።',
  'Switch them off, and set them up again with another phone if you want.':
    'ያጥፏቸው፣ ከፈለጉም በሌላ ስልክ እንደገና ያዘጋጇቸው።',
  'Six digits from your app, or a recovery code.': 'ከመተግበሪያዎ ስድስት አሃዞች፣ ወይም የማገገሚያ ኮድ።',
  'This code was used already. Wait until your app shows the next one.':
    'ይህ ኮድ ጥቅም ላይ ውሏል። መተግበሪያዎ ቀጣዩን እስኪያሳይ ይጠብቁ።',
  'This code is incorrect. Enter the one that your app shows now, or an unused recovery code.':
    'ይህ ኮድ ትክክል አይደለም። መተግበሪያዎ አሁን የሚያሳየውን ወይም ያልተጠቀሙበትን የማገገሚያ ኮድ ያስገቡ።',
  'Your password is right. Now enter the code that your authenticator app shows.':
    'የይለፍ ቃልዎ ትክክል ነው። አሁን የማረጋገጫ መተግበሪያዎ የሚያሳየውን ኮድ ያስገቡ።',
  '<1>No phone at hand?</1> Enter one of your recovery codes instead. Without these, ask your contact at the service.':
    '<1>ስልክ የለዎትም?</1> በምትኩ ከማገገሚያ ኮዶችዎ አንዱን ያስገቡ። እነሱም ከሌሉ በአገልግሎቱ ያለውን ተጠሪዎን ይጠይቁ።',
  'Sign in with another account': 'በሌላ መለያ ይግቡ',
  'Confirm that it is you': 'እርስዎ መሆንዎን ያረጋግጡ',
  'Nothing has happened yet.': 'እስካሁን ምንም አልተደረገም።',
  'Confirm and continue': 'አረጋግጥና ቀጥል',
  'Everybody has an account of their own: what somebody did is in the activity under their address.':
    'እያንዳንዱ ሰው የራሱ መለያ አለው፦ የሠራው በእንቅስቃሴ ውስጥ በአድራሻው ይገኛል።',
  'Who may sign in': 'መግባት የሚችሉ',
  'People of the company': 'የድርጅቱ ሰዎች',
  Role: 'ሚና',
  owner: 'ባለቤት',
  finance: 'ፋይናንስ',
  developer: 'ገንቢ',
  viewer: 'ተመልካች',
  'everything, and who else may sign in': 'ሁሉንም፣ ማን መግባት እንደሚችልም',
  'read everything about the business; order, cancel and retry; prices; statements and files':
    'ስለ ሥራው ሁሉንም ማየት፤ ማዘዝ፣ መሰረዝና እንደገና መሞከር፤ ዋጋዎች፤ መግለጫዎችና ፋይሎች',
  'read everything about the business; keys, addresses, calls and their log':
    'ስለ ሥራው ሁሉንም ማየት፤ ቁልፎች፣ አድራሻዎች፣ ጥሪዎችና መዝገባቸው',
  'read everything about the business, and change nothing': 'ስለ ሥራው ሁሉንም ማየት፣ ምንም አለመቀየር',
  On: 'በርቷል',
  Off: 'ጠፍቷል',
  Never: 'በጭራሽ',
  'Last signed in': 'ለመጨረሻ ጊዜ የገባው',
  '<1>Role<2> of {1}</2></1> <3>Remove<4> {2}</4></3>':
    '<1>ሚና<2> የ{1}</2></1> <3>አስወግድ<4> {2}</4></3>',
  'Add a person': 'ሰው ጨምር',
  'Add the person': 'ሰውየውን ጨምር',
  'New person': 'አዲስ ሰው',
  'A new person': 'አዲስ ሰው',
  'Enter an e-mail address.': 'የኢሜይል አድራሻ ያስገቡ።',
  'This address already has an account: use another one.': 'ይህ አድራሻ መለያ አለው፦ ሌላ ይጠቀሙ።',
  'Password for the first sign-in': 'ለመጀመሪያው መግቢያ የይለፍ ቃል',
  '<1>Copy the password now: it is shown only once.</1> Hand it over safely. It expires in {1} hours, and the person chooses another one at the first sign-in.':
    '<1>የይለፍ ቃሉን አሁን ይቅዱ፦ የሚታየው አንድ ጊዜ ብቻ ነው።</1> በጥንቃቄ ያስረክቡ። በ{1} ሰዓት ጊዜው ያልፋል፤ ሰውየው በመጀመሪያው መግቢያ ሌላ ይመርጣል።',
  'I have copied it': 'ቀድቻለሁ',
  'Role of a person': 'የሰው ሚና',
  'Role of {1}': 'የ{1} ሚና',
  'The role of {1} is {2}.': 'የ{1} ሚና {2} ነው።',
  'This is the only owner: make somebody else an owner first.':
    'ይህ ብቸኛው ባለቤት ነው፦ መጀመሪያ ሌላ ሰው ባለቤት ያድርጉ።',
  'Remove {1}?': '{1} ይወገድ?',
  'The person can no longer sign in, and all sessions end at once. Keys that they made go on working: revoke those that they may have copied.':
    'ሰውየው ከእንግዲህ መግባት አይችልም፤ ክፍለ ጊዜዎቹ ሁሉ ወዲያውኑ ያበቃሉ። የፈጠራቸው ቁልፎች መሥራት ይቀጥላሉ፦ ሊቀዳቸው የሚችላቸውን ይሰርዙ።',
  'Remove the person': 'ሰውየውን አስወግድ',
  '{1} is removed.': '{1} ተወግዷል።',
  'Everybody needs a one-time password to sign in. Who has none sets it up before anything else.':
    'ሁሉም ለመግባት የአንድ ጊዜ የይለፍ ቃል ያስፈልገዋል። የሌለው ከሁሉ በፊት ያዘጋጃል።',
  'Each person decides whether to sign in with a one-time password.':
    'በአንድ ጊዜ የይለፍ ቃል መግባትን እያንዳንዱ ሰው ይወስናል።',
  'Leave it to each person': 'ለእያንዳንዱ ሰው ተወው',
  'Require them of everybody': 'ከሁሉም ጠይቅ',
  'Everybody needs a one-time password now.': 'አሁን ሁሉም የአንድ ጊዜ የይለፍ ቃል ያስፈልገዋል።',
  'Each person decides about one-time passwords now.': 'አሁን እያንዳንዱ ሰው ይወስናል።',
} as const;
