/**
 * A history before it happens, as data: who does what when, what the gateway makes of it and tells, and what
 * goes wrong around it. Drawn from a seed by a profile; a piece taken out of it changes no other piece.
 */
import { day, startOf } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import { EVENTS, ITEM_IDS, PLENTY, RATES, SEATS, SEEN } from './events.ts'
import type { CodeKindId, EventId, ItemId, Version } from './events.ts'
import type { Profile } from './profiles.ts'
import { randomOf } from './random.ts'
import type { Random } from './random.ts'
import { PEOPLE } from './expected-permissions.ts'
import type { PersonName } from './expected-permissions.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** What a message of the gateway says beside the truth; all that it may do is start a question. */
export const LIES = ['amount', 'reference', 'status', 'order', 'hash', 'garbage'] as const
export type Telling = {
  readonly afterMs: number
  readonly lie: (typeof LIES)[number] | null
  readonly asJson: boolean
  /** Sent again while it is not taken. */
  readonly again: boolean
}
/** One go at the gateway's page. */
export type Visit = {
  /** The tab of the first order, however many came since. */
  readonly isOldTab: boolean
  readonly thinksMs: number
  readonly ends: 'paid' | 'declined' | 'left'
  /** Money that is on its way for so long; 0: it is there at once. */
  readonly heldMs: number
  /** What came instead of what was asked; null: the same. */
  readonly wrong: 'amount' | 'currency' | 'kind' | 'test' | null
  readonly tells: readonly Telling[]
  /** Null: the browser never comes back. */
  readonly returnsMs: number | null
}
/** What delegates do to their registration themselves. */
export type OwnAct = 'edit' | 'accept_offer' | 'ask_cancel' | 'tell'
export type Step =
  | { readonly afterMs: number; readonly is: 'visit'; readonly visit: Visit }
  /** A second tab with the same order, at the same time as what follows. */
  | { readonly afterMs: number; readonly is: 'other tab'; readonly visit: Visit }
  | { readonly afterMs: number; readonly is: 'reload' | 'retry' | 'same form' | 'resume' }
  /** On their own page. */
  | { readonly afterMs: number; readonly is: OwnAct }
  /** Days later: what the page says is due is paid, by the link of a mail where there is one. */
  | { readonly afterMs: number; readonly is: 'what is due'; readonly visit: Visit }
export type Delegate = {
  readonly name: number
  readonly afterMs: number
  readonly event: EventId
  readonly isMember: boolean
  /** The way that is chosen to pay; null: the form has one alone. */
  readonly way: 'card' | 'transfer' | 'credited' | null
  /** What is taken besides, at the event that sells more than admission. */
  readonly items: readonly ItemId[]
  /** The code that is typed, by what it gives; null: none. */
  readonly code: CodeKindId | null
  /** Sends the form twice at the same moment, under one key. */
  readonly isHasty: boolean
  readonly steps: readonly Step[]
}
export type Mishap = { readonly afterMs: number } & (
  | { readonly is: 'crash'; readonly downMs: number; readonly reopens: boolean }
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
/** What the treasurer does. */
export type OfficeStep = {
  readonly afterMs: number
  readonly is: 'reviews' | 'reviews, two at once' | 'refund' | 'panel'
}
/** What people of the desk do to a registration. */
export const DESK_ACTS = [
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
  'look for told',
  'take up',
  'load a statement',
  'add at the desk',
  'erase',
  'came again',
  'compare the figures',
] as const
export type DeskAct = (typeof DESK_ACTS)[number]
export type DeskStep = {
  readonly afterMs: number
  readonly is: DeskAct
  readonly by: PersonName
  /** Somebody else does it at the same moment; null: nobody. */
  readonly beside: PersonName | null
  readonly isTwice: boolean
  /** Signed out between the look and the click. */
  readonly isSignedOut: boolean
}
export type Plan = {
  readonly seed: number
  readonly history: number
  readonly profile: Profile
  readonly start: Instant
  readonly delegates: readonly Delegate[]
  readonly mishaps: readonly Mishap[]
  readonly office: readonly OfficeStep[]
  readonly desk: readonly DeskStep[]
}

const OWNERS: readonly PersonName[] = ['Omar', 'Usha']

/** Days in which histories begin; both prices and the closing lie between them. */
const FIRST_DAY = startOf(day('2026-01-08'))
const DAYS = 50

export function planOf(profile: Profile, seed: number, history: number): Plan {
  const random = randomOf(profile.name, seed, history, 'plan')
  const start = (FIRST_DAY + random.below(DAYS * 24 * 60) * MINUTE_MS) as Instant
  const delegates = Array.from({ length: 1 + random.below(profile.delegatesMax) }, (_, name) =>
    delegateOf(profile, randomOf(profile.name, seed, history, 'delegate', name), name),
  )
  const mishaps = (Object.keys(profile.mishaps) as (keyof Profile['mishaps'])[]).flatMap((is) => {
    const drawn = randomOf(profile.name, seed, history, is)
    return timesOf(profile.mishaps[is], drawn).map(() => mishapOf(is, profile, drawn))
  })
  const office = (Object.keys(profile.office) as OfficeStep['is'][]).flatMap((is) => {
    const drawn = randomOf(profile.name, seed, history, 'office', is)
    return timesOf(profile.office[is], drawn).map((): OfficeStep => ({
      afterMs: drawn.below(profile.officeWithinMs),
      is,
    }))
  })
  const desk = DESK_ACTS.flatMap((is) => {
    const drawn = randomOf(profile.name, seed, history, 'desk', is)
    return timesOf(profile.desk[is] ?? 0, drawn).map(() => deskStepOf(is, profile, drawn))
  })
  return { seed, history, profile, start, delegates, mishaps, office, desk }
}

/** As many as on average, whole ones for certain. */
function timesOf(average: number, random: Random): readonly null[] {
  const whole = Math.floor(average)
  return Array.from({ length: whole + (random.chance(average - whole) ? 1 : 0) }, () => null)
}

function delegateOf(profile: Profile, random: Random, name: number): Delegate {
  const steps: Step[] = []
  const goes = 1 + random.below(profile.goesMax)
  for (let go = 0; go < goes; go++) {
    const afterMs =
      go === 0 ? random.mostly(2 * SECOND_MS, MINUTE_MS) : random.mostly(5 * SECOND_MS, 2 * DAY_MS)
    if (go > 0)
      steps.push({
        afterMs,
        is: random.pick(['retry', 'retry', 'same form', 'resume', 'resume', 'reload'] as const),
      })
    const isDouble = random.chance(profile.doubles)
    if (isDouble)
      steps.push({ afterMs: SECOND_MS, is: 'other tab', visit: visitOf(profile, random, go) })
    steps.push({
      afterMs: go === 0 ? afterMs : SECOND_MS,
      is: 'visit',
      visit: visitOf(profile, random, go),
    })
    if (random.chance(0.4)) steps.push({ afterMs: random.mostly(SECOND_MS, DAY_MS), is: 'reload' })
  }
  const isSeen = profile.seen > 0 && random.chance(profile.seen)
  const own: readonly OwnAct[] = isSeen
    ? ['edit', 'accept_offer', 'ask_cancel', 'tell', 'tell']
    : ['ask_cancel']
  // Nothing is drawn where nobody corrects anything: the histories of other profiles stay as they are.
  if (profile.desk['correct category'] !== undefined)
    for (let later = 0; later < 3; later++)
      steps.push(
        {
          afterMs: random.mostly(HOUR_MS, 2 * DAY_MS),
          is: random.pick(own),
        },
        {
          afterMs: random.mostly(HOUR_MS, 3 * DAY_MS),
          is: 'what is due',
          visit: visitOf(profile, random, 0),
        },
      )
  const isLimited = random.chance(profile.limited)
  const isRated = profile.rates > 0 && random.chance(profile.rates)
  const codes = [null, null, 'coupon', 'guest'] as const
  return {
    name,
    afterMs: random.mostly(SECOND_MS, 3 * DAY_MS),
    event: isRated ? RATES : isLimited ? SEATS.event : isSeen ? SEEN : random.pick(PLENTY),
    isMember: random.chance(0.5),
    items: isRated ? ITEM_IDS.filter(() => random.chance(0.4)) : [],
    way: isRated
      ? null
      : isSeen && !isLimited
        ? random.pick(['card', 'transfer', 'credited'] as const)
        : null,
    code: isLimited && !isRated ? random.pick(codes) : null,
    isHasty: random.chance(0.1),
    steps,
  }
}

function deskStepOf(is: DeskAct, profile: Profile, random: Random): DeskStep {
  // Most are done by somebody who may.
  const who = (): PersonName => random.pick(random.chance(0.7) ? OWNERS : PEOPLE)
  return {
    afterMs: random.chance(0.3)
      ? random.mostly(MINUTE_MS, profile.officeWithinMs)
      : random.below(profile.officeWithinMs),
    is,
    by: who(),
    beside: random.chance(0.15) ? who() : null,
    isTwice: random.chance(0.25),
    isSignedOut: random.chance(0.04),
  }
}

function visitOf(profile: Profile, random: Random, go: number): Visit {
  const ends = random.pick(['paid', 'paid', 'paid', 'declined', 'left'] as const)
  return {
    isOldTab: go > 0 && random.chance(profile.oldTabs),
    thinksMs: random.chance(profile.late)
      ? random.mostly(HOUR_MS, 6 * DAY_MS)
      : random.mostly(5 * SECOND_MS, 20 * MINUTE_MS),
    ends,
    heldMs: random.chance(profile.held) ? random.mostly(10 * SECOND_MS, 4 * DAY_MS) : 0,
    wrong: random.chance(profile.wrong)
      ? random.pick(['amount', 'amount', 'currency', 'kind', 'test'] as const)
      : null,
    tells: tellingsOf(profile, random),
    returnsMs: random.chance(profile.lost) ? null : random.mostly(500, 2 * MINUTE_MS),
  }
}

function tellingsOf(profile: Profile, random: Random): readonly Telling[] {
  if (random.chance(profile.lost)) return []
  const number = random.chance(profile.repeats) ? 2 + random.below(profile.repeatsMax - 1) : 1
  return Array.from({ length: number }, () => ({
    afterMs: random.chance(0.2)
      ? random.mostly(HOUR_MS, 5 * DAY_MS)
      : random.mostly(100, 2 * MINUTE_MS),
    lie: random.chance(profile.lies) ? random.pick(LIES) : null,
    asJson: random.chance(0.1),
    again: random.chance(0.8),
  }))
}

function mishapOf(is: Mishap['is'], profile: Profile, random: Random): Mishap {
  const afterMs = random.below(profile.mishapsWithinMs)
  switch (is) {
    case 'crash':
      return {
        afterMs,
        is,
        downMs: random.mostly(SECOND_MS, profile.downMsMax),
        reopens: random.chance(0.05),
      }
    case 'clock': {
      const sign = random.chance(0.5) ? 1 : -1
      return {
        afterMs,
        is,
        skewMs: sign * random.mostly(profile.skewMsMax / 50, profile.skewMsMax),
        lastsMs: random.mostly(MINUTE_MS, 2 * DAY_MS),
      }
    }
    case 'outage':
      return {
        afterMs,
        is,
        lastsMs: random.mostly(MINUTE_MS, profile.outageMsMax),
        kind: random.pick(['refused', 'silent', 'error'] as const),
      }
    case 'disk full':
      return { afterMs, is, lastsMs: random.mostly(SECOND_MS, 6 * HOUR_MS) }
    case 'file':
      return {
        afterMs,
        is,
        // Where nobody is at the event with few places, its file is of no interest.
        event: random.pick(profile.limited === 0 ? PLENTY : EVENTS),
        version: random.pick(profile.versions),
        lastsMs: random.mostly(HOUR_MS, 20 * DAY_MS),
      }
    case 'credentials':
      return { afterMs, is, lastsMs: random.mostly(HOUR_MS, 3 * DAY_MS) }
  }
}
