/** Edits to an event file that introduce no mistake, and sentences from published terms. */
import { addDays, formatDay, type Day } from '../../../engine/lib/time.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const LONG_MONTHS =
  'January|February|March|April|May|June|July|August|September|October|November|December'

/** Changes the texts in the form's panel and in the email, but no keys or other values. */
function mapTexts(text: string, change: (line: string) => string): string {
  let isText = false
  return text
    .split('\n')
    .map((line) => {
      if (/^\S/.test(line)) isText = line.startsWith('email:')
      if (/^ {2}panel:/.test(line)) isText = true
      else if (/^ {2}sections:/.test(line)) isText = false
      return isText && !/^\s*(?:panel|email|subject|title|lines|text|copy_to):/.test(line)
        ? change(line)
        : line
    })
    .join('\n')
}
const replaceInTexts =
  (pattern: RegExp, replacement: string | ((...parts: string[]) => string)) => (text: string) =>
    mapTexts(text, (line) => line.replace(pattern, replacement as string))

const WRITTEN_DAY = new RegExp(`\\b(\\d{1,2}) (${LONG_MONTHS}) (\\d{4})`, 'g')
const rewriteDays = (
  formatWrittenDay: (d: number, month: number, year: string, name: string) => string,
) =>
  replaceInTexts(WRITTEN_DAY, (_all, d = '', name = '', year = '') =>
    formatWrittenDay(Number(d), LONG_MONTHS.split('|').indexOf(name) + 1, year, name),
  )
const formatOrdinal = (d: number): string =>
  `${d}${d % 10 === 1 && d !== 11 ? 'st' : d % 10 === 2 && d !== 12 ? 'nd' : d % 10 === 3 && d !== 13 ? 'rd' : 'th'}`
const padToTwoDigits = (n: number): string => String(n).padStart(2, '0')

/** Adds a line to the panel. */
export const addLine = (text: string, line: string): string =>
  text.replace(/^ {4}lines:\n/m, (lines) => `${lines}      - ${JSON.stringify(line)}\n`)
const addField = (field: string) => (text: string) =>
  text.replace(/^( {8})- \{id: email,/m, (found, indent: string) => `${indent}- ${field}\n${found}`)
const insertAfter = (pattern: RegExp, addition: string) => (text: string) =>
  text.replace(pattern, (found) => `${found}${addition}`)

/** Returns the last day of registration, for sentences that repeat a date from the file. */
const getClosingDay = (text: string): Day =>
  (/closes: (\d{4}-\d\d-\d\d)/.exec(text)?.[1] ?? '') as Day
const getFirstEventDay = (text: string): Day =>
  (/^ {2}from: (\d{4}-\d\d-\d\d)/m.exec(text)?.[1] ?? '') as Day

type Edit = (text: string) => string

/**
 * Other notations, and additional keys and sentences. An edit affects only files that contain the lines it replaces.
 */
export const EDITS: Readonly<Record<string, Edit>> = {
  'days with an ordinal': rewriteDays(
    (d, _month, year, name) => `${formatOrdinal(d)} ${name} ${year}`,
  ),
  'days with the month first': rewriteDays((d, _month, year, name) => `${name} ${d}, ${year}`),
  'days in digits with slashes': rewriteDays(
    (d, month, year) => `${padToTwoDigits(d)}/${padToTwoDigits(month)}/${year}`,
  ),
  'days in digits with dots': rewriteDays((d, month, year) => `${d}.${month}.${year}`),
  'days in digits with hyphens': rewriteDays(
    (d, month, year) => `${padToTwoDigits(d)}-${padToTwoDigits(month)}-${year}`,
  ),
  'short months': rewriteDays((d, month, year) => `${d} ${MONTHS[month - 1] ?? ''} ${year}`),
  'days without a year': rewriteDays((d, _month, _year, name) => `${d} ${name}`),
  till: replaceInTexts(/\buntil\b/g, 'till'),
  'up to and including': replaceInTexts(/\buntil\b/g, 'up to'),
  'on or before': replaceInTexts(/\buntil\b/g, 'on or before'),
  'a rupee sign': replaceInTexts(/\bRs\. /g, '₹ '),
  INR: replaceInTexts(/\bRs\. /g, 'INR '),
  'amounts with an oblique and a dash': replaceInTexts(/\bRs\. ([\d,]+\d)/g, 'Rs. $1/-'),
  'amounts without a comma': replaceInTexts(/(\d),(\d{3})\b/g, '$1$2'),
  'per cent in words': replaceInTexts(/(\d)%/g, '$1 per cent'),
  'a space before the percent sign': replaceInTexts(/(\d)%/g, '$1 %'),
  capitals: replaceInTexts(/[a-z]{4,}(?![^{]*\})/g, (word) => word.toUpperCase()),
  'full stops at the end of lines': replaceInTexts(/(\w)"$/g, '$1."'),
  comments: (text) => text.replaceAll(/^(\w+:)/gm, '# About this block\n$1'),
  'blank lines': (text) => text.replaceAll(/^(\w+:)/gm, '\n\n$1'),
  'keys in quotes': (text) => text.replace(/^ {2}support:/m, '  "support":'),
  'Windows line endings': (text) => text.replaceAll('\n', '\r\n'),
  'another support address': (text) => text.replace(/support: \w+@/, 'support: secretariat@'),
  'a colour': (text) => text.replace(/^routes:/m, 'look: {colour: "#1F5E7A"}\nroutes:'),
  'a field for the institution': addField('{id: workplace, label: Place of work}'),
  'a field for the age group': addField(
    '{id: age_group, type: select, label: Age group, options: [{id: younger, label: Below 40 years}, {id: middle, label: 40 to 59 years}, {id: older, label: 60 years and above}]}',
  ),
  'a field for the shirt': addField(
    '{id: jersey, type: select, label: Size of the free jersey, options: [S, M, L, XL]}',
  ),
  'a field with a limit': addField(
    '{id: remarks, type: multiline, label: Remarks, hint: At most 500 characters, max_length: 500}',
  ),
  'a field for experience': addField(
    '{id: experience, type: number, label: Years in practice, min: 0, max: 60, hint: Write 0 if less than 1 year}',
  ),
  'a file with its size': addField(
    '{id: portrait, type: file, label: Photograph, accept: [jpg, png], hint: "JPG or PNG, at most 2 MB"}',
  ),
  'a question about food': addField(
    '{id: allergies, label: Allergies, hint: Write nuts or milk for example}',
  ),
  'a question about travel': addField(
    '{id: arrival, label: Flight or train number, hint: We collect guests within 20 km}',
  ),
  'a note on the success page': insertAfter(
    /^ {2}success: \{title: [^,]+, details: \[[^\]]*\]/m,
    ', reasons: [Keep this page]',
  ),
  'the closing day': (text) =>
    addLine(text, `Online registration closes on ${formatDay(getClosingDay(text))}`),
  'the first day': (text) =>
    addLine(text, `The inauguration is on ${formatDay(getFirstEventDay(text))} at 10 AM`),
  'the day before': (text) =>
    addLine(
      text,
      `The registration desk opens on ${formatDay(addDays(getFirstEventDay(text), -1))} at 4 PM`,
    ),
  'the year of the last edition': (text) =>
    addLine(text, 'The last edition in 2025 had 412 delegates'),
  'a year in the future': (text) => addLine(text, 'The next meeting will be held in 2029'),
}

/** Lines in the style of published terms and conditions, for five kinds of conference. */
export const TERMS: readonly string[] = [
  // National medical conferences
  'Registration is mandatory for all delegates, including speakers and chairpersons.',
  'The registration fee covers the scientific sessions, the conference kit, 3 lunches and 2 dinners where served.',
  'Kits are guaranteed only for those who register at least 30 days before the event.',
  'Delegates can attend one workshop per time slot; please check the timetable.',
  'Certificates of attendance are emailed within 15 working days after the event.',
  'Medical council credit hours: 2 hours per half day, at most 8 in all.',
  'Registration fees once paid cannot be transferred to another year or to another society.',
  'In case of double payment, the second payment is refunded in full within 30 working days.',
  'The organisers reserve the right to change the programme without notice.',
  'Residents must carry the original letter of their head of department; photocopies are not accepted.',
  // Residential meetings
  'Check-in is at 2 PM and check-out at 11 AM; early check-in depends on availability.',
  'Extra beds are charged by the hotel directly at Rs. 2,500 per night, plus taxes.',
  'The hotel asks for a deposit of Rs. 5,000 at check-in, which is returned at check-out.',
  'Damage to hotel property will be charged to the guest.',
  'A taxi from the airport costs about Rs. 1,800; the distance is 45 km.',
  'Alcohol is served only to guests above 21 years of age, at their own cost.',
  'Pets are not allowed. Swimming is allowed from 6 AM to 9 PM.',
  'Guests under 18 years must be accompanied by an adult at the pool.',
  // Academic conferences
  'Abstracts must not exceed 250 words and 5 keywords; each author may submit up to 2 abstracts.',
  'Full papers have 6 to 8 pages; similarity above 15% leads to rejection.',
  'Best paper awards: Rs. 10,000, Rs. 7,500 and Rs. 5,000.',
  'Selected papers will be considered for a journal with an impact factor of 2.4.',
  'Travel grants of up to Rs. 8,000 are available for 10 students from other states.',
  'The decision of the reviewers is final; the acceptance rate of past editions was 35%.',
  'Oral presentations last 12 minutes, followed by 3 minutes of discussion; posters are 90 cm x 120 cm.',
  // Trade and exhibitions
  'Exhibitors must vacate the hall within 4 hours after closing; storage is charged at Rs. 200 per box by the contractor.',
  'Each stall has one 5 A socket and 2 spotlights; further fittings are ordered from the contractor.',
  'Amplified sound above 70 dB is not permitted. Security is present 24 hours a day.',
  'Sponsorship: platinum Rs. 10 lakhs, gold Rs. 5 lakhs, silver Rs. 2.5 lakhs; contact the secretariat.',
  'Tax deducted at source, if any, needs Form 16A within 60 days.',
  'Goods above Rs. 50,000 need an e-way bill.',
  // Sports and school events
  'Bibs are not transferable; a lost bib is replaced for Rs. 100 at the venue.',
  'Water points every 2.5 km; medical aid every 5 km.',
  'Winners receive cash prizes worth Rs. 1,00,000 in total.',
  'Teams of 2 from the same school may enter the debate, which has 3 rounds.',
  'The first 100 finishers receive a special medal.',
  // Payment and privacy
  'Bank charges for foreign transfers are borne by the sender.',
  'Payments by card are processed by a PCI-DSS certified gateway; refunds take 5 to 7 working days.',
  'Parking for 300 cars is free of charge. Only 40 of them are under a roof.',
  'Disputes are subject to the courts of the host city. Personal data is kept under the Act of 2023.',
  // Notes in addition to the terms
  'The hall has 800 seats and a balcony.',
  'The bus has 40 seats; the second bus leaves at 6 PM.',
  'The previous edition was limited to 300 delegates.',
  'No refund for no-shows.',
  'Postponement: registrations remain valid for the new dates; no refunds will be given in that case.',
  'Cancellation of hotel rooms: 50% until a week before, nothing later.',
  'Concession of 50% on railway fares under form C.',
  'The gateway charges 2% which the society pays.',
  'Exchange rate: 1 USD is about Rs. 85.',
  'Tickets for the museum: adults Rs. 50, children Rs. 20.',
  'Members of the association get 20% off books at the stall of the publisher.',
  'Maximum of 2 papers per author; at most 6 authors per paper.',
  'Delegates above 60 years may use the lift at the north gate.',
  'Spot registration does not guarantee a kit.',
  'In case of cancellation of the event, 100% of the fee is refunded.',
  'Requests for refund must be sent by email with the registration number.',
  'Limited to 5 entries per school.',
  'Duplicate badges cost Rs. 200, paid at the desk.',
  'Each room takes 2 persons; a third person pays the hotel Rs. 900.',
  'Vegetarian meals only; 100% plastic-free event.',
  'Kits are restricted to the first 100 delegates.',
  'The fee includes up to 2 nights at the guest house of the institute.',
  'A family room takes at most 2 accompanying persons.',
  'The boat ride is limited to 30 guests.',
  'Visitors of 65 years and above may ask for a wheelchair.',
  'At most 2 family members may join the banquet of the president.',
  'The upper age limit for the young investigator award is 40 years.',
  'The minimum age for the hotel bar is 21 years.',
  'Rates of the hotel are 25% lower for delegates; the printed proceedings cost 30% less.',
  'If you deduct tax at source, pay the fee less 10% TDS and send the certificate.',
  'Refunds for cancelled registrations can be expected by the end of the month after the event.',
  'Hotel rooms can be cancelled free of charge until a week before arrival.',
]
