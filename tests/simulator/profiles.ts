/**
 * Defines the faults in a history. The profile `design` combines all faults that the system must survive. In every
 * other profile, one fault is more frequent or more severe.
 */
import {
  EURO_EVENT,
  RAZORPAY_EVENT,
  TWO_CURRENCIES_EVENT,
  TWO_GATEWAYS_EVENT,
  VERSIONS,
} from './events.ts'
import type { Version } from './events.ts'
import type { StaffAction, Incident, OfficeStep } from './plan.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export type Profile = {
  readonly name: string
  readonly maxDelegates: number
  /** The maximum number of payment attempts per delegate. */
  readonly maxAttempts: number
  /** The share (0 to 1) of delegates who register for the event that has discount codes and few seats. */
  readonly fewSeats: number
  /**
   * The share of delegates who register for the event with bank transfers, where approval is required before payment.
   */
  readonly approvals: number
  /** The share of delegates who register for the event whose items have two tax rates or no tax. */
  readonly severalRates: number
  /** The share of delegates who register for the event in euros. */
  readonly euro: number
  /** True if the event in euros is the one with two currencies. */
  readonly hasTwoCurrencies: boolean
  /** The share of delegates who register for the event with Razorpay. */
  readonly razorpay: number
  /** True if the event with Razorpay is the one with two gateways and two currencies. */
  readonly hasTwoGateways: boolean
  /** The share of Razorpay payments that are not captured immediately. */
  readonly lateAuthorizations: number
  /** The share of Razorpay refunds that fail after three days. */
  readonly failedRefunds: number
  /** The average number of Razorpay disputes in a history. */
  readonly disputes: number
  /** The share of forms that are sent twice at the same time. */
  readonly doubleSubmissions: number
  /** The share of payments that are also made in a second tab. */
  readonly secondTabPayments: number
  /** The share of further attempts that are made in the first order's tab. */
  readonly oldTabAttempts: number
  /** The share of payments made hours or days after the redirect. */
  readonly latePayments: number
  /** The share of payments that are in progress for a while. */
  readonly slowPayments: number
  /** The share of payments that differ from the order. */
  readonly wrongAmounts: number
  /**
   * The share of attempts after which the browser does not return. The same share of attempts, chosen independently,
   * gets no webhook.
   */
  readonly lostMessages: number
  /** The share of webhooks that are repeated, up to `maxRepeats` times. */
  readonly repeatedWebhooks: number
  readonly maxRepeats: number
  /** The share of webhooks that are forged. */
  readonly forgedWebhooks: number
  /**
   * The share of status responses that are unusable: truncated, about another order, in an unknown format, or empty.
   */
  readonly badStatusResponses: number
  /** The share of responses to refund requests that are lost or unusable. */
  readonly badRefundResponses: number
  /** The share of responses that are slow. */
  readonly slowResponses: number
  /** How often each fault occurs in a history, on average. */
  readonly incidents: Readonly<Record<Incident['is'], number>>
  readonly incidentsWithinMs: number
  /** The versions that may temporarily replace an event's file. */
  readonly versions: readonly Version[]
  readonly office: Readonly<Record<OfficeStep['is'], number>>
  readonly officeStepsWithinMs: number
  readonly staffActions: Readonly<Partial<Record<StaffAction, number>>>
  readonly maxDowntimeMs: number
  readonly maxSkewMs: number
  readonly maxOutageMs: number
}

export const DESIGN: Profile = {
  name: 'design',
  maxDelegates: 3,
  maxAttempts: 2,
  fewSeats: 0.35,
  approvals: 0,
  severalRates: 0,
  euro: 0,
  razorpay: 0,
  hasTwoGateways: false,
  lateAuthorizations: 0,
  failedRefunds: 0,
  disputes: 0,
  doubleSubmissions: 0.1,
  hasTwoCurrencies: false,
  secondTabPayments: 0.08,
  oldTabAttempts: 0.15,
  latePayments: 0.06,
  slowPayments: 0.12,
  wrongAmounts: 0.04,
  lostMessages: 0.3,
  repeatedWebhooks: 0.2,
  maxRepeats: 3,
  forgedWebhooks: 0.1,
  badStatusResponses: 0.05,
  badRefundResponses: 0.15,
  slowResponses: 0.05,
  incidents: {
    crash: 0.6,
    clock: 0.1,
    outage: 0.2,
    'disk full': 0.1,
    file: 0.15,
    credentials: 0.05,
  },
  incidentsWithinMs: 3 * DAY_MS,
  versions: VERSIONS,
  office: { reviews: 0.4, 'reviews, two at once': 0.1, refund: 0.12, panel: 0.08, disputes: 0 },
  officeStepsWithinMs: 6 * DAY_MS,
  staffActions: {},
  maxDowntimeMs: 10 * MINUTE_MS,
  maxSkewMs: HOUR_MS,
  maxOutageMs: 12 * HOUR_MS,
}

const createProfile = (
  name: string,
  overrides: Partial<Omit<Profile, 'incidents'>>,
  incidents: Partial<Profile['incidents']> = {},
): Profile => ({
  ...DESIGN,
  ...overrides,
  name,
  incidents: { ...DESIGN.incidents, ...incidents },
})

const RAZORPAY: Partial<Omit<Profile, 'incidents'>> = {
  razorpay: 0.9,
  wrongAmounts: 0,
  slowPayments: 0,
  secondTabPayments: 0.3,
  badStatusResponses: 0.15,
  office: { ...DESIGN.office, reviews: 1, refund: 1 },
}

export const FAULT_PROFILES: readonly Profile[] = [
  createProfile('crashes', {}, { crash: 8 }),
  createProfile(
    'clock',
    { maxSkewMs: 30 * DAY_MS, lostMessages: 0.6, latePayments: 0.4 },
    { clock: 2 },
  ),
  createProfile('silence', { lostMessages: 1 }),
  createProfile('outage', { maxOutageMs: 4 * DAY_MS }, { outage: 1.5 }),
  createProfile('bad answers', { badStatusResponses: 0.6 }),
  createProfile('slow', { slowResponses: 0.7 }),
  createProfile('flood', { repeatedWebhooks: 1, maxRepeats: 12, forgedWebhooks: 0.5 }),
  createProfile('disk full', {}, { 'disk full': 3 }),
  createProfile('files', {}, { file: 3 }),
  createProfile(
    'files gone',
    { fewSeats: 0, slowPayments: 0.5, latePayments: 0.3, lostMessages: 0.6 },
    { file: 3 },
  ),
  createProfile('accounts', { lostMessages: 0.6, latePayments: 0.4 }, { credentials: 1.5 }),
  createProfile('late', { latePayments: 0.7 }),
  createProfile('held', { slowPayments: 0.8 }),
  createProfile('few places', { fewSeats: 1, maxDelegates: 6, latePayments: 0.4 }),
  createProfile('doubles', { secondTabPayments: 0.7, oldTabAttempts: 0.5 }),
  createProfile('wrong', { wrongAmounts: 0.6 }),
  createProfile('refunds', {
    badRefundResponses: 0.5,
    office: { ...DESIGN.office, reviews: 1.5, refund: 2, panel: 1 },
  }),
  createProfile('razorpay', RAZORPAY),
  createProfile('razorpay late', {
    ...RAZORPAY,
    lateAuthorizations: 0.7,
    doubleSubmissions: 0.4,
    lostMessages: 0.4,
    repeatedWebhooks: 0.4,
    maxRepeats: 5,
  }),
  createProfile('razorpay refunds', {
    ...RAZORPAY,
    failedRefunds: 0.6,
    lostMessages: 0.4,
    repeatedWebhooks: 0.4,
    maxRepeats: 5,
    office: { ...DESIGN.office, reviews: 3, refund: 2, panel: 1 },
    officeStepsWithinMs: 12 * DAY_MS,
  }),
  createProfile('razorpay disputes', {
    ...RAZORPAY,
    disputes: 2.5,
    lostMessages: 0.4,
    repeatedWebhooks: 0.4,
    maxRepeats: 5,
    office: { ...DESIGN.office, reviews: 1, refund: 0.5, disputes: 5 },
    officeStepsWithinMs: 18 * DAY_MS,
  }),
  // Combines all faults of both gateways.
  createProfile('two gateways', {
    ...RAZORPAY,
    hasTwoGateways: true,
    maxDelegates: 4,
    wrongAmounts: 0.05,
    slowPayments: 0.1,
    lateAuthorizations: 0.5,
    doubleSubmissions: 0.3,
    failedRefunds: 0.3,
    disputes: 1,
    repeatedWebhooks: 0.4,
    maxRepeats: 5,
    office: { ...DESIGN.office, reviews: 2, refund: 1.5, panel: 0.5, disputes: 2 },
    officeStepsWithinMs: 14 * DAY_MS,
  }),
  createProfile('decisions', {
    wrongAmounts: 0.5,
    secondTabPayments: 0.4,
    office: { ...DESIGN.office, reviews: 2, 'reviews, two at once': 2 },
  }),
]

const STAFF_ACTION_COUNTS: Profile['staffActions'] = {
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
  'find claimed payment': 0.9,
  reopen: 0.3,
  'load a statement': 0.4,
  'add at the desk': 0.4,
  erase: 0.15,
  'record extra payment': 0.3,
  'compare the figures': 0.5,
}
const doubleCounts = (counts: Profile['staffActions']): Profile['staffActions'] =>
  Object.fromEntries(Object.entries(counts).map(([action, count]) => [action, 2 * count]))

const EURO: Partial<Omit<Profile, 'incidents'>> = {
  staffActions: {
    ...STAFF_ACTION_COUNTS,
    'load a statement': 3,
    'compare the figures': 1,
    cancel: 1,
    'refund by hand': 1,
  },
  office: { ...DESIGN.office, reviews: 2 },
  maxDelegates: 5,
  euro: 0.6,
  approvals: 0.6,
  fewSeats: 0,
  lostMessages: 0.1,
}

/** In these profiles, staff also perform actions, so that payment faults affect these too. */
export const STAFF_PROFILES: readonly Profile[] = [
  createProfile('desk', { staffActions: STAFF_ACTION_COUNTS, approvals: 0.4 }),
  createProfile('desk and letters', {
    staffActions: doubleCounts(STAFF_ACTION_COUNTS),
    approvals: 1,
    fewSeats: 0,
  }),
  // Many delegates report transfers, and staff confirm most of these only through bank statements.
  createProfile('desk and bank', {
    staffActions: { approve: 3, 'load a statement': 6, 'correct category': 0.2, confirm: 0.3 },
    maxDelegates: 6,
    approvals: 1,
    fewSeats: 0,
    lostMessages: 0.1,
  }),
  createProfile('desk and few places', {
    staffActions: STAFF_ACTION_COUNTS,
    fewSeats: 1,
    maxDelegates: 5,
  }),
  createProfile(
    'desk and crashes',
    { staffActions: doubleCounts(STAFF_ACTION_COUNTS), approvals: 0.4 },
    { crash: 8 },
  ),
  createProfile(
    'desk and files',
    {
      staffActions: { ...STAFF_ACTION_COUNTS, 'correct category': 3, 'correct name': 0.2 },
      fewSeats: 0,
      slowPayments: 0.5,
      latePayments: 0.4,
      incidentsWithinMs: 6 * DAY_MS,
    },
    { file: 4 },
  ),
  createProfile(
    'desk and free days',
    {
      staffActions: { ...STAFF_ACTION_COUNTS, 'correct category': 4 },
      fewSeats: 0,
      latePayments: 0.4,
      incidentsWithinMs: 6 * DAY_MS,
      versions: ['free'],
    },
    { file: 2 },
  ),
  createProfile('desk and tax rates', {
    staffActions: {
      ...STAFF_ACTION_COUNTS,
      'correct items': 4,
      'compare the figures': 2,
      refund: 1,
      'refund by hand': 1,
      cancel: 0.6,
    },
    fewSeats: 0,
    severalRates: 0.8,
    latePayments: 0.2,
  }),
  // Two currencies at one bank, with the same numeric amounts.
  createProfile('desk and euro', EURO),
  createProfile('desk and two currencies', { ...EURO, hasTwoCurrencies: true }),
  createProfile(
    'desk and clock',
    {
      staffActions: STAFF_ACTION_COUNTS,
      approvals: 0.6,
      maxSkewMs: 30 * DAY_MS,
      lostMessages: 0.6,
    },
    { clock: 2 },
  ),
  createProfile('desk and odd money', {
    staffActions: STAFF_ACTION_COUNTS,
    wrongAmounts: 0.4,
    latePayments: 0.4,
    secondTabPayments: 0.3,
    badRefundResponses: 0.4,
  }),
]

export const PROFILES: readonly Profile[] = [DESIGN, ...FAULT_PROFILES, ...STAFF_PROFILES]

/** Returns the event whose delegates pay only by transfer, in euros or in two currencies. */
export const chooseEuroEvent = ({
  hasTwoCurrencies,
}: Profile): typeof EURO_EVENT | typeof TWO_CURRENCIES_EVENT =>
  hasTwoCurrencies ? TWO_CURRENCIES_EVENT : EURO_EVENT
/** Returns the event with Razorpay as its only gateway, or in addition to Airpay. */
export const chooseRazorpayEvent = ({
  hasTwoGateways,
}: Profile): typeof RAZORPAY_EVENT | typeof TWO_GATEWAYS_EVENT =>
  hasTwoGateways ? TWO_GATEWAYS_EVENT : RAZORPAY_EVENT
