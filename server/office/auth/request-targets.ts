/**
 * Resolves a request to the objects that it refers to.
 * The guard checks the result, and the handler receives only this result. An object that belongs to an event that the
 * user cannot access counts as missing.
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

/** One of several registrations listed in a body. */
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
  readonly none: null
  readonly 'all events': null
  readonly event: ServedEvent
  /** Null if no event was given. A user with access to all events may give one whose file was removed. */
  readonly events: string | null
  readonly registration: {
    readonly registration: StoredRegistration
    readonly served: ServedEvent
    /** The id of the payment review in the body. Null if none was given. */
    readonly review: string | null
  }
  readonly 'stored registration': StoredRegistration
  /** `to` is the registration number: '' if none was sent, and unchanged if no registration has this number. */
  readonly review: { readonly id: string; readonly to: string }
  readonly registrations: { readonly eventId: string | null; readonly rows: readonly NamedRow[] }
  readonly statement: { readonly served: ServedEvent; readonly rows: readonly NamedRow[] }
  readonly 'bank statement': {
    readonly statement: StoredBankStatement
    readonly rows: readonly NamedRow[]
  }
  readonly list: OfficeCall
}

/** `eventIds` are the events whose ids are in the request. */
export type ResolvedTarget<T> = { readonly eventIds: readonly string[] } & (
  | { readonly is: 'found'; readonly target: T }
  | { readonly is: 'missing'; readonly code: string; readonly message: string }
  | { readonly is: 'malformed'; readonly status: 400 | 422; readonly message: string }
)
export type ResolveTarget = <K extends TargetKind>(
  rule: GuardedRule<K>,
  input: RequestInput,
  user: User,
) => Promise<ResolvedTarget<Targets[K]>>
type User = Pick<PermissionHolder, 'events'>

/** The maximum number of registrations in a request. Each registration is a separate transaction. */
export const MAX_ROWS = 500

/**
 * Names of inputs that identify targets, in lower case and without punctuation. No handler input may have such a
 * name.
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
type InputNames = Readonly<Partial<Record<'params' | 'query' | 'body', readonly string[]>>>
/** The names that the resolver for each kind of target reads. Handlers do not read them. */
const INPUT_NAMES: Readonly<Record<TargetKind, InputNames>> = {
  own: {},
  none: {},
  'all events': {},
  event: { query: EVENT_NAMES, body: EVENT_NAMES },
  events: { query: EVENT_NAMES, body: EVENT_NAMES },
  registration: { params: ['reg_no'], body: ['review'] },
  'stored registration': { params: ['reg_no'] },
  review: { params: ['id'], body: ['to'] },
  registrations: { query: EVENT_NAMES, body: [...EVENT_NAMES, 'reg_nos'] },
  statement: { query: EVENT_NAMES, body: [...EVENT_NAMES, 'lines'] },
  'bank statement': { params: ['statement'], body: ['lines'] },
  list: {},
}

/** Matches names that probably identify a target: `to_reg_no`, `other_event`, `registration`. */
const TARGET_NAME_PATTERN = /event|regno|regid|registration|orderid|review|capture|payment/
/**
 * Returns true if a name probably identifies a target. A rule for all events (managing users) cannot leak another
 * event's data, so its inputs may have such names.
 */
const canNameTarget = (name: string, targetKind: TargetKind): boolean =>
  isTargetName(name) ||
  (targetKind !== 'all events' &&
    TARGET_NAME_PATTERN.test(name.toLowerCase().replaceAll(/[^a-z]/g, '')))

/** Describes the unchecked inputs that a route's handler would read; startup then fails. Null if there are none. */
export function describeUnguardedInput(path: string, rule: GuardedRule): string | null {
  const guardedNames: InputNames = INPUT_NAMES[rule.target]
  const { params = [], query = [], body = {} } = rule
  const pathNames = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const missingInPath = (guardedNames.params ?? []).filter((name) => !pathNames.includes(name))
  const undeclaredNames = pathNames.filter(
    (name) => !(guardedNames.params ?? []).includes(name) && !params.includes(name),
  )
  const declaredNames = { params, query, body: Object.keys(body) }
  const unguardedNames = (['params', 'query', 'body'] as const).flatMap((part) =>
    declaredNames[part].filter(
      (name) => canNameTarget(name, rule.target) || guardedNames[part]?.includes(name) === true,
    ),
  )
  if (missingInPath.length > 0) return `the path has no :${missingInPath.join(', :')}`
  if (undeclaredNames.length > 0) return `undeclared path parameter :${undeclaredNames.join(', :')}`
  return unguardedNames.length === 0
    ? null
    : `the handler reads ${unguardedNames.join(', ')}, which only the guard may read`
}

export function createTargetResolver(deps: Pick<Deps, 'events' | 'store'>): ResolveTarget {
  const { events, store } = deps
  let table: OfficeTable = buildOfficeTable(events.all())
  events.onChange(() => {
    table = buildOfficeTable(events.all())
  })
  const findRegistration = async (number: string, user: User): Promise<StoredRegistration | null> =>
    getIfVisible(user, await store.registration(number)) ??
    getIfVisible(user, await store.registration(normaliseNumber(number)))
  const resolveRows = async (
    names: readonly unknown[],
    getFields: (index: number) => NamedRow['fields'],
    user: User,
  ): Promise<ResolvedTarget<readonly NamedRow[]>> => {
    const rows: NamedRow[] = []
    for (const [index, name] of names.entries()) {
      const requestedNo = toText(name)
      if (requestedNo === null)
        return toMalformed([], 422, 'Identify each registration by its number.')
      const registration = await findRegistration(requestedNo, user)
      rows.push({ requestedNo, regNo: registration?.regNo ?? null, fields: getFields(index) })
    }
    // Only users with access to all events see which numbers are unknown.
    return hasAllEvents(user) || rows.every(({ regNo }) => regNo !== null)
      ? toFound([], rows)
      : rejectNumber(user)
  }
  const resolveLines = async (
    { body }: RequestInput,
    user: User,
  ): Promise<ResolvedTarget<readonly NamedRow[]>> => {
    const lines = getOwn(body, 'lines') ?? []
    if (!Array.isArray(lines) || lines.length > MAX_ROWS)
      return toMalformed([], 422, `Send the lines as a list of at most ${MAX_ROWS}.`)
    const names = lines.map((line) => getOwn(asRecord(line), 'reg_no'))
    return resolveRows(names, (at) => asRecord(lines[at]), user)
  }
  const readEvent = (input: RequestInput, { filters }: GuardedRule): NamedEvent =>
    readSingleValue(input, filters === true ? ['event_id'] : EVENT_NAMES)
  /** The requested event must be served, even if the user has access to all events. */
  const resolveServedEvent = (
    input: RequestInput,
    rule: GuardedRule,
  ): ResolvedTarget<ServedEvent> => {
    const { eventIds, eventId, problem } = readEvent(input, rule)
    const servedIds = eventIds.filter((id) => events.findById(id) !== null)
    if (problem !== null) return { ...problem, eventIds: servedIds }
    const served = eventId === null ? null : events.findById(eventId)
    return served === null
      ? toMissing(servedIds, NO_EVENT, 'no_such_event')
      : toFound(servedIds, served)
  }
  const resolveOptionalEvent = (
    input: RequestInput,
    rule: GuardedRule,
    user: User,
  ): ResolvedTarget<string | null> => {
    const { eventIds, eventId, problem } = readEvent(input, rule)
    if (problem !== null) return { ...problem, eventIds }
    const isKnown = eventId === null || hasAllEvents(user) || events.findById(eventId) !== null
    return isKnown ? toFound(eventIds, eventId) : toMissing([], NO_EVENT, 'no_such_event')
  }
  const isReviewVisible = async (user: User, id: string): Promise<boolean> =>
    getIfVisible(user, await store.eventOfReview(id)) !== null
  const resolvePathRegistration = async (
    { params }: RequestInput,
    user: User,
  ): Promise<ResolvedTarget<StoredRegistration>> => {
    const registration = await findRegistration(String(params['reg_no']), user)
    return registration === null ? rejectNumber(user) : toFound([], registration)
  }
  const resolveBodyReview = async (
    { body }: RequestInput,
    user: User,
  ): Promise<ResolvedTarget<string | null>> => {
    const reviewId = getOwn(body, 'review') ?? ''
    if (typeof reviewId !== 'string') return toMalformed([], 422, '“review” must be text.')
    const id = reviewId.trim()
    if (id === '') return toFound([], null)
    return hasAllEvents(user) || (await isReviewVisible(user, id))
      ? toFound([], id)
      : toMissing([], NO_REVIEW)
  }

  const resolvers: { readonly [K in TargetKind]: Resolver<K> } = {
    own: async () => toFound([], null),
    none: async () => toFound([], null),
    'all events': async () => toFound([], null),
    event: async (input, _user, rule) => resolveServedEvent(input, rule),
    events: async (input, user, rule) => resolveOptionalEvent(input, rule, user),
    'stored registration': resolvePathRegistration,
    registration: async (input, user) => {
      const resolvedTarget = await resolvePathRegistration(input, user)
      if (resolvedTarget.is !== 'found') return resolvedTarget
      const review = await resolveBodyReview(input, user)
      if (review.is !== 'found') return review
      const registration = resolvedTarget.target
      const served = events.findById(registration.eventId)
      return served === null
        ? toMissing([], 'This registration belongs to an event that is not being served.')
        : toFound([], { registration, served, review: review.target })
    },
    review: async ({ params, body }, user) => {
      const id = String(params['id'])
      if (!hasAllEvents(user) && !(await isReviewVisible(user, id))) return toMissing([], NO_REVIEW)
      const to = getOwn(body, 'to') ?? ''
      if (typeof to !== 'string') return toMalformed([], 422, '“to” must be text.')
      const number = to.trim()
      if (number === '') return toFound([], { id, to: '' })
      const target = await findRegistration(number, user)
      if (target === null)
        return hasAllEvents(user) ? toFound([], { id, to: number }) : rejectNumber(user)
      return toFound([], { id, to: target.regNo })
    },
    registrations: async (input, user, rule) => {
      const event = resolveOptionalEvent(input, rule, user)
      if (event.is !== 'found') return event
      const names = getOwn(input.body, 'reg_nos')
      if (!Array.isArray(names) || names.length === 0 || names.length > MAX_ROWS)
        return toMalformed(event.eventIds, 422, `Select 1 to ${MAX_ROWS} registrations.`)
      const rows = await resolveRows([...new Set(names as unknown[])], () => ({}), user)
      const { eventIds } = event
      return rows.is === 'found'
        ? toFound(eventIds, { eventId: event.target, rows: rows.target })
        : { ...rows, eventIds }
    },
    statement: async (input, user, rule) => {
      const event = resolveServedEvent(input, rule)
      if (event.is !== 'found') return event
      const { eventIds } = event
      const rows = await resolveLines(input, user)
      return rows.is === 'found'
        ? toFound(eventIds, { served: event.target, rows: rows.target })
        : { ...rows, eventIds }
    },
    'bank statement': async (input, user) => {
      const id = String(input.params['statement'])
      const statement = /^\d{1,15}$/.test(id) ? await store.bankStatement(Number(id)) : null
      // A statement shows payers from all events of the user who uploaded it.
      if (statement === null || !statement.events.every((eventId) => canSee(user, eventId)))
        return toMissing([], 'There is no such statement.')
      const rows = await resolveLines(input, user)
      return rows.is === 'found' ? toFound([], { statement, rows: rows.target }) : rows
    },
    list: async ({ path, query }) => {
      const call = findOfficeCall(table, path, query)
      return call === null
        ? toMissing([], 'There is no list for this event type.')
        : toFound([call.event.id], call)
    },
  }

  return async (rule, input, user) => {
    const resolvedTarget = await resolvers[rule.target](input, user, rule)
    const unexpectedName = findUnexpectedName(rule, input)
    return unexpectedName === null
      ? resolvedTarget
      : toMalformed(
          resolvedTarget.eventIds,
          400,
          `This request does not accept “${unexpectedName.slice(0, 40)}”.`,
        )
  }
}

type Resolver<K extends TargetKind> = (
  input: RequestInput,
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

const rejectNumber = (user: User) =>
  toMissing(
    [],
    hasAllEvents(user)
      ? 'No registration has this number.'
      : 'No registration in your events has this number.',
  )
const NO_REVIEW = 'There is no such review.'
const NO_EVENT = 'There is no event with this name.'

const toFound = <T>(eventIds: readonly string[], target: T): ResolvedTarget<T> => ({
  is: 'found',
  eventIds,
  target,
})
const toMissing = (eventIds: readonly string[], message: string, code = 'not_found') =>
  ({ is: 'missing', eventIds, code, message }) as const
const toMalformed = (eventIds: readonly string[], status: 400 | 422, message: string) =>
  ({ is: 'malformed', eventIds, status, message }) as const

/** Normalises a registration number. Users may copy it in groups, as pages print it, or type it in lower case. */
const normaliseNumber = (number: string): string => number.replaceAll(/[\s-]/g, '').toUpperCase()

const toText = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null

type NamedEvent = {
  /** All requested events, so that the guard checks each of them. */
  readonly eventIds: readonly string[]
  readonly eventId: string | null
  readonly problem: ReturnType<typeof toMalformed> | null
}

/** Returns the single value that the query and body have under these names. An empty value counts as missing. */
function readSingleValue({ query, body }: RequestInput, names: readonly string[]): NamedEvent {
  const bodyValues = names.map((name) => getOwn(body, name) ?? '')
  const values = [...names.flatMap((name) => query.getAll(name)), ...bodyValues]
  const eventIds = [
    ...new Set(
      values.flatMap((value) =>
        typeof value === 'string' && value.trim() !== '' ? [value.trim()] : [],
      ),
    ),
  ]
  const problem = values.some((value) => typeof value !== 'string')
    ? toMalformed(eventIds, 422, `“${names[0]}” must be text.`)
    : eventIds.length > 1
      ? toMalformed(eventIds, 400, `Send only one ${names[0]}, not several.`)
      : null
  return { eventIds, eventId: eventIds[0] ?? null, problem }
}

/**
 * Returns a name that looks like a target but that no handler reads, such as `event[]` or `?event`. Null if there
 * is none.
 */
function findUnexpectedName(rule: GuardedRule, { query, body }: RequestInput): string | null {
  // An event file may give a filter any name.
  if (rule.target === 'list') return null
  const { query: queryNames = [], body: bodyNames = [] } = INPUT_NAMES[rule.target]
  const unexpectedName = [
    ...(rule.filters === true ? [] : [...query.keys()].filter((key) => !queryNames.includes(key))),
    ...Object.keys(body).filter((name) => !bodyNames.includes(name)),
  ].find(isTargetName)
  return unexpectedName ?? null
}
