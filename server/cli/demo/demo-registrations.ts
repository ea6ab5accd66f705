/**
 * Fills an empty store with fictitious registrations, to show lists, dashboard and charts.
 * Covers all events and uses only the store's own functions. The same events and clock always produce the same rows.
 */
import { Readable } from 'node:stream'
import {
  addDays,
  formatPlainAmount,
  findCategory,
  expectOk,
  dayOf,
  instant,
  createOrderId,
  toAmount,
  quote,
  getDigitCount,
  createRegNo,
  startOfDay,
  readDelegate,
} from '../../../engine/index.ts'
import { buildConfirmationEmail } from '../../../engine/messages.ts'
import type {
  Answer,
  Answers,
  Day,
  EventConfig,
  Instant,
  Amount,
  Quote,
  RegNo,
} from '../../../engine/index.ts'
import type { ServedEvent, Uploads } from '../../dependencies.ts'
import type { ImportRow, Store } from '../../storage/index.ts'
import {
  buildSamplePdf,
  generateAnswers,
  createRandom,
  generateDigits,
} from '../../rehearsal/invented-people.ts'
import type { Random } from '../../rehearsal/invented-people.ts'

/** Registrations per event, in the order of the events; for further events, the numbers start again from the first. */
const REGISTRATION_COUNTS = [600, 450, 1400, 550]
/** People register within this number of days before the conference (or before today). */
const REGISTRATION_DAYS = 120
const HOUR_MS = 3_600_000
/** The number of registrations in the writer's queue at a time. */
const MAX_CONCURRENT_REGISTRATIONS = 200

/**
 * Returns the demo's date: a month before the last conference that is open for registration. The other conferences
 * are then over. Null if none is open.
 */
export function chooseDemoTime(events: readonly EventConfig[]): Instant | null {
  const lastDay = events
    .filter(({ status }) => status === 'open')
    .map(({ from }) => from)
    .sort()
    .at(-1)
  return lastDay === undefined ? null : instant(startOfDay(addDays(lastDay, -31)) + 15 * HOUR_MS)
}

/** Creates registrations for all events and returns their number. */
export async function createDemoRegistrations(deps: {
  readonly store: Store
  readonly uploads: Uploads
  readonly events: readonly ServedEvent[]
  readonly now: Instant
}): Promise<number> {
  let count = 0
  for (const [index, served] of deps.events.entries()) {
    const random = createRandom(20_260_131 + index)
    const registrationCount = REGISTRATION_COUNTS[index % REGISTRATION_COUNTS.length] ?? 500
    const registrationTimes = generateTimes(served.config, registrationCount, deps.now, random)
    const takesPayments = served.config.fees.prices !== null && served.config.payment !== null
    count += takesPayments
      ? await registerAll(deps, served, registrationTimes, random)
      : await importAll(deps.store, served, registrationTimes, random)
  }
  return count
}

/** Generates registration times in the months before the conference, more of them before a price increase. */
function generateTimes(
  event: EventConfig,
  registrationCount: number,
  now: Instant,
  random: Random,
): readonly Instant[] {
  const today = dayOf(now)
  const end = event.from < today ? event.from : today
  const days = Array.from({ length: REGISTRATION_DAYS }, (_, daysBack) =>
    addDays(end, -daysBack),
  ).reverse()
  const increases = [event.fees, ...(event.fees.groups ?? [])]
    .flatMap(({ periods }) => periods)
    .flatMap(({ to }) => (to === undefined ? [] : [to]))
  const weights = days.map((day, index) => {
    const increaseWeight = increases.reduce(
      (sum, increase) =>
        sum +
        (increase >= day && increase < addDays(day, 8) ? 3 / (1 + countDays(day, increase)) : 0),
      0,
    )
    return (0.4 + index / REGISTRATION_DAYS + increaseWeight) * (0.6 + 0.8 * random())
  })
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0)
  const pickDay = (): Day => {
    let remaining = random() * totalWeight
    return days.find((_, index) => (remaining -= weights[index] ?? 0) <= 0) ?? end
  }
  const registrationTimes = Array.from({ length: registrationCount }, () =>
    instant(startOfDay(pickDay()) + Math.floor((7 + 15 * random()) * HOUR_MS)),
  )
  return registrationTimes.filter((at) => at < now).toSorted((a, b) => a - b)
}

const countDays = (from: Day, to: Day): number =>
  Math.round((startOfDay(to) - startOfDay(from)) / (24 * HOUR_MS))

async function registerAll(
  deps: { readonly store: Store; readonly uploads: Uploads; readonly now: Instant },
  served: ServedEvent,
  registrationTimes: readonly Instant[],
  random: Random,
): Promise<number> {
  let count = 0
  for (let start = 0; start < registrationTimes.length; start += MAX_CONCURRENT_REGISTRATIONS) {
    const people = registrationTimes
      .slice(start, start + MAX_CONCURRENT_REGISTRATIONS)
      .map((at) => generatePerson(served.config, at, random))
    const results = await Promise.all(
      people.map(async (person) => person !== null && registerPerson(deps, served, person)),
    )
    count += results.filter(Boolean).length
  }
  return count
}

type DemoPerson = {
  readonly at: Instant
  readonly regNo: RegNo
  readonly answers: Answers
  readonly quote: Quote
  readonly outcomeRoll: number
  readonly reference: string
}

/** Generates a delegate with answers and a price. Returns null if registration was closed on that date. */
function generatePerson(event: EventConfig, at: Instant, random: Random): DemoPerson | null {
  const answers = generateAnswers(event, random)
  const quoteResult = quote(event, answers, at)
  const regNo = createRegNo(event, [...generateDigits(random, getDigitCount(event))].map(Number))
  const person = {
    at,
    regNo,
    answers,
    outcomeRoll: random(),
    reference: `DEMO${generateDigits(random, 9)}`,
  }
  return quoteResult.ok ? { ...person, quote: quoteResult.value } : null
}

async function registerPerson(
  {
    store,
    uploads,
    now,
  }: { readonly store: Store; readonly uploads: Uploads; readonly now: Instant },
  served: ServedEvent,
  person: DemoPerson,
): Promise<boolean> {
  const event = served.config
  const { at, answers, regNo } = person
  const uploadedFiles = []
  for (const field of event.fields.filter(
    ({ id, type }) => type === 'file' && answers[id] !== undefined,
  )) {
    const name = String(answers[field.id])
    const proof = buildSamplePdf()
    const file = expectOk(await uploads.receive(Readable.from([proof]), proof.length))
    const type = await uploads.detectType(file, name, field.accept ?? [])
    if (type === null) await uploads.discard(file)
    else {
      await uploads.storeFile(file)
      uploadedFiles.push({ field: field.id, sha256: file.sha256, name, type, bytes: file.bytes })
    }
  }
  const isDue = person.quote.total > 0
  const registerResult = await store.register({
    eventId: event.id,
    eventHash: served.hash,
    regNo,
    answers,
    searchable: readDelegate(event, answers),
    category: findCategory(event, answers),
    quote: person.quote,
    orderId: isDue ? createOrderId(regNo, 1) : null,
    uploads: uploadedFiles,
    at,
    mail: null,
    idempotency: null,
  })
  if (!registerResult.ok) return false
  // A free registration is complete immediately, and has no payment.
  if (isDue) await applyPayment(store, event, person, now)
  else await storeConfirmation(store, event, regNo, at)
  return true
}

/**
 * Applies a payment event. Four in five delegates pay; an old unpaid payment has expired, as the gateway would report.
 */
async function applyPayment(
  store: Store,
  event: EventConfig,
  person: DemoPerson,
  now: Instant,
): Promise<void> {
  const { at, outcomeRoll, reference, regNo } = person
  const { total } = person.quote
  const orderId = createOrderId(regNo, 1)
  const addMinutes = (minutes: number): Instant => instant(Math.min(at + minutes * 60_000, now))
  const confirm = (amount: Amount): Promise<unknown> =>
    store.applyPaymentEvent(
      orderId,
      { type: 'confirmed', reference, amount, currency: '356', kind: 'sale', at: addMinutes(3) },
      null,
    )
  const isRecent = at > now - 20 * HOUR_MS
  if (outcomeRoll < (isRecent ? 0.6 : 0.84)) {
    await confirm(total)
    if (outcomeRoll < 0.02)
      await store.applyPaymentEvent(
        orderId,
        {
          type: 'refunded',
          reference: `${reference}R`,
          amount: total,
          at: addMinutes(3 * 24 * 60),
        },
        null,
      )
    else await storeConfirmation(store, event, regNo, addMinutes(4))
  } else if (outcomeRoll < (isRecent ? 0.62 : 0.845))
    await confirm(toAmount(Math.max(100, total - 10_000)))
  else if (outcomeRoll < (isRecent ? 0.7 : 0.93))
    await store.applyPaymentEvent(
      orderId,
      { type: 'declined', code: '400', message: 'The bank declined the card', at: addMinutes(4) },
      null,
    )
  else if (!isRecent)
    await store.applyPaymentEvent(orderId, { type: 'expired', at: addMinutes(24 * 60) }, null)
}

/** Stores the confirmation as sent, so that the demo does not send it. */
async function storeConfirmation(
  store: Store,
  event: EventConfig,
  regNo: RegNo,
  at: Instant,
): Promise<void> {
  const registration = await store.registration(regNo)
  const email = registration === null ? null : buildConfirmationEmail(event, registration)
  if (email !== null) await store.mailSent(await store.queueMail(regNo, email, at), at)
}

/** Imports registrations for an event that takes no payments in Rollcall. Some have only a total price. */
async function importAll(
  store: Store,
  served: ServedEvent,
  registrationTimes: readonly Instant[],
  random: Random,
): Promise<number> {
  const event = served.config
  const rows = registrationTimes.map((at, index): ImportRow => {
    const answers: Record<string, Answer> = { ...generateAnswers(event, random) }
    // Uses the price if the event has one; otherwise an invented amount that was paid elsewhere.
    const quoteResult = event.fees.prices === null ? null : quote(event, answers, at)
    const externalFee = toAmount(400_000 + Math.floor(random() * 7) * 50_000)
    const fee =
      quoteResult === null ? externalFee : quoteResult.ok ? quoteResult.value.total : toAmount(0)
    const companions = quoteResult === null && random() < 0.2 ? 1 + Math.floor(random() * 2) : 0
    for (const { id, type } of event.alsoStored) {
      if (type === 'number') answers[id] = companions
      if (type === 'money')
        answers[id] = Number(
          formatPlainAmount(
            /accompany/.test(id) ? toAmount(companions * 250_000) : fee,
            event.currency,
          ),
        )
    }
    const randomValue = random()
    const paymentStatus =
      quoteResult !== null || randomValue < 0.93
        ? 'success'
        : randomValue < 0.96
          ? 'failed'
          : randomValue < 0.98
            ? 'refunded'
            : 'pending'
    const formerNo = `${event.orderId.prefix}${index + 1}`
    return {
      eventId: event.id,
      eventHash: served.hash,
      formerNo,
      regNo: createRegNo(event, [...generateDigits(random, getDigitCount(event))].map(Number)),
      answers,
      searchable: readDelegate(event, answers),
      category: findCategory(event, answers),
      period: null,
      base: null,
      gst: null,
      total: toAmount(fee + companions * 250_000),
      currency: event.currency,
      paymentStatus,
      paymentId: paymentStatus === 'success' && fee > 0 ? `DEMO${generateDigits(random, 9)}` : null,
      createdAt: at,
      paidAt: paymentStatus === 'success' ? instant(at + 3 * 60_000) : null,
    }
  })
  const results = await store.importRegistrations(rows)
  return results.ok ? results.value.added : 0
}
