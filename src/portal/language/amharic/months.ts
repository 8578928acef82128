/** Monthly statements, and the language of messages to owners. */
export const months = {
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
