/**
 * Defines the events used in the histories. Each is compiled once in every version that its organisers may publish. One
 * event has few seats and accepts discount codes.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileEvent } from '../../engine/authoring.ts'
import { INR, day, dayOf, startOfDay } from '../../engine/index.ts'
import type { Day, EventConfig, Instant, Amount, Currency } from '../../engine/index.ts'
import type { EventRegistry, ServedEvent } from '../../server/dependencies.ts'
import type { Account } from '../../server/payments/gateways/airpay/credentials.ts'
import { parseSharedFiles } from '../../server/events/versions/version-approval.ts'
import { buildFixtureEvent } from '../server/small-event.ts'
import type { FixtureOptions } from '../server/small-event.ts'

const SHARED_FOLDER = join(import.meta.dirname, '..', '..', 'events', '_shared')

/** A version of the event file that an organiser may serve; `removed`: no file. */
export const VERSIONS = [
  'usual',
  'other account',
  'higher-priced',
  'free',
  'closed',
  'removed',
] as const
export type Version = (typeof VERSIONS)[number]

/** The price changes between the periods, and registration closes at the end of the last one. */
export const EARLY_ENDS_AT: Instant = startOfDay(day('2026-02-01'))
export const CLOSES_AT: Instant = startOfDay(day('2026-03-01'))

export const EVENTS = ['sample2026', 'second2026', 'seats2026'] as const
/** Served in histories with staff actions: members need approval before they pay, and delegates change their meals. */
export const APPROVAL_EVENT = 'seen2026'
/** Served in histories with staff actions: items with two tax rates and without tax. */
export const TAX_RATES_EVENT = 'rates2026'
/**
 * Served in histories with euros: paid by transfer and at the desk. Each euro amount has the same numeric value as the
 * rupee amount in the other events.
 */
export const EURO_EVENT = 'euro2026'
/** Served in histories with two currencies in one event: members pay in rupees, and all others in euros. */
export const TWO_CURRENCIES_EVENT = 'both2026'
/** Served in histories with Razorpay. */
export const RAZORPAY_EVENT = 'razor2026'
/** Served in histories with two gateways: members pay rupees through either, all others dollars through Razorpay. */
export const TWO_GATEWAYS_EVENT = 'pair2026'
export const RAZORPAY_EVENTS = [RAZORPAY_EVENT, TWO_GATEWAYS_EVENT] as const
export const USD = 'USD' as Currency
export const EUR = 'EUR' as Currency
export type EventId =
  | (typeof EVENTS)[number]
  | typeof APPROVAL_EVENT
  | typeof TAX_RATES_EVENT
  | typeof EURO_EVENT
  | typeof TWO_CURRENCIES_EVENT
  | typeof RAZORPAY_EVENT
  | typeof TWO_GATEWAYS_EVENT
/** More seats than there are delegates. */
export const UNLIMITED_EVENTS = ['sample2026', 'second2026'] as const satisfies readonly EventId[]

/** So few seats that delegates of one history compete for them. */
export const SEATS = {
  event: 'seats2026',
  /** `category` is the only category that uses the quota, or null for all. */
  quotas: [
    { id: 'hall', max: 2, category: null },
    { id: 'members', max: 1, category: 'member' },
  ],
  holdMs: 30 * 60_000,
  /** Codes that can each be used once, keyed by their kind. */
  codes: { coupon: 'COUPON-7', guest: 'GUEST-7' },
} as const
export type CodeKindId = keyof typeof SEATS.codes

const createAccount = (name: string, merchantId: string): Account => ({
  name,
  username: `user-${name}`,
  password: `password-${name}`,
  secret: `secret-of-${name}`,
  merchantId,
})
/** The credentials in the environment; `takenOver`: after another merchant took over the account. */
export const ACCOUNTS = {
  first: { sample: createAccount('sample', '100001'), other: createAccount('other', '100002') },
  takenOver: { sample: createAccount('sample', '100003'), other: createAccount('other', '100002') },
} as const satisfies Record<string, Readonly<Record<string, Account>>>
export type Credentials = keyof typeof ACCOUNTS

/** The refund scale for a cancelled registration. Its percentages change during histories. */
const REFUND_SCALE = `
cancellation:
  steps: [{until: 2026-01-31, refund: 75%}, {until: 2026-02-20, refund: 50%}, {otherwise: none}]
`
/** The fixed charge for a cancellation in February, in cents. */
export const EURO_CHARGE = 2_500
const EURO_REFUND_SCALE = REFUND_SCALE.replace('refund: 50%', 'refund: 50%, charge: 25')
/** All events of the supplier share a number series. */
const INVOICE_YAML = `
invoice:
  supplier: Sample Society
  address: 12 Made-up Road
  gstin: 32AAAAA0000A1ZB
  sac: 998596
  place_of_supply: Kerala
  number: SMP/{year}/{n}
`
const FIXTURE_OPTIONS = {
  sample2026: {
    id: 'sample2026',
    prefix: 'SMPL',
    title: 'Sample 2026',
    extra: REFUND_SCALE + INVOICE_YAML,
  },
  second2026: { id: 'second2026', prefix: 'SCND', title: 'Second 2026' },
  seen2026: {
    id: APPROVAL_EVENT,
    prefix: 'SEEN',
    title: 'Seen 2026',
    extra: `${REFUND_SCALE}${INVOICE_YAML}
edit: {until: 2026-02-20, fields: [food]}
quotas:
  - {id: dais, when: {category: member}, max: 2, full: The dais is full}
`,
  },
  rates2026: {
    id: TAX_RATES_EVENT,
    prefix: 'RATE',
    title: 'Rates 2026',
    extra: REFUND_SCALE + INVOICE_YAML,
  },
  both2026: { id: TWO_CURRENCIES_EVENT, prefix: 'BOTH', title: 'Both 2026', extra: REFUND_SCALE },
  pair2026: { id: TWO_GATEWAYS_EVENT, prefix: 'PAIR', title: 'Pair 2026', extra: REFUND_SCALE },
  // More seats than delegates; Razorpay may capture a payment only while its seat is held.
  razor2026: {
    id: RAZORPAY_EVENT,
    prefix: 'RAZR',
    title: 'Razor 2026',
    extra: `${REFUND_SCALE}
quotas:
  - {id: hall, max: 500, full: The hall is full}
hold_seats_for: 2 hours
`,
  },
  euro2026: { id: EURO_EVENT, prefix: 'EURO', title: 'Zone 2026', extra: EURO_REFUND_SCALE },
  seats2026: {
    id: 'seats2026',
    prefix: 'SEAT',
    title: 'Seats 2026',
    extra: `${REFUND_SCALE}${INVOICE_YAML}
quotas:
  - {id: hall, max: 2, full: The hall is full}
  - {id: members, when: {category: member}, max: 1, full: {offer: non-member, message: No seats left for members}}
hold_seats_for: 30 minutes
codes:
  kinds:
    - {id: guest, label: Guest, gives: {category: guest}}
    - {id: coupon, label: Coupon, gives: {adjustment: coupon}}
`,
  },
} as const satisfies Record<EventId, FixtureOptions>

function buildEventFile(id: EventId, version: Exclude<Version, 'removed'>): string {
  const options = FIXTURE_OPTIONS[id]
  if (id === APPROVAL_EVENT)
    return addMethods(addFood(buildPlainFile(options, version === 'free' ? 'usual' : version)))
  if (id === TAX_RATES_EVENT)
    return addItems(buildPlainFile(options, version === 'free' ? 'usual' : version))
  if (id === EURO_EVENT || id === TWO_CURRENCIES_EVENT) {
    const text = removeGateways(buildPlainFile(options, version === 'free' ? 'usual' : version))
    return id === EURO_EVENT
      ? text.replace('format: 1\n', 'format: 1\ncurrency: EUR\n')
      : text.replace(
          '{id: non-member, label: Non-member}',
          '{id: non-member, label: Non-member, currency: EUR}',
        )
  }
  if (id === TWO_GATEWAYS_EVENT)
    return addSecondGateway(buildPlainFile(options, version === 'free' ? 'usual' : version))
  if (id === RAZORPAY_EVENT)
    return buildPlainFile(options, version).replace('gateway: airpay', 'gateway: razorpay')
  // A free registration has no coupon.
  if (id === 'seats2026')
    return addCodes(buildPlainFile(options, version === 'free' ? 'usual' : version))
  return buildPlainFile(options, version)
}

/**
 * Adds an approval rule without documents, because no files are uploaded in a history. Event files may not contain such
 * a rule, so it is added after compilation.
 */
function requireApproval(event: EventConfig): EventConfig {
  const [daisQuota] = event.quotas
  if (event.id !== APPROVAL_EVENT || daisQuota?.when === undefined) return event
  const message = 'You are welcome as a non-member'
  const rule = {
    id: 'seen',
    when: daisQuota.when,
    documents: [],
    decideWithinDays: 3,
    payWithinDays: 7,
  }
  return {
    ...event,
    approvals: [{ ...rule, ifRefused: { offer: 'non-member', message } }],
  }
}

function addFood(text: string): string {
  return text.replace(
    /( {8}- \{id: letter.*\n)/,
    '$1        - {id: food, type: select, label: Food, options: [{id: rice, label: Rice}, {id: bread, label: Bread}]}\n',
  )
}

/** A workshop and a donation cost the same with tax; the tax on the companion's price is rounded. */
const ITEMS = `  items:
    - {id: room, label: Room, when: {room: true}, tax: {name: GST, percent: 5, prices: exclusive}, prices: {period: [early, late], each: [3000, 3000]}}
    - {id: companion, label: Companion, when: {companion: true}, prices: {period: [early, late], each: [777.77, 777.77]}}
    - {id: workshop, label: Workshop, when: {workshop: true}, prices: {period: [early, late], each: [1000, 1000]}}
    - {id: donation, label: Donation, when: {donation: true}, tax: none, prices: {period: [early, late], each: [1180, 1180]}}
`
export const ITEM_IDS = ['room', 'companion', 'workshop', 'donation'] as const
export type ItemId = (typeof ITEM_IDS)[number]

function addItems(text: string): string {
  const fields = ITEM_IDS.map(
    (id) => `        - {id: ${id}, type: yes-no, label: ${id}, default: false}\n`,
  )
  return text
    .replace(/( {4}non-member: .*\n)/, `$1${ITEMS}`)
    .replace(/( {8}- \{id: letter.*\n)/, `$1${fields.join('')}`)
}

/** Prices with tax, in paise, by category and period. The second price is that of the higher-priced file. */
const PRICES = {
  member: { early: [118_000, 177_000], late: [236_000] },
  'non-member': { early: [354_000], late: [472_000] },
} as const

/** Returns the prices of a category on a date, in all versions of the file. */
export function listPrices(category: string, day: Day): readonly number[] {
  if (category !== 'member' && category !== 'non-member') return []
  return PRICES[category][day < dayOf(EARLY_ENDS_AT) ? 'early' : 'late']
}

/** Returns the price. Null if the category is not on sale on that date. */
export function findPrice(version: Version, category: string, day: Day): Amount | null {
  const isOpen = day < dayOf(CLOSES_AT) && version !== 'closed' && version !== 'removed'
  const [usualPrice, higherPrice = usualPrice] = listPrices(category, day)
  return isOpen && usualPrice !== undefined
    ? ((version === 'higher-priced' ? higherPrice : usualPrice) as Amount)
    : null
}

/** The payment method for which the credit date determines the price. */
export const METHOD_PRICED_ON_CREDIT_DATE = 'credited'

/** The conference's own account: in the instructions for delegates, and in its bank statements. */
export const CONFERENCE_ACCOUNT = '502000123456'

const DESK_METHOD =
  '- {id: desk, label: At the desk, office_only: true, fields: [{id: mode, type: select, label: Payment mode, required: true, options: [{id: cash, label: Cash}, {id: upi, label: UPI}, {id: card, label: Card}]}, {id: slip, label: Slip number}]}'

/** Returns the currency of a category's prices and payments. */
export const getCurrency = (event: string, category: string | null): Currency => {
  if (event === TWO_GATEWAYS_EVENT && category === 'non-member') return USD
  return event === EURO_EVENT || (event === TWO_CURRENCIES_EVENT && category === 'non-member')
    ? EUR
    : INR
}

/** Offers all payment methods instead of card payment only. Card payments need no claim. */
function addMethods(text: string): string {
  return text.replace(
    /payment: \{gateway: airpay, account: (\w+)\}/,
    `payment:
  methods:
    - {id: card, gateway: airpay, account: $1}
    - id: transfer
      label: NEFT or UPI
      until: 2026-02-24
      instructions: Sample Society, account ${CONFERENCE_ACCOUNT}, IFSC HDFC0000032
      fields:
        - {id: utr, label: UTR number, format: utr, unique: true, required: true}
        - {id: paid_on, type: date, label: Date of transfer, required: true}
      expires_after: 3 days
    - id: ${METHOD_PRICED_ON_CREDIT_DATE}
      label: RTGS, at the price on the date of credit
      until: 2026-02-24
      instructions: Sample Society, account ${CONFERENCE_ACCOUNT}, IFSC HDFC0000032
      fields:
        - {id: utr, label: UTR number, format: utr, unique: true, required: true}
        - {id: paid_on, type: date, label: Date of transfer, required: true}
      price_date: credit
      expires_after: 3 days
    ${DESK_METHOD}`,
  )
}

/** Adds a second gateway. Both accounts have the same name. */
function addSecondGateway(text: string): string {
  return text
    .replace(
      '{id: non-member, label: Non-member}',
      '{id: non-member, label: Non-member, currency: USD}',
    )
    .replace(
      /payment: \{gateway: airpay, account: (\w+)\}/,
      `payment:
  methods:
    - {id: card, label: Card or UPI, gateway: airpay, account: $1}
    - {id: world, label: Card or net banking, gateway: razorpay, account: sample}`,
    )
}

function removeGateways(text: string): string {
  return text.replace('format: 1\n', 'format: 1\nregistration: {closes: 2026-02-24}\n').replace(
    /payment: \{gateway: airpay, account: \w+\}/,
    `payment:
  methods:
    - id: transfer
      label: SEPA transfer
      until: 2026-02-24
      instructions: Sample Society, account ${CONFERENCE_ACCOUNT}
      fields:
        - {id: utr, label: Reference, format: utr, unique: true, required: true}
        - {id: paid_on, type: date, label: Date of transfer, required: true}
      price_date: registration
      expires_after: 3 days
    ${DESK_METHOD}`,
  )
}

function addCodes(text: string): string {
  return text
    .replace(
      '  - {id: non-member, label: Non-member}\n',
      '  - {id: non-member, label: Non-member}\n  - {id: guest, label: Guest, listed_only: true}\n',
    )
    .replace(
      /( {4}non-member: .*\n)/,
      `$1    guest: [free, free]
  adjustments:
    - {id: coupon, label: Coupon, when: {code: coupon}, on: registration, amount: -100}
`,
    )
}

function buildPlainFile(options: FixtureOptions, version: Exclude<Version, 'removed'>): string {
  switch (version) {
    case 'usual':
      return buildFixtureEvent(options)
    case 'other account':
      return buildFixtureEvent(options).replace('account: sample', 'account: other')
    case 'higher-priced':
      return buildFixtureEvent({ ...options, price: 1500, total: 1770 })
    case 'free':
      // Without payments there is nothing to invoice.
      return buildFixtureEvent({ ...options, payment: 'none' }).replace(INVOICE_YAML, '')
    case 'closed':
      return buildFixtureEvent(options).replace('status: open', 'status: closed')
  }
}

const sharedFiles = JSON.stringify(
  Object.fromEntries(
    ['lists', 'gateways', 'texts'].map((name) => [
      name,
      readFileSync(join(SHARED_FOLDER, `${name}.yaml`), 'utf8'),
    ]),
  ),
)
const compiledEvents = new Map<string, ServedEvent>()

export function compileServedEvent(id: EventId, version: Exclude<Version, 'removed'>): ServedEvent {
  const key = `${id} ${version}`
  const cachedEvent = compiledEvents.get(key)
  if (cachedEvent !== undefined) return cachedEvent
  const text = buildEventFile(id, version)
  const { event, findings } = compileEvent(text, parseSharedFiles(sharedFiles))
  if (event === null) throw new Error(`${key}: ${JSON.stringify(findings)}`)
  const hash = createHash('sha256').update(text).update(sharedFiles).digest('hex')
  const servedEvent = { config: requireApproval(event), hash, text, shared: sharedFiles }
  compiledEvents.set(key, servedEvent)
  return servedEvent
}

/** Creates answers in the format of these events' form. */
export const createAnswers = (
  delegateNumber: number,
  isMember: boolean,
  code: CodeKindId | null,
  method: string | null,
  items: readonly ItemId[] = [],
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(items.map((id) => [id, 'true'])),
  ...(method === null ? {} : { way: method }),
  ...(code === null ? {} : { code: SEATS.codes[code] }),
  full_name: `Delegate Number${delegateNumber}`,
  email: `delegate${delegateNumber}@sample.example`,
  phone_number: '9876543210',
  is_member: String(isMember),
})

/** Creates a registry for a list of files. Call `notifyChanged` after replacing them. */
export function createRegistry(
  all: () => readonly ServedEvent[],
): EventRegistry & { notifyChanged(): void } {
  const listeners = new Set<() => void>()
  return {
    all,
    findById: (id) => all().find(({ config }) => config.id === id) ?? null,
    findByOrderId: (orderId) =>
      all().find(({ config: { orderId: eventOrderId } }) =>
        new RegExp(`^${eventOrderId.prefix}\\d+$`).test(orderId),
      ) ?? null,
    cards: () => [],
    site: () => null,
    refusedFiles: () => [],
    reload: async () => {},
    refresh: async () => false,
    onChange: (listener) => void listeners.add(listener),
    notifyChanged: () => {
      for (const listener of listeners) listener()
    },
    close: async () => {},
  }
}
