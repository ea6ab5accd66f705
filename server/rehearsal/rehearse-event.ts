/**
 * Runs an event from its first day to its last under a test clock, with invented delegates.
 * They register, pay, leave without paying, request cancellation and arrive at the front desk. This module contains no
 * event rules: the server decides on refusals, prices, emails and closing times.
 */
import {
  addDays,
  checkRegistrationOpen,
  dayOf,
  endOfDay,
  err,
  findTransferMethod,
  formatDayShort,
  formatLine,
  formatMoney,
  fromMajorUnits,
  instant,
  listFrontDeskMethods,
  ok,
  readDelegate,
  startOfDay,
  toMajorUnits,
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
import { inventDelegates } from './invented-delegates.ts'
import { reportEach } from '../ops/progress.ts'
import { groupByDay } from './rehearsed-days.ts'
import type { RehearsedStep } from './rehearsed-days.ts'
import { startRehearsalServer } from './rehearsal-server.ts'
import type { RehearsalServer, RehearsedFile } from './rehearsal-server.ts'
import type { StoredRegistration } from '../storage/index.ts'

const HOUR_MS = 3_600_000
/** Expiry, refunds and emails follow a delegate's action within this number of days. */
const BUSY_DAYS = 14
/** The time that a delegate spends at the gateway. */
const PAYMENT_DURATION_MS = 4 * 60_000

/** Descriptions of the states that the server sets automatically. */
const REPORTED_STATES: Readonly<Record<string, string>> = {
  lapsed: 'expires',
  erased: 'is erased',
}

/** An action at a given time. */
type ScheduledAction = { readonly at: Instant; readonly run: () => Promise<unknown> }
type RehearsalContext = {
  readonly server: RehearsalServer
  readonly event: EventConfig
  readonly addStep: (is: RehearsedStep['is'], text: string, at?: Instant) => void
  readonly schedule: (at: Instant, run: () => Promise<unknown>) => void
  /** The names of all registered delegates, by registration number. */
  readonly names: Map<RegNo, string>
}

/**
 * Rehearses the event. Fails with the server's own message if it cannot serve the file. Reports progress day by day.
 */
export async function rehearseEvent(
  file: RehearsedFile,
): Promise<Result<readonly WireRehearsedDay[], string>> {
  const calendar = listCalendarDays(file.event)
  const firstDay = calendar[0]?.day ?? file.event.from
  const lastDay = calendar.at(-1)?.day ?? file.event.to
  const startResult = await startRehearsalServer(file, startOfDay(firstDay))
  if (!startResult.ok) return err(startResult.error)
  const server = startResult.value
  try {
    const steps: RehearsedStep[] = []
    const actions: ScheduledAction[] = []
    const context: RehearsalContext = {
      server,
      event: file.event,
      addStep: (is, text, at = server.now()) => void steps.push({ at, is, text }),
      schedule: (at, run) => void actions.push({ at, run }),
      names: new Map(),
    }
    const { demo: placeholders } = file.event
    // The organiser who signs off the calendar needs to know which values are still placeholders.
    if (placeholders.length > 0)
      context.addStep(
        'change',
        `Placeholder values in the file, to be replaced: ${placeholders.join(', ')}`,
        startOfDay(firstDay),
      )
    await scheduleActions(context, calendar)
    const reportChanges = createReporter(context)
    const days = listDays(firstDay, lastDay)
    let lastActionDay = firstDay
    for (const day of reportEach(days, 'Rehearsing the days')) {
      for (const change of calendar.find((entry) => entry.day === day)?.changes ?? [])
        context.addStep('change', change, startOfDay(day))
      if (actions.some(({ at }) => dayOf(at) === day)) lastActionDay = day
      await runDay(context, day, actions, day <= addDays(lastActionDay, BUSY_DAYS), reportChanges)
    }
    return ok(groupByDay(steps.toSorted((a, b) => a.at - b.at)))
  } finally {
    await server.close()
  }
}

function listDays(firstDay: Day, lastDay: Day): readonly Day[] {
  const days: Day[] = []
  for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) days.push(day)
  return days
}

/**
 * Runs a day's actions at their times, and the server's periodic jobs: hourly on busy days, otherwise every twelve
 * hours.
 */
async function runDay(
  { server }: RehearsalContext,
  day: Day,
  actions: ScheduledAction[],
  isBusy: boolean,
  reportChanges: () => Promise<void>,
): Promise<void> {
  const stepHours = isBusy ? 1 : 12
  for (let hour = stepHours; hour <= 24; hour += stepHours) {
    const end = instant(Math.min(startOfDay(day) + hour * HOUR_MS, endOfDay(day)))
    for (;;) {
      const [nextAction] = actions.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
      if (nextAction === undefined) break
      actions.splice(actions.indexOf(nextAction), 1)
      server.setTime(nextAction.at)
      await nextAction.run()
      await server.runJobs()
      await reportChanges()
    }
    server.setTime(end)
    await server.runJobs()
    await reportChanges()
  }
}

/** Returns a function that reports emails and changes of state since its last call. */
function createReporter({ server, addStep, names }: RehearsalContext): () => Promise<void> {
  const states = new Map<RegNo, string>()
  let lastEmailId = 0
  return async () => {
    for (const [regNo, name] of names) {
      const registration = await server.registration(regNo)
      const isErased = registration === null || Object.keys(registration.answers).length === 0
      const state = isErased ? 'erased' : registration.state
      const previousState = states.get(regNo)
      if (previousState !== undefined && previousState !== state && state in REPORTED_STATES)
        addStep('state', `The registration of ${name} ${REPORTED_STATES[state] ?? state}`)
      states.set(regNo, state)
    }
    for (const { id, to, subject, regNo, at } of await server.emails()) {
      if (id <= lastEmailId) continue
      lastEmailId = id
      // The number is random and would differ in each rehearsal.
      const subjectWithoutNumber = regNo === null ? subject : subject.replaceAll(regNo, 'NUMBER')
      addStep('email', `Email to ${to}: “${subjectWithoutNumber}”`, at)
    }
  }
}

/** Schedules all actions, and fills the member lists. All delegates pay after a few minutes, except those whose names say otherwise. */
async function scheduleActions(
  context: RehearsalContext,
  calendar: readonly CalendarDay[],
): Promise<void> {
  const { server, event, schedule } = context
  const delegates = inventDelegates(event)
  if (delegates === null) return
  const { people, inventAnother } = delegates
  const changeDays = calendar.map(({ day }) => day)
  const firstOpenDay = findFirstOpenDay(event, changeDays)
  const hasFees = event.fees.prices !== null && event.methods.length > 0
  for (const [index, person] of people.entries())
    schedule(getTimeOfDay(firstOpenDay, 10, index), () => registerAndPay(context, person))
  if (hasFees) {
    const at = getTimeOfDay(firstOpenDay, 11)
    const answers = inventAnother(at, 'Leaves Unpaid')
    schedule(at, () => register(context, answers))
  }
  for (const method of event.methods)
    if (method.is === 'transfer') {
      const at = getTimeOfDay(firstOpenDay, 12)
      const answers = inventAnother(at, 'Never Transfers', method)
      schedule(at, () => register(context, answers))
    }
  for (const day of changeDays.filter((changeDay) => changeDay > firstOpenDay)) {
    const at = getTimeOfDay(day, 10)
    const answers = inventAnother(at, `Of ${formatDayShort(day)}`)
    schedule(at, () => registerAndPay(context, answers))
  }
  const cancellingPerson = people.at(-1)
  const cancelDay = event.cancellation?.steps[0]?.until ?? addDays(event.from, -7)
  if (cancellingPerson !== undefined)
    schedule(getTimeOfDay(cancelDay, 15), () => requestCancellation(context, cancellingPerson))
  for (const day of new Set([event.registration.desk?.opens ?? event.from, event.from])) {
    const at = getTimeOfDay(day, 9)
    const answers = inventAnother(at, `Arrives ${formatDayShort(day)}`)
    schedule(at, () => addAtDesk(context, answers))
  }
  await server.fillMemberLists(delegates.listMemberRows())
}

/**
 * Returns the first day after the start of the rehearsal on which the form is open; otherwise the conference's first
 * day.
 */
function findFirstOpenDay(event: EventConfig, changeDays: readonly Day[]): Day {
  const secondDay = addDays(changeDays[0] ?? event.from, 1)
  const lastDay = changeDays.at(-1) ?? event.to
  return (
    listDays(secondDay, lastDay).find((day) => checkRegistrationOpen(event, day).open) ?? event.from
  )
}

const getTimeOfDay = (day: Day, hour: number, minute = 0): Instant =>
  instant(startOfDay(day) + hour * HOUR_MS + minute * 60_000)

async function register(context: RehearsalContext, answers: Answers): Promise<RegNo | null> {
  const { server, event, addStep, names } = context
  const { fullName } = readDelegate(event, answers)
  const result = await server.register(answers)
  if (!result.ok) {
    addStep('delegate', `${fullName} tries to register. Rejected: “${result.error.message}”`)
    return null
  }
  const regNo = result.value.reg_no as RegNo
  names.set(regNo, fullName)
  const registration = await server.registration(regNo)
  addStep('delegate', `${fullName} registers${formatBill(registration)}`)
  return regNo
}

/** Formats the lines of a stored bill as the delegate's email does, then their sum. Empty if there is no price. */
function formatBill(registration: StoredRegistration | null): string {
  if (registration?.total == null) return ''
  const { lines, total, currency } = registration
  const texts = lines.map((line) => formatLine(line, currency))
  return `: ${[...texts, ...(lines.length === 1 ? [] : [`total: ${formatMoney(total, currency)}`])].join('; ')}`
}

async function registerAndPay(context: RehearsalContext, answers: Answers): Promise<void> {
  const regNo = await register(context, answers)
  if (regNo !== null) schedulePayment(context, regNo, PAYMENT_DURATION_MS)
}

/**
 * Schedules the payment of the open balance after a delay. A registration that needs approval is approved then, and
 * paid an hour later.
 */
function schedulePayment(context: RehearsalContext, regNo: RegNo, delayMs: number): void {
  const { server, event, schedule, addStep, names } = context
  schedule(instant(server.now() + delayMs), async () => {
    const registration = await server.registration(regNo)
    const openPayment = registration?.payments.find(({ status }) => status === 'pending')
    if (registration?.state === 'to_approve') {
      const approveResult = await server.actAsStaff(regNo, { act: 'approve', why: 'Rehearsal' })
      addStep('staff', `Staff approve ${names.get(regNo) ?? ''}: ${describeResult(approveResult)}`)
      if (approveResult.ok) schedulePayment(context, regNo, HOUR_MS)
    } else if (openPayment !== undefined) {
      const amount = formatMoney(openPayment.amount, openPayment.currency)
      const name = names.get(regNo) ?? ''
      if (findTransferMethod(event, openPayment.way) === null) {
        await server.pay(openPayment.orderId)
        return addStep('delegate', `${name} pays ${amount}`)
      }
      const confirmResult = await server.actAsStaff(regNo, {
        act: 'confirm',
        way: 'transfer',
        reference: `REHEARSAL${names.size}${openPayment.id}`,
        amount: String(toMajorUnits(openPayment.amount, openPayment.currency)),
        day: dayOf(server.now()),
      })
      addStep(
        'staff',
        `Staff record the transfer of ${name}, ${amount}: ${describeResult(confirmResult).replaceAll(regNo, 'NUMBER')}`,
      )
    }
  })
}

async function requestCancellation(context: RehearsalContext, answers: Answers): Promise<void> {
  const { server, event, addStep, names } = context
  const { fullName } = readDelegate(event, answers)
  const [regNo] = [...names].find(([, name]) => name === fullName) ?? []
  if (regNo === undefined) return
  const { cancel } = await server.readSelfServicePage(regNo)
  if (cancel === null)
    return addStep('delegate', `${fullName} cannot ask to cancel on the self-service page`)
  const requestResult = await server.actAsDelegate(regNo, { act: 'ask_cancel', why: 'Rehearsal' })
  const currency = (await server.registration(regNo))?.currency ?? event.currency
  const refund = cancel.back === null ? null : fromMajorUnits(cancel.back, currency)
  const refundText =
    refund === null ? '' : ` The page states a refund of ${formatMoney(refund, currency)}.`
  addStep('delegate', `${fullName} asks to cancel: ${describeResult(requestResult)}${refundText}`)
  context.schedule(instant(server.now() + HOUR_MS), async () => {
    const refundParameters = cancel.back === null ? {} : { pay_back: String(cancel.back) }
    const cancelResult = await server.actAsStaff(regNo, {
      act: 'cancel',
      why: 'Rehearsal',
      ...refundParameters,
    })
    addStep('staff', `Staff cancel ${fullName}: ${describeResult(cancelResult)}`)
    if (!cancelResult.ok || cancel.back === null || cancel.back === 0) return
    const refundResult = await server.actAsStaff(regNo, {
      act: 'refund',
      amount: String(cancel.back),
      why: 'Rehearsal',
    })
    addStep('staff', `Staff refund ${fullName}: ${describeResult(refundResult)}`)
  })
}

async function addAtDesk(
  { server, event, addStep, names }: RehearsalContext,
  answers: Answers,
): Promise<void> {
  const { fullName } = readDelegate(event, answers)
  const [method] = listFrontDeskMethods(event)
  const paymentInput =
    method === undefined ? {} : { way: method.id, paid: fillPayment(method, dayOf(server.now())) }
  const addResult = await server.addAtDesk(answers, paymentInput)
  if (addResult.ok) names.set(addResult.value.reg_no as RegNo, fullName)
  const registration = addResult.ok
    ? await server.registration(addResult.value.reg_no as RegNo)
    : null
  addStep(
    'staff',
    addResult.ok
      ? `Staff add ${fullName} at the registration desk${formatBill(registration)}`
      : `Staff cannot add ${fullName} at the registration desk: “${addResult.error.message}”`,
  )
}

/** Fills in the office's fields for a payment in person. */
const fillPayment = ({ fields }: OfficeMethod, day: Day): Record<string, string> =>
  Object.fromEntries(
    fields.map(({ id, type, options = [] }) => [
      id,
      type === 'select' ? (options[0]?.id ?? '') : type === 'date' ? day : `REHEARSAL-${day}`,
    ]),
  )

const describeResult = (
  result: Result<{ readonly message: string }, { readonly message: string }>,
): string => `“${result.ok ? result.value.message : result.error.message}”`
