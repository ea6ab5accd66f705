/** Rehearses an event: the calendar, and the same emails that a server with that clock sends. */
import { readFile } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import {
  day,
  findCategory,
  findChosenMethod,
  findMethodFieldErrors,
  formatDay,
  formatTime,
  getCurrency,
  instant,
  startOfDay,
} from '../../../engine/index.ts'
import type { Answers, Day, EventConfig, OrderId } from '../../../engine/index.ts'
import type { RegisterResponse, WireRehearsedDay } from '../../../engine/api.ts'
import { listCalendarDays, readEvent } from '../../../engine/authoring.ts'
import { formatRehearsal } from '../../../server/cli/event/rehearse.ts'
import {
  BUNDLED_SHARED_FOLDER,
  readSharedFolder,
} from '../../../server/events/files/event-folder.ts'
import { startPaymentReminders } from '../../../server/mail/send-payment-reminders.ts'
import { inventDelegates } from '../../../server/rehearsal/invented-delegates.ts'
import { rehearseInWorker } from '../../../server/rehearsal/rehearse-in-worker.ts'
import { startTestApp } from '../harness.ts'
import { createFormFields } from '../payments/server-with-gateway.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'

const HOUR_MS = 3_600_000

/** A workshop and accompanying persons, each with prices for two periods. */
const ITEMS = `  items:
    - id: workshop
      label: "Workshop: {option}"
      by: workshops
      prices:
        - when: {category: member}
          table: {period: [early, late], echo: [500, 1000]}
        - otherwise: {period: [early, late], echo: [1500, 2000]}
    - id: accompanying
      label: Accompanying person
      count: companions
      prices: {period: [early, late], each: [600, 600]}
form:
`
const ITEM_FIELDS = `        - {id: workshops, type: many, label: Workshops, options: [{id: echo, label: Echo}], choose: {at_most: 1, message: At most one}}
        - {id: companions, type: number, label: Accompanying persons, min: 0, max: 3, default: 0, invalid: Up to 3}
`

/**
 * Creates an event that is open for six days at two prices and refunds part of a cancellation before the conference.
 */
const createShortEvent = (earlyEndDay = 12): string =>
  buildFixtureEvent({
    extra: `
demo: [cancellation]
cancellation:
  steps: [{until: 2026-01-16, refund: 75%}, {otherwise: none}]
edit: {until: 2026-01-14, fields: [phone_number]}
quotas:
  - {id: seats, each_option_of: workshops, max: {echo: 40}, full: This workshop is full}
`,
  })
    .replace('label: Non-member}', 'label: Non-member of the Society}')
    .replace('label: Full Name,', 'label: Full Name, max_length: 27,')
    .replace('form:\n', ITEMS)
    .replace('  summary:\n', `${ITEM_FIELDS}  summary:\n`)
    .replace('registered as {category}.', 'registered as {category}.\n\n    {lines}')
    .replace('from: 2026-03-01\n  to: 2026-03-02', 'from: 2026-01-18\n  to: 2026-01-18')
    .replace('from: 2026-01-01, to: 2026-01-31', `from: 2026-01-10, to: 2026-01-${earlyEndDay}`)
    .replace('from: 2026-02-01, to: 2026-02-28', `from: 2026-01-${earlyEndDay + 1}, to: 2026-01-15`)

async function readEventText(text: string): Promise<EventConfig> {
  const { shared } = await readSharedFolder(BUNDLED_SHARED_FOLDER)
  const event = readEvent(text, shared, { path: 'sample2026.yaml' })
  if (event === null) throw new Error('the file cannot be read')
  return event
}

/** Rehearses an event as the organisers' editor does. */
async function rehearse(text: string): Promise<readonly WireRehearsedDay[]> {
  const result = await rehearseInWorker({ text, sharedFolder: BUNDLED_SHARED_FOLDER }, 600_000)
  if (!result.ok) throw new Error(result.error)
  expect(result.value.title).toBe('Sample 2026')
  return result.value.days
}

const rehearsedDays = rehearse(createShortEvent())
/** Returns the steps on a date. */
async function listSteps(day: string): Promise<WireRehearsedDay['steps']> {
  return (
    (await rehearsedDays).find((rehearsedDay) => rehearsedDay.day === formatDay(day as Day))
      ?.steps ?? []
  )
}
const listTexts = async (day: string): Promise<readonly string[]> =>
  (await listSteps(day)).map(({ text }) => text.replaceAll('\u00a0', ' '))

test('a single page lists every opening, charge, rejection, refund and email', async () => {
  expect(await listTexts('2026-01-10')).toEqual(
    expect.arrayContaining([
      'Registration: open',
      'Member: ₹ 1,180 (Early)',
      'Workshop: Echo: ₹ 590 (Member); ₹ 1,770 (Non-member of the Society)',
      'Accompanying person, each: ₹ 708',
      'Seats: Echo: 40 in “Workshops”. When full: “This workshop is full”',
      // The name contains the category's label, shortened to the length that the form accepts.
      expect.stringMatching(/^Example Non-member of the S\S* registers: Non-member of the Society/),
      'Example Member registers: Member: ₹ 1,180; Accompanying person, 3 × ₹ 708: ₹ 2,124; total: ₹ 3,304',
      'Example Member pays ₹ 3,304',
      'Email to member@example.org: “Sample 2026: NUMBER”',
      'Email to leaves-unpaid@example.org: “Finish your registration for Sample 2026”',
    ]),
  )
  expect(await listTexts('2026-01-11')).toContain(
    'The registration of Example Leaves Unpaid expires',
  )
  const textsOnPriceChange = await listTexts('2026-01-13')
  expect(textsOnPriceChange).toContain('Member: ₹ 2,360 (Late)')
  expect(textsOnPriceChange).toContain(
    'Workshop: Echo: ₹ 1,180 (Member); ₹ 2,360 (Non-member of the Society)',
  )
  // The price of accompanying persons and the number of seats do not change on that date.
  expect(textsOnPriceChange.join('\n')).not.toMatch(/^(Accompanying person|Seats)/m)
  expect(await listTexts('2026-01-15')).toContain('Delegates can change: nothing')
  expect(await listTexts('2026-01-16')).toEqual(
    expect.arrayContaining([
      'Registration: closed. “Registration for Sample 2026 is closed.”',
      'Example Of 16 Jan 2026 tries to register. Rejected: “Registration for Sample 2026 is closed.”',
      expect.stringMatching(/asks to cancel: .* The page states a refund of ₹ [0-9,.]+\.$/),
    ]),
  )
  expect(await listTexts('2026-01-17')).toContain('Refund on cancellation: nothing')
  // The refund rule of a new file is a placeholder. The page that the organiser signs off must say so.
  expect((await rehearsedDays)[0]?.steps.map(({ text }) => text)).toContain(
    'Placeholder values in the file, to be replaced: cancellation',
  )
  const page = formatRehearsal('Sample 2026', await rehearsedDays)
  expect(page).toContain('10 January 2026')
  expect(page).toContain('  10:05 am  Email to member@example.org: “Sample 2026: NUMBER”')
})

test(
  'in a rehearsal with bank transfers, staff record the transfer',
  { tags: ['slow'] },
  async () => {
    const transferOnlyEvent = createShortEvent()
      .replace(
        'payment: {gateway: airpay, account: sample}',
        `payment:
  methods:
    - id: wire
      label: Bank transfer
      instructions: Pay to account 000011112222
      fields: [{id: utr, label: UTR number, format: utr, unique: true, required: true}]
      expires_after: 2 days`,
      )
      .replace('routes:', 'registration: {closes: 2026-01-15}\n\nroutes:')
    const texts = (await rehearse(transferOnlyEvent)).flatMap(({ steps }) =>
      steps.map(({ text }) => text.replaceAll('\u00a0', ' ')),
    )
    expect(texts).toContain(
      'Staff record the transfer of Example Member, ₹ 3,304: “₹ 3,304 by bank transfer recorded: NUMBER is paid.”',
    )
    expect(texts).toContain('The registration of Example Never Transfers expires')
  },
)

test(
  'in an event with two currencies, every delegate pays with a method that accepts the currency of the bill',
  { tags: ['slow'] },
  async () => {
    const text = await readFile('tests/events/dunecon2027.yaml', 'utf8')
    const result = await rehearseInWorker({ text, sharedFolder: BUNDLED_SHARED_FOLDER }, 600_000)
    if (!result.ok) throw new Error(result.error)
    const texts = result.value.days.flatMap(({ steps }) =>
      steps.map((step) => step.text.replaceAll('\u00a0', ' ')),
    )
    const event = await readEventText(text)
    for (const { label } of event.categories)
      expect(texts).toContainEqual(expect.stringContaining(`Example ${label} registers: `))
    expect(texts.filter((step) => /payment methods accept/.test(step))).toEqual([])
    expect(texts.filter((step) => step.startsWith('Example Never Transfers registers: '))).toEqual([
      expect.stringContaining('₹'),
      expect.stringContaining('US$'),
    ])
  },
)

test(
  'delegates choose a method that accepts the currency of their bill and is still open, even if the form preselects another',
  { tags: ['slow'] },
  async () => {
    const text = await readFile('tests/events/dunecon2027.yaml', 'utf8')
    const event = await readEventText(
      text
        .replace('      account: demo\n', '      account: demo\n      currencies: USD\n')
        .replace('label: Bank transfer or UPI\n', '$&      until: 2027-08-31\n'),
    )
    const delegates = inventDelegates(event)
    const lateDelegates = ['A', 'B', 'C'].map((name) =>
      delegates?.inventAnother(startOfDay(day('2027-08-10')), name),
    )
    const choices = [
      ...(delegates?.people ?? []).map((answers) => [answers, '2027-07-01'] as const),
      ...lateDelegates.map((answers) => [answers ?? {}, '2027-08-10'] as const),
    ]
    expect(choices.length).toBeGreaterThan(5)
    for (const [answers, date] of choices) {
      expect(findMethodFieldErrors(event, answers, answers, day(date))).toEqual({})
      const currency = getCurrency(event, findCategory(event, answers))
      expect(findChosenMethod(event, answers, day(date), currency)).toMatchObject({ ok: true })
    }
  },
)

test(
  'delegates in a category that is no longer on sale cannot register; delegates in other categories can, online and at the desk',
  { tags: ['slow'] },
  async () => {
    const text = await readFile('tests/events/nidancon2027.yaml', 'utf8')
    const result = await rehearseInWorker({ text, sharedFolder: BUNDLED_SHARED_FOLDER }, 600_000)
    if (!result.ok) throw new Error(result.error)
    const texts = result.value.days.flatMap(({ steps }) =>
      steps.map((step) => step.text.replaceAll('\u00a0', ' ')),
    )
    expect(texts).toContain('Undergraduate student: not on sale')
    // Each delegate has a different council number, because the form asks for confirmation if a number is repeated.
    for (const day of ['1 Dec 2026', '16 Jan 2027', '6 Feb 2027'])
      expect(texts).toContainEqual(expect.stringMatching(`^Example Of ${day} pays ₹ [0-9,]+`))
    expect(texts).toContainEqual(
      expect.stringMatching(
        /^Staff add Example Arrives 12 Feb 2027 at the registration desk: .*₹ /,
      ),
    )
    expect(texts).toContainEqual(
      expect.stringMatching(/^Example Non-member registers: Non-member: /),
    )
    // The member lists of a rehearsal contain its members.
    expect(texts).toContainEqual(expect.stringMatching(/^Example Member registers: .*₹ /))
    expect(texts.filter((text) => text.includes('not on the roll of members'))).toEqual([])
  },
)

test(
  'a member registers with an invented number and pays the price for the kind of membership in the list',
  { tags: ['slow'] },
  async () => {
    const text = createShortEvent()
      .replace(
        '  summary:\n',
        '        - {id: member_number, label: Membership number, in: society, show_when: {is_member: true}, required: Please enter your number, invalid: This number is not in our member list}\n  summary:\n',
      )
      .replace(
        'form:\n',
        '  adjustments: [{id: life, label: Life member, when: {member_number.kind: life}, amount: -100}, {id: annual, label: Annual member, when: {member_number.kind: annual}, amount: -50}]\nform:\n',
      )
      .replace(
        '"9876543210", is_member: true}',
        '"9876543210", is_member: true, member_number: A 7, member_number.kind: annual}',
      )
      .replace('period: early, total: 1180}', 'period: early, total: 1121}')
      .concat(
        'member_lists: {society: {key: number, columns: {number: text, kind: [life, annual], valid_to: date}}}\n',
      )
    const result = await rehearseInWorker({ text, sharedFolder: BUNDLED_SHARED_FOLDER }, 600_000)
    if (!result.ok) throw new Error(result.error)
    const texts = result.value.days.flatMap(({ steps }) => steps.map((step) => step.text))
    expect(texts.filter((line) => line.includes('not in our member list'))).toEqual([])
    expect(texts).toContainEqual(
      expect.stringMatching(/^Example Member registers: Member: .*(?:Life|Annual) member: /),
    )
  },
)

test(
  'a date that is changed in the file also changes in the rehearsal',
  { tags: ['slow'] },
  async () => {
    const movedDays = listCalendarDays(await readEventText(createShortEvent(13)))
    const filterLatePriceDays = (
      days: readonly { readonly day: string; readonly changes: readonly string[] }[],
    ) => days.filter(({ changes }) => changes.some((change) => change.includes('(Late)')))
    expect(filterLatePriceDays(movedDays).map(({ day }) => day)).toEqual(['2026-01-14'])
    const daysBefore = listCalendarDays(await readEventText(createShortEvent()))
    expect(filterLatePriceDays(daysBefore).map(({ day }) => day)).toEqual(['2026-01-13'])
  },
)

test(
  'lists the emails and the bill that a server with the same clock sends, and nothing else',
  { tags: ['slow'] },
  async () => {
    const server = await startTestApp({
      clock: '2026-01-10T10:01:00+05:30',
      events: { 'sample2026.yaml': createShortEvent() },
    })
    afterAll(() => server.close())
    const setTime = (time: string): void => server.setTime(`${time}+05:30`)
    const register = async (
      name: string,
      isMember: boolean,
      choices: Answers,
    ): Promise<OrderId> => {
      const mailbox = name.toLowerCase().replaceAll(' ', '-')
      const answers = {
        ...fixtureDelegate,
        full_name: `Example ${name}`,
        email: `${mailbox}@example.org`,
        is_member: String(isMember),
        ...choices,
      }
      const response = await server.post('/api/sample2026/register/', answers)
      const { payment_data: data } = response.json<RegisterResponse>()
      if (data === undefined) throw new Error(response.body)
      await fetch(data.payment_url, {
        method: 'POST',
        body: new URLSearchParams(createFormFields(server.deps, data)),
        redirect: 'manual',
      })
      return data.orderid as OrderId
    }
    const runJobs = async (): Promise<void> => {
      await server.deps.payments.queryDue()
      await server.expiry.run()
      await startPaymentReminders(server.deps, { isEnabled: false }).run()
      await server.mailer.run()
    }
    const member = await register('Member', true, { companions: 3 })
    setTime('2026-01-10T10:05:00')
    await server.sandbox?.runAction(member, 'pay')
    await server.deps.payments.verify(member, HOUR_MS)
    await runJobs()
    setTime('2026-01-10T11:00:00')
    await register('Leaves Unpaid', false, { workshops: ['echo'] })
    await runJobs()
    for (let hour = 12; hour < 24; hour += 1) {
      setTime(`2026-01-10T${hour}:00:00`)
      await runJobs()
    }
    const sentEmails = server
      .rows('SELECT recipient, subject, created_at FROM mail_queue ORDER BY id')
      .map(({ recipient, subject, created_at: at }) => [
        formatTime(instant(Number(at))),
        `Email to ${String(recipient)}: “${String(subject).replace(/SMPL\d+/, 'NUMBER')}”`,
      ])
    const listedEmails = (await listSteps('2026-01-10'))
      .filter(({ text }) => /^Email to (member|leaves-unpaid)@example\.org/.test(text))
      .map(({ time, text }) => [time, text])
    expect(sentEmails.length).toBe(2)
    expect(listedEmails).toEqual(sentEmails)
    const [confirmation] = server.rows(
      "SELECT body FROM mail_queue WHERE recipient LIKE 'member@%'",
    )
    const [, bill] = String(confirmation?.['body']).split('\n\n')
    const registration = (await listSteps('2026-01-10')).find(({ text }) =>
      text.startsWith('Example Member registers'),
    )
    expect(registration?.text).toBe(
      `Example Member registers: ${bill?.trimEnd().replaceAll('\n', '; ')}; total: ₹\u00a03,304`,
    )
  },
)

test('a rehearsal does not start if its browser tab has already been closed', async () => {
  const file = { text: buildFixtureEvent(), sharedFolder: BUNDLED_SHARED_FOLDER }
  expect(await rehearseInWorker(file, 600_000, AbortSignal.abort())).toEqual({
    ok: false,
    error: 'The client has disconnected.',
  })
})
