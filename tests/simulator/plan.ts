/**
 * The plan of a history, as data: the users' actions and when they happen, the gateway's results and messages, and the
 * faults. It is generated from a seed and a profile. Removing one part does not change the others.
 */
import { day, startOfDay } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import {
  EVENTS,
  ITEM_IDS,
  UNLIMITED_EVENTS,
  TWO_GATEWAYS_EVENT,
  TAX_RATES_EVENT,
  SEATS,
  APPROVAL_EVENT,
} from './events.ts'
import type { CodeKindId, EventId, ItemId, Version } from './events.ts'
import { chooseEuroEvent, chooseRazorpayEvent } from './profiles.ts'
import type { Profile } from './profiles.ts'
import { drawDispute } from './razorpay-disputes.ts'
import type { PlannedDispute } from './razorpay-disputes.ts'
import { drawLateAuthorization } from './razorpay-payments.ts'
import type { LateAuthorization } from './razorpay-payments.ts'
import { createRandom } from './random.ts'
import type { Random } from './random.ts'
import { STAFF_NAMES } from './expected-permissions.ts'
import type { StaffName } from './expected-permissions.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The parts of a gateway message that may be forged. A forged message must have no effect except a query. */
export const FORGED_PARTS = ['amount', 'reference', 'status', 'order', 'hash', 'garbage'] as const
export type PlannedMessage = {
  readonly afterMs: number
  readonly forgedPart: (typeof FORGED_PARTS)[number] | null
  readonly isJson: boolean
  /** Whether the gateway sends the message again until it is accepted. */
  readonly isRetried: boolean
}
/** One attempt to pay on the gateway's page. */
export type Visit = {
  /** Whether the delegate pays in the tab of the first order, even if there are later orders. */
  readonly isOldTab: boolean
  readonly thinkingMs: number
  readonly result: 'paid' | 'declined' | 'left'
  /** How long the payment is in progress. 0 if it completes immediately. */
  readonly heldMs: number
  /** How the payment differs from the order. Null if it matches. */
  readonly mismatch: 'amount' | 'currency' | 'kind' | 'test' | null
  /** At Razorpay: how the payment is authorised and captured. Null if it is captured immediately. */
  readonly lateAuthorization: LateAuthorization | null
  readonly messages: readonly PlannedMessage[]
  /** How long after paying the browser returns to Rollcall. Null if it never does. */
  readonly returnAfterMs: number | null
}
/** Actions that delegates can take on their own registration. */
export type SelfServiceAction = 'edit' | 'accept_offer' | 'ask_cancel' | 'tell'
export type Step =
  | { readonly afterMs: number; readonly is: 'visit'; readonly visit: Visit }
  /** A second tab with the same order, at the same time as the next step. */
  | { readonly afterMs: number; readonly is: 'other tab'; readonly visit: Visit }
  | { readonly afterMs: number; readonly is: 'reload' | 'retry' | 'same form' | 'resume' }
  /** The delegate acts on the self-service page. */
  | { readonly afterMs: number; readonly is: SelfServiceAction }
  /** The delegate pays the balance days later through the emailed link, if there is a balance. */
  | { readonly afterMs: number; readonly is: 'what is due'; readonly visit: Visit }
export type Delegate = {
  readonly name: number
  readonly afterMs: number
  readonly event: EventId
  readonly isMember: boolean
  /** The chosen payment method. Null if the form has only one. */
  readonly way: 'card' | 'world' | 'transfer' | 'credited' | null
  /** Additional items at the event that sells more than registrations. */
  readonly items: readonly ItemId[]
  /** The kind of the discount code that the delegate enters. Null if they enter none. */
  readonly code: CodeKindId | null
  /** Whether the form is submitted twice at the same time, with the same key. */
  readonly isSubmittedTwice: boolean
  readonly steps: readonly Step[]
}
export type Incident = { readonly afterMs: number } & (
  | { readonly is: 'crash'; readonly downtimeMs: number; readonly reopens: boolean }
  | { readonly is: 'clock'; readonly skewMs: number; readonly lastsMs: number }
  | {
      readonly is: 'outage'
      readonly lastsMs: number
      readonly kind: 'refused' | 'silent' | 'error'
    }
  | { readonly is: 'disk full'; readonly lastsMs: number }
  | {
      readonly is: 'file'
      readonly event: EventId
      readonly version: Version
      readonly lastsMs: number
    }
  | { readonly is: 'credentials'; readonly lastsMs: number }
)
/** An action by the treasurer. */
export type OfficeStep = {
  readonly afterMs: number
  readonly is: 'reviews' | 'reviews, two at once' | 'refund' | 'panel' | 'disputes'
}
/** Actions that staff can take on a registration. */
export const STAFF_ACTIONS = [
  'note',
  'correct name',
  'correct category',
  'correct items',
  'transfer',
  'cancel',
  'refund',
  'refund by hand',
  'accept',
  'dismiss',
  'confirm',
  'resend',
  'send pay link',
  'approve',
  'refuse',
  'refuse with an offer',
  'find claimed payment',
  'reopen',
  'load a statement',
  'add at the desk',
  'erase',
  'record extra payment',
  'compare the figures',
] as const
export type StaffAction = (typeof STAFF_ACTIONS)[number]
export type StaffStep = {
  readonly afterMs: number
  readonly is: StaffAction
  readonly by: StaffName
  /** Another user who performs the same action at the same time. Null if there is none. */
  readonly colleague: StaffName | null
  readonly isSentTwice: boolean
  /** Whether the user signs out after viewing the page and before submitting. */
  readonly isSignedOut: boolean
}
export type Plan = {
  readonly seed: number
  readonly history: number
  readonly profile: Profile
  readonly start: Instant
  readonly delegates: readonly Delegate[]
  readonly incidents: readonly Incident[]
  readonly office: readonly OfficeStep[]
  readonly disputes: readonly PlannedDispute[]
  readonly staffSteps: readonly StaffStep[]
}

const OWNERS: readonly StaffName[] = ['Omar', 'Usha']

/** The range of start dates. It covers both price periods and the closing date. */
const FIRST_DAY = startOfDay(day('2026-01-08'))
const START_DAYS = 50

export function drawPlan(profile: Profile, seed: number, history: number): Plan {
  const random = createRandom(profile.name, seed, history, 'plan')
  const start = (FIRST_DAY + random.below(START_DAYS * 24 * 60) * MINUTE_MS) as Instant
  const delegates = Array.from({ length: 1 + random.below(profile.maxDelegates) }, (_, name) =>
    drawDelegate(profile, createRandom(profile.name, seed, history, 'delegate', name), name),
  )
  const faults = (Object.keys(profile.incidents) as (keyof Profile['incidents'])[]).flatMap(
    (is) => {
      const source = createRandom(profile.name, seed, history, is)
      return drawOccurrences(profile.incidents[is], source).map(() =>
        drawFault(is, profile, source),
      )
    },
  )
  const officeSteps = (Object.keys(profile.office) as OfficeStep['is'][]).flatMap((is) => {
    const officeRandom = createRandom(profile.name, seed, history, 'office', is)
    return drawOccurrences(profile.office[is], officeRandom).map((): OfficeStep => ({
      afterMs: officeRandom.below(profile.officeStepsWithinMs),
      is,
    }))
  })
  const staffSteps = STAFF_ACTIONS.flatMap((is) => {
    const staffRandom = createRandom(profile.name, seed, history, 'desk', is)
    return drawOccurrences(profile.staffActions[is] ?? 0, staffRandom).map(() =>
      drawStaffStep(is, profile, staffRandom),
    )
  })
  const disputeRandom = createRandom(profile.name, seed, history, 'disputes')
  return {
    seed,
    history,
    profile,
    start,
    delegates,
    incidents: faults,
    office: officeSteps,
    disputes: drawOccurrences(profile.disputes, disputeRandom).map(() =>
      drawDispute(disputeRandom),
    ),
    staffSteps,
  }
}

/** Draws a list with this average length. */
function drawOccurrences(average: number, random: Random): readonly null[] {
  const wholePart = Math.floor(average)
  return Array.from(
    { length: wholePart + (random.chance(average - wholePart) ? 1 : 0) },
    () => null,
  )
}

function drawDelegate(profile: Profile, random: Random, name: number): Delegate {
  const steps: Step[] = []
  const visitCount = 1 + random.below(profile.maxAttempts)
  for (let visitIndex = 0; visitIndex < visitCount; visitIndex++) {
    const afterMs =
      visitIndex === 0
        ? random.skewed(2 * SECOND_MS, MINUTE_MS)
        : random.skewed(5 * SECOND_MS, 2 * DAY_MS)
    if (visitIndex > 0)
      steps.push({
        afterMs,
        is: random.pick(['retry', 'retry', 'same form', 'resume', 'resume', 'reload'] as const),
      })
    const isDouble = random.chance(profile.secondTabPayments)
    if (isDouble)
      steps.push({
        afterMs: SECOND_MS,
        is: 'other tab',
        visit: drawVisit(profile, random, visitIndex),
      })
    steps.push({
      afterMs: visitIndex === 0 ? afterMs : SECOND_MS,
      is: 'visit',
      visit: drawVisit(profile, random, visitIndex),
    })
    if (random.chance(0.4)) steps.push({ afterMs: random.skewed(SECOND_MS, DAY_MS), is: 'reload' })
  }
  const paysInEuro = profile.euro > 0 && random.chance(profile.euro)
  const needsApproval = profile.approvals > 0 && random.chance(profile.approvals)
  const selfServiceActions: readonly SelfServiceAction[] = paysInEuro
    ? ['ask_cancel', 'tell', 'tell', 'tell']
    : needsApproval
      ? ['edit', 'accept_offer', 'ask_cancel', 'tell', 'tell']
      : ['ask_cancel']
  // Nothing is drawn for profiles without corrections, so that their histories do not change.
  if (profile.staffActions['correct category'] !== undefined)
    for (let index = 0; index < 3; index++)
      steps.push(
        {
          afterMs: random.skewed(HOUR_MS, 2 * DAY_MS),
          is: random.pick(selfServiceActions),
        },
        {
          afterMs: random.skewed(HOUR_MS, 3 * DAY_MS),
          is: 'what is due',
          visit: drawVisit(profile, random, 0),
        },
      )
  const usesFewSeats = random.chance(profile.fewSeats)
  const usesTaxRates = profile.severalRates > 0 && random.chance(profile.severalRates)
  const usesRazorpay = profile.razorpay > 0 && random.chance(profile.razorpay)
  const codes = [null, null, 'coupon', 'guest'] as const
  const afterMs = random.skewed(SECOND_MS, 3 * DAY_MS)
  const event = usesRazorpay
    ? chooseRazorpayEvent(profile)
    : paysInEuro
      ? chooseEuroEvent(profile)
      : usesTaxRates
        ? TAX_RATES_EVENT
        : usesFewSeats
          ? SEATS.event
          : needsApproval
            ? APPROVAL_EVENT
            : random.pick(UNLIMITED_EVENTS)
  const isMember = random.chance(0.5)
  const usesTwoGateways = event === TWO_GATEWAYS_EVENT
  return {
    name,
    afterMs,
    event,
    isMember,
    items: usesTaxRates && !paysInEuro ? ITEM_IDS.filter(() => random.chance(0.4)) : [],
    way: usesTwoGateways
      ? random.pick(['card', 'world', null] as const)
      : paysInEuro
        ? 'transfer'
        : usesTaxRates
          ? null
          : needsApproval && !usesFewSeats
            ? random.pick(['card', 'transfer', 'credited'] as const)
            : null,
    code: usesFewSeats && !usesRazorpay && !usesTaxRates && !paysInEuro ? random.pick(codes) : null,
    isSubmittedTwice: random.chance(profile.doubleSubmissions),
    steps,
  }
}

function drawStaffStep(is: StaffAction, profile: Profile, random: Random): StaffStep {
  // Most actions are performed by a user who may perform them.
  const pickStaff = (): StaffName => random.pick(random.chance(0.7) ? OWNERS : STAFF_NAMES)
  return {
    afterMs: random.chance(0.3)
      ? random.skewed(MINUTE_MS, profile.officeStepsWithinMs)
      : random.below(profile.officeStepsWithinMs),
    is,
    by: pickStaff(),
    colleague: random.chance(0.15) ? pickStaff() : null,
    isSentTwice: random.chance(0.25),
    isSignedOut: random.chance(0.04),
  }
}

function drawVisit(profile: Profile, random: Random, visitIndex: number): Visit {
  const result = random.pick(['paid', 'paid', 'paid', 'declined', 'left'] as const)
  const lateAuthorization =
    profile.lateAuthorizations > 0 && random.chance(profile.lateAuthorizations)
      ? drawLateAuthorization(random)
      : null
  return {
    lateAuthorization,
    isOldTab: visitIndex > 0 && random.chance(profile.oldTabAttempts),
    thinkingMs: random.chance(profile.latePayments)
      ? random.skewed(HOUR_MS, 6 * DAY_MS)
      : random.skewed(5 * SECOND_MS, 20 * MINUTE_MS),
    result,
    heldMs: random.chance(profile.slowPayments) ? random.skewed(10 * SECOND_MS, 4 * DAY_MS) : 0,
    mismatch: random.chance(profile.wrongAmounts)
      ? random.pick(['amount', 'amount', 'currency', 'kind', 'test'] as const)
      : null,
    messages: drawMessages(profile, random),
    returnAfterMs: random.chance(profile.lostMessages) ? null : random.skewed(500, 2 * MINUTE_MS),
  }
}

export function drawMessages(profile: Profile, random: Random): readonly PlannedMessage[] {
  if (random.chance(profile.lostMessages)) return []
  const messageCount = random.chance(profile.repeatedWebhooks)
    ? 2 + random.below(profile.maxRepeats - 1)
    : 1
  return Array.from({ length: messageCount }, () => ({
    afterMs: random.chance(0.2)
      ? random.skewed(HOUR_MS, 5 * DAY_MS)
      : random.skewed(100, 2 * MINUTE_MS),
    forgedPart: random.chance(profile.forgedWebhooks) ? random.pick(FORGED_PARTS) : null,
    isJson: random.chance(0.1),
    isRetried: random.chance(0.8),
  }))
}

function drawFault(is: Incident['is'], profile: Profile, random: Random): Incident {
  const afterMs = random.below(profile.incidentsWithinMs)
  switch (is) {
    case 'crash':
      return {
        afterMs,
        is,
        downtimeMs: random.skewed(SECOND_MS, profile.maxDowntimeMs),
        reopens: random.chance(0.05),
      }
    case 'clock': {
      const sign = random.chance(0.5) ? 1 : -1
      return {
        afterMs,
        is,
        skewMs: sign * random.skewed(profile.maxSkewMs / 50, profile.maxSkewMs),
        lastsMs: random.skewed(MINUTE_MS, 2 * DAY_MS),
      }
    }
    case 'outage':
      return {
        afterMs,
        is,
        lastsMs: random.skewed(MINUTE_MS, profile.maxOutageMs),
        kind: random.pick(['refused', 'silent', 'error'] as const),
      }
    case 'disk full':
      return { afterMs, is, lastsMs: random.skewed(SECOND_MS, 6 * HOUR_MS) }
    case 'file':
      return {
        afterMs,
        is,
        // If no delegate registers for the event with few seats, its file makes no difference.
        event: random.pick(profile.fewSeats === 0 ? UNLIMITED_EVENTS : EVENTS),
        version: random.pick(profile.versions),
        lastsMs: random.skewed(HOUR_MS, 20 * DAY_MS),
      }
    case 'credentials':
      return { afterMs, is, lastsMs: random.skewed(HOUR_MS, 3 * DAY_MS) }
  }
}
