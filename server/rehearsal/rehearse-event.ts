/**
 * Runs an event from its first day to its last under a test clock, with invented delegates who register, pay, leave, ask
 * to cancel and arrive at the front desk.
 *
 * It contains no rule of an event: the server decides what is refused, charged, sent and closed.
 */
import {
  addDays,
  checkRegistrationOpen,
  dayOf,
  endOfDay,
  err,
  findCategory,
  formatDayShort,
  formatMoney,
  fromMajorUnits,
  instant,
  listFrontDeskMethods,
  METHOD_FIELD,
  ok,
  readDelegate,
  startOfDay,
} from '../../engine/index.ts'
import { listCalendarDays } from '../../engine/authoring.ts'
import type { CalendarDay } from '../../engine/authoring.ts'
import type {
  Answers,
  Day,
  EventConfig,
  Instant,
  OfficeMethod,
  RegNo,
  Result,
} from '../../engine/index.ts'
import type { WireRehearsedDay } from '../../engine/api.ts'
import { createRandom, generateAnswers } from './invented-people.ts'
import { reportEach } from '../ops/progress.ts'
import { groupByDay } from './rehearsed-days.ts'
import type { RehearsedStep } from './rehearsed-days.ts'
import { startRehearsalServer } from './rehearsal-server.ts'
import type { RehearsalServer, RehearsedFile } from './rehearsal-server.ts'

const HOUR_MS = 3_600_000
/** The maximum number of delegates invented to find one in each category. */
const CANDIDATES_MAX = 600
const SEED = 20_261_128
/** Short enough that every gateway accepts the email address. */
const MAILBOX_MAX = 30
/** Expiry, refunds and emails follow an action of a delegate within this time. */
const BUSY_DAYS = 14
/** The time that a delegate spends at the gateway. */
const PAYMENT_MS = 4 * 60_000

/** Descriptions of the states that the server sets by itself. */
const REPORTED_STATES: Readonly<Record<string, string>> = {
  lapsed: 'expires',
  erased: 'is erased',
}

/** An action at a given time. */
type Scene = { readonly at: Instant; readonly play: () => Promise<unknown> }
type Cast = {
  readonly server: RehearsalServer
  readonly event: EventConfig
  readonly say: (is: RehearsedStep['is'], text: string, at?: Instant) => void
  readonly plan: (at: Instant, play: () => Promise<unknown>) => void
  /** The name of everyone who has registered, by registration number. */
  readonly names: Map<RegNo, string>
}

/**
 * Fails with the server's own message if it cannot serve the file. Reports its progress by day.
 */
export async function rehearseEvent(
  file: RehearsedFile,
): Promise<Result<readonly WireRehearsedDay[], string>> {
  const calendar = listCalendarDays(file.event)
  const first = calendar[0]?.day ?? file.event.from
  const last = calendar.at(-1)?.day ?? file.event.to
  const started = await startRehearsalServer(file, startOfDay(first))
  if (!started.ok) return err(started.error)
  const server = started.value
  try {
    const steps: RehearsedStep[] = []
    const scenes: Scene[] = []
    const cast: Cast = {
      server,
      event: file.event,
      say: (is, text, at = server.now()) => void steps.push({ at, is, text }),
      plan: (at, play) => void scenes.push({ at, play }),
      names: new Map(),
    }
    planScenes(cast, calendar)
    const reportChanges = createReporter(cast)
    const days = listDays(first, last)
    let lastScene = first
    for (const day of reportEach(days, 'Rehearsing the days')) {
      for (const change of calendar.find((one) => one.day === day)?.changes ?? [])
        cast.say('change', change, startOfDay(day))
      if (scenes.some(({ at }) => dayOf(at) === day)) lastScene = day
      await playDay(cast, day, scenes, day <= addDays(lastScene, BUSY_DAYS), reportChanges)
    }
    return ok(groupByDay(steps.toSorted((one, other) => one.at - other.at)))
  } finally {
    await server.close()
  }
}

function listDays(first: Day, last: Day): readonly Day[] {
  const days: Day[] = []
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day)
  return days
}

/**
 * Plays the scenes of a day at their times, and runs the jobs that a server repeats: hourly on busy days, otherwise
 * every twelve hours.
 */
async function playDay(
  { server }: Cast,
  day: Day,
  scenes: Scene[],
  isBusy: boolean,
  reportChanges: () => Promise<void>,
): Promise<void> {
  const step = isBusy ? 1 : 12
  for (let hour = step; hour <= 24; hour += step) {
    const end = instant(Math.min(startOfDay(day) + hour * HOUR_MS, endOfDay(day)))
    for (;;) {
      const [next] = scenes
        .filter(({ at }) => at <= end)
        .toSorted((one, other) => one.at - other.at)
      if (next === undefined) break
      scenes.splice(scenes.indexOf(next), 1)
      server.setTime(next.at)
      await next.play()
      await server.runJobs()
      await reportChanges()
    }
    server.setTime(end)
    await server.runJobs()
    await reportChanges()
  }
}

/** Returns a function that reports emails and changes of state since its last call. */
function createReporter({ server, say, names }: Cast): () => Promise<void> {
  const states = new Map<RegNo, string>()
  let lastEmail = 0
  return async () => {
    for (const [regNo, name] of names) {
      const registration = await server.registration(regNo)
      const isErased = registration === null || Object.keys(registration.answers).length === 0
      const state = isErased ? 'erased' : registration.state
      const before = states.get(regNo)
      if (before !== undefined && before !== state && state in REPORTED_STATES)
        say('state', `The registration of ${name} ${REPORTED_STATES[state] ?? state}`)
      states.set(regNo, state)
    }
    for (const { id, to, subject, regNo, at } of await server.emails()) {
      if (id <= lastEmail) continue
      lastEmail = id
      // The number is drawn at random, and would differ in each rehearsal.
      const stated = regNo === null ? subject : subject.replaceAll(regNo, 'NUMBER')
      say('email', `Email to ${to}: “${stated}”`, at)
    }
  }
}

/**
 * Plans all actions with their times. Everyone pays after a few minutes, except delegates whose names say otherwise.
 */
function planScenes(cast: Cast, calendar: readonly CalendarDay[]): void {
  const { event, plan } = cast
  const people = inventDelegates(event)
  const [first] = [...people]
  if (first === undefined) return
  const [, answers] = first
  const changeDays = calendar.map(({ day }) => day)
  const opens = findFirstOpenDay(event, changeDays)
  const isPaid = event.fees.prices !== null && event.methods.length > 0
  for (const [index, person] of [...people.values()].entries())
    plan(atMinute(opens, 10, index), () => registerAndPay(cast, person))
  if (isPaid)
    plan(atMinute(opens, 11), () => register(cast, renameDelegate(event, answers, 'Leaves Unpaid')))
  for (const method of event.methods)
    if (method.is === 'transfer')
      plan(atMinute(opens, 12), () =>
        register(cast, {
          ...renameDelegate(event, answers, 'Never Transfers'),
          [METHOD_FIELD]: method.id,
        }),
      )
  for (const day of changeDays.filter((one) => one > opens))
    plan(atMinute(day, 10), () =>
      registerAndPay(cast, renameDelegate(event, answers, `Of ${formatDayShort(day)}`)),
    )
  const [cancels] = [...people.values()].slice(-1)
  const cancelDay = event.cancellation?.steps[0]?.until ?? addDays(event.from, -7)
  if (cancels !== undefined) plan(atMinute(cancelDay, 15), () => askToCancel(cast, cancels))
  for (const day of new Set([event.registration.desk?.opens ?? event.from, event.from]))
    plan(atMinute(day, 9), () =>
      addAtDesk(cast, renameDelegate(event, answers, `Arrives ${formatDayShort(day)}`)),
    )
}

/**
 * Returns the first day after the start of the rehearsal on which the form is open; otherwise the conference's first
 * day.
 */
function findFirstOpenDay(event: EventConfig, changeDays: readonly Day[]): Day {
  const second = addDays(changeDays[0] ?? event.from, 1)
  const last = changeDays.at(-1) ?? event.to
  return listDays(second, last).find((day) => checkRegistrationOpen(event, day).open) ?? event.from
}

const atMinute = (day: Day, hour: number, minute = 0): Instant =>
  instant(startOfDay(day) + hour * HOUR_MS + minute * 60_000)

/** Invents one delegate for each category. A category that requires a code or a member list has none. */
function inventDelegates(event: EventConfig): ReadonlyMap<string, Answers> {
  const chance = createRandom(SEED)
  const found = new Map<string, Answers>()
  for (let n = 0; n < CANDIDATES_MAX && found.size < event.categories.length; n += 1) {
    const answers = generateAnswers(event, chance)
    const category = findCategory(event, answers)
    if (category !== null && !found.has(category)) {
      const label = event.categories.find(({ id }) => id === category)?.label ?? category
      found.set(category, renameDelegate(event, answers, label))
    }
  }
  return found
}

/** Returns the same answers with another person's name and address. */
function renameDelegate({ roles }: EventConfig, answers: Answers, name: string): Answers {
  const mailbox = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAILBOX_MAX)
  return {
    ...answers,
    ...(roles.fullName === undefined ? {} : { [roles.fullName]: `Example ${name}` }),
    ...(roles.email === undefined ? {} : { [roles.email]: `${mailbox}@example.org` }),
  }
}

async function register(cast: Cast, answers: Answers): Promise<RegNo | null> {
  const { server, event, say, names } = cast
  const { fullName } = readDelegate(event, answers)
  const answer = await server.register(answers)
  if (!answer.ok) {
    say('delegate', `${fullName} tries to register. Refused: “${answer.error.message}”`)
    return null
  }
  const regNo = answer.value.reg_no as RegNo
  names.set(regNo, fullName)
  const registration = await server.registration(regNo)
  const amount =
    registration?.total == null ? '' : `, ${formatMoney(registration.total, registration.currency)}`
  say('delegate', `${fullName} registers${amount}`)
  return regNo
}

async function registerAndPay(cast: Cast, answers: Answers): Promise<void> {
  const regNo = await register(cast, answers)
  if (regNo !== null) planPayment(cast, regNo, PAYMENT_MS)
}

/**
 * Pays the balance due at that time. A registration that needs approval is approved on the next day, and paid after
 * that.
 */
function planPayment(cast: Cast, regNo: RegNo, delayMs: number): void {
  const { server, plan, say, names } = cast
  plan(instant(server.now() + delayMs), async () => {
    const registration = await server.registration(regNo)
    const open = registration?.payments.find(({ status }) => status === 'pending')
    if (registration?.state === 'to_approve') {
      const approved = await server.actAsStaff(regNo, { act: 'approve', why: 'Rehearsal' })
      say('staff', `Staff approve ${names.get(regNo) ?? ''}: ${describeAnswer(approved)}`)
      if (approved.ok) planPayment(cast, regNo, HOUR_MS)
    } else if (open !== undefined) {
      await server.pay(open.orderId)
      say('delegate', `${names.get(regNo) ?? ''} pays ${formatMoney(open.amount, open.currency)}`)
    }
  })
}

async function askToCancel(cast: Cast, answers: Answers): Promise<void> {
  const { server, event, say, names } = cast
  const { fullName } = readDelegate(event, answers)
  const [regNo] = [...names].find(([, name]) => name === fullName) ?? []
  if (regNo === undefined) return
  const { cancel } = await server.readOwnPage(regNo)
  if (cancel === null)
    return say('delegate', `${fullName} cannot ask to cancel on the self-service page`)
  const asked = await server.actAsDelegate(regNo, { act: 'ask_cancel', why: 'Rehearsal' })
  const currency = (await server.registration(regNo))?.currency ?? event.currency
  const refund = cancel.back === null ? null : fromMajorUnits(cancel.back, currency)
  const back =
    refund === null ? '' : ` The page states a refund of ${formatMoney(refund, currency)}.`
  say('delegate', `${fullName} asks to cancel: ${describeAnswer(asked)}${back}`)
  cast.plan(instant(server.now() + HOUR_MS), async () => {
    const proposed = cancel.back === null ? {} : { pay_back: String(cancel.back) }
    const cancelled = await server.actAsStaff(regNo, {
      act: 'cancel',
      why: 'Rehearsal',
      ...proposed,
    })
    say('staff', `Staff cancel ${fullName}: ${describeAnswer(cancelled)}`)
    if (!cancelled.ok || cancel.back === null || cancel.back === 0) return
    const refunded = await server.actAsStaff(regNo, {
      act: 'refund',
      amount: String(cancel.back),
      why: 'Rehearsal',
    })
    say('staff', `Staff refund ${fullName}: ${describeAnswer(refunded)}`)
  })
}

async function addAtDesk({ server, event, say, names }: Cast, answers: Answers): Promise<void> {
  const { fullName } = readDelegate(event, answers)
  const [method] = listFrontDeskMethods(event)
  const paid =
    method === undefined ? {} : { way: method.id, paid: fillPayment(method, dayOf(server.now())) }
  const added = await server.addAtDesk(answers, paid)
  if (added.ok) names.set(added.value.reg_no as RegNo, fullName)
  const registration = added.ok ? await server.registration(added.value.reg_no as RegNo) : null
  const amount =
    registration?.total == null ? '' : `, ${formatMoney(registration.total, registration.currency)}`
  say(
    'staff',
    added.ok
      ? `Staff add ${fullName} at the front desk${amount}`
      : `Staff cannot add ${fullName} at the front desk: “${added.error.message}”`,
  )
}

/** Returns the office's fields for a payment in person. */
const fillPayment = ({ fields }: OfficeMethod, day: Day): Record<string, string> =>
  Object.fromEntries(
    fields.map(({ id, type, options = [] }) => [
      id,
      type === 'select' ? (options[0]?.id ?? '') : type === 'date' ? day : `REHEARSAL-${day}`,
    ]),
  )

const describeAnswer = (
  answer: Result<{ readonly message: string }, { readonly message: string }>,
): string => `“${answer.ok ? answer.value.message : answer.error.message}”`
