/**
 * Mistakes of organisers, written by hand by someone who had read the event format and not the
 * checker. Each takes one of the four event files, or a sound adaptation of one to a new conference,
 * and does to it what people do when they copy a file, fill it in and are called to the phone.
 */
export type EventId = 'afpicon2026' | 'chirurgia2026' | 'midzone2025' | 'pulmocon2025'
/** A text to another one; throws when the place it edits is not there, so that no mistake rots into none. */
export type Edit = (text: string) => string

export type Mistake = {
  readonly name: string
  /** The file it is made in; an adapted one stands beside the other four under a name of its own. */
  readonly event: EventId
  readonly adapted: boolean
  readonly edit: Edit
  /** Fragments of lines where an author would look too, besides the lines that the edit touches. */
  readonly look: readonly string[]
  /** What would have become of a delegate or of the office. */
  readonly harm: string
  /** Why no tool can know; undefined for a mistake that a checker is expected to find. */
  readonly unfindable?: string
}

const changed = (before: string, after: string, what: string): string => {
  if (before === after) throw new Error(`the edit changes nothing: ${what}`)
  return after
}
/** The first place. */
export const one =
  (from: string, to: string): Edit =>
  (text) =>
    changed(
      text,
      text.replace(from, () => to),
      from,
    )
/** Every place: the slip is made above and in the promises alike. */
export const all =
  (from: string, to: string): Edit =>
  (text) =>
    changed(
      text,
      text.replaceAll(from, () => to),
      from,
    )
/** Leaves out the first line that holds the fragment. */
export const drop =
  (part: string): Edit =>
  (text) => {
    const lines = text.split('\n')
    const at = lines.findIndex((line) => line.includes(part))
    if (at < 0) throw new Error(`no line holds ${part}`)
    return lines.toSpliced(at, 1).join('\n')
  }
/** Puts lines after the first line that holds the fragment. */
export const below =
  (part: string, ...more: readonly string[]): Edit =>
  (text) => {
    const lines = text.split('\n')
    const at = lines.findIndex((line) => line.includes(part))
    if (at < 0) throw new Error(`no line holds ${part}`)
    return lines.toSpliced(at + 1, 0, ...more).join('\n')
  }
/** Exchanges the first lines that hold the two fragments. */
export const exchange =
  (a: string, b: string): Edit =>
  (text) => {
    const lines = text.split('\n')
    const [i, j] = [
      lines.findIndex((line) => line.includes(a)),
      lines.findIndex((line) => line.includes(b)),
    ]
    const [first, second] = [lines[i], lines[j]]
    if (first === undefined || second === undefined) throw new Error(`no line holds ${a} or ${b}`)
    return changed(text, lines.with(i, second).with(j, first).join('\n'), a)
  }
export const steps =
  (...edits: readonly Edit[]): Edit =>
  (text) =>
    edits.reduce((made, edit) => edit(made), text)

/** Sound adaptations of two files to next year's conferences: what a careful organiser ends up with. */
export const adaptations: Readonly<
  Partial<Record<EventId, { readonly id: string; readonly edit: Edit }>>
> = {
  afpicon2026: {
    id: 'afpimeet2027',
    edit: steps(
      all('2026', '2027'),
      all('2025', '2026'),
      all('afpicon', 'afpimeet'),
      one('prefix: AFPI', 'prefix: AFPM'),
      one('The Spice Route', 'The Tea Route'),
      one('[AFPI,', '[AFPM,'),
    ),
  },
  midzone2025: {
    id: 'northzone2026',
    edit: steps(
      all('2025', '2026'),
      all('midzone', 'northzone'),
      all('Mid Zone', 'North Zone'),
      all('MIDZ', 'NORZ'),
      one('venue: Kochi', 'venue: Kozhikode'),
    ),
  },
}

export const in_ =
  (event: EventId) =>
  (name: string, edit: Edit, harm: string, ...look: readonly string[]): Mistake => ({
    name,
    event,
    adapted: false,
    edit,
    look,
    harm,
  })
export const adapting =
  (event: EventId) =>
  (name: string, edit: Edit, harm: string, ...look: readonly string[]): Mistake => ({
    name,
    event,
    adapted: true,
    edit,
    look,
    harm,
  })
export const nobodyKnows = (why: string, mistake: Mistake): Mistake => ({
  ...mistake,
  unfindable: why,
})

const afpicon = in_('afpicon2026')
const chirurgia = in_('chirurgia2026')
const midzone = in_('midzone2025')
const pulmocon = in_('pulmocon2025')
const newAfpicon = adapting('afpicon2026')
const newMidzone = adapting('midzone2025')

/** Copied from last year's file, and one thing forgotten. */
const copied: readonly Mistake[] = [
  newAfpicon(
    'the id is still last year’s',
    one('  id: afpimeet2027', '  id: afpicon2026'),
    'Registrations of the new conference would have been filed under the old one.',
  ),
  newAfpicon(
    'the form stands at last year’s address',
    all('/afpimeet2027', '/afpicon2026'),
    'The link in the brochure would have opened last year’s form.',
    'form: /afpicon2026',
  ),
  newAfpicon(
    'the result pages stand at last year’s addresses',
    all('/afpimeet/payment/', '/afpicon/payment/'),
    'Who had paid would have read last year’s confirmation.',
    'success: /afpicon',
  ),
  newAfpicon(
    'the register call is last year’s',
    all('/api/afpimeet/register/', '/api/afpicon/register/'),
    'The form would have registered people for last year’s conference.',
    'register: /api',
  ),
  newAfpicon(
    'the read call is last year’s',
    all('/api/afpimeet/registrations/', '/api/afpicon/registrations/'),
    'Result pages would have asked the wrong conference for a delegate.',
    'registration: /api',
  ),
  newAfpicon(
    'the gateway returns to last year’s address',
    all('/api/afpimeet/airpay-response', '/api/afpicon/airpay-response'),
    'Payments would have been booked to the wrong conference.',
    'gateway_return',
  ),
  newAfpicon(
    'the prefix is still last year’s',
    steps(one('prefix: AFPM', 'prefix: AFPI'), one('[AFPM,', '[AFPI,')),
    'Nobody could have told whose order a payment was for.',
    'prefix: AFPI',
  ),
  newAfpicon(
    'the new prefix begins with last year’s and digits',
    steps(one('prefix: AFPM', 'prefix: AFPI27'), one('[AFPM,', '[AFPI27,')),
    'AFPI27… would have been read as an order of last year’s conference.',
    'prefix: AFPI27',
  ),
  newAfpicon(
    'the office list kept its route',
    all('/admin/afpimeet2027', '/admin/afpicon2026'),
    'The office would have seen last year’s delegates.',
    'route: /admin',
  ),
  newAfpicon(
    'both lists at one route',
    all('/admin/afpimeet2027', '/admin/afpimeet'),
    'One of the two lists could not have been opened.',
    'route: /admin',
  ),
  newAfpicon(
    'the dashboard key is last year’s',
    steps(one('key: afpimeet', 'key: afpicon'), one('dashboard: [afpimeet', 'dashboard: [afpicon')),
    'Two conferences would have shared one panel of figures.',
    'key: afpicon',
  ),
  newAfpicon(
    'the list reads last year’s call',
    all('/admin/afpimeet/registrations/', '/admin/afpicon/registrations/'),
    'The office would have worked on last year’s list.',
    'api: /admin/afpicon',
  ),
  newAfpicon(
    'the export call is last year’s',
    all('event_type=afpimeet', 'event_type=afpicon'),
    'The CSV would have held last year’s delegates.',
    'export: {api: /admin',
  ),
  newAfpicon(
    'both exports save the same file',
    steps(all('afpimeet_2027_registrations_{date}.csv', 'afpimeet_registrations.csv')),
    'The second download would have overwritten the first.',
    'file: "afpimeet_registrations',
  ),
  newAfpicon(
    'the CSV is saved under last year’s name',
    all('afpimeet_registrations.csv', 'afpicon_registrations.csv'),
    'The treasurer would have mixed up two years of delegates.',
    'file: afpicon_registrations',
  ),
  newAfpicon(
    'the mail draft names last year',
    all('AFPICON 2027 – payment', 'AFPICON 2026 – payment'),
    'Support would have searched last year’s payments.',
    'AFPICON 2026',
  ),
  newAfpicon(
    'the receipt names last year',
    all('AFPICON 2027 – REG', 'AFPICON 2026 – REG'),
    'Accounts departments would have refused the receipt.',
    'AFPICON 2026',
  ),
  newAfpicon(
    'the title is last year’s',
    one('title: AFPICON 2027', 'title: AFPICON 2026'),
    'The page would have announced a conference that is over.',
  ),
  newAfpicon(
    'Try Again leads to last year’s form',
    all('/afpimeet/register', '/afpicon/register'),
    'A delegate whose card failed would have come to last year’s form.',
    '/afpicon/register',
  ),
  newAfpicon(
    'only the button was forgotten',
    one('go: /afpimeet/register', 'go: /afpicon/register'),
    'A delegate whose card failed would have come to last year’s form.',
  ),
  newAfpicon(
    'the event dates are last year’s, in the promises too',
    steps(
      one('from: 2027-01-31', 'from: 2026-01-31'),
      one('to: 2027-02-01', 'to: 2026-02-01'),
      one('31 January – 1 February 2027', '31 January – 1 February 2026'),
    ),
    'Delegates would have booked trains for the wrong year.',
    'from: 2026-01-31',
    'to: 2026-02-01',
  ),
  newAfpicon(
    'the last period kept its year',
    one('from: 2027-01-25, to: 2027-01-31', 'from: 2026-01-25, to: 2026-01-31'),
    'The last week would have been sold at the first price.',
  ),
  newAfpicon(
    'the third period kept its year',
    one('from: 2027-01-01, to: 2027-01-25', 'from: 2026-01-01, to: 2026-01-25'),
    'January would have been sold at the first price.',
  ),
  newAfpicon(
    'one end day kept its year',
    one('to: 2026-08-31', 'to: 2025-08-31'),
    'Nobody could have said what July costs.',
  ),
  newAfpicon(
    'periods and examples kept their years',
    (text) =>
      steps(
        all('2026-', '2025-'),
        all('2027-', '2026-'),
        one('from: 2026-01-31', 'from: 2027-01-31'),
        one('to: 2026-02-01', 'to: 2027-02-01'),
      )(text),
    'Everybody would have paid the first price all year, as every day is another date.',
    '- {id: j',
    'other_dates',
  ),
  newAfpicon(
    'the early bird in the panel is last year’s',
    one('15 September 2026', '15 September 2025'),
    'The page would have promised a discount that ended a year ago.',
    '15 September 2025',
  ),
  newMidzone(
    'the id is still last year’s',
    one('id: northzone2026', 'id: midzone2025'),
    'Registrations would have been filed under the old event.',
  ),
  newMidzone(
    'the form stands at last year’s address',
    all('/northzone2026', '/midzone2025'),
    'Last year’s form would have taken this year’s money.',
    'form: /midzone2025',
  ),
  newMidzone(
    'Retry leads to last year’s form',
    one('go: /northzone2026', 'go: /midzone2025'),
    'A second attempt would have registered for last year.',
  ),
  newMidzone(
    'the success page is last year’s',
    all('/northzone/payment/success', '/midzone/payment/success'),
    'Two events would have claimed one address.',
    'success: /midzone',
  ),
  newMidzone(
    'the prefix is last year’s',
    all('NORZ', 'MIDZ'),
    'Payments would have been booked to either event.',
    'prefix: MIDZ',
  ),
  newMidzone(
    'the prefix is the beginning of PULMO',
    all('NORZ', 'PULMO'),
    'Orders would have opened the other conference’s result page.',
    'prefix: PULMO',
  ),
  newMidzone(
    'the pricing call is last year’s',
    all('/api/northzone/pricing/', '/api/midzone/pricing/'),
    'The form would have shown last year’s prices.',
    'tariff:',
  ),
  newMidzone(
    'the support draft names last year’s event',
    one('mail: "Kerala North Zone 2026', 'mail: "Kerala Mid Zone 2025'),
    'Support would have looked in the wrong event.',
  ),
  newMidzone(
    'the title is new, the dates are not',
    steps(
      one('from: 2026-11-23', 'from: 2025-11-23'),
      one('to: 2026-11-23', 'to: 2025-11-23'),
      one('23 November 2026', '23 November 2025'),
    ),
    'Delegates would have come on a day long past.',
    'from: 2025',
    'to: 2025',
  ),
  newMidzone(
    'only the first day is new',
    one('to: 2026-11-23', 'to: 2025-11-23'),
    'The page would have shown an event that ends before it begins.',
  ),
  nobodyKnows(
    'A venue is a word; the conference might well meet there again.',
    newMidzone(
      'the venue is last year’s',
      one('venue: Kozhikode', 'venue: Kochi'),
      'Delegates would have gone to Kochi.',
    ),
  ),
  nobodyKnows(
    'One office may answer for two conferences.',
    newMidzone(
      'support is another conference’s',
      all('support@northzone.example', 'support@midzone.example'),
      'Delegates would have written to strangers.',
      'support:',
    ),
  ),
  nobodyKnows(
    'Two conferences of one association may share an account.',
    newMidzone(
      'the money goes to another association',
      steps(one('account: afpi', 'account: chirurgia'), one('account: afpi', 'account: chirurgia')),
      'The fees would have reached another association’s bank.',
      'account:',
    ),
  ),
  nobodyKnows(
    'A motto may be used twice.',
    newAfpicon(
      'the motto is last year’s',
      one('The Tea Route', 'The Spice Route'),
      'The page would have carried last year’s motto.',
    ),
  ),
]

const dates: readonly Mistake[] = [
  afpicon(
    'the event’s days exchanged',
    steps(one('from: 2026-01-31', 'from: 2026-02-01'), one('  to: 2026-02-01', '  to: 2026-01-31')),
    'The page would have shown an end before the beginning.',
  ),
  afpicon(
    'day and month exchanged',
    one('to: 2026-02-01', 'to: 2026-01-02'),
    'The conference would have seemed to be over before it began.',
  ),
  afpicon(
    'the brochure’s way of writing a date',
    one('from: 2026-01-31', 'from: 31-01-2026'),
    'No page could have shown the day.',
  ),
  afpicon(
    'a slash date',
    one('to: 2025-08-31', 'to: 31/08/2025'),
    'Nobody could have said when the first price ends.',
  ),
  afpicon(
    'a day that does not exist',
    one('to: 2025-08-31', 'to: 2025-08-32'),
    'Nobody could have said when the first price ends.',
  ),
  afpicon(
    '31 September',
    one('from: 2025-09-01, to: 2025-12-31', 'from: 2025-09-31, to: 2025-12-31'),
    'September would have had no price of its own.',
  ),
  afpicon(
    'the year of January forgotten to change',
    one('from: 2026-01-01', 'from: 2025-01-01'),
    'January’s price would have covered the whole year before.',
  ),
  afpicon(
    'a gap of a month',
    one('from: 2025-09-01', 'from: 2025-10-01'),
    'September would have been sold at the wrong price.',
  ),
  afpicon(
    'the December period ends in January',
    one('to: 2025-12-31', 'to: 2026-01-31'),
    'All of January would have been sold at the December price.',
  ),
  afpicon(
    'overlap line deleted as odd',
    drop('overlap: first'),
    'On 25 January two prices would have been true.',
    'jan-25-jan-31',
  ),
  afpicon(
    'periods in the wrong order',
    exchange('{id: july-1', '{id: sep-1'),
    'The price list would have read backwards.',
  ),
  afpicon(
    'the last two periods exchanged',
    exchange('{id: jan-1-', '{id: jan-25'),
    'On 25 January the dearer price would have been taken.',
  ),
  afpicon(
    'from and to exchanged in a period',
    one('from: 2025-07-01, to: 2025-08-31', 'from: 2025-08-31, to: 2025-07-01'),
    'The first price would never have been given.',
  ),
  afpicon(
    'year with three digits',
    one('from: 2025-09-01', 'from: 205-09-01'),
    'The period would have begun in antiquity.',
  ),
  afpicon(
    'other dates closed by mistake',
    one('other_dates: july-1-aug-31', 'other_dates: close'),
    'Late delegates would have been turned away or charged at random.',
  ),
  afpicon(
    'other dates go to the dearest period',
    one('other_dates: july-1-aug-31', 'other_dates: jan-25-jan-31'),
    'Those who came in June would have paid double.',
  ),
  afpicon(
    'other dates left out',
    drop('other_dates:'),
    'On the second day of the conference the desk could not have registered anyone.',
    '  periods',
  ),
  chirurgia(
    'early bird a month longer',
    one('to: 2025-11-30}', 'to: 2025-12-30}'),
    'In December two prices would have been true.',
    'id: regular',
  ),
  chirurgia(
    'early bird ends a day early',
    one('to: 2025-11-30}', 'to: 2025-11-29}'),
    'On the last advertised day registration would have been closed.',
    'id: regular',
  ),
  chirurgia(
    'both periods moved, the panel and examples not',
    steps(one('to: 2025-11-30}', 'to: 2025-10-31}'), one('from: 2025-12-01}', 'from: 2025-11-01}')),
    'The page would have promised a discount it no longer gives.',
    '30 November 2025',
  ),
  chirurgia(
    'periods and examples moved, only the panel not',
    steps(
      one('to: 2025-11-30}', 'to: 2025-10-31}'),
      one('from: 2025-12-01}', 'from: 2025-11-01}'),
      all('on: 2025-11-01', 'on: 2025-10-01'),
      all('on: 2025-11-30', 'on: 2025-10-31'),
      all('on: 2025-12-01', 'on: 2025-11-01'),
    ),
    'The page would have promised a discount that ended a month ago.',
    'Early bird discounts',
  ),
  chirurgia(
    'regular begins next year',
    one('from: 2025-12-01}', 'from: 2026-12-01}'),
    'Registration would have been closed all winter.',
  ),
  chirurgia(
    'the early bird end written as from',
    one('{id: early-bird, to: 2025-11-30}', '{id: early-bird, from: 2025-11-30}'),
    'The early bird would have begun when it should end.',
  ),
  chirurgia(
    'conference days one year early, promise too',
    steps(
      one('from: 2026-02-21', 'from: 2025-02-21'),
      one('to: 2026-02-22', 'to: 2025-02-22'),
      one('21–22 February 2026', '21–22 February 2025'),
    ),
    'Delegates would have seen a conference that is over.',
    'from: 2025-02-21',
    'to: 2025-02-22',
  ),
  chirurgia(
    'the panel’s year is wrong',
    one('30 November 2025', '30 November 2026'),
    'Delegates would have counted on a discount until the next year.',
  ),
  chirurgia(
    'the panel’s month is wrong',
    one('30 November 2025', '30 October 2025'),
    'Delegates would have hurried, or despaired, a month too early.',
  ),
  pulmocon(
    'the second tier starts before the first ends',
    one('from: 2025-08-01', 'from: 2025-07-01'),
    'The tier of July would have been doubtful.',
  ),
  pulmocon(
    'a tier’s end in the wrong year',
    one('to: 2025-09-05', 'to: 2026-09-05'),
    'The last tier would never have counted.',
  ),
  pulmocon(
    'the event’s end before its beginning',
    one('to: 2025-09-14', 'to: 2025-09-04'),
    'The notice would have shown nonsense.',
  ),
  midzone(
    'the day of the event and the promise changed, the end day not',
    steps(
      one('from: 2025-11-23', 'from: 2025-11-30'),
      one('dates: 23 November', 'dates: 30 November'),
    ),
    'The event would have ended before it began.',
  ),
  nobodyKnows(
    'The hours are words, and are in words in the promises.',
    midzone(
      'the hours mean the evening',
      all('9 AM to 3 PM', '9 PM to 3 AM'),
      'Delegates would have come at night.',
      'hours:',
    ),
  ),
  nobodyKnows(
    'Any Sunday is as likely as the next.',
    midzone(
      'the wrong Sunday, promise too',
      steps(
        one('from: 2025-11-23', 'from: 2025-11-30'),
        one('to: 2025-11-23', 'to: 2025-11-30'),
        one('dates: 23 November', 'dates: 30 November'),
      ),
      'Delegates would have come a week late.',
      'from:',
      'to:',
    ),
  ),
]

const money: readonly Mistake[] = [
  afpicon(
    'one nought too many',
    one('[5000, 6000, 8000, 10000]', '[5000, 6000, 80000, 10000]'),
    'A member would have been charged ₹94,400.',
  ),
  afpicon(
    'one nought too few',
    one('[6000, 7000, 9000, 10000]', '[6000, 7000, 900, 10000]'),
    'The conference would have lost ₹8,100 per delegate.',
  ),
  afpicon(
    'two digits exchanged',
    one('[4250, 5250, 7250, 10000]', '[4250, 5520, 7250, 10000]'),
    'Every post graduate would have paid ₹270 too much.',
  ),
  afpicon(
    'columns exchanged in the heading',
    one('[july-1-aug-31, sep-1-dec-31,', '[sep-1-dec-31, july-1-aug-31,'),
    'Early delegates would have paid the autumn price.',
  ),
  afpicon(
    'two cells exchanged',
    one('[6000, 7000, 9000, 10000]', '[6000, 9000, 7000, 10000]'),
    'Autumn would have been dearer than January.',
  ),
  afpicon(
    'rows of members and others exchanged',
    steps(
      one('    afpi-pg:                  [', '    non-afpi-pg:              {{'),
      one('    non-afpi-pg:              [', '    afpi-pg:                  ['),
      one('{{', '['),
    ),
    'Members would have paid more than strangers.',
    'afpi-pg:   ',
  ),
  afpicon(
    'a row is missing',
    drop('    non-afpi-pg:   '),
    'Post graduates would have found no price.',
    'id: non-afpi-pg',
    '  prices:',
  ),
  afpicon(
    'a cell is missing',
    one('[3000, 3000, 3000,  4000]', '[3000, 3000, 4000]'),
    'The last week would have had no price for interns.',
  ),
  afpicon(
    'a cell too many',
    one('[5000, 6000, 8000, 10000]', '[5000, 6000, 8000, 10000, 10000]'),
    'Nobody could have said which column is which.',
  ),
  afpicon(
    'thousands comma',
    one('[5000, 6000, 8000, 10000]', '[5000, 6000, 8000, 10,000]'),
    'The last week would have cost ten rupees.',
  ),
  afpicon(
    'Indian comma in quotes',
    one('[5000, 6000, 8000, 10000]', '[5000, 6000, 8000, "10,000"]'),
    'The last week would have had no price.',
  ),
  afpicon(
    'with the rupee sign',
    one('[3000, 3000, 3000,  4000]', '[₹3000, ₹3000, ₹3000, ₹4000]'),
    'Interns would have had no price.',
  ),
  afpicon(
    'with /- at the end',
    one('[4250, 5250, 7250, 10000]', '[4250/-, 5250/-, 7250/-, 10000/-]'),
    'Post graduates would have had no price.',
  ),
  afpicon(
    'a letter O for a nought',
    one('[4250, 5250, 7250, 10000]', '[4250, 525O, 7250, 10000]'),
    'Post graduates would have had no price in autumn.',
  ),
  afpicon(
    'a decimal point for a comma',
    one('[6000, 7000, 9000, 10000]', '[6.000, 7.000, 9.000, 10.000]'),
    'Delegates would have registered for six rupees.',
  ),
  afpicon(
    'three decimals',
    one('[4250, 5250', '[4250.505, 5250'),
    'The gateway would have refused the amount.',
  ),
  afpicon(
    'a negative price',
    one('[3000, 3000, 3000,  4000]', '[-3000, 3000, 3000, 4000]'),
    'Interns would have been owed money.',
  ),
  afpicon(
    'free by nought',
    one('[3000, 3000, 3000,  4000]', '[0, 3000, 3000, 4000]'),
    'The button would have stayed grey for interns.',
  ),
  afpicon(
    'a row for a category that is gone',
    one('    intern-mbbs-accompanying: [', '    intern-mbbs: ['),
    'Interns would have found no price.',
  ),
  afpicon(
    'the same row twice',
    below('    afpi-pg:          ', '    afpi-pg:                  [4000, 5000, 7000, 9000]'),
    'One of two prices would have counted, by chance.',
  ),
  afpicon(
    'a misspelt period in the heading',
    one('sep-1-dec-31, jan-1-jan-25, jan-25', 'sep-1-dec-30, jan-1-jan-25, jan-25'),
    'Autumn would have had no price.',
    'period:  ',
  ),
  afpicon(
    'a period twice in the heading',
    one('jan-1-jan-25, jan-25-jan-31]', 'jan-1-jan-25, jan-1-jan-25]'),
    'The last week would have had no price.',
    'period:  ',
  ),
  afpicon(
    'the price row for none misspelt',
    one('[3000, 3000, 3000,  4000]', '[3000, 3000, 3000, nil]'),
    'The last week would have had no price for interns.',
  ),
  afpicon(
    'GST of 12%',
    one('percent: 18', 'percent: 12'),
    'The office would have owed the state the difference.',
    'Fees are exclusive of 18%',
  ),
  afpicon(
    'GST with its sign',
    one('percent: 18,', 'percent: 18%,'),
    'No total could have been worked out.',
  ),
  afpicon(
    'GST as a fraction',
    one('percent: 18', 'percent: 0.18'),
    'Nine rupees of GST would have been charged for nine hundred.',
  ),
  afpicon(
    'prices said to include GST',
    one('prices: exclusive', 'prices: inclusive'),
    'The conference would have paid the GST of every delegate itself.',
  ),
  afpicon(
    'the panel says inclusive',
    one('exclusive of 18% GST', 'inclusive of 18% GST'),
    'Delegates would have demanded ₹900 back.',
    'inclusive of',
  ),
  afpicon(
    'the panel’s percent is old',
    one('exclusive of 18%', 'exclusive of 12%'),
    'Delegates would have complained about 18%.',
  ),
  chirurgia(
    'prices said to exclude GST',
    one('prices: inclusive', 'prices: exclusive'),
    'Surgeons would have paid 18% more than the brochure says.',
  ),
  chirurgia(
    'GST included, misspelt',
    one('prices: inclusive', 'prices: included'),
    'Nobody could have said whether GST is inside.',
  ),
  chirurgia(
    'rounding misspelt',
    one('round: rupee}', 'round: rupees}'),
    'Receipts would have shown paise the office does not book.',
  ),
  chirurgia(
    'rounding left out',
    one(', round: rupee}', '}'),
    'Receipts would have shown ₹4,237.29.',
  ),
  chirurgia(
    'early and regular columns exchanged',
    one('[early-bird, regular]', '[regular, early-bird]'),
    'Late delegates would have got the discount.',
  ),
  chirurgia(
    'one row written backwards',
    one('[3540, 4720]', '[4720, 3540]'),
    'An early post graduate would have paid more.',
  ),
  chirurgia(
    'one row written backwards, examples regenerated from it',
    steps(
      one('[3540, 4720]', '[4720, 3540]'),
      all(
        'base: 3000, gst: 540, total: 3540}}\n    - {name: pg-asi in',
        'base: 4000, gst: 720, total: 4720}}\n    - {name: pg-asi in',
      ),
      all(
        'on: 2025-12-01, category: pg-asi, expect: {period: regular, base: 4000, gst: 720, total: 4720}',
        'on: 2025-12-01, category: pg-asi, expect: {period: regular, base: 3000, gst: 540, total: 3540}',
      ),
      one(
        'category: pg-asi, period: regular, base: 4000, gst: 720, total: 4720',
        'category: pg-asi, period: regular, base: 3000, gst: 540, total: 3540',
      ),
    ),
    'An early post graduate would have paid more.',
    '[4720, 3540]',
  ),
  chirurgia(
    'prices of members and others exchanged',
    steps(
      one('[5900, 7080]', '[A]'),
      one('[7080, 8260]', '[5900, 7080]'),
      one('[A]', '[7080, 8260]'),
    ),
    'Members would have paid more than others.',
    'asi-member:  ',
  ),
  chirurgia(
    'a price with a space in it',
    one('[5900, 7080]', '[5 900, 7080]'),
    'Members would have had no price.',
  ),
  chirurgia(
    'a full stop between two prices',
    one('[7080, 8260]', '[7080. 8260]'),
    'Non-members would have had one price for two periods.',
  ),
  chirurgia(
    'a closing bracket lost',
    one('[2360, 2950]', '[2360, 2950'),
    'The file could not have been read at all.',
    'accompanying-asi:     [',
  ),
  chirurgia(
    'a bracket of the wrong kind',
    one('[2950, 3540]', '[2950, 3540}'),
    'The file could not have been read at all.',
  ),
  midzone(
    'two prices where there is one period',
    one('[1250]', '[1250, 1500]'),
    'Nobody could have said which price counts.',
  ),
  midzone(
    'a bare number for a list',
    one('afpi-pg:           [750]', 'afpi-pg:           750'),
    'Post graduates would have had no price.',
  ),
  midzone('a digit more', one('[1000]', '[10000]'), 'A member would have been charged ₹11,800.'),
  midzone(
    'the period’s name changed in one place',
    one('- {id: standard}', '- {id: regular}'),
    'No category would have had a price.',
    'period:   ',
  ),
  midzone(
    'a period and the column added, a row forgotten',
    steps(
      below('- {id: standard}', '    - {id: spot, from: 2025-11-23}'),
      one('[standard]', '[standard, spot]'),
      one('[1000]', '[1000, 1200]'),
      one('[1250]', '[1250, 1500]'),
      one('[750]', '[750, 900]'),
    ),
    'Non-member post graduates would have had no price at the desk.',
    'non-afpi-pg:   ',
  ),
  nobodyKnows(
    'A dearer year is no mistake to a tool, and examples were made from the table.',
    midzone(
      'the member price is wrong, examples too',
      steps(
        one('[1000]', '[1100]'),
        one('base: 1000, gst: 180, total: 1180', 'base: 1100, gst: 198, total: 1298'),
      ),
      'Members would have paid ₹118 more than the committee decided.',
      '[1100]',
    ),
  ),
]

const rules: readonly Mistake[] = [
  chirurgia(
    'otherwise is missing',
    drop('- {otherwise:'),
    'Most surgeons would have seen no price and a grey button.',
    '  rules:',
    'id: non-asi-member',
  ),
  chirurgia(
    'otherwise on top',
    steps(drop('- {otherwise:'), below('  rules:', '    - {otherwise: non-asi-member}')),
    'Everybody would have paid the non-member price.',
  ),
  chirurgia(
    'the general rule above the special ones',
    exchange('{when: {designation: pg, asi_member: true}', '{when: {asi_member: true}, '),
    'Post graduates who are members would have paid the full price.',
    '{when: {designation: pg, asi_member: true}',
  ),
  chirurgia(
    'a misspelt option',
    one('{designation: pg, asi_member: true}', '{designation: gp, asi_member: true}'),
    'Post graduates would have paid the full price.',
  ),
  chirurgia(
    'the label for the id',
    one('{designation: pg, asi_member: false}', '{designation: Post Graduate, asi_member: false}'),
    'Post graduates would have paid the full price.',
  ),
  chirurgia(
    'an option in capitals',
    one('{designation: pg, asi_member: true}', '{designation: PG, asi_member: true}'),
    'Perhaps none, but the rule would not have said what is stored.',
  ),
  chirurgia(
    'yes for true',
    one('{when: {asi_member: true}, ', '{when: {asi_member: yes}, '),
    'Members would have paid as strangers.',
  ),
  chirurgia(
    'true in quotes',
    one('{when: {asi_member: true}, ', '{when: {asi_member: "true"}, '),
    'Members would have paid as strangers.',
  ),
  chirurgia(
    'a field of the other conference',
    one('{when: {asi_member: true}, ', '{when: {afpi_member: true}, '),
    'Members would have paid as strangers.',
  ),
  chirurgia(
    'then names the label',
    one('then: asi-member}', 'then: ASI Member}'),
    'Members would have had no price.',
  ),
  chirurgia(
    'then names a category with an underscore',
    one('then: pg-asi}', 'then: pg_asi}'),
    'Post graduates would have had no price.',
  ),
  chirurgia(
    'the same result twice',
    one('then: pg-non-asi}', 'then: pg-asi}'),
    'Post graduates who are no members would have got the members’ price.',
  ),
  chirurgia(
    'results of two rules exchanged',
    steps(
      one('then: pg-asi}', 'then: A}'),
      one('then: pg-non-asi}', 'then: pg-asi}'),
      one('then: A}', 'then: pg-non-asi}'),
    ),
    'Members would have paid the strangers’ price.',
  ),
  chirurgia(
    'true and false exchanged',
    one('{designation: pg, asi_member: true}', '{designation: pg, asi_member: false}'),
    'Post graduates who are members would have paid the full price.',
  ),
  chirurgia(
    'the general rule is gone',
    drop('{when: {asi_member: true}, '),
    'Members would have paid ₹1,180 too much.',
    'id: asi-member',
  ),
  chirurgia(
    'a rule for senior residents after otherwise',
    below('- {otherwise:', '    - {when: {designation: senior-resident}, then: pg-asi}'),
    'Senior residents would have paid the full price all the same.',
  ),
  chirurgia(
    'a rule twice',
    below('{when: {asi_member: true}, ', '    - {when: {asi_member: true}, then: asi-member}'),
    'None today; the next change of one of them would have done nothing.',
  ),
  chirurgia(
    'or written as and',
    one(
      '{designation: pg, asi_member: true}',
      '{designation: pg, designation: senior-resident, asi_member: true}',
    ),
    'The rule would have meant one of the two, by chance.',
  ),
  chirurgia(
    'an operator from a spreadsheet',
    one('{when: {asi_member: true}, ', '{when: {asi_member: "= true"}, '),
    'Members would have paid as strangers.',
  ),
  chirurgia(
    'the option is renamed in the form only',
    one('{id: pg, label: PG}', '{id: post-graduate, label: PG}'),
    'No post graduate would have got a post graduate’s price.',
    'designation: pg',
  ),
  chirurgia(
    'the option is taken out of the form',
    one(', {id: pg, label: PG}', ''),
    'Post graduates could not have said what they are.',
    'designation: pg',
    'senior-resident',
  ),
  chirurgia(
    'a category renamed in the list only',
    one('{id: pg-asi,', '{id: pg-asi-member,'),
    'Post graduates would have had no price.',
    'then: pg-asi',
    '    pg-asi:',
  ),
  chirurgia(
    'a category without rule or price',
    below('{id: pg-non-asi,', '  - {id: trainee, label: Trainee}'),
    'Trainees would have paid somebody else’s price.',
  ),
  chirurgia(
    'listed_only on one that is given',
    one('label: Post Graduate (ASI)}', 'label: Post Graduate (ASI), listed_only: true}'),
    'None, until somebody trusts the word.',
  ),
  chirurgia(
    'listed_only forgotten',
    one(', listed_only: true}', '}'),
    'Delegates would have asked how to register a companion.',
  ),
  chirurgia(
    'two categories with one id',
    one('{id: non-asi-member,', '{id: asi-member,'),
    'Strangers would have been booked as members.',
  ),
  chirurgia(
    'two categories called alike',
    one('label: Non-ASI Member', 'label: ASI Member'),
    'The office could not have told them apart.',
  ),
  midzone(
    'the form’s yes-no field is renamed',
    one('{id: is_pg,', '{id: post_graduate,'),
    'Post graduates would have paid the full price.',
    'is_pg: true',
  ),
  midzone(
    'when misspelt',
    one('- {when: {afpi_member: true}, ', '- {if: {afpi_member: true}, '),
    'Members would have paid as strangers.',
  ),
  midzone(
    'then forgotten',
    one('afpi_member: false}, then: non-afpi-pg}', 'afpi_member: false}}'),
    'Post graduates would have had no category.',
  ),
  midzone(
    'no where yes is meant',
    one('{is_pg: true, afpi_member: false}', '{is_pg: false, afpi_member: false}'),
    'Every plain delegate would have paid the post graduates’ price.',
  ),
  midzone(
    'otherwise gives the cheap category',
    one('otherwise: non-afpi-delegate', 'otherwise: non-afpi-pg'),
    'Every stranger would have paid the post graduates’ price.',
  ),
  midzone(
    'otherwise with a capital',
    one('{otherwise:', '{Otherwise:'),
    'Strangers would have had no category.',
  ),
  midzone(
    'otherwise given a condition as well',
    one(
      '{otherwise: non-afpi-delegate}',
      '{when: {afpi_member: false}, otherwise: non-afpi-delegate}',
    ),
    'Nobody could have said when it counts.',
  ),
  afpicon(
    'chosen in a field that is gone',
    one('chosen_in: ticket_type', 'chosen_in: registration_category'),
    'Nobody would have had a price.',
  ),
  afpicon(
    'chosen in a text field',
    one('chosen_in: ticket_type', 'chosen_in: designation'),
    'Whoever typed “Professor” would have had no price.',
  ),
  afpicon('chosen in misspelt', one('chosen_in:', 'choosen_in:'), 'Nobody would have had a price.'),
  afpicon(
    'the options are not the categories',
    one('options: categories ', 'options: category '),
    'The drop-down would have been empty.',
  ),
  afpicon(
    'proof for the wrong category',
    one('[afpi-pg, non-afpi-pg]}\n', '[afpi-pg, non-afpi-gp-specialist]}\n'),
    'Specialists would have been asked for a proof of studies.',
  ),
  afpicon(
    'proof for only one of two',
    one('show_when: {category: [afpi-pg, non-afpi-pg]}', 'show_when: {category: [afpi-pg]}'),
    'Non-members would have got the discount without a proof.',
  ),
  afpicon(
    'proof for a misspelt category',
    one(
      'show_when: {category: [afpi-pg, non-afpi-pg]}',
      'show_when: {category: [afpi-pg, nonafpi-pg]}',
    ),
    'Non-members would have got the discount without a proof.',
  ),
  afpicon(
    'the section hidden for ever',
    one('show_when: {category: [afpi-pg, non-afpi-pg]}', 'show_when: {ticket_type: pg}'),
    'Nobody would have been asked for a proof.',
  ),
  afpicon(
    'the condition asks the wrong way',
    one('show_when: {afpi_member: true}', 'show_when: {afpi_member: false}'),
    'Strangers would have been asked for a number they do not have.',
  ),
  afpicon(
    'the condition asks a removed field',
    drop('{id: afpi_member, type'),
    'Nobody could have given a membership number.',
    'show_when: {afpi_member',
  ),
  afpicon(
    'a field that asks about itself',
    one('show_when: {afpi_member: true}', 'show_when: {afpi_membership_number: {answered: true}}'),
    'Nobody could have given a membership number.',
  ),
  afpicon(
    'answered with a typo',
    one('show_when: {afpi_member: true}', 'show_when: {afpi_member: {answerd: true}}'),
    'Nobody could have given a membership number.',
  ),
  afpicon(
    'the condition is a sentence',
    one('show_when: {afpi_member: true}', 'show_when: afpi_member is true'),
    'Nobody could have given a membership number.',
  ),
  afpicon(
    'a question that hangs on free text',
    below(
      'label: Present Institute}',
      '        - {id: ward, label: Ward, show_when: {present_institute: AIIMS}}',
    ),
    'Whoever writes “A.I.I.M.S.” would not have been asked.',
  ),
  nobodyKnows(
    'Who must show a proof is the committee’s decision, and the examples were changed with it.',
    afpicon(
      'interns forgotten in the proof section',
      one(
        'about: Interns, MBBS students and accompanying persons',
        'about: Interns and MBBS students (proof required)',
      ),
      'Anybody would have registered as an intern.',
      'show_when: {category',
    ),
  ),
]

const form: readonly Mistake[] = [
  afpicon(
    'the required message on the wrong field',
    steps(
      one(
        'label: Full Name, required: Full name is required',
        'label: Full Name, required: Phone number is required',
      ),
      one(
        'required: Phone number is required}\n        - {id: ticket_no',
        'required: Full name is required}\n        - {id: ticket_no',
      ),
    ),
    'Who forgot the name would have been told to give a phone number.',
  ),
  afpicon(
    'required left out after a copy',
    one('label: Full Name, required: Full name is required}', 'label: Full Name}'),
    'The gateway would have refused a payment without a name.',
  ),
  afpicon(
    'required: no',
    one('required: Please select a registration category', 'required: no'),
    'Delegates would have pressed a grey button without knowing why.',
  ),
  afpicon(
    'the e-mail field is gone',
    steps(
      drop('- id: email'),
      drop('          type: email'),
      drop('label: Email Address'),
      drop('required: Email address is required'),
    ),
    'No confirmation could have been sent.',
    'fields:',
    '- email',
  ),
  afpicon(
    'the e-mail field is plain text',
    drop('          type: email'),
    'asha.example.org would have been accepted, and the confirmation lost.',
    '- id: email',
  ),
  afpicon(
    'the phone field renamed',
    one('{id: phone_number,', '{id: mobile,'),
    'The list, the page and the gateway would have missed it.',
    '- phone_number',
  ),
  afpicon(
    'a field renamed in the form, not in the lists',
    one('{id: present_institute,', '{id: institute,'),
    'The office’s column would have stayed empty.',
    'present_institute, medical',
  ),
  afpicon(
    'a field id in camelCase, as in the old page',
    one('{id: present_institute,', '{id: presentInstitute,'),
    'The office’s column would have stayed empty.',
  ),
  afpicon(
    'a field id with a hyphen',
    one('{id: ticket_no,', '{id: ticket-no,'),
    'The office’s column would have stayed empty.',
  ),
  afpicon(
    'a field pasted twice',
    below('{id: city, label: City}', '        - {id: city, label: City}'),
    'One of two answers would have been lost.',
  ),
  afpicon(
    'a field pasted, the id forgotten',
    below('{id: city, label: City}', '        - {id: city, label: District}'),
    'The district would have been stored as the city.',
  ),
  afpicon(
    'a field pasted, the label forgotten',
    below('{id: city, label: City}', '        - {id: district, label: City}'),
    'Delegates would have been asked twice for the city.',
  ),
  afpicon(
    'a field given an engine’s name',
    one('{id: ticket_no, label: Ticket Number', '{id: reg_no, label: Ticket Number'),
    'The registration number would have been what the delegate typed.',
  ),
  afpicon(
    'a type that does not exist',
    one('type: phone, label: Phone Number', 'type: tel, label: Phone Number'),
    'The form could not have been drawn.',
  ),
  afpicon(
    'a type with an underscore',
    one('type: yes-no, as: switch', 'type: yes_no, as: switch'),
    'The form could not have been drawn.',
  ),
  afpicon(
    'options on a text field',
    one('{id: city, label: City}', '{id: city, label: City, options: [Kochi, Kottayam]}'),
    'Delegates would have typed whatever they like.',
  ),
  afpicon(
    'a drop-down without type',
    one('{id: state, type: select, label', '{id: state, label'),
    'Delegates would have typed their state in forty ways.',
  ),
  afpicon(
    'a shared list misspelt',
    one('options: indian-states', 'options: indian-state'),
    'The drop-down would have been empty.',
  ),
  afpicon(
    'a shared list with an underscore',
    one('options: indian-states', 'options: indian_states'),
    'The drop-down would have been empty.',
  ),
  afpicon(
    'file endings with dots',
    one('[pdf, doc, docx, jpg, jpeg, png]', '[.pdf, .doc, .docx, .jpg, .jpeg, .png]'),
    'Every proof would have been refused.',
  ),
  afpicon(
    'file endings left out',
    drop('accept: ['),
    'Anything at all could have been uploaded.',
    'id: pg_proof',
  ),
  afpicon(
    'a dangerous ending let in',
    all('docx, jpg, jpeg, png]', 'docx, jpg, jpeg, png, html]'),
    'The office would have opened a stranger’s page.',
    'accept:',
  ),
  afpicon(
    'an ending forgotten, promise too',
    all('jpg, jpeg, png]', 'jpg, png]'),
    'Photographs from half the phones would have been refused.',
    'accept:',
  ),
  afpicon(
    'a step that does not exist',
    one('stays_on: 1', 'stays_on: 5'),
    'The stepper would have marked nothing.',
  ),
  afpicon(
    'steps counted from nought',
    one('stays_on: 1', 'stays_on: 0'),
    'The stepper would have marked nothing.',
  ),
  afpicon(
    'a summary line misspelt',
    one('lines: [base, gst, total]', 'lines: [base, tax, total]'),
    'The GST would not have been shown before paying.',
  ),
  afpicon(
    'a summary without the total',
    all('[base, gst, total]', '[base, gst]'),
    'Delegates would have paid a sum they never saw.',
    'lines: [base',
  ),
  afpicon(
    'notices misspelt',
    one('notices: snackbar', 'notices: snack bar'),
    'A refused submit would have said nothing.',
  ),
  afpicon(
    'a message for a form that is not checked',
    one(
      'type: phone, label: Phone Number, check: false',
      'type: phone, label: Phone Number, check: false, invalid: Please enter ten digits',
    ),
    'The office would have believed that numbers are checked.',
  ),
  afpicon(
    'section without fields',
    one(
      '    - title: Registration Category\n      fields:',
      '    - title: Registration Category\n      field:',
    ),
    'The category could not have been chosen.',
  ),
  afpicon(
    'a section title pasted over',
    one('- title: Registration Category', '- title: Documentation'),
    'Delegates would have sought their category under Documentation.',
  ),
  chirurgia(
    'a default that is no option',
    one('default: vegetarian', 'default: veg'),
    'The kitchen would have counted plates for nobody.',
  ),
  chirurgia(
    'a default with a capital',
    one('default: vegetarian', 'default: Vegetarian'),
    'The kitchen would have counted two kinds of vegetarian.',
  ),
  chirurgia(
    'default: no',
    one(
      '{id: paper_presentation, type: yes-no, label: Paper Presentation, default: false}',
      '{id: paper_presentation, type: yes-no, label: Paper Presentation, default: no}',
    ),
    'Everybody would have been put on the programme.',
  ),
  chirurgia(
    'the default is yes',
    one('label: Poster Presentation, default: false', 'label: Poster Presentation, default: true'),
    'Everybody would have been put on the poster list.',
  ),
  chirurgia(
    'an option misspelt, promise not',
    one(
      'professor, associate-professor, assistant-professor,\n                    senior',
      'professor, associate-professor, asistant-professor,\n                    senior',
    ),
    'Assistant professors would have been stored under a misspelling.',
    'asistant',
  ),
  nobodyKnows(
    'An id is a word of the organiser’s, and the promise was changed with it.',
    chirurgia(
      'an option misspelt, promise too',
      all('assistant-professor', 'asistant-professor'),
      'Assistant professors would have read a misspelling.',
      'asistant',
    ),
  ),
  chirurgia(
    'an option twice',
    one('[consultant, professor,', '[consultant, consultant, professor,'),
    'The drop-down would have offered one thing twice.',
  ),
  nobodyKnows(
    'A message is a sentence, and its example was changed with it.',
    chirurgia(
      'ASI and AFPI mixed up in the message',
      all('Required for ASI members', 'Required for AFPI members'),
      'Surgeons would have been asked for a physicians’ number.',
      'required: Required for AFPI',
    ),
  ),
  chirurgia(
    'the number always required',
    drop('show_when: {asi_member: true}'),
    'Non-members could not have registered.',
    'id: asi_membership_number',
  ),
  chirurgia(
    'the membership question set behind its number',
    steps(
      drop('{id: asi_member, type'),
      below(
        'required: Required for ASI members',
        '        - {id: asi_member, type: yes-no, label: ASI Member}',
      ),
    ),
    'The question would have come after its answer, with nothing chosen.',
  ),
  chirurgia(
    'label left out',
    one('{id: hospital, label: Hospital / Institution}', '{id: hospital}'),
    'Delegates would have faced an empty box without a name.',
  ),
  chirurgia(
    'key in the plural',
    one('label: Hospital / Institution', 'labels: Hospital / Institution'),
    'Delegates would have faced an empty box without a name.',
  ),
  midzone(
    'a key with a space',
    one('show_when: {afpi_member', 'show when: {afpi_member'),
    'Everybody would have been asked for a membership number.',
  ),
  midzone(
    'a question without its question mark, quoted by half',
    one('label: Are you a post graduate?,', 'label: "Are you a post graduate?,'),
    'The file could not have been read at all.',
  ),
  midzone(
    'the alert for none misspelt',
    one('{alert: none}', '{alert: non}'),
    'Delegates would have met a dialog that says “non”.',
  ),
  midzone(
    'two fields of one label',
    one('label: Institution', 'label: Designation'),
    'Nobody could have said what to write where.',
  ),
  pulmocon(
    'the prefix lost its quotes',
    one('default: "+91"', 'default: +91'),
    'The number would have begun with 91.',
  ),
  pulmocon(
    'a stored column of an unknown kind',
    one('type: money, label: Registration Fee', 'type: currency, label: Registration Fee'),
    'The office’s list could not have been drawn.',
  ),
  pulmocon(
    'a stored column called like a field',
    one('{id: registration_fee, type', '{id: registration_category, type'),
    'The category column would have shown rupees.',
  ),
  pulmocon(
    'a stored column renamed, the list not',
    one('{id: accompanying_persons_count,', '{id: accompanying_count,'),
    'The column would have been empty.',
    'accompanying_persons_count, payment',
  ),
  nobodyKnows(
    'A label is a word in the organiser’s tongue.',
    chirurgia(
      'a word misspelt in a label',
      one('label: Hospital / Institution', 'label: Hosptial / Institution'),
      'Delegates would have smiled.',
    ),
  ),
  nobodyKnows(
    'TCMC and TNMC are both councils.',
    chirurgia(
      'the wrong council',
      one('label: TCMC Registration', 'label: TNMC Registration'),
      'Delegates would have given the wrong number.',
    ),
  ),
]

const names: readonly Mistake[] = [
  afpicon(
    'the file’s id is misspelt',
    one('id: afpicon2026', 'id: afpicon2062'),
    'The event would have been stored under a name that nobody knows.',
  ),
  afpicon(
    'the id with a capital',
    one('id: afpicon2026', 'id: Afpicon2026'),
    'The event would have been stored under another name.',
  ),
  afpicon(
    'support without its domain’s end',
    one('support: support@afpicon.example', 'support: support@afpicon'),
    'No mail to support would have arrived.',
  ),
  afpicon(
    'support with a comma',
    one('support: support@afpicon.example', 'support: support@afpicon,example'),
    'No mail to support would have arrived.',
  ),
  afpicon(
    'support with a space',
    one('support: support@afpicon.example', 'support: support @afpicon.example'),
    'No mail to support would have arrived.',
  ),
  afpicon(
    'support with letters exchanged',
    one('support: support@afpicon.example', 'support: suport@afpicon.example'),
    'No mail to support would have arrived.',
  ),
  afpicon(
    'two addresses in one',
    one(
      'support: support@afpicon.example',
      'support: support@afpicon.example, desk@afpicon.example',
    ),
    'No mail to support would have arrived.',
  ),
  afpicon(
    'the office’s address missing, its copy wanted',
    drop('office: registrations@'),
    'The office would have got no copy of a confirmation.',
    'copy_to',
  ),
  afpicon(
    'the venue is missing',
    drop('venue: Resort'),
    'Delegates would not have known where to go.',
    'event:',
  ),
  afpicon(
    'the venue’s key misspelt',
    one('venue: Resort', 'venu: Resort'),
    'Delegates would not have known where to go.',
  ),
  afpicon(
    'status: opened',
    one('status: open', 'status: opened'),
    'The form would not have been shown.',
  ),
  afpicon(
    'closed by a slip',
    one('status: open', 'status: closed'),
    'Nobody could have registered.',
  ),
  afpicon(
    'a route without its slash',
    one('form: /afpicon2026', 'form: afpicon2026'),
    'The link in the brochure would have led nowhere.',
  ),
  afpicon(
    'a route with a slash at the end',
    one('form: /afpicon2026', 'form: /afpicon2026/'),
    'The link in the brochure would have led nowhere.',
  ),
  afpicon(
    'a route with the whole address',
    one('success: /afpicon/', 'success: https://conference.example/afpicon/'),
    'Who had paid would have seen “not found”.',
  ),
  afpicon(
    'success and failed exchanged, promises too',
    steps(
      all('/afpicon/payment/success', '/A'),
      all('/afpicon/payment/failed', '/afpicon/payment/success'),
      all('/A', '/afpicon/payment/failed'),
    ),
    'Who had paid would have been sent to an address called failed.',
    'success:',
    'failed:',
  ),
  afpicon(
    'success and failed the same',
    one('failed: /afpicon/payment/failed', 'failed: /afpicon/payment/success'),
    'Who had paid would have been told that it failed.',
  ),
  afpicon(
    'a result page at another event’s address',
    all('/afpicon/payment/success', '/chirurgia/payment/success'),
    'Two conferences would have claimed one page.',
    'success: /chir',
  ),
  afpicon(
    'a form at the office’s address',
    all('/afpicon2026,', '/admin/dashboard,'),
    'The promise would have been of an address that is not there.',
    'form: /afpicon2026',
  ),
  afpicon(
    'a form where the office signs in',
    steps(one('form: /afpicon2026', 'form: /admin/login'), one('[/afpicon2026,', '[/admin/login,')),
    'The office could not have signed in.',
    'form: /admin',
  ),
  afpicon(
    'Try Again misspelt',
    one('go: /afpicon/register', 'go: /afpicon/registr'),
    'A delegate whose card failed would have seen “not found”.',
  ),
  afpicon(
    'the extra route taken away',
    drop('also: [/afpicon/register]'),
    'A delegate whose card failed would have seen “not found”.',
    'go: /afpicon/register',
    'routes:',
  ),
  afpicon(
    'a button that does what nothing does',
    one('do: receipt', 'do: download'),
    'Nobody could have had a receipt.',
  ),
  afpicon(
    'a button with two aims',
    one('{label: Go Home, go: /}', '{label: Go Home, go: /, do: print}'),
    'Nobody could have said what it does.',
  ),
  afpicon(
    'a button with none',
    one('{label: Go Home, go: /}', '{label: Go Home}'),
    'The button would have done nothing.',
  ),
  afpicon(
    'the receipt’s block deleted',
    (text) => changed(text, text.replace(/ {2}receipt:\n(?: {4}.*\n|\n| {6}.*\n)+/, ''), 'receipt'),
    'Download Receipt would have downloaded nothing.',
    'do: receipt',
  ),
  afpicon(
    'an account in capitals',
    one('account: afpi ', 'account: AFPI '),
    'The credentials would not have been found, and no one could have paid.',
  ),
  afpicon(
    'a gateway that is not there',
    one('gateway: airpay', 'gateway: airpays'),
    'No one could have paid.',
  ),
  afpicon(
    'the prefix in small letters',
    one('prefix: AFPI', 'prefix: afpi'),
    'The gateway’s answers would have matched no order.',
  ),
  afpicon(
    'the prefix with a hyphen',
    one('prefix: AFPI', 'prefix: AFPI-'),
    'The gateway would have refused the order ids.',
  ),
  afpicon(
    'too few digits',
    one('digits: 13', 'digits: 6'),
    'Strangers could have guessed a delegate’s number.',
  ),
  afpicon(
    'a prefix too long for the gateway',
    steps(one('prefix: AFPI', 'prefix: AFPICON2026'), one('[AFPI,', '[AFPICON2026,')),
    'The gateway would have refused a second attempt.',
    'prefix: AFPICON2026',
  ),
  afpicon(
    'followed by a misspelt word',
    one('followed_by: digits', 'followed_by: digit'),
    'No order would have been recognised.',
  ),
  afpicon(
    'the read call lost its placeholder',
    one(
      'registration: /api/afpicon/registrations/{reg_no}/',
      'registration: /api/afpicon/registrations/',
    ),
    'Every result page would have failed to find its delegate.',
  ),
  afpicon(
    'the placeholder’s name wrong',
    one(
      'registration: /api/afpicon/registrations/{reg_no}/',
      'registration: /api/afpicon/registrations/{regno}/',
    ),
    'Every result page would have failed to find its delegate.',
  ),
  afpicon(
    'sent as the wrong value',
    one('gst_amount: gst\n', 'gst_amount: base\n'),
    'Whoever reads the wire would have booked the base as tax.',
  ),
  afpicon(
    'sent under a field’s name',
    one('base_amount: base\n', 'ticket_type: base\n'),
    'The category would have been overwritten by rupees.',
  ),
  afpicon(
    'sends what is not there',
    one('total_amount: total\n', 'total_amount: totals\n'),
    'The amount would have been missing from the call.',
  ),
  afpicon(
    'gateway key of the API misspelt',
    one('gateway_return:', 'gateway_returns:'),
    'The gateway would have come back to nothing.',
  ),
  chirurgia(
    'tariff and read call collide',
    all('/api/chirurgia/tariff-info/', '/api/chirurgia/registrations/tariff/'),
    'The price list would have been taken for a delegate.',
    'tariff:',
  ),
  chirurgia(
    'register and tariff at one address',
    all('/api/chirurgia/tariff-info/', '/api/chirurgia/register/'),
    'The prices could not have been read.',
    'tariff:',
  ),
  midzone(
    'the read call of another event',
    all('/api/midzone/registrations/', '/api/chirurgia/registrations/'),
    'Mid Zone’s delegates would have been looked for in Chirurgia.',
    'registration:',
  ),
  midzone(
    'the prefix is Chirurgia’s',
    all('MIDZ', 'CHIR'),
    'Orders would have opened the other conference’s page.',
    'prefix:',
  ),
  midzone(
    'the prefix is PULMO and digits',
    all('MIDZ', 'PULMO2'),
    'Orders would have opened the other conference’s page.',
    'prefix:',
  ),
  pulmocon(
    'the prefix is cut to a letter',
    all('[PULMO,', '[P,'),
    'The promise would have been of ids that are not there.',
    'prefix: PULMO',
  ),
  pulmocon(
    'the notice is missing',
    (text) => changed(text, text.replace(/closed:\n {2}heading[^#]*?\n\n/, ''), 'closed'),
    'The page would have said nothing at all.',
    'status: closed',
  ),
  pulmocon(
    'opened again for a test',
    one('status: closed', 'status: open'),
    'Delegates would have filled in a form without a price.',
    'closed:',
  ),
  nobodyKnows(
    'Both are addresses one can write to.',
    afpicon(
      'support is a private address, promise too',
      all('support@afpicon.example', 'secretary@mail.example'),
      'Mail would have piled up with somebody on leave.',
      'support:',
    ),
  ),
  nobodyKnows(
    'Nobody but the bank knows whose account a name means.',
    midzone(
      'the account of the surgeons',
      all('account: afpi', 'account: chirurgia'),
      'The fees would have reached the surgeons’ bank.',
      'account:',
    ),
  ),
]

const texts: readonly Mistake[] = [
  afpicon(
    'a placeholder misspelt in the mail',
    one('{full_name},\n\n    Thank you', '{fullname},\n\n    Thank you'),
    'Every confirmation would have begun “Dear {fullname}”.',
  ),
  afpicon(
    'a placeholder from the old page',
    one('Registration number: {reg_no}', 'Registration number: {regNo}'),
    'Confirmations would have had no number in them.',
  ),
  afpicon(
    'a doubled brace',
    one('Category: {category}\n    Amount', 'Category: {{category}}\n    Amount'),
    'Confirmations would have shown braces.',
  ),
  afpicon(
    'a brace not closed',
    one('{event.dates}, {event.venue}.', '{event.dates, {event.venue}.'),
    'Confirmations would have lost the days.',
  ),
  afpicon(
    'a brace not opened',
    one('Category: {category}\n    Amount', 'Category: category}\n    Amount'),
    'Confirmations would have said “category}”.',
  ),
  afpicon(
    'a space in a placeholder',
    one('Name: {full_name}', 'Name: {full name}'),
    'Receipts would have had no name.',
  ),
  afpicon(
    'brackets for braces',
    one('Name: {full_name}', 'Name: [full_name]'),
    'Receipts would have said “[full_name]”.',
  ),
  afpicon(
    'percent signs for braces',
    one('Name: {full_name}', 'Name: %full_name%'),
    'Receipts would have said “%full_name%”.',
  ),
  afpicon(
    'a dollar before the brace',
    one('Name: {full_name}', 'Name: ${full_name}'),
    'Receipts would have had a dollar before the name.',
  ),
  afpicon(
    'the motto is gone, the mail wants it',
    drop('theme: The Spice'),
    'Confirmations would have said “(N/A)”.',
    '{event.theme}',
  ),
  afpicon(
    'the hours of a conference that has none',
    one('{event.dates}, {event.venue}.', '{event.dates}, {event.hours}, {event.venue}.'),
    'Confirmations would have said “N/A” for the hours.',
  ),
  afpicon(
    'the payment’s day before payment',
    one('- Fees are exclusive of 18% GST', '- Fees are exclusive of 18% GST until {payment_date}'),
    'The form would have shown “{payment_date}”.',
  ),
  afpicon(
    'the receipt’s name without quotes',
    one('file: "{reg_no}.txt"', 'file: {reg_no}.txt'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'the receipt’s name the same for all',
    one('file: "{reg_no}.txt"', 'file: receipt.txt'),
    'Every receipt would have overwritten the one before.',
  ),
  afpicon(
    'a path in the receipt’s name',
    one('file: "{reg_no}.txt"', 'file: "receipts/{reg_no}.txt"'),
    'Browsers would have saved it under some other name.',
  ),
  afpicon(
    'a smart quote opens a text',
    one('file: "{reg_no}.txt"', 'file: “{reg_no}.txt”'),
    'The receipt would have been called “AFPI….txt”, quotes and all.',
  ),
  afpicon(
    'a smart apostrophe for a quote',
    one('colour: "#E0A100"', 'colour: ‘#E0A100’'),
    'The page would have had no colour.',
  ),
  afpicon(
    'the colour without quotes',
    one('colour: "#E0A100"', 'colour: #E0A100'),
    'The page would have had no colour.',
  ),
  afpicon(
    'a colour with a digit lost',
    one('"#E0A100"', '"#E0A10"'),
    'The page would have had no colour.',
  ),
  afpicon(
    'a colon in a text',
    one('title: Payment Failed', 'title: Payment: Failed'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'a hash cuts a text',
    one('venue: Resort, Changanassery, Kottayam', 'venue: Resort #12, Changanassery, Kottayam'),
    'Delegates would have been sent to “Resort”.',
  ),
  nobodyKnows(
    'A hash after a blank is how these files write every remark.',
    afpicon(
      'a hash cuts a note',
      one(
        '- Please bring a valid ID proof to the venue',
        '- Please bring a valid ID proof to the venue # hall 2',
      ),
      'Delegates would not have found the hall.',
    ),
  ),
  afpicon(
    'a comma cuts a text in braces',
    one('{label: Venue, show: event.venue}', '{label: Venue, Hall, show: event.venue}'),
    'The row would have lost half its name.',
  ),
  afpicon(
    'a detail row misspelt',
    one('      - phone_number\n      - {show', '      - phone_no\n      - {show'),
    'Confirmations would have had no phone number.',
  ),
  afpicon(
    'a detail of a removed field',
    drop('{id: full_name,'),
    'Confirmations would have had no name.',
    '- full_name',
    '{full_name}',
    'fields:',
  ),
  afpicon(
    'as: word',
    one('as: words', 'as: word'),
    'The category would have been shown with hyphens.',
  ),
  afpicon(
    'show and text at once',
    one('{label: Status, text: Paid}', '{label: Status, text: Paid, show: payment_status}'),
    'Nobody could have said which.',
  ),
  afpicon(
    'failed says Paid',
    one('{label: Status, text: Failed}', '{label: Status, text: Paid}'),
    'Who had not paid would have thought they had.',
    'failed:',
  ),
  afpicon(
    'titles of the two pages exchanged',
    steps(
      one('title: Payment Failed', 'title: A'),
      one('title: Registration Confirmed', 'title: Payment Failed'),
      one('title: A', 'title: Registration Confirmed'),
    ),
    'Who had paid would have read “Payment Failed”.',
  ),
  afpicon(
    'split-total misspelt',
    one('amounts: split-total', 'amounts: split_total'),
    'Receipts would have shown other amounts than the page.',
  ),
  afpicon(
    'split-total under one page',
    steps(
      drop('amounts: split-total'),
      below('title: Registration Confirmed', '    amounts: split-total'),
    ),
    'Receipts would have shown other amounts than the page.',
  ),
  afpicon(
    'the receipt’s percent',
    one('GST (18%): {gst}', 'GST (12%): {gst}'),
    'Accounts departments would have refused the receipt.',
  ),
  nobodyKnows(
    'Who wants the copies is the office’s affair.',
    afpicon(
      'the mail copies to somebody',
      one('copy_to: office', 'copy_to: support'),
      'The office would have got no copy.',
    ),
  ),
  afpicon(
    'the subject left empty',
    one('subject: "{event.title} – registration {reg_no} confirmed"', 'subject:'),
    'Confirmations would have gone to the junk folder.',
  ),
  afpicon(
    'the block’s bar forgotten',
    one('  text: |\n    Dear', '  text:\n    Dear'),
    'The mail would have come in one line, if at all.',
    'Dear {full_name}',
  ),
  afpicon(
    'a line of the block moved left',
    one('    Category: {category}\n    Amount', 'Category: {category}\n    Amount'),
    'The file could not have been read at all.',
    'Amount paid: {total}',
  ),
  chirurgia(
    'the number in a note misspelt',
    one('registration number {reg_no} for', 'registration number {reg_on} for'),
    'Delegates would have been told to keep “{reg_on}”.',
  ),
  chirurgia(
    'the mail names another conference',
    one(
      'Thank you for registering for {event.title}',
      'Thank you for registering for AFPICON 2026',
    ),
    'Surgeons would have been thanked by the physicians.',
  ),
  nobodyKnows(
    'What a sentence says of money needs a reader.',
    chirurgia(
      'the mail says GST excluded',
      one('Amount paid: {total} (GST included)', 'Amount paid: {total} + 18% GST'),
      'Delegates would have thought that more was due.',
    ),
  ),
  chirurgia(
    'the support draft with the failed order’s wrong name',
    one('order {order_id}"', 'order {orderid}"'),
    'Support would have been asked about “{orderid}”.',
  ),
  chirurgia(
    'a number shown where nothing is looked up',
    one(
      '    title: Payment Failed\n    details:\n',
      '    title: Payment Failed\n    details:\n      - reg_no\n',
    ),
    'The failed page would have shown “N/A” for the number.',
  ),
  midzone(
    'the hours deleted, the mail wants them',
    drop('hours: 9 AM'),
    'Confirmations would have said “N/A” for the hours.',
    '{event.hours}',
    'event.hours',
    'event:',
  ),
  midzone(
    'a row for members hangs on the wrong field',
    one('when: {afpi_member: true}}', 'when: {is_member: true}}'),
    'Members would not have seen their number.',
  ),
  midzone(
    'a row without its condition',
    one('- {show: afpi_membership_number, when: {afpi_member: true}}', '- afpi_membership_number'),
    'Strangers would have seen “N/A” for a number.',
  ),
  pulmocon(
    'the lookup taken away',
    drop('lookup: if-found'),
    'The failed page would have shown “N/A” for the number.',
    '- reg_no',
  ),
  pulmocon(
    'lookup misspelt',
    one('lookup: if-found', 'lookup: if found'),
    'The failed page could not have been drawn.',
  ),
  pulmocon(
    'the notice names last year',
    one('for PULMOCON 2025 is currently', 'for PULMOCON 2024 is currently'),
    'Delegates would have wondered whether this year’s is open.',
  ),
  nobodyKnows(
    'Words about lunch are words.',
    afpicon(
      'the panel promises what there is not',
      one('certificate and lunch', 'certificate and dinner'),
      'Delegates would have stood hungry in the hall.',
      'certificate',
    ),
  ),
  nobodyKnows(
    'Both are causes one might name.',
    afpicon(
      'a reason that is not one',
      one('- Payment gateway timeout', '- Registration is not yet open'),
      'Delegates would have waited instead of trying again.',
    ),
  ),
  nobodyKnows(
    'A text may say what it likes about money already taken.',
    afpicon(
      'the note says the reverse',
      one('No amount has been deducted', 'The amount has been deducted'),
      'Delegates would have rung their banks.',
    ),
  ),
]

const NBSP = '\u00A0'
const yaml: readonly Mistake[] = [
  afpicon(
    'a tab for spaces',
    one('  id: afpicon2026', '\tid: afpicon2026'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'a tab in front of a list',
    one('    - id: afpicon  ', '\t- id: afpicon  '),
    'The file could not have been read at all.',
  ),
  afpicon(
    'one space too many',
    one('  venue: Resort', '   venue: Resort'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'one space too few',
    one('  venue: Resort', ' venue: Resort'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'no space after the colon',
    one('  venue: Resort', '  venue:Resort'),
    'The venue would have been missing.',
  ),
  afpicon(
    'a full-width colon',
    one('  venue: Resort', '  venue： Resort'),
    'The venue would have been missing.',
  ),
  afpicon(
    'an equals sign',
    one('percent: 18', 'percent= 18'),
    'No total could have been worked out.',
  ),
  afpicon(
    'a no-break space in an option',
    one('options: indian-states', `options:${NBSP}indian-states`),
    'The drop-down would have been empty.',
  ),
  afpicon(
    'a no-break space for indenting',
    one('  venue: Resort', `${NBSP} venue: Resort`),
    'The venue would have been missing.',
  ),
  afpicon(
    'a zero-width space in an id',
    one('chosen_in: ticket_type', 'chosen_in: ticket_\u200Btype'),
    'Nobody would have had a price.',
  ),
  afpicon(
    'a zero-width joiner in an address',
    one('support: support@afpicon', 'support: support\u200D@afpicon'),
    'No mail to support would have arrived.',
  ),
  afpicon(
    'a direction mark in a route',
    one('form: /afpicon2026', 'form: /afpicon2026\u200E'),
    'The link in the brochure would have led nowhere.',
  ),
  afpicon(
    'a soft hyphen in the venue',
    all('Changanassery', 'Changa\u00ADnassery'),
    'Searches for the venue would have found nothing.',
    'venue:',
  ),
  afpicon(
    'a Cyrillic letter in a category',
    one('    afpi-pg:   ', '    \u0430fpi-pg:   '),
    'Post graduates would have had no price.',
  ),
  afpicon(
    'a Cyrillic letter in an address',
    all('support@afpicon', 'supp\u043Ert@afpicon'),
    'No mail to support would have arrived.',
    'support:',
  ),
  afpicon(
    'a dash for a hyphen in a date',
    one('from: 2026-01-31', 'from: 2026–01–31'),
    'No page could have shown the day.',
  ),
  afpicon(
    'a dash for a list’s hyphen',
    one('      - Fees are', '      – Fees are'),
    'The panel’s lines would have run together.',
  ),
  afpicon(
    'Malayalam digits',
    one('[5000, 6000, 8000, 10000]', '[൫൦൦൦, 6000, 8000, 10000]'),
    'Members would have had no price.',
  ),
  afpicon(
    'a quote not closed',
    one('file: "{reg_no}.txt"', 'file: "{reg_no}.txt'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'a block pasted twice',
    below('title: AFPICON 2026', '  venue: Kochi'),
    'One of two venues would have counted, by chance.',
    'venue: Resort',
  ),
  afpicon(
    'an anchor',
    steps(
      one('label: Full Name,', 'label: &name Full Name,'),
      one('label: City}', 'label: *name}'),
    ),
    'The city would have been asked for as a name.',
  ),
  afpicon(
    'a merge key',
    one('  steps: [Personal', '  <<: *steps\n    steps: [Personal'),
    'The file could not have been read as meant.',
  ),
  afpicon(
    'a second document',
    below('format: 1', '---'),
    'All but the first line would have been ignored.',
  ),
  afpicon(
    'a conflict of two versions',
    one(
      '  status: open\n',
      '<<<<<<< HEAD\n  status: open\n=======\n  status: closed\n>>>>>>> theirs\n',
    ),
    'The file could not have been read at all.',
  ),
  afpicon(
    'the format’s number changed with the year',
    one('format: 1', 'format: 2'),
    'The file would have been read by rules that do not exist.',
  ),
  afpicon(
    'the format’s line gone',
    drop('format: 1'),
    'Nobody could have said by which rules to read it.',
    'demo:',
    'event:',
  ),
  afpicon(
    'a whole block moved in by a paste',
    one('\nlook:\n  colour', '\n  look:\n    colour'),
    'The page would have had no colour.',
  ),
  afpicon(
    'a comment’s hash forgotten',
    one('  digits: 13                      # random', '  digits: 13                      random'),
    'No number could have been given.',
  ),
  afpicon(
    'a comment swallowed the next line',
    one('  status: open\n', '  # status: open\n'),
    'Nobody could have said whether the form is open.',
    'event:',
  ),
  afpicon(
    'a price row commented out',
    one('    afpi-pg:     ', '    # afpi-pg:   '),
    'Post graduates would have found no price.',
    'id: afpi-pg',
    'prices:',
  ),
  chirurgia(
    'yes for a list-only category',
    one('listed_only: true', 'listed_only: yes'),
    'Delegates would have been offered a companion’s price.',
  ),
  chirurgia(
    'True with a quote',
    one('listed_only: true', 'listed_only: "true"'),
    'Delegates would have been offered a companion’s price.',
  ),
  midzone(
    'the file cut off by a mail program',
    (text) => changed(text, text.slice(0, text.indexOf('results:\n')), 'cut'),
    'There would have been no page after payment.',
    'tariff:',
    'total_amount:',
    'format:',
    'event:',
  ),
  midzone(
    'an HTML entity',
    one('A family-physicians event', 'A family&#45;physicians event'),
    'Search engines would have shown “&#45;”.',
  ),
  midzone(
    'bold from a word processor',
    one('venue: Kochi', 'venue: **Kochi**'),
    'The page would have shown asterisks, or nothing at all.',
  ),
  pulmocon(
    'a percent sign starts a text',
    one('venue: Kottayam', 'venue: %Kottayam'),
    'The file could not have been read at all.',
  ),
]

const office: readonly Mistake[] = [
  afpicon(
    'a filter misspelt',
    one('filters: [search, payment_status,', 'filters: [search, payment_state,'),
    'The office could not have picked out who has paid.',
  ),
  afpicon(
    'a column misspelt',
    one(
      'afpi_membership_number, base, gst, total, payment_status, created_at]',
      'afpi_membership_number, base, gst, totals, payment_status, created_at]',
    ),
    'The treasurer’s column would have been empty.',
  ),
  afpicon(
    'a column twice',
    one(
      'columns: [reg_no, full_name, email, phone_number, ticket_type, afpi_member,',
      'columns: [reg_no, full_name, email, email, phone_number, ticket_type, afpi_member,',
    ),
    'The CSV would have had two columns of one name.',
  ),
  afpicon(
    'the default size not among the sizes',
    one('page_size: 20\n      page_sizes: [10, 20,', 'page_size: 25\n      page_sizes: [10, 20,'),
    'The office’s list would have shown an empty choice.',
    'page_sizes',
  ),
  afpicon(
    'a size of nought',
    one('page_sizes: [10, 20', 'page_sizes: [0, 20'),
    'The list would have shown nobody.',
  ),
  afpicon(
    'both lists with one id',
    one('- id: afpicon2026  ', '- id: afpicon  '),
    'One of the two lists could not have been opened.',
  ),
  afpicon(
    'both exports named alike',
    all('afpicon_2026_registrations_{date}.csv', 'afpicon_registrations.csv'),
    'The second download would have overwritten the first.',
    'file: "afpicon_reg',
  ),
  afpicon(
    'both lists of one call',
    all('/afpicon/admin/registrations/', '/admin/afpicon/registrations/'),
    'One list would have shown the other’s columns.',
    'api: /admin',
  ),
  afpicon(
    '{date} misspelt in the file name',
    all('registrations_{date}.csv', 'registrations_{day}.csv'),
    'The CSV would have been called “{day}”.',
    'export:',
  ),
  afpicon(
    'the export’s message wants what is not there',
    all('Failed to export CSV: {message}', 'Failed to export CSV: {error}'),
    'The office would have read “{error}”.',
    'export: "Failed',
  ),
  afpicon(
    'a card that is not known',
    one('cards: [total]', 'cards: [totals]'),
    'The dashboard would have missed a figure.',
  ),
  afpicon(
    'the CSV’s ending forgotten',
    all('afpicon_registrations.csv', 'afpicon_registrations'),
    'The spreadsheet would not have opened it.',
    'file:',
  ),
  pulmocon(
    'a filter sent under a name in use',
    all('sent_as: category', 'sent_as: payment_status'),
    'Two filters would have sent one name.',
    'sent_as',
  ),
  pulmocon(
    'a filter on a text',
    steps(
      one('date_from, date_to]', 'date_from, date_to, organization]'),
      one(
        'search, date_from, date_to]\n    pulmocon.columns',
        'search, date_from, date_to, organization]\n    pulmocon.columns',
      ),
    ),
    'The office would have had a filter with nothing to choose.',
    'filters: [',
  ),
  pulmocon(
    'the list’s route is AFPICON’s',
    all('/admin/pulmocon,', '/admin/afpicon,'),
    'The promise would have been of another’s list.',
    'route: /admin/pulmocon',
  ),
  pulmocon(
    'the list’s route and promise are AFPICON’s',
    steps(
      one('route: /admin/pulmocon\n', 'route: /admin/afpicon\n'),
      all('/admin/pulmocon,', '/admin/afpicon,'),
    ),
    'One of two lists could not have been opened.',
    'route: /admin',
  ),
  pulmocon(
    'the dashboard key is AFPICON’s',
    steps(one('key: pulmocon', 'key: afpicon'), one('dashboard: [pulmocon', 'dashboard: [afpicon')),
    'The figures of two conferences would have been added up.',
    'key:',
  ),
  afpicon(
    'a demo path that moved',
    one('  - order_id.prefix\n', '  - order.prefix\n'),
    'A stand-in would have gone live unmarked.',
  ),
  afpicon(
    'a demo path of a list that is gone',
    one('  - event.office\n', '  - event.secretariat\n'),
    'A stand-in would have gone live unmarked.',
  ),
  chirurgia(
    'demo: fees.price',
    one('- fees.prices', '- fees.price'),
    'Made-up prices would have gone live unmarked.',
  ),
  afpicon(
    'an allowance for what is not there any more',
    one('code: EV604', 'code: EV605'),
    'The next real disagreement would have been silenced, or this one not.',
  ),
  afpicon(
    'an allowance taken out',
    (text) => changed(text, text.replace(/ {2}- code: EV409\n.*\n/, ''), 'EV409'),
    'Nobody would have known that 1 February is sold at the first price.',
    'other_dates',
  ),
  afpicon(
    'an allowance for an error',
    below('allow:', '  - {code: EV401, because: The price follows next week.}'),
    'Somebody would have believed that a missing price is in order.',
  ),
  afpicon(
    'an allowance without a reason',
    drop('because: The panel names'),
    'Next year’s organiser would not have known why.',
    'code: EV604',
  ),
  afpicon(
    'an example expects last year’s price',
    one('base: 5000, gst: 900, total: 5900', 'base: 4500, gst: 810, total: 5310'),
    'None; but the file would have said two things.',
  ),
  afpicon(
    'an example for a category that is gone',
    one('given: {ticket_type: intern-mbbs-accompanying}', 'given: {ticket_type: intern}'),
    'The example would have proved nothing.',
  ),
  afpicon(
    'an example with a misspelt field',
    one('given: {afpi_member: true}', 'given: {afpi_membr: true}'),
    'The example would have proved nothing.',
  ),
  afpicon(
    'an example without its day',
    one('      on: 2025-07-01\n', ''),
    'The example would have proved nothing.',
    'name: first day of the first period',
  ),
  afpicon(
    'a time without its offset',
    one('2025-08-31T23:59:59+05:30', '2025-08-31T23:59:59'),
    'The example would have meant another moment elsewhere.',
  ),
  chirurgia(
    'the required message changed above only',
    one('required: Required for ASI members', 'required: ASI number is required'),
    'None; but the file would have said two things.',
    'errors: {asi_membership_number',
  ),
  midzone(
    'an example’s answer as text',
    one('given: {is_pg: true}', 'given: {is_pg: "yes"}'),
    'The example would have proved another category.',
  ),
  nobodyKnows(
    'Which columns the office needs is the office’s affair.',
    pulmocon(
      'a column the caterers need is gone, promise too',
      steps(
        one('                food_preference, total,', '                total,'),
        one('      food_preference, total,', '      total,'),
      ),
      'The caterers would have had no list.',
      'columns:',
    ),
  ),
  nobodyKnows(
    'The order of columns is a matter of taste.',
    pulmocon(
      'two columns exchanged, promise too',
      all('ksmc_reg_no, email,', 'email, ksmc_reg_no,'),
      'The office’s macro would have read the wrong column.',
      'columns:',
    ),
  ),
]

/** All of them. */
export const secondSet: readonly Mistake[] = [
  ...copied,
  ...dates,
  ...money,
  ...rules,
  ...form,
  ...names,
  ...texts,
  ...yaml,
  ...office,
]
