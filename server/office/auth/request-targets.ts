/**
 * Resolves a request to the objects that it names.
 * The guard checks the result, and the handler receives nothing else. An object of an event that the user does
 * not work for counts as missing, like one that does not exist.
 */
import { maySee, getOwn } from '../../../engine/index.ts'
import type { Person, RegNo } from '../../../engine/index.ts'
import type { Deps, ServedEvent } from '../../dependencies.ts'
import type { GuardedRule, TargetKind } from '../../http/office-route-permissions.ts'
import { recordOf } from '../../http/request-input.ts'
import type { Sent } from '../../http/request-input.ts'
import type { StoredRegistration } from '../../storage/index.ts'
import { officeCall, officeTable } from '../lists/list-paths.ts'
import type { OfficeCall, OfficeTable } from '../lists/list-paths.ts'

/** One of several registrations that a body names. */
export type NamedRow = {
  /** As sent, for the response. */
  readonly asked: string
  /** Null: there is no such registration. */
  readonly regNo: RegNo | null
  /** The other fields that the body has for it. */
  readonly words: Readonly<Record<string, unknown>>
}

/** What a handler receives for each kind of target. */
export type Targets = {
  readonly own: null
  readonly any: null
  readonly every: null
  readonly event: ServedEvent
  /** Null: no event was named. A user of all events may name one whose file was removed. */
  readonly events: string | null
  readonly registration: {
    readonly registration: StoredRegistration
    readonly served: ServedEvent
    /** The id of the payment review in the body; null: none was named. */
    readonly review: string | null
  }
  readonly 'stored registration': StoredRegistration
  /** The number of the registration or of the order. */
  readonly payment: string
  /** `to`: the number of the registration; '' if none was named, and as sent if it does not exist. */
  readonly review: { readonly id: string; readonly to: string }
  readonly registrations: { readonly eventId: string | null; readonly rows: readonly NamedRow[] }
  readonly statement: { readonly served: ServedEvent; readonly rows: readonly NamedRow[] }
  readonly list: OfficeCall
}

/** `of`: the events that the request names directly. */
export type Resolved<T> = { readonly of: readonly string[] } & (
  | { readonly is: 'found'; readonly target: T }
  | { readonly is: 'missing'; readonly code: string; readonly message: string }
  | { readonly is: 'malformed'; readonly status: 400 | 422; readonly message: string }
)
export type Resolve = <K extends TargetKind>(
  rule: GuardedRule<K>,
  sent: Sent,
  user: User,
) => Promise<Resolved<Targets[K]>>
type User = Pick<Person, 'events'>

/** A page of a list has fewer; each registration is a separate transaction. */
export const ROWS_MAX = 500

/**
 * The names under which requests name targets, in lower case without signs. No input of a handler may have one of
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
/** The names that the resolver of each kind reads; nothing else reads them. */
const NAMES: Readonly<Record<TargetKind, Names>> = {
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
  list: {},
}

/** Part of a name that may name a target in other words: `to_reg_no`, `other_event`, `registration`. */
const PART_OF_TARGET_NAME = /event|regno|regid|registration|orderid|review|capture|payment/
/**
 * Where the rule requires a user of all events, as for managing users, an event name cannot name anything outside
 * the user's events.
 */
const mayNameTarget = (name: string, about: TargetKind): boolean =>
  isTargetName(name) ||
  (about !== 'every' && PART_OF_TARGET_NAME.test(name.toLowerCase().replaceAll(/[^a-z]/g, '')))

/** Returns why a route cannot be served: its handler would read an unchecked input. Null: it can. */
export function uncoveredInput(path: string, rule: GuardedRule): string | null {
  const covered: Names = NAMES[rule.about]
  const { params = [], query = [], body = {} } = rule
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const unread = (covered.params ?? []).filter((name) => !inPath.includes(name))
  const undeclared = inPath.filter(
    (name) => !(covered.params ?? []).includes(name) && !params.includes(name),
  )
  const read = { params, query, body: Object.keys(body) }
  const unchecked = (['params', 'query', 'body'] as const).flatMap((part) =>
    read[part].filter(
      (name) => mayNameTarget(name, rule.about) || covered[part]?.includes(name) === true,
    ),
  )
  if (unread.length > 0) return `the path has no :${unread.join(', :')}`
  if (undeclared.length > 0) return `nobody declares :${undeclared.join(', :')}`
  return unchecked.length === 0
    ? null
    : `the handler reads ${unchecked.join(', ')}, which only the guard may read`
}

export function makeResolve(deps: Pick<Deps, 'events' | 'store'>): Resolve {
  const { events, store } = deps
  let table: OfficeTable = officeTable(events.all())
  events.onChange(() => {
    table = officeTable(events.all())
  })
  const registrationNamed = async (name: string, user: User): Promise<StoredRegistration | null> =>
    seenBy(user, await store.registration(name)) ??
    seenBy(user, await store.registration(plainNumber(name)))
  const rowsNamed = async (
    names: readonly unknown[],
    wordsOf: (at: number) => NamedRow['words'],
    user: User,
  ): Promise<Resolved<readonly NamedRow[]>> => {
    const rows: NamedRow[] = []
    for (const [at, name] of names.entries()) {
      const asked = textOf(name)
      if (asked === null) return malformed([], 422, 'A registration is named by its number.')
      const registration = await registrationNamed(asked, user)
      rows.push({ asked, regNo: registration?.regNo ?? null, words: wordsOf(at) })
    }
    // A user of all events learns which of them are unknown, row by row.
    return seesAll(user) || rows.every(({ regNo }) => regNo !== null)
      ? found([], rows)
      : noRegistration(user)
  }
  const eventNamed = (sent: Sent, { filters }: GuardedRule): Named =>
    named(sent, filters === true ? ['event_id'] : EVENT_NAMES)
  /** The named event must be served, whoever the user is. */
  const servedNamed = (sent: Sent, rule: GuardedRule): Resolved<ServedEvent> => {
    const { of, one, problem } = eventNamed(sent, rule)
    const known = of.filter((id) => events.byId(id) !== null)
    if (problem !== null) return { ...problem, of: known }
    const served = one === null ? null : events.byId(one)
    return served === null ? missing(known, NO_EVENT, 'no_such_event') : found(known, served)
  }
  const optionalEvent = (sent: Sent, rule: GuardedRule, user: User): Resolved<string | null> => {
    const { of, one, problem } = eventNamed(sent, rule)
    if (problem !== null) return { ...problem, of }
    const isKnown = one === null || seesAll(user) || events.byId(one) !== null
    return isKnown ? found(of, one) : missing([], NO_EVENT, 'no_such_event')
  }
  const isReviewOf = async (user: User, id: string): Promise<boolean> =>
    seenBy(user, await store.eventOfReview(id)) !== null
  const registrationInPath = async (
    { params }: Sent,
    user: User,
  ): Promise<Resolved<StoredRegistration>> => {
    const registration = await registrationNamed(String(params['reg_no']), user)
    return registration === null ? noRegistration(user) : found([], registration)
  }
  const reviewInBody = async ({ body }: Sent, user: User): Promise<Resolved<string | null>> => {
    const named = getOwn(body, 'review') ?? ''
    if (typeof named !== 'string') return malformed([], 422, '“review” must be text.')
    const id = named.trim()
    if (id === '') return found([], null)
    return seesAll(user) || (await isReviewOf(user, id)) ? found([], id) : missing([], NO_REVIEW)
  }

  const resolvers: { readonly [K in TargetKind]: Resolver<K> } = {
    own: async () => found([], null),
    any: async () => found([], null),
    every: async () => found([], null),
    event: async (sent, _user, rule) => servedNamed(sent, rule),
    events: async (sent, user, rule) => optionalEvent(sent, rule, user),
    'stored registration': registrationInPath,
    registration: async (sent, user) => {
      const resolved = await registrationInPath(sent, user)
      if (resolved.is !== 'found') return resolved
      const review = await reviewInBody(sent, user)
      if (review.is !== 'found') return review
      const registration = resolved.target
      const served = events.byId(registration.eventId)
      return served === null
        ? missing([], 'This registration belongs to an event that is not being served.')
        : found([], { registration, served, review: review.target })
    },
    payment: async ({ params }, user) => {
      const name = String(params['reg_no'])
      const registration = await registrationNamed(name, user)
      const order = registration?.regNo ?? plainNumber(name)
      const owner = await store.registrationOf(order)
      // The store also looks for an order with this id; for the first attempt, it is the registration number
      // itself.
      const isOf = owner === null ? registration !== null : seenBy(user, owner) !== null
      return isOf ? found([], order) : noRegistration(user)
    },
    review: async ({ params, body }, user) => {
      const id = String(params['id'])
      if (!seesAll(user) && !(await isReviewOf(user, id))) return missing([], NO_REVIEW)
      const to = getOwn(body, 'to') ?? ''
      if (typeof to !== 'string') return malformed([], 422, '“to” must be text.')
      const name = to.trim()
      if (name === '') return found([], { id, to: '' })
      const target = await registrationNamed(name, user)
      if (target === null) return seesAll(user) ? found([], { id, to: name }) : noRegistration(user)
      return found([], { id, to: target.regNo })
    },
    registrations: async (sent, user, rule) => {
      const event = optionalEvent(sent, rule, user)
      if (event.is !== 'found') return event
      const names = getOwn(sent.body, 'reg_nos')
      if (!Array.isArray(names) || names.length === 0 || names.length > ROWS_MAX)
        return malformed(event.of, 422, `Tick at least one registration, and at most ${ROWS_MAX}.`)
      const rows = await rowsNamed([...new Set(names as unknown[])], () => ({}), user)
      const { of } = event
      return rows.is === 'found'
        ? found(of, { eventId: event.target, rows: rows.target })
        : { ...rows, of }
    },
    statement: async (sent, user, rule) => {
      const event = servedNamed(sent, rule)
      if (event.is !== 'found') return event
      const lines = getOwn(sent.body, 'lines') ?? []
      if (!Array.isArray(lines) || lines.length > ROWS_MAX)
        return malformed(event.of, 422, `Send the lines as a list of at most ${ROWS_MAX}.`)
      const words = lines.map(recordOf)
      const rows = await rowsNamed(
        words.map((line) => getOwn(line, 'reg_no')),
        (at) => words[at] ?? {},
        user,
      )
      const { of } = event
      return rows.is === 'found'
        ? found(of, { served: event.target, rows: rows.target })
        : { ...rows, of }
    },
    list: async ({ path, query }) => {
      const call = officeCall(table, path, query)
      return call === null
        ? missing([], 'There is no list for this event type.')
        : found([call.event.id], call)
    },
  }

  return async (rule, sent, user) => {
    const resolved = await resolvers[rule.about](sent, user, rule)
    const strange = strangeName(rule, sent)
    return strange === null
      ? resolved
      : malformed(resolved.of, 400, `This address does not take “${strange.slice(0, 40)}”.`)
  }
}

type Resolver<K extends TargetKind> = (
  sent: Sent,
  user: User,
  rule: GuardedRule,
) => Promise<Resolved<Targets[K]>>

const seesAll = ({ events }: User): boolean => events === null

/** Null: it does not exist, or belongs to no event or to one that the user does not work for. */
function seenBy<T extends { readonly eventId: string | null }>(
  user: User,
  one: T | null,
): T | null {
  const isSeen =
    one !== null && (seesAll(user) || (one.eventId !== null && maySee(user, one.eventId)))
  return isSeen ? one : null
}

const noRegistration = (user: User) =>
  missing(
    [],
    seesAll(user)
      ? 'No registration has this number.'
      : 'No registration in your events has this number.',
  )
const NO_REVIEW = 'There is no such review.'
const NO_EVENT = 'There is no event with this name.'

const found = <T>(of: readonly string[], target: T): Resolved<T> => ({
  is: 'found',
  of,
  target,
})
const missing = (of: readonly string[], message: string, code = 'not_found') =>
  ({ is: 'missing', of, code, message }) as const
const malformed = (of: readonly string[], status: 400 | 422, message: string) =>
  ({ is: 'malformed', of, status, message }) as const

/** People copy a number in groups, as pages print it, or type it in lower case. */
const plainNumber = (name: string): string => name.replaceAll(/[\s-]/g, '').toUpperCase()

const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null

type Named = {
  /** All that are named, so that the guard sees all of them. */
  readonly of: readonly string[]
  readonly one: string | null
  readonly problem: ReturnType<typeof malformed> | null
}

/** Returns the single value that query and body have under these names; an empty one counts as none. */
function named({ query, body }: Sent, names: readonly string[]): Named {
  const inBody = names.map((name) => getOwn(body, name) ?? '')
  const said = [...names.flatMap((name) => query.getAll(name)), ...inBody]
  const of = [
    ...new Set(
      said.flatMap((value) =>
        typeof value === 'string' && value.trim() !== '' ? [value.trim()] : [],
      ),
    ),
  ]
  const problem = said.some((value) => typeof value !== 'string')
    ? malformed(of, 422, `“${names[0]}” must be text.`)
    : of.length > 1
      ? malformed(of, 400, `Name one ${names[0]}, not several.`)
      : null
  return { of, one: of[0] ?? null, problem }
}

/**
 * Returns a name that looks like a target but is read by nothing, such as `event[]` or `?event`. Null: there is
 * none.
 */
function strangeName(rule: GuardedRule, { query, body }: Sent): string | null {
  // An event file may give a filter any name.
  if (rule.about === 'list') return null
  const { query: inQuery = [], body: inBody = [] } = NAMES[rule.about]
  const strange = [
    ...(rule.filters === true ? [] : [...query.keys()].filter((name) => !inQuery.includes(name))),
    ...Object.keys(body).filter((name) => !inBody.includes(name)),
  ].find(isTargetName)
  return strange ?? null
}
