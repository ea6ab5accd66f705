/** Contradictory dates, written as organisers write them, and dates that only appear to contradict each other. */
import { describe, expect, test } from 'vitest'
import { findDays } from '../../../engine/authoring/prose/find-days.ts'
import { compileEvent } from '../../../engine/authoring.ts'
import { checkRegistrationOpen } from '../../../engine/pricing/price-periods.ts'
import { day } from '../../../engine/lib/time.ts'
import { shared } from './goldens.ts'
import { collectFindings, createMarchFile, findLine } from './sample-file.ts'

/** The base file as a three-day conference with an early bird period that ends in autumn. */
const validFile = createMarchFile('{id: regular, label: Regular, from: 2026-10-31, to: 2027-03-16}')

const withPanel = (line: string): string =>
  validFile.replace('  summary:', `  panel: {lines: [${JSON.stringify(line)}]}\n  summary:`)
const withWindow = (days: string, text = validFile): string =>
  text.replace('routes:', `registration: {${days}}\nroutes:`)
const addField = (line: string): string =>
  validFile.replace('        - {id: is_member', `        - ${line}\n        - {id: is_member`)

test('the file is valid without the mistakes', () => {
  expect(collectFindings(validFile)).toEqual([])
})

/** Expects a finding on the line of `linePart` that suggests a correction, with `relatedPart` as a related line. */
function expectFinding(text: string, linePart: string, relatedPart: string | null): void {
  const findings = collectFindings(text)
  const findingsHere = findings.filter(
    (finding) => finding.at.start.line === findLine(text, linePart),
  )
  expect(findings.map(({ code, at: position }) => `${code} ${position.start.line}`)).not.toEqual([])
  expect(findingsHere.map(({ code }) => code)).not.toEqual([])
  for (const { help, message } of findingsHere) {
    expect(message.length).toBeGreaterThan(20)
    expect(help ?? '').toMatch(/\w+ \w+/)
  }
  if (relatedPart !== null)
    expect(
      findingsHere.flatMap(({ related }) =>
        related.map((relatedFinding) => relatedFinding.at.start.line),
      ),
    ).toContain(findLine(text, relatedPart))
}

const EARLY = 'id: early,'
const REGULAR = 'id: regular,'
const FROM = '  from: 2027-03-14'

describe('a text contains a date that differs from the file', () => {
  test.each<[string, string]>([
    ['Early bird until 31/10/2026', EARLY],
    ['Early bird until 31 / 10 / 2026', EARLY],
    ['Early bird till 31-10-26', EARLY],
    ['Early bird upto 31.10.2026', EARLY],
    ['Early bird until 2026-10-31', EARLY],
    ['Early bird until 10/31/2026', EARLY],
    ['Early bird until 30/10/2027', EARLY],
    ['Early bird ends on 31st Oct', EARLY],
    ['Hurry! Early bird ends Oct 31st', EARLY],
    ['early bird offer valid upto 31st of oct', EARLY],
    ['Early bird till Oct. 31', EARLY],
    ['Early bird till 30th Oct ’27', EARLY],
    ['Early bird closes at midnight on 31 October', EARLY],
    ['Early bird: 1 July to 31 October 2026', EARLY],
    ['31.10.2026 is the last date for early bird', EARLY],
    ['Last date for early bird registration: 31 October 2026', EARLY],
    ['till 30 Sept.', EARLY],
    ['Register by October 31st 2026', EARLY],
    ['Pay before 15th October to get the discount', EARLY],
    ['Regular fee from 1 Nov', REGULAR],
    ['Regular course fees from 1 Nov', REGULAR],
    ['From 1 November onwards the regular fee applies', REGULAR],
    ['Regular rates till 31 January 2027', REGULAR],
    ['Fees go up on 1 November 2026', REGULAR],
    ['Registration closes on 20 March 2027', REGULAR],
    ['Last date of registration 28/02/2027', REGULAR],
    ['Conference: 13-15 March 2027', FROM],
    ['Conference dates: 14th, 15th & 16th March 2028', FROM],
    ['Join us on 17 March 2027', FROM],
    ['See you on March 14, 2026', FROM],
    ['Sample 2027, 14 to 16 April 2027, Town Hall', FROM],
    ['The conference starts on 15 March', FROM],
    ['14–15 March 2027', FROM],
    ['Conference in April 2027', FROM],
    ['Saturday, 14 March 2027', FROM],
    ['14 March 2027 (Monday)', FROM],
    ['Saturday 14th March', FROM],
    ['Sat–Mon, 14–16 March 2027', FROM],
    ['Early bird closes Monday, 30 October 2026', EARLY],
    ['EARLY BIRD TILL 31 OCT', EARLY],
    ['Early bird valid till dec 30', EARLY],
    ['Register on or before 15 October 2026 and save Rs 1000', EARLY],
    ['Last day for early bird - Wednesday, 30 Oct 2026', EARLY],
    ['Fee revision w.e.f. 15/01/2027', REGULAR],
    ['Online registration ends 3 days before, on 9 March', REGULAR],
    ['We look forward to seeing you on 14th March 2026', FROM],
    ['Mark your calendars: March 15-17', FROM],
    ['Block your dates - 12th, 13th & 14th March 2027', FROM],
    ['Sample from 15th March to 17th March', FROM],
    ['Date: 14/03/2026 to 16/03/2026', FROM],
    ['12 - 14 March 2027, Town Hall', FROM],
    ['Sat 14, Sun 15 and Mon 16 March 2027', FROM],
    ['Thank you for coming to Sample 2026', '  title: Sample 2027'],
    ['The payment for Sample 2026 in Kochi was received', '  title: Sample 2027'],
  ])('%s', (typedText, relatedPart) => {
    expectFinding(withPanel(typedText), JSON.stringify(typedText), relatedPart)
  })

  test('a closing date that is the last day of one price is reported if later prices follow', () => {
    const text = withWindow(
      'closes: 2027-03-15',
      withPanel('Registration closes on 30 October 2026'),
    )
    expectFinding(text, 'Registration closes on', 'closes: 2027-03-15')
  })

  test('arrival dates from last year are reported', () => {
    const arrivalField =
      '{id: stay, type: date, label: Day of Arrival, hint: Between 13 and 16 March 2026}'
    expectFinding(addField(arrivalField), 'Between 13', FROM)
  })

  test('a date that does not exist, such as 31 November, is reported', () => {
    expectFinding(withPanel('Early bird until 31 November 2026'), 'Early bird until 31', null)
  })

  test('two dates on one line are each compared with their own period', () => {
    const text = withPanel('Early Bird: up to 30 September 2026, Regular: from 1 October 2026')
    expect(
      collectFindings(text).map(({ message, related }) => [message, related[0]?.at.start.line]),
    ).toEqual([
      [
        'the text says 30 September 2026, but period `early` ends on 30 October 2026',
        findLine(text, EARLY),
      ],
      [
        'the text says 1 October 2026, but period `regular` begins on 31 October 2026',
        findLine(text, REGULAR),
      ],
    ])
  })

  test.each<[string, string, string, string]>([
    [
      'the label of a period',
      validFile.replace('label: Early Bird', 'label: Till 31 Oct'),
      'label: Till',
      EARLY,
    ],
    [
      'the id of a period',
      validFile
        .replace('id: regular, label: Regular,', 'id: nov-1-mar-16,')
        .replace('[early, regular]', '[early, nov-1-mar-16]'),
      'id: nov-1',
      'id: nov-1',
    ],
    [
      'a row of the result page',
      validFile.replace(
        '[reg_no, total]',
        '[reg_no, total, {label: Conference Dates, text: 13-15 March 2027}]',
      ),
      'Conference Dates',
      FROM,
    ],
    [
      'the email',
      validFile.replace(
        'results:',
        'email:\n  subject: Registered\n  text: |\n    Dear {full_name},\n\n    See you on 14th March 2026.\nresults:',
      ),
      'See you on',
      FROM,
    ],
    [
      'the sentence about the event',
      validFile.replace('  venue:', '  about: Annual meet, 14-16 March 2026\n  venue:'),
      'Annual meet',
      FROM,
    ],
    [
      'its hours',
      validFile.replace('  venue:', '  hours: 9 am to 5 pm on 13 March\n  venue:'),
      '9 am to',
      FROM,
    ],
    [
      'a choice of days',
      addField(
        '{id: which_day, type: select, label: Which day, options: [{id: one, label: 14 March}, {id: two, label: 17 March}]}',
      ),
      'label: 17 March',
      FROM,
    ],
    [
      'the description of a category',
      validFile.replace('{id: member}', '{id: member, about: Early bird till 15/10}'),
      'till 15/10',
      EARLY,
    ],
    [
      'the reasons on the failed page',
      validFile.replace(
        'title: Sorry,',
        'title: Sorry, reasons: [Registration closed on 20 March 2027],',
      ),
      'title: Sorry',
      REGULAR,
    ],
    [
      'a folded text',
      validFile.replace(
        '  summary:',
        '  panel:\n    lines:\n      - >-\n        Early bird prices hold until\n        31 October 2026 only\n  summary:',
      ),
      '31 October 2026 only',
      EARLY,
    ],
  ])('in %s', (_where, text, linePart, relatedPart) => {
    expectFinding(text, linePart, relatedPart)
  })
})

describe('a text contains a date that does not contradict the file', () => {
  test.each([
    'Early bird until 30/10/2026',
    'Early bird till 30-10-26',
    'Early bird until October 30, 2026',
    'till 30th Oct',
    'Early bird before 31 October 2026',
    'Early Bird: 1 July to 30 Oct 2026',
    'Early bird till 30 Oct, regular from 31 Oct',
    'Regular from 31 October',
    'Regular after 30 Oct',
    'Payments made after 30 October 2026 are charged the regular fee',
    'Registration is open till the day of the conference, 14 March 2027',
    'Online registration till 30 Oct, spot registration on 14, 15 and 16 March',
    '14-16 March 2027',
    'Sunday to Tuesday, 14–16 March 2027',
    'Between 14 and 16 March 2027',
    'Sunday, 14 March 2027',
    'The early bird price ends on Friday, 30 October 2026',
    'Day 2: 15 March 2027',
    'Scientific sessions: 14 and 15 March 2027',
    'Inauguration on 14 March 2027 at 6 pm',
    'Gala dinner on Monday, 15 March 2027',
    'Workshop on 13 March 2027',
    'Pre-conference workshop: 12 and 13 March',
    'Last date for abstract submission: 31 December 2026',
    'Abstracts till 31 Dec 2026; early bird till 30 Oct 2026',
    'Full papers are due on 1 February 2027',
    'Special hotel rates till 15 February 2027',
    'Cancellation before 15 Feb 2027: 50% refund',
    'Registration desk opens on 13 March at 4 pm',
    'Founded on 14 March 1985',
    'Born before 1 January 2000',
    'PG trainees who joined on or after 1 January 2025',
    'World TB Day, 24 March',
    'The office is closed on 26 January 2027',
    'As per circular 14/03/2026 of the council',
    'Sample 2025 was held at Kochi on 15 March 2025',
    'Next conference: 10-12 March 2028',
    'Membership valid till 31 March 2027',
    'Hall 3, block 3-4-10, room 14/15',
    'Call 0484-2401212 or 98470-12345, 9-5, Mon-Fri; 24/7 on the days',
    'Version 1.2.3, 12 may attend',
    'Faculty meeting on 11 March',
    'Cadaveric workshop: 13 March 2027',
    'Accommodation at the venue from 13 to 17 March',
    'Airport pick-up from 13 March',
    'Tourist visas take until 10 February',
    'International Women’s Day, 8 March',
    'Programme is published on 15 February 2027',
    'Photo contest entries till 20 February',
    'Trade fair: 14-15 March',
    'Travel grants: apply by 15 January 2027',
    'Sample 2026 proceedings are on our page',
    'Sample 2026 in Kochi was attended by 900',
    'A look back: Sample 2026 at Kochi saw 900 delegates',
    'Republic Day 26 January: office closed',
    'Lunch on 14, 15 and 16 March',
    '1/2 day on Saturday, 1-2 years of experience',
    'Members joining after 1 January 2027 pay the fee of non-members',
    'Members who enrolled after 1 January 2027 pay the regular fee',
    'Those who join the society after 1 January pay the regular fee',
    'Book hotel rooms at early bird tariff before 20 December',
    'Early bird hotel rates till 20 December',
    'Before 20 December book rooms at early bird rates',
    'Regular bus from the station on 12 March',
    'Regular buses run from the airport on 13 March',
    'Late night music on 13 March, spot prizes on 15 March',
    'Early bird is over in the hotel, rooms until 20 December',
    'The standard check-up camp is on 15 March',
  ])('%s', (sentence) => {
    expect(
      collectFindings(withPanel(sentence)).map(({ code, message }) => `${code} ${message}`),
    ).toEqual([])
  })

  test.each([
    [
      'a birthday',
      addField('{id: born_on, type: date, label: Date of birth, hint: As 14/03/1990}'),
    ],
    [
      'a workshop on the day before the event',
      addField(
        '{id: workshop, type: select, label: Workshop, options: [{id: a, label: 12 March}, {id: b, label: 13 March}]}',
      ),
    ],
    [
      'a night of the stay',
      addField(
        '{id: night, type: select, label: Nights of stay, options: [{id: a, label: 13 March}, {id: b, label: 14 March}]}',
      ),
    ],
    [
      'the day on which an age is reached',
      addField('{id: age, type: number, label: Age on 1 January 2027}'),
    ],
    [
      'a council number',
      addField('{id: reg, label: Registered with the council after 31 March 2019}'),
    ],
    ['last year’s arrivals', withPanel('Last year most arrived on 13 March 2026')],
    [
      'the last day of a price, while registration stays open',
      withWindow(
        'closes: 2027-03-15',
        withPanel('Early bird registration closes on 30 October 2026'),
      ),
    ],
    [
      'the closing day of registration',
      withWindow('closes: 2027-03-10', withPanel('Registration closes on 10 March 2027')),
    ],
    ['a course of four weeks', validFile.replace('to: 2027-03-16\n', 'to: 2027-04-10\n')],
    ['an arrival day', addField('{id: eve, type: yes-no, label: Will you arrive on 13 March?}')],
    [
      'a period whose label is its last day',
      validFile.replace('label: Early Bird', 'label: Up to 30 Oct 2026'),
    ],
    [
      'a period whose label is its first day',
      validFile.replace('label: Regular', 'label: From 31 October'),
    ],
    [
      'the days on a result page',
      validFile.replace(
        '[reg_no, total]',
        '[reg_no, {label: Conference Dates, text: 14-16 March 2027}]',
      ),
    ],
  ])('%s', (_name, text) => {
    expect(collectFindings(text).map(({ code, message }) => `${code} ${message}`)).toEqual([])
  })
})

describe('the dates of the file contradict each other', () => {
  const EARLY_END = 'to: 2026-10-30'
  const REGULAR_DAYS = 'from: 2026-10-31, to: 2027-03-16'
  test.each<[string, string, string, string | null]>([
    [
      'registration closes after the event',
      withWindow('closes: 2027-03-20'),
      'registration:',
      '  to: 2027-03-16',
    ],
    [
      'registration closes in the year before',
      withWindow('closes: 2026-03-16'),
      'registration:',
      REGULAR,
    ],
    [
      'registration closes before the last period begins',
      withWindow('closes: 2026-10-15'),
      'registration:',
      REGULAR,
    ],
    [
      'registration closes after the last period',
      withWindow('closes: 2027-03-01', validFile.replace('to: 2027-03-16}', 'to: 2027-02-20}')),
      'registration:',
      REGULAR,
    ],
    [
      'registration closes before the first period',
      withWindow(
        'closes: 2026-06-01',
        validFile.replace(EARLY_END, 'from: 2026-07-01, to: 2026-10-30'),
      ),
      'registration:',
      EARLY,
    ],
    [
      'registration opens after the event',
      withWindow('opens: 2027-03-20'),
      'registration:',
      '  to: 2027-03-16',
    ],
    [
      'registration opens during the event',
      withWindow('opens: 2027-03-15'),
      'registration:',
      '  to: 2027-03-16',
    ],
    [
      'registration opens after the early bird has ended',
      withWindow('opens: 2026-11-15'),
      'registration:',
      EARLY,
    ],
    [
      'registration opens before the first price',
      withWindow(
        'opens: 2026-05-01',
        validFile.replace(EARLY_END, 'from: 2026-07-01, to: 2026-10-30'),
      ),
      'registration:',
      EARLY,
    ],
    [
      'registration opens three years early',
      withWindow('opens: 2024-06-01'),
      'registration:',
      '  to: 2027-03-16',
    ],
    [
      'registration closes before it opens',
      withWindow('opens: 2026-12-01, closes: 2026-10-01'),
      'registration:',
      null,
    ],
    [
      'the last period continues after the event',
      validFile.replace('to: 2027-03-16}', 'to: 2027-03-31}'),
      REGULAR,
      '  to: 2027-03-16',
    ],
    [
      'all periods are in the previous year',
      validFile
        .replace(EARLY_END, 'to: 2025-10-30')
        .replace(REGULAR_DAYS, 'from: 2025-10-31, to: 2026-03-16'),
      REGULAR,
      FROM,
    ],
    [
      'all periods are in the previous year, the last without an end',
      validFile.replace(EARLY_END, 'to: 2025-10-30').replace(REGULAR_DAYS, 'from: 2025-10-31'),
      REGULAR,
      FROM,
    ],
    [
      'all periods are in the following year',
      validFile.replace(EARLY_END, 'to: 2027-10-30').replace(REGULAR_DAYS, 'from: 2027-10-31'),
      REGULAR,
      '  to: 2027-03-16',
    ],
    [
      'a period of more than a year',
      validFile
        .replace(EARLY_END, 'to: 2025-10-30')
        .replace('from: 2026-10-31', 'from: 2025-10-31'),
      REGULAR,
      FROM,
    ],
    [
      'the event is in the previous year',
      validFile
        .replace('from: 2027-03-14', 'from: 2026-03-14')
        .replace('to: 2027-03-16\n', 'to: 2026-03-16\n'),
      REGULAR,
      '  to: 2026-03-16',
    ],
  ])('%s', (_name, text, linePart, relatedPart) => {
    if (relatedPart === null)
      expect(
        collectFindings(text).map(({ code, at: position }) => [code, position.start.line]),
      ).toEqual([['EV418', findLine(text, linePart)]])
    else expectFinding(text, linePart, relatedPart)
  })

  test('the event ends before it begins', () => {
    const text = validFile.replace('  to: 2027-03-16', '  to: 2027-03-12')
    expect(collectFindings(text).map(({ code, at }) => [code, at.start.line])).toEqual([
      ['EV419', findLine(text, '  to: 2027-03-12')],
    ])
  })

  test.each([
    ['opens in the first period', withWindow('opens: 2026-07-01')],
    [
      'opens with the first period',
      withWindow(
        'opens: 2026-07-01',
        validFile.replace(EARLY_END, 'from: 2026-07-01, to: 2026-10-30'),
      ),
    ],
    ['closes on the day before the event', withWindow('closes: 2027-03-13')],
    ['closes on the last day of the event', withWindow('opens: 2026-07-01, closes: 2027-03-16')],
    ['closes some weeks before the event', withWindow('closes: 2027-02-28')],
    ['has a last period without an end', validFile.replace(', to: 2027-03-16}', '}')],
    [
      'has periods that end months before the event',
      validFile.replace('to: 2027-03-16}', 'to: 2026-12-31}'),
    ],
    [
      'opens early, with a price for other days',
      withWindow(
        'opens: 2026-05-01',
        validFile
          .replace(EARLY_END, 'from: 2026-07-01, to: 2026-10-30')
          .replace('  prices:', '  other_dates: early\n  prices:'),
      ),
    ],
  ])('there is no finding if registration %s', (_name, text) => {
    expect(collectFindings(text).map(({ code, message }) => `${code} ${message}`)).toEqual([])
  })
})

test('a date that begins with a two-digit year is reported', () => {
  const text = validFile.replace('from: 2027-03-14', 'from: 27-03-14')
  expect(collectFindings(text).map(({ help }) => help)).toEqual([
    'write the year first: 2027-03-14',
  ])
})

describe('dates in a text', () => {
  const parseDays = (text: string): readonly string[] =>
    findDays(text, 2027).map(({ first, last, start, end }) => {
      const formatDay = ({ day, month, year }: typeof first): string =>
        `${day}.${month}.${year ?? ''}`
      return `${text.slice(start, end)} = ${formatDay(first)}${last === first ? '' : `–${formatDay(last)}`}`
    })
  test.each<[string, readonly string[]]>([
    ['14, 15 & 16 March', ['14, 15 & 16 March = 14.3.–16.3.']],
    ['Hall 3, 14 March', ['14 March = 14.3.']],
    ['jan 1 jan 25', ['jan 1 = 1.1.', 'jan 25 = 25.1.']],
    ['30 Oct – 1 Nov 2026', ['30 Oct – 1 Nov 2026 = 30.10.2026–1.11.2026']],
    ['30 December to 2 January 2027', ['30 December to 2 January 2027 = 30.12.2026–2.1.2027']],
    ['14-16/03/2027', ['14-16/03/2027 = 14.3.2027–16.3.2027']],
    ['30Oct2026', ['30Oct2026 = 30.10.2026']],
    ['30 oct 26', ['30 oct 26 = 30.10.2026']],
    ['30 Oct 10 am', ['30 Oct = 30.10.']],
    ['Rs. 5,000 30 Oct', ['30 Oct = 30.10.']],
    ['98-76-54', []],
    ['12-34-56', []],
    ['You may 2 weeks later', []],
  ])('%s', (text, expected) => {
    expect(parseDays(text)).toEqual(expected)
  })

  test('a text with many spaces does not slow down the parser', () => {
    expect(findDays(`14${' '.repeat(20_000)}March${' 1 '.repeat(5_000)}`, 2027)).toBeDefined()
  })
})

describe('when an open event closes automatically', () => {
  // The event lasts until 16 March 2027.
  test.each<[string, string | null, string, string | null]>([
    ['after its last day, if the file has no closing day', null, '2027-03-16', '2027-03-17'],
    ['after an earlier day', 'closes: 2027-03-10', '2027-03-10', '2027-03-11'],
    ['after a later day', 'closes: 2027-03-20', '2027-03-20', '2027-03-21'],
    [
      'after its last day, if only the opening day is set',
      'opens: 2026-10-01',
      '2027-03-16',
      '2027-03-17',
    ],
    ['never', 'closes: never', '2099-01-01', null],
  ])('%s', (_name, window, openDay, closedDay) => {
    const openEndedFile = validFile.replace(', to: 2027-03-16}', '}')
    const text = window === null ? openEndedFile : withWindow(window, openEndedFile)
    const { event } = compileEvent(text, shared, { path: 'sample2026.yaml' })
    expect(event && checkRegistrationOpen(event, day(openDay)).open).toBe(true)
    if (closedDay !== null)
      expect(event && checkRegistrationOpen(event, day(closedDay)).open).toBe(false)
  })

  test('a word that is neither a date nor "never" is rejected', () => {
    expect(collectFindings(withWindow('closes: later')).map(({ code }) => code)).toEqual(['EV105'])
    expect(collectFindings(withWindow('closes: 2027-02-31')).map(({ code }) => code)).toEqual([
      'EV105',
    ])
  })
})
