/**
 * Finds clashes between events: ids, page and API addresses, order ids, dashboard cards.
 *
 * Reads only compiled configs, so that the checker and the server find the same clashes. Indexes addresses instead of
 * comparing all pairs, so that a thousand events are checked quickly.
 */
import type { EventConfig } from '../event/config.ts'
import { isPathParameter, listPathSegments, SITE_PAGES } from '../event/reserved-addresses.ts'

/** A value that two events cannot share. It is reported for the later event in the list. */
export type Clash = {
  readonly code: 'EV801' | 'EV802' | 'EV803' | 'EV804' | 'EV806'
  /** List indexes of the event with the clash, and of the event that already uses the value. */
  readonly laterIndex: number
  readonly earlierIndex: number
  /** Dotted path of the value in each file. The value may be a default that the file does not contain. */
  readonly at: string
  readonly earlierAt: string
  readonly message: string
  readonly help?: string
}

/** An address that an event uses: its text and path in the file, and the path for lookup. */
export type Claim = { readonly name: string; readonly at: string; readonly path: string }
type OwnedClaim = { readonly owner: number; readonly claim: Claim }

/**
 * Returns the clashes between events, each pair once. If two events have the same id, reports no other clash between
 * them.
 */
export function findClashes(events: readonly EventConfig[]): readonly Clash[] {
  const ids = createNameIndex()
  const keys = createNameIndex()
  const orders = createOrderIdIndex()
  const pages = createPathIndex()
  const endpoints = createPathIndex()
  const paths = createPathIndex()
  return events.flatMap((event, laterIndex) => {
    const equalNames = ids.findOwners(event.id)
    const getEventId = (owner: number): string => events[owner]?.id ?? ''
    const findAddressClashes = (
      code: 'EV801' | 'EV803',
      claims: readonly Claim[],
      seen: SeenPaths,
      message: (name: string, otherName: string, owner: string) => string,
    ): readonly Clash[] =>
      claims.flatMap((newClaim) =>
        seen.findClashing(newClaim.path).map(({ owner, claim }) => ({
          code,
          laterIndex,
          earlierIndex: owner,
          at: newClaim.at,
          earlierAt: claim.at,
          message: message(newClaim.name, claim.name, getEventId(owner)),
        })),
      )
    const formatAddressClash = (claim: string, other: string, owner: string): string =>
      claim === other
        ? `${claim} already belongs to ${owner}`
        : `${claim} also matches ${other} of ${owner}`
    const clashes: readonly Clash[] = [
      ...findAddressClashes('EV801', listPages(event), pages, formatAddressClash),
      ...findAddressClashes(
        'EV801',
        listPages(event),
        paths,
        (claim, _, owner) => `${claim} is the address of an API endpoint of ${owner}`,
      ),
      ...findAddressClashes('EV803', listEndpoints(event), endpoints, formatAddressClash),
      ...findAddressClashes(
        'EV803',
        listGetAddresses(event),
        pages,
        (claim, _, owner) => `${claim} is the address of a page of ${owner}`,
      ),
      ...orders.findClashing(event).flatMap(({ owner, sharedOrderId }) => ({
        code: 'EV802' as const,
        laterIndex,
        earlierIndex: owner,
        at: 'order_id',
        earlierAt: 'order_id',
        message: `${sharedOrderId} could belong to ${getEventId(owner)} or ${event.id}`,
        help: 'choose prefixes of which neither begins with the other',
      })),
      ...keys.findOwners(event.admin.dashboard.key).map((owner) => ({
        code: 'EV806' as const,
        laterIndex,
        earlierIndex: owner,
        at: 'admin.dashboard.key',
        earlierAt: 'admin.dashboard.key',
        message: `the dashboard key \`${event.admin.dashboard.key}\` already belongs to ${getEventId(owner)}`,
      })),
    ]
    ids.add(event.id, laterIndex)
    keys.add(event.admin.dashboard.key, laterIndex)
    orders.add(event, laterIndex)
    for (const claim of listPages(event)) pages.add(claim, laterIndex)
    for (const claim of listEndpoints(event)) endpoints.add(claim, laterIndex)
    for (const claim of listGetAddresses(event)) paths.add(claim, laterIndex)
    return [
      ...equalNames.map((earlierIndex) => ({
        code: 'EV804' as const,
        laterIndex,
        earlierIndex,
        at: 'event.id',
        earlierAt: 'event.id',
        message: `the event id \`${event.id}\` is already used`,
      })),
      ...clashes.filter(({ earlierIndex }) => !equalNames.includes(earlierIndex)),
    ]
  })
}

/** Returns the list indexes of events with a button that does not lead to a page of any event or of the site. */
export function findEventsWithDeadButtons(events: readonly EventConfig[]): readonly number[] {
  const forms = new Set(events.flatMap(({ routes }) => [routes.form, ...routes.also]))
  return events.flatMap(({ routes, results }, index) =>
    [...results.errorButtons, ...results.success.buttons, ...results.failed.buttons].some(
      (button) =>
        'go' in button &&
        !forms.has(button.go) &&
        ![routes.success, routes.failed, ...SITE_PAGES].includes(button.go),
    )
      ? [index]
      : [],
  )
}

/** Returns the pages of an event: form, results, office lists. */
export function listPages({ routes, admin }: EventConfig): readonly Claim[] {
  return [
    { name: routes.form, at: 'routes.form' },
    ...routes.also.map((name, index) => ({ name, at: `routes.also.${index}` })),
    { name: routes.success, at: 'routes.success' },
    { name: routes.failed, at: 'routes.failed' },
    ...admin.lists.map(({ route }, index) => ({ name: route, at: `admin.lists.${index}.route` })),
  ].map((page) => ({ ...page, path: page.name }))
}

/**
 * Returns the endpoints of an event. Office endpoints are served at the root and under /api, so every endpoint is
 * looked up without /api. Events share the export of the dashboard, which identifies the event by its query.
 */
export function listEndpoints(event: EventConfig): readonly Claim[] {
  const { api, admin } = event
  return [
    { name: api.register, at: 'api.register' },
    { name: api.registration, at: 'api.registration' },
    { name: api.tariff, at: 'api.tariff' },
    ...(api.gatewayReturn === null ? [] : [{ name: api.gatewayReturn, at: 'api.gateway_return' }]),
    ...admin.lists.flatMap((list, index) => [
      { name: list.api, at: `admin.lists.${index}.api` },
      { name: list.export.api, at: `admin.lists.${index}.export.api` },
    ]),
  ].map((call) => ({ ...call, path: call.name.replace(/^\/api(?=\/)/, '') }))
}

/** Returns the addresses of endpoints and pages that GET requests can reach. */
export function listGetAddresses(event: EventConfig): readonly Claim[] {
  return listEndpoints(event)
    .filter(({ at }) => at !== 'api.register')
    .map((call) => ({
      ...call,
      // Only office endpoints are also served at a path other than the one in the file.
      path: call.at.startsWith('admin.') ? call.path : call.name,
    }))
    .map((call) => ({ ...call, path: call.path.split('?')[0] ?? '' }))
}

/**
 * Returns an order id that matches both patterns, or null. Two prefixes clash if one starts with the other and the
 * remaining characters match the digits of the shorter one.
 */
function findSharedOrderId(a: EventConfig['orderId'], b: EventConfig['orderId']): string | null {
  const [short, long] = a.prefix.length <= b.prefix.length ? [a, b] : [b, a]
  if (!long.prefix.startsWith(short.prefix)) return null
  const remainder = long.prefix.slice(short.prefix.length)
  return short.followedBy === 'anything' || /^\d*$/.test(remainder) ? `${long.prefix}1` : null
}

function createNameIndex() {
  const owners = new Map<string, number[]>()
  return {
    findOwners: (name: string): readonly number[] => owners.get(name) ?? [],
    add: (name: string, owner: number): void => {
      owners.set(name, [...(owners.get(name) ?? []), owner])
    },
  }
}

function createOrderIdIndex() {
  type OwnedOrderId = { readonly owner: number; readonly orderId: EventConfig['orderId'] }
  const byPrefix = new Map<string, OwnedOrderId[]>()
  /** Order ids by each proper prefix of their prefix. */
  const byProperPrefix = new Map<string, OwnedOrderId[]>()
  const put = (map: Map<string, OwnedOrderId[]>, key: string, owned: OwnedOrderId): void => {
    const existing = map.get(key)
    if (existing === undefined) map.set(key, [owned])
    else existing.push(owned)
  }
  const listProperPrefixes = (prefix: string): readonly string[] =>
    Array.from(prefix.slice(1), (_, index) => prefix.slice(0, index + 1))
  return {
    findClashing: ({ orderId }: EventConfig): readonly { owner: number; sharedOrderId: string }[] =>
      [orderId.prefix, ...listProperPrefixes(orderId.prefix)]
        .flatMap((prefix) => byPrefix.get(prefix) ?? [])
        .concat(byProperPrefix.get(orderId.prefix) ?? [])
        .flatMap(({ owner, orderId: other }) => {
          const sharedOrderId = findSharedOrderId(other, orderId)
          return sharedOrderId === null ? [] : [{ owner, sharedOrderId }]
        }),
    add: ({ orderId }: EventConfig, owner: number): void => {
      put(byPrefix, orderId.prefix, { owner, orderId })
      for (const properPrefix of listProperPrefixes(orderId.prefix))
        put(byProperPrefix, properPrefix, { owner, orderId })
    },
  }
}

type Branch = { readonly children: Map<string, Branch>; readonly claims: OwnedClaim[] }
type SeenPaths = {
  /** Returns the other claims that the same request could match, at most one per owner. */
  findClashing(path: string): readonly OwnedClaim[]
  add(claim: Claim, owner: number): void
}

/** Indexes paths by segment. Paths with a query match only themselves. */
function createPathIndex(): SeenPaths {
  const createBranch = (): Branch => ({ children: new Map(), claims: [] })
  const top = createBranch()
  const splitPath = (path: string): readonly string[] =>
    path.includes('?')
      ? [path]
      : listPathSegments(path).map((part) => (isPathParameter(part) ? '{}' : part))
  const findReachable = (
    branch: Branch,
    [part, ...rest]: readonly string[],
  ): readonly OwnedClaim[] => {
    if (part === undefined) return branch.claims
    const next =
      part === '{}'
        ? [...branch.children.values()]
        : [branch.children.get(part), branch.children.get('{}')]
    return next.flatMap((entry) => (entry === undefined ? [] : findReachable(entry, rest)))
  }
  return {
    findClashing: (path) => {
      const firstByOwner = new Map<number, OwnedClaim>()
      for (const seen of findReachable(top, splitPath(path)))
        if (!firstByOwner.has(seen.owner)) firstByOwner.set(seen.owner, seen)
      return [...firstByOwner.values()]
    },
    add: (claim, owner) => {
      const end = splitPath(claim.path).reduce((branch, part) => {
        const next = branch.children.get(part) ?? createBranch()
        branch.children.set(part, next)
        return next
      }, top)
      end.claims.push({ owner, claim })
    },
  }
}
