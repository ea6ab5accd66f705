/**
 * What a history may meet. `design` is what the design promises to survive, everything together; each other
 * profile brings one thing more of, or worse than, that.
 */
import { VERSIONS } from './events.ts'
import type { Version } from './events.ts'
import type { DeskAct, Mishap, OfficeStep } from './plan.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export type Profile = {
  readonly name: string
  readonly delegatesMax: number
  /** Goes at paying, of one delegate. */
  readonly goesMax: number
  /** Shares of what happens, 0 to 1: a delegate is at the event with few places and codes, … */
  readonly limited: number
  /** … at the event whose members are seen before they pay, and where a transfer pays too, … */
  readonly seen: number
  /** … at the event whose items have two tax rates and none, … */
  readonly rates: number
  /** … a second tab pays too, … */
  readonly doubles: number
  /** … a further go is in the tab of the first order, … */
  readonly oldTabs: number
  /** … the money comes hours or days after the hand-off, … */
  readonly late: number
  /** … it is on its way for a while, … */
  readonly held: number
  /** … it is not what was asked for, … */
  readonly wrong: number
  /** … a return is lost, or all notices of a go are, … */
  readonly lost: number
  /** … a notice comes more than once, up to so often, … */
  readonly repeats: number
  readonly repeatsMax: number
  /** … and says what is not so. */
  readonly lies: number
  /** Answers of the status call that cannot be used: cut off, of another order, in no protocol, none. */
  readonly badAnswers: number
  /** Answers to a call for a refund that get lost, or say nothing. */
  readonly badRefunds: number
  /** Answers that are slow. */
  readonly slow: number
  /** How many of each happen in a history, on average. */
  readonly mishaps: Readonly<Record<Mishap['is'], number>>
  readonly mishapsWithinMs: number
  /** What an event's file becomes for a while. */
  readonly versions: readonly Version[]
  readonly office: Readonly<Record<OfficeStep['is'], number>>
  readonly officeWithinMs: number
  readonly desk: Readonly<Partial<Record<DeskAct, number>>>
  readonly downMsMax: number
  readonly skewMsMax: number
  readonly outageMsMax: number
}

export const DESIGN: Profile = {
  name: 'design',
  delegatesMax: 3,
  goesMax: 2,
  limited: 0.35,
  seen: 0,
  rates: 0,
  doubles: 0.08,
  oldTabs: 0.15,
  late: 0.06,
  held: 0.12,
  wrong: 0.04,
  lost: 0.3,
  repeats: 0.2,
  repeatsMax: 3,
  lies: 0.1,
  badAnswers: 0.05,
  badRefunds: 0.15,
  slow: 0.05,
  mishaps: { crash: 0.6, clock: 0.1, outage: 0.2, 'disk full': 0.1, file: 0.15, credentials: 0.05 },
  mishapsWithinMs: 3 * DAY_MS,
  versions: VERSIONS,
  office: { reviews: 0.4, 'reviews, two at once': 0.1, refund: 0.12, panel: 0.08 },
  officeWithinMs: 6 * DAY_MS,
  desk: {},
  downMsMax: 10 * MINUTE_MS,
  skewMsMax: HOUR_MS,
  outageMsMax: 12 * HOUR_MS,
}

const fault = (
  name: string,
  more: Partial<Omit<Profile, 'mishaps'>>,
  mishaps: Partial<Profile['mishaps']> = {},
): Profile => ({
  ...DESIGN,
  ...more,
  name,
  mishaps: { ...DESIGN.mishaps, ...mishaps },
})

export const FAULTS: readonly Profile[] = [
  fault('crashes', {}, { crash: 8 }),
  fault('clock', { skewMsMax: 30 * DAY_MS, lost: 0.6, late: 0.4 }, { clock: 2 }),
  fault('silence', { lost: 1 }),
  fault('outage', { outageMsMax: 4 * DAY_MS }, { outage: 1.5 }),
  fault('bad answers', { badAnswers: 0.6 }),
  fault('slow', { slow: 0.7 }),
  fault('flood', { repeats: 1, repeatsMax: 12, lies: 0.5 }),
  fault('disk full', {}, { 'disk full': 3 }),
  fault('files', {}, { file: 3 }),
  fault('files gone', { limited: 0, held: 0.5, late: 0.3, lost: 0.6 }, { file: 3 }),
  fault('accounts', { lost: 0.6, late: 0.4 }, { credentials: 1.5 }),
  fault('late', { late: 0.7 }),
  fault('held', { held: 0.8 }),
  fault('few places', { limited: 1, delegatesMax: 6, late: 0.4 }),
  fault('doubles', { doubles: 0.7, oldTabs: 0.5 }),
  fault('wrong', { wrong: 0.6 }),
  fault('refunds', {
    badRefunds: 0.5,
    office: { ...DESIGN.office, reviews: 1.5, refund: 2, panel: 1 },
  }),
  fault('decisions', {
    wrong: 0.5,
    doubles: 0.4,
    office: { ...DESIGN.office, reviews: 2, 'reviews, two at once': 2 },
  }),
]

const ACTS: Profile['desk'] = {
  note: 0.3,
  'correct name': 0.5,
  'correct category': 0.7,
  transfer: 0.3,
  cancel: 0.5,
  refund: 0.4,
  'refund by hand': 0.5,
  accept: 0.4,
  dismiss: 0.3,
  confirm: 0.8,
  resend: 0.3,
  'send pay link': 0.4,
  approve: 0.9,
  refuse: 0.2,
  'refuse with an offer': 0.4,
  'look for told': 0.9,
  'take up': 0.3,
  'load a statement': 0.4,
  'add at the desk': 0.4,
  erase: 0.15,
  'came again': 0.3,
  'compare the figures': 0.5,
}
const twice = (acts: Profile['desk']): Profile['desk'] =>
  Object.fromEntries(Object.entries(acts).map(([act, times]) => [act, 2 * times]))

/** People of the office act besides: whatever happens to money happens to what they do as well. */
export const DESK: readonly Profile[] = [
  fault('desk', { desk: ACTS, seen: 0.4 }),
  fault('desk and letters', { desk: twice(ACTS), seen: 1, limited: 0 }),
  // Many report transfers, and hardly anything but the statements of the bank pays them.
  fault('desk and bank', {
    desk: { approve: 3, 'load a statement': 6, 'correct category': 0.2, confirm: 0.3 },
    delegatesMax: 6,
    seen: 1,
    limited: 0,
    lost: 0.1,
  }),
  fault('desk and few places', { desk: ACTS, limited: 1, delegatesMax: 5 }),
  fault('desk and crashes', { desk: twice(ACTS), seen: 0.4 }, { crash: 8 }),
  fault(
    'desk and files',
    {
      desk: { ...ACTS, 'correct category': 3, 'correct name': 0.2 },
      limited: 0,
      held: 0.5,
      late: 0.4,
      mishapsWithinMs: 6 * DAY_MS,
    },
    { file: 4 },
  ),
  fault(
    'desk and free days',
    {
      desk: { ...ACTS, 'correct category': 4 },
      limited: 0,
      late: 0.4,
      mishapsWithinMs: 6 * DAY_MS,
      versions: ['free'],
    },
    { file: 2 },
  ),
  fault('desk and tax rates', {
    desk: {
      ...ACTS,
      'correct items': 4,
      'compare the figures': 2,
      refund: 1,
      'refund by hand': 1,
      cancel: 0.6,
    },
    limited: 0,
    rates: 0.8,
    late: 0.2,
  }),
  fault(
    'desk and clock',
    { desk: ACTS, seen: 0.6, skewMsMax: 30 * DAY_MS, lost: 0.6 },
    { clock: 2 },
  ),
  fault('desk and odd money', { desk: ACTS, wrong: 0.4, late: 0.4, doubles: 0.3, badRefunds: 0.4 }),
]

export const PROFILES: readonly Profile[] = [DESIGN, ...FAULTS, ...DESK]
