/**
 * Resolves a request to the objects that it names. The guard checks the result, and the handler receives nothing else.
 * An object of an event that the user cannot access counts as missing.
 */
import { canSee, getOwn } from '../../../engine/index.ts'
import type { PermissionHolder, RegNo } from '../../../engine/index.ts'
import type { Deps, ServedEvent } from '../../dependencies.ts'
import type { GuardedRule, TargetKind } from '../../http/office-route-rule-types.ts'
import { asRecord } from '../../http/request-input.ts'
import type { RequestInput } from '../../http/request-input.ts'
import type { StoredBankStatement, StoredRegistration } from '../../storage/index.ts'
import { findOfficeCall, buildOfficeTable } from '../lists/list-paths.ts'
import type { OfficeCall, OfficeTable } from '../lists/list-paths.ts'

/** One of several registrations named in a body. */
export type NamedRow = {
  /** The number as sent, for the response. */
  readonly requestedNo: string
  /** Null if no registration has this number. */
  readonly regNo: RegNo | null
  /** The other fields of this registration in the body. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** The object that a handler receives for each kind of target. */
export type Targets = {
  readonly own: null
  readonly any: null
  readonly every: null
  readonly event: ServedEvent
  /** Null if no event was named. A user with access to all events may name one whose file was removed. */
  readonly events: string | null
  readonly registration: {
    readonly registration: StoredRegistration
    readonly served: ServedEvent
    /** The id of the payment review in the body. Null if none was named. */
    readonly review: string | null
  }
  readonly 'stored registration': StoredRegistration
  /** The number of the registration or of the order. */
  readonly payment: string
  /** `to` is the number of the registration; '' if none was named, and as sent if it does not exist. */
  readonly review: { readonly id: string; readonly to: string }
  readonly registrations: { readonly eventId: string | null; readonly rows: readonly NamedRow[] }
  readonly statement: { readonly served: ServedEvent; readonly rows: readonly NamedRow[] }
  readonly 'bank statement': {
    readonly statement: StoredBankStatement
    readonly rows: readonly NamedRow[]
  }
  readonly list: OfficeCall
}

/** `eventIds` are the events that the request names directly. */
export type ResolvedTarget<T> = { readonly eventIds: readonly string[] } & (
  | { readonly is: 'found'; readonly target: T }
  | { readonly is: 'missing'; readonly code: string; readonly message: string }
  | { readonly is: 'malformed'; readonly status: 400 | 422; readonly message: string }
)
export type Resolve = <K extends TargetKind>(
  rule: GuardedRule<K>,
  sent: RequestInput,
  user: User,
) => Promise<ResolvedTarget<Targets[K]>>
type User = Pick<PermissionHolder, 'events'>

/** More than the rows of a list page. Each registration is a separate transaction. */
export const ROWS_MAX = 500

/**
 * The names of inputs that name targets, in lower case, letters only. No input of a handler may have one of
 * them.
 */
const TARGET_NAMES: ReadonlySet<string> = new Set([
  'event',
  'eventid',
  'regno',
  'regnos',
  'orderid',
  'orderids',
  'review',
  'reviewid',
])
const isTargetName = (name: string): boolean =>
  TARGET_NAMES.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''))

const EVENT_NAMES = ['event', 'event_id'] as const
type Names = Readonly<Partial<Record<'params' | 'query' | 'body', readonly string[]>>>
/** The names that the resolver for each kind of target reads. Handlers do not read them. */
const INPUT_NAMES: Readonly<Record<TargetKind, Names>> = {
  own: {},
  any: {},
  every: {},
  event: { query: EVENT_NAMES, body: EVENT_NAMES },
  events: { query: EVENT_NAMES, body: EVENT_NAMES },
  registration: { params: ['reg_no'], body: ['review'] },
  'stored registration': { params: ['reg_no'] },
  payment: { params: ['reg_no'] },
  review: { params: ['id'], body: ['to'] },
  registrations: { query: EVENT_NAMES, body: [...EVENT_NAMES, 'reg_nos'] },
  statement: { query: EVENT_NAMES, body: [...EVENT_NAMES, 'lines'] },
  'bank statement': { params: ['statement'], body: ['lines'] },
  list: {},
}

/** Parts of names that probably name a target: `to_reg_no`, `other_event`, `registration`. */
const PART_OF_TARGET_NAME = /event|regno|regid|registration|orderid|review|capture|payment/
/**
 * A rule that requires access to all events (managing users) cannot leak another event, so its inputs may have
 * such names.
 */
const mayNameTarget = (name: string, about: TargetKind): boolean =>
  isTargetName(name) ||
  (about !== 'every' && PART_OF_TARGET_NAME.test(name.toLowerCase().replaceAll(/[^a-z]/g, '')))

/**
 * Describes the unchecked inputs that a route's handler would read, so that startup fails. Null if there are none.
 */
export function describeUnguardedInput(path: string, rule: GuardedRule): string | null {
  const covered: Names = INPUT_NAMES[rule.about]
  const { params = [], query = [], body = {} } = rule
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const missingInPath = (covered.params ?? []).filter((name) => !inPath.includes(name))
  const undeclared = inPath.filter(
    (name) => !(covered.params ?? []).includes(name) && !params.includes(name),
  )
  const declared = { params, query, body: Object.keys(body) }
  const unchecked = (['params', 'query', 'body'] as const).flatMap((part) =>
    declared[part].filter(
      (name) => mayNameTarget(name, rule.about) || covered[part]?.includes(name) === true,
    ),
  )
  if (missingInPath.length > 0) return `the path has no :${missingInPath.join(', :')}`
  if (undeclared.length > 0) return `undeclared path parameter :${undeclared.join(', :')}`
  return unchecked.length === 0
    ? null
    : `the handler reads ${unchecked.join(', ')}, which only the guard may read`
}

export function createResolve(deps: Pick<Deps, 'events' | 'store'>): Resolve {
  const { events, store } = deps
  let table: OfficeTable = buildOfficeTable(events.all())
  events.onChange(() => {
    table = buildOfficeTable(events.all())
  })
  const findRegistration = async (name: string, user: User): Promise<StoredRegistration | null> =>
    getIfVisible(user, await store.registration(name)) ??
    getIfVisible(user, await store.registration(normaliseNumber(name)))
  const resolveRows = async (
    names: readonly unknown[],
    fieldsAt: (at: number) => NamedRow['fields'],
    user: User,
  ): Promise<ResolvedTarget<readonly NamedRow[]>> => {
    const rows: NamedRow[] = []
    for (const [at, name] of names.entries()) {
      const requestedNo = toText(name)
      if (requestedNo === null)
        return asMalformed([], 422, 'A registration is named by its number.')
      const registration = await findRegistration(requestedNo, user)
      rows.push({ requestedNo, regNo: registration?.regNo ?? null, fields: fieldsAt(at) })
    }
    // Only users with access to all events see which numbers are unknown.
    return hasAllEvents(user) || rows.every(({ regNo }) => regNo !== null)
      ? asFound([], rows)
      : buildUnknownRegistration(user)
  }
  const resolveLines = async (
    { body }: RequestInput,
    user: User,
  ): Promise<ResolvedTarget<readonly NamedRow[]>> => {
    const lines = getOwn(body, 'lines') ?? []
    if (!Array.isArray(lines) || lines.length > ROWS_MAX)
      return asMalformed([], 422, `Send the lines as a list of at most ${ROWS_MAX}.`)
    const names = lines.map((line) => getOwn(asRecord(line), 'reg_no'))
    return resolveRows(names, (at) => asRecord(lines[at]), user)
  }
  const readEvent = (sent: RequestInput, { filters }: GuardedRule): NamedEvent =>
    readSingleValue(sent, filters === true ? ['event_id'] : EVENT_NAMES)
  /** The named event must be served, regardless of the user. */
  const resolveServedEvent = (
    sent: RequestInput,
    rule: GuardedRule,
  ): ResolvedTarget<ServedEvent> => {
    const { eventIds, eventId, problem } = readEvent(sent, rule)
    const servedIds = eventIds.filter((id) => events.byId(id) !== null)
    if (problem !== null) return { ...problem, eventIds: servedIds }
    const served = eventId === null ? null : events.byId(eventId)
    return served === null
      ? asMissing(servedIds, NO_EVENT, 'no_such_event')
      : asFound(servedIds, served)
  }
  const resolveOptionalEvent = (
    sent: RequestInput,
    rule: GuardedRule,
    user: User,
  ): ResolvedTarget<string | null> => {
    const { eventIds, eventId, problem } = readEvent(sent, rule)
    if (problem !== null) return { ...problem, eventIds }
    const isKnown = eventId === null || hasAllEvents(user) || events.byId(eventId) !== null
    return isKnown ? asFound(eventIds, eventId) : asMissing([], NO_EVENT, 'no_such_event')
  }
  const isReviewVisible = async (user: User, id: string): Promise<boolean> =>
    getIfVisible(user, await store.eventOfReview(id)) !== null
  const resolvePathRegistration = async (
    { params }: RequestInput,
    user: User,
  ): Promise<ResolvedTarget<StoredRegistration>> => {
    const registration = await findRegistration(String(params['reg_no']), user)
    return registration === null ? buildUnknownRegistration(user) : asFound([], registration)
  }
  const resolveBodyReview = async (
    { body }: RequestInput,
    user: User,
  ): Promise<ResolvedTarget<string | null>> => {
    const reviewId = getOwn(body, 'review') ?? ''
    if (typeof reviewId !== 'string') return asMalformed([], 422, '“review” must be text.')
    const id = reviewId.trim()
    if (id === '') return asFound([], null)
    return hasAllEvents(user) || (await isReviewVisible(user, id))
      ? asFound([], id)
      : asMissing([], NO_REVIEW)
  }

  const resolvers: { readonly [K in TargetKind]: Resolver<K> } = {
    own: async () => asFound([], null),
    any: async () => asFound([], null),
    every: async () => asFound([], null),
    event: async (sent, _user, rule) => resolveServedEvent(sent, rule),
    events: async (sent, user, rule) => resolveOptionalEvent(sent, rule, user),
    'stored registration': resolvePathRegistration,
    registration: async (sent, user) => {
      const resolved = await resolvePathRegistration(sent, user)
      if (resolved.is !== 'found') return resolved
      const review = await resolveBodyReview(sent, user)
      if (review.is !== 'found') return review
      const registration = resolved.target
      const served = events.byId(registration.eventId)
      return served === null
        ? asMissing([], 'This registration belongs to an event that is not being served.')
        : asFound([], { registration, served, review: review.target })
    },
    payment: async ({ params }, user) => {
      const name = String(params['reg_no'])
      const registration = await findRegistration(name, user)
      const order = registration?.regNo ?? normaliseNumber(name)
      const owner = await store.registrationByOrder(order)
      // The store also looks for an order with this id; for the first attempt, it is the registration number
      // itself.
      const isOrderVisible =
        owner === null ? registration !== null : getIfVisible(user, owner) !== null
      return isOrderVisible ? asFound([], order) : buildUnknownRegistration(user)
    },
    review: async ({ params, body }, user) => {
      const id = String(params['id'])
      if (!hasAllEvents(user) && !(await isReviewVisible(user, id))) return asMissing([], NO_REVIEW)
      const to = getOwn(body, 'to') ?? ''
      if (typeof to !== 'string') return asMalformed([], 422, '“to” must be text.')
      const name = to.trim()
      if (name === '') return asFound([], { id, to: '' })
      const target = await findRegistration(name, user)
      if (target === null)
        return hasAllEvents(user) ? asFound([], { id, to: name }) : buildUnknownRegistration(user)
      return asFound([], { id, to: target.regNo })
    },
    registrations: async (sent, user, rule) => {
      const event = resolveOptionalEvent(sent, rule, user)
      if (event.is !== 'found') return event
      const names = getOwn(sent.body, 'reg_nos')
      if (!Array.isArray(names) || names.length === 0 || names.length > ROWS_MAX)
        return asMalformed(event.eventIds, 422, `Select 1 to ${ROWS_MAX} registrations.`)
      const rows = await resolveRows([...new Set(names as unknown[])], () => ({}), user)
      const { eventIds } = event
      return rows.is === 'found'
        ? asFound(eventIds, { eventId: event.target, rows: rows.target })
        : { ...rows, eventIds }
    },
    statement: async (sent, user, rule) => {
      const event = resolveServedEvent(sent, rule)
      if (event.is !== 'found') return event
      const { eventIds } = event
      const rows = await resolveLines(sent, user)
      return rows.is === 'found'
        ? asFound(eventIds, { served: event.target, rows: rows.target })
        : { ...rows, eventIds }
    },
    'bank statement': async (sent, user) => {
      const id = String(sent.params['statement'])
      const statement = /^\d{1,15}$/.test(id) ? await store.bankStatement(Number(id)) : null
      // A statement shows the payers of all events of the user who uploaded it.
      if (statement === null || !statement.events.every((eventId) => canSee(user, eventId)))
        return asMissing([], 'There is no such statement.')
      const rows = await resolveLines(sent, user)
      return rows.is === 'found' ? asFound([], { statement, rows: rows.target }) : rows
    },
    list: async ({ path, query }) => {
      const call = findOfficeCall(table, path, query)
      return call === null
        ? asMissing([], 'There is no list for this event type.')
        : asFound([call.event.id], call)
    },
  }

  return async (rule, sent, user) => {
    const resolved = await resolvers[rule.about](sent, user, rule)
    const unexpected = findUnexpectedName(rule, sent)
    return unexpected === null
      ? resolved
      : asMalformed(
          resolved.eventIds,
          400,
          `This address does not accept “${unexpected.slice(0, 40)}”.`,
        )
  }
}

type Resolver<K extends TargetKind> = (
  sent: RequestInput,
  user: User,
  rule: GuardedRule,
) => Promise<ResolvedTarget<Targets[K]>>

const hasAllEvents = ({ events }: User): boolean => events === null

/** Returns null for an object that does not exist, has no event, or is in an event that the user cannot access. */
function getIfVisible<T extends { readonly eventId: string | null }>(
  user: User,
  object: T | null,
): T | null {
  const isVisible =
    object !== null &&
    (hasAllEvents(user) || (object.eventId !== null && canSee(user, object.eventId)))
  return isVisible ? object : null
}

const buildUnknownRegistration = (user: User) =>
  asMissing(
    [],
    hasAllEvents(user)
      ? 'No registration has this number.'
      : 'No registration in your events has this number.',
  )
const NO_REVIEW = 'There is no such review.'
const NO_EVENT = 'There is no event with this name.'

const asFound = <T>(eventIds: readonly string[], target: T): ResolvedTarget<T> => ({
  is: 'found',
  eventIds,
  target,
})
const asMissing = (eventIds: readonly string[], message: string, code = 'not_found') =>
  ({ is: 'missing', eventIds, code, message }) as const
const asMalformed = (eventIds: readonly string[], status: 400 | 422, message: string) =>
  ({ is: 'malformed', eventIds, status, message }) as const

/** People copy a number in groups, as pages print it, or type it in lower case. */
const normaliseNumber = (name: string): string => name.replaceAll(/[\s-]/g, '').toUpperCase()

const toText = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null

type NamedEvent = {
  /** All named events, so that the guard checks each of them. */
  readonly eventIds: readonly string[]
  readonly eventId: string | null
  readonly problem: ReturnType<typeof asMalformed> | null
}

/** Returns the single value that query and body have under these names; an empty one counts as none. */
function readSingleValue({ query, body }: RequestInput, names: readonly string[]): NamedEvent {
  const inBody = names.map((name) => getOwn(body, name) ?? '')
  const values = [...names.flatMap((name) => query.getAll(name)), ...inBody]
  const eventIds = [
    ...new Set(
      values.flatMap((value) =>
        typeof value === 'string' && value.trim() !== '' ? [value.trim()] : [],
      ),
    ),
  ]
  const problem = values.some((value) => typeof value !== 'string')
    ? asMalformed(eventIds, 422, `“${names[0]}” must be text.`)
    : eventIds.length > 1
      ? asMalformed(eventIds, 400, `Name one ${names[0]}, not several.`)
      : null
  return { eventIds, eventId: eventIds[0] ?? null, problem }
}

/**
 * Returns a name that looks like a target but that no handler reads, such as `event[]` or `?event`. Null if there
 * is none.
 */
function findUnexpectedName(rule: GuardedRule, { query, body }: RequestInput): string | null {
  // An event file may give a filter any name.
  if (rule.about === 'list') return null
  const { query: inQuery = [], body: inBody = [] } = INPUT_NAMES[rule.about]
  const unexpected = [
    ...(rule.filters === true ? [] : [...query.keys()].filter((name) => !inQuery.includes(name))),
    ...Object.keys(body).filter((name) => !inBody.includes(name)),
  ].find(isTargetName)
  return unexpected ?? null
}
