/** EV8: events beside each other. Addresses, calls and order ids must each belong to one. */
import type { EventConfig } from '../../config.ts'
import type { Draft, Finding, Meta } from '../finding.ts'
import { findingOf } from '../finding.ts'
import { SITE_PAGES } from './pages.ts'
import type { Source } from '../source.ts'

export const across = {
  EV801: {
    slug: 'route-clash',
    severity: 'error',
    why: 'Two pages at one address: a delegate sees the wrong conference.',
  },
  EV802: {
    slug: 'order-id-ambiguous',
    severity: 'error',
    why: "A payment is found by its order id; one that fits two events is nobody's.",
  },
  EV803: {
    slug: 'api-clash',
    severity: 'error',
    why: 'Two calls at one path: one of them is never answered.',
  },
  EV804: {
    slug: 'same-event-id',
    severity: 'error',
    why: "Registrations are kept under the event's id.",
  },
  EV806: {
    slug: 'same-dashboard-key',
    severity: 'error',
    why: 'Two cards under one key: the dashboard would show one of them.',
  },
  EV807: {
    slug: 'file-name',
    severity: 'error',
    why: "The file of an event is found by the event's id.",
  },
} as const satisfies Record<string, Meta>
type Code = keyof typeof across

export type Beside = { readonly event: EventConfig; readonly source: Source }
/** A name that only one event may use; `clash` tells whether two of a kind meet. */
type Claim = { readonly name: string; readonly at: string; readonly owner: Beside }

const SITE_CALLS: readonly string[] = [
  '/api/events/',
  '/api/events/{id}/',
  '/api/payment/retry/',
  '/api/login/',
  '/admin/login/',
  '/admin/logout/',
  '/admin/session/',
  '/admin/dashboard/',
  '/health/',
]

/** One file's own names against the site's and each other, and its file name. */
export function aloneFindings(own: Beside): readonly Finding[] {
  const { event, source } = own
  const base = source.path.split('/').at(-1) ?? ''
  const named = base === `${event.id}.yaml` || base === `${event.id}.yml` || !/\.ya?ml$/.test(base)
  const misnamed: readonly Finding[] = named
    ? []
    : [
        made(
          'EV807',
          {
            at: 'event.id',
            message: `the file must be called ${event.id}.yaml`,
            notes: [`it is called ${base}`],
          },
          own,
        ),
      ]
  const site = routesOf(own).flatMap(({ name, at }) =>
    SITE_PAGES.includes(name) || /^\/(api|assets|sandbox)(\/|$)/.test(name)
      ? [made('EV801', { at, message: `${name} already belongs to the site` }, own)]
      : [],
  )
  const officePages = routesOf(own).flatMap(({ name, at }) =>
    at.startsWith('routes.') && /^\/admin(\/|$)/.test(name) && !SITE_PAGES.includes(name)
      ? [made('EV801', { at, message: `${name} is an address of the office` }, own)]
      : [],
  )
  const calls = callsOf(own).flatMap(({ name, at }) =>
    SITE_CALLS.some((call) => meet(name, call))
      ? [made('EV803', { at, message: `${name} already belongs to the site` }, own)]
      : [],
  )
  return [
    ...misnamed,
    ...site,
    ...officePages,
    ...twice('EV801', routesOf(own), (a, b) => a === b, own),
    ...calls,
    ...twice('EV803', callsOf(own), meet, own),
  ]
}

function twice(
  code: Code,
  claims: readonly Claim[],
  clash: (a: string, b: string) => boolean,
  own: Beside,
): readonly Finding[] {
  return claims.flatMap(({ name, at }, index) => {
    const first = claims.slice(0, index).find((other) => clash(other.name, name))
    return first === undefined || !own.source.has(at)
      ? []
      : [
          made(
            code,
            {
              at,
              message:
                first.name === name
                  ? `${name} is used twice`
                  : `${first.name} also matches ${name}`,
              related: [{ at: first.at, message: 'also here' }],
            },
            own,
          ),
        ]
  })
}

/** Files against each other. Each clash is told once, in the file whose path comes later; the order of the files does not matter. */
export function acrossFindings(events: readonly Beside[]): readonly Finding[] {
  const sorted = [...events].sort((a, b) => (a.source.path < b.source.path ? -1 : 1))
  return sorted.flatMap((later, at) =>
    sorted.slice(0, at).flatMap((earlier) => clashes(earlier, later)),
  )
}

function clashes(earlier: Beside, later: Beside): readonly Finding[] {
  const { event } = later
  const there = earlier.event.id
  if (event.id === there)
    return [
      told(
        'EV804',
        'event.id',
        'event.id',
        `the event id \`${event.id}\` is already used`,
        earlier,
        later,
      ),
    ]
  const routes = meeting(routesOf(earlier), routesOf(later), (a, b) => a === b).map(([a, b]) =>
    told('EV801', a.at, b.at, `${b.name} already belongs to ${there}`, earlier, later),
  )
  const calls = meeting(callsOf(earlier), callsOf(later), meet).map(([a, b]) =>
    told(
      'EV803',
      a.at,
      b.at,
      a.name === b.name
        ? `${b.name} already belongs to ${there}`
        : `${b.name} also matches ${a.name} of ${there}`,
      earlier,
      later,
    ),
  )
  const witness = sharedOrderId(earlier.event, event)
  const orders =
    witness === null
      ? []
      : [
          told(
            'EV802',
            'order_id',
            'order_id',
            `${witness} could belong to ${there} or ${event.id}`,
            earlier,
            later,
            'choose a prefix that does not begin like the other one',
          ),
        ]
  const keys =
    later.source.has('admin.dashboard.key') &&
    earlier.event.admin.dashboard.key === event.admin.dashboard.key
      ? [
          told(
            'EV806',
            earlier.source.has('admin.dashboard.key') ? 'admin.dashboard.key' : 'event.id',
            'admin.dashboard.key',
            `the dashboard key \`${event.admin.dashboard.key}\` already belongs to ${there}`,
            earlier,
            later,
          ),
        ]
      : []
  return [...routes, ...calls, ...orders, ...keys]
}

function told(
  code: Code,
  earlierAt: string,
  laterAt: string,
  message: string,
  earlier: Beside,
  later: Beside,
  help?: string,
): Finding {
  const finding = made(
    code,
    {
      at: laterAt,
      part: laterAt === 'order_id' ? 'key' : 'value',
      message,
      ...(help === undefined ? {} : { help }),
    },
    later,
  )
  return {
    ...finding,
    related: [
      {
        message: 'also here',
        at: earlier.source.place(earlierAt, earlierAt === 'order_id' ? 'key' : 'value'),
      },
    ],
  }
}

function made(code: Code, draft: Draft, { source }: Beside): Finding {
  return findingOf(code, across[code], draft, source)
}

function meeting(
  some: readonly Claim[],
  others: readonly Claim[],
  clash: (a: string, b: string) => boolean,
): readonly (readonly [Claim, Claim])[] {
  return others.flatMap((other) => {
    const found = some.find(({ name }) => clash(name, other.name))
    return found === undefined ? [] : [[found, other] as const]
  })
}

function routesOf(owner: Beside): readonly Claim[] {
  const { routes, admin } = owner.event
  return [
    { name: routes.form, at: 'routes.form' },
    ...routes.also.map((name, at) => ({ name, at: `routes.also.${at}` })),
    { name: routes.success, at: 'routes.success' },
    { name: routes.failed, at: 'routes.failed' },
    ...admin.lists.map(({ route }, at) => ({ name: route, at: `admin.lists.${at}.route` })),
  ].map((claim) => ({ ...claim, owner }))
}

/** Calls that an event answers; the dashboard's export is shared and tells events apart by its query. */
function callsOf(owner: Beside): readonly Claim[] {
  const { api, admin } = owner.event
  return [
    { name: api.register, at: 'api.register' },
    { name: api.registration, at: 'api.registration' },
    { name: api.tariff, at: 'api.tariff' },
    ...(api.gatewayReturn === null ? [] : [{ name: api.gatewayReturn, at: 'api.gateway_return' }]),
    ...admin.lists.flatMap((list, at) => [
      { name: list.api, at: `admin.lists.${at}.api` },
      { name: list.export.api, at: `admin.lists.${at}.export.api` },
    ]),
  ].map((claim) => ({ ...claim, owner }))
}

/** Whether one request could be meant for both paths: {name} matches any one part. */
function meet(a: string, b: string): boolean {
  if (a === b) return true
  // Paths with a query are told apart by it.
  if (a.includes('?') || b.includes('?')) return false
  const parts = (path: string): readonly string[] =>
    path
      .replace(/^\/api(?=\/)/, '')
      .split('/')
      .filter((part) => part !== '')
  const [some, others] = [parts(a), parts(b)]
  return (
    some.length === others.length &&
    some.every(
      (part, at) =>
        part === others[at] || part.startsWith('{') || (others[at] ?? '').startsWith('{'),
    )
  )
}

/** A text that fits both patterns, or null. Two prefixes meet when one begins the other and its rest fits the shorter's tail. */
export function sharedOrderId(
  a: Pick<EventConfig, 'orderId'>,
  b: Pick<EventConfig, 'orderId'>,
): string | null {
  const [short, long] =
    a.orderId.prefix.length <= b.orderId.prefix.length
      ? [a.orderId, b.orderId]
      : [b.orderId, a.orderId]
  if (!long.prefix.startsWith(short.prefix)) return null
  const rest = long.prefix.slice(short.prefix.length)
  return short.followedBy === 'anything' || /^\d*$/.test(rest) ? `${long.prefix}1` : null
}
