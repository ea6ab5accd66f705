/** Checks EV8xx: addresses, API paths, order ids and titles are unique among all events. */
import type { EventConfig } from '../../../event/config.ts'
import {
  UNLINKABLE_PAGES,
  doSegmentsOverlap,
  listPathSegments,
  doPathsOverlap,
  RESERVED_ENDPOINTS,
  SITE_PAGES,
} from '../../../event/reserved-addresses.ts'
import {
  listGetAddresses,
  listEndpoints,
  findClashes,
  listPages,
  type Claim,
} from '../../event-clashes.ts'
import type { Draft, Finding, Meta } from '../../finding.ts'
import { createFinding } from '../../finding.ts'
import type { Source } from '../../syntax/source.ts'
import { findMentions, indexEventNames } from './copied-event-name.ts'

export const sharedAddressChecks = {
  EV801: {
    slug: 'route-clash',
    severity: 'error',
    why: 'If two pages have the same address, delegates see the wrong conference.',
  },
  EV802: {
    slug: 'order-id-ambiguous',
    severity: 'error',
    why: 'A payment is found by its order id. If an order id matches two events, the payment cannot be assigned to one of them.',
  },
  EV803: {
    slug: 'api-clash',
    severity: 'error',
    why: 'If two API endpoints have the same path, one of them is never called.',
  },
  EV804: {
    slug: 'same-event-id',
    severity: 'error',
    why: "Registrations are stored under the event's id.",
  },
  EV806: {
    slug: 'same-dashboard-key',
    severity: 'error',
    why: 'If two events have the same dashboard key, the dashboard shows only one of them.',
  },
  EV807: {
    slug: 'file-name',
    severity: 'error',
    why: "The file of an event is found by the event's id.",
  },
  EV808: {
    slug: 'names-another-event',
    severity: 'warning',
    why: 'A copied file may still contain the name or address of the original event.',
  },
} as const satisfies Record<string, Meta>
type Code = keyof typeof sharedAddressChecks

/** `source` parses the file. This is needed only to locate a finding, because cached events are not parsed. */
export type OtherEvent = {
  readonly event: EventConfig
  readonly path: string
  /** True if the file is being checked now. Warnings about all other files have already been reported. */
  readonly isNew: boolean
  source(): Source
}

/**
 * Returns whether the file's name matches the event's id. Text without a file (standard input, an editor)
 * always matches.
 */
export function isNamedFor(id: string, path: string): boolean {
  const base = getFileName(path)
  return base === `${id}.yaml` || base === `${id}.yml` || !/\.ya?ml$/.test(base)
}

function getFileName(path: string): string {
  return path.split('/').at(-1) ?? ''
}

/** Checks a file's name, and compares its addresses and API paths with each other and with those of the site. */
export function findClashesInFile({
  event,
  source,
}: {
  readonly event: EventConfig
  readonly source: Source
}): readonly Finding[] {
  const [pages, endpoints] = [listPages(event), listEndpoints(event)]
  const misnamedFile: readonly Draft[] = isNamedFor(event.id, source.path)
    ? []
    : [
        {
          at: 'event.id',
          message: `the file must be named ${event.id}.yaml`,
          notes: [`the file is named ${getFileName(source.path)}`],
        },
      ]
  const sitePages = pages.flatMap(({ name, at }): readonly Draft[] =>
    isSitePage(name)
      ? [{ at, message: `${name} already belongs to the site` }]
      : at.startsWith('routes.') && /^\/admin(\/|$)/.test(name)
        ? [{ at, message: `${name} is an address of the office` }]
        : [],
  )
  const siteEndpoints = endpoints
    .filter(isReservedEndpoint)
    .map(({ name, at }): Draft => ({ at, message: `${name} already belongs to the site` }))
  // An address that clashes with the site is not reported again for other clashes.
  const reportedPlaces = new Set(siteEndpoints.map(({ at }) => at))
  const endpointsThatArePages = listGetAddresses(event).flatMap(
    ({ name, at, path }): readonly Draft[] => {
      const page = pages.find((page) => doPathsOverlap(page.path, path))
      return reportedPlaces.has(at) || page === undefined
        ? []
        : [
            {
              at,
              message: `${name} is the address of a page`,
              related: [{ at: page.at, message: 'this page' }],
            },
          ]
    },
  )
  const toFindings = (code: Code, drafts: readonly Draft[]): readonly Finding[] =>
    drafts.map((draft) => createFinding(code, sharedAddressChecks[code], draft, source))
  return [
    ...toFindings('EV807', misnamedFile),
    ...toFindings('EV801', [...sitePages, ...findRepeatedClaims(pages, (a, b) => a === b, source)]),
    ...toFindings('EV803', [
      ...siteEndpoints,
      ...endpointsThatArePages,
      ...findRepeatedClaims(endpoints, doEndpointsOverlap, source),
    ]),
  ]
}

const SITE_ENDPOINTS = RESERVED_ENDPOINTS.map(listPathSegments)
const UNLINKABLE_PATHS = UNLINKABLE_PAGES.map(listPathSegments)
const RESERVED_PATHS = [
  ...[...SITE_PAGES, '/api'].map(listPathSegments),
  ...UNLINKABLE_PATHS,
  ...SITE_ENDPOINTS,
]

function isSitePage(page: string): boolean {
  const parts = listPathSegments(page)
  return (
    SITE_PAGES.includes(page) ||
    /^\/(api|assets|sandbox)(\/|$)/.test(page) ||
    [...UNLINKABLE_PATHS, ...SITE_ENDPOINTS].some((segments) => doSegmentsOverlap(segments, parts))
  )
}

/** Returns whether the site itself serves the path. Lists may use the dashboard's export path with a query. */
function isReservedEndpoint({ at, name, path }: Claim): boolean {
  const [pathname = '', query] = path.split('?')
  if (query !== undefined && doPathsOverlap(pathname, '/admin/export')) return false
  // Office endpoints are served at the root and under /api.
  const servedPaths = at.startsWith('admin.')
    ? [pathname, `/api${pathname}`]
    : [name.split('?')[0] ?? '']
  return servedPaths
    .map(listPathSegments)
    .some((candidate) => RESERVED_PATHS.some((reserved) => doSegmentsOverlap(reserved, candidate)))
}

/** Reports addresses that the file uses twice. Default addresses are not in the file, so they are not reported. */
function findRepeatedClaims(
  claims: readonly Claim[],
  doClash: (a: string, b: string) => boolean,
  source: Source,
): readonly Draft[] {
  return claims.flatMap(({ name, at, path }, index) => {
    const firstClaim = claims.slice(0, index).find((other) => doClash(other.path, path))
    return firstClaim === undefined || !source.has(at)
      ? []
      : [
          {
            at,
            message:
              firstClaim.name === name
                ? `${name} is used twice`
                : `${firstClaim.name} also matches ${name}`,
            related: [{ at: firstClaim.at, message: 'also here' }],
          },
        ]
  })
}

/** Returns whether two endpoints have a path in common. Paths with a query must be equal. */
function doEndpointsOverlap(a: string, b: string): boolean {
  return a.includes('?') || b.includes('?') ? a === b : doPathsOverlap(a, b)
}

/**
 * Compares files with each other. Reports each clash once, in the file whose path sorts later, so the result does not
 * depend on the order in which the files are read. Files not named after their events ("Copy of …") sort last.
 */
export function findClashesAcrossFiles(events: readonly OtherEvent[]): readonly Finding[] {
  const isMisnamed = ({ event, path }: OtherEvent): boolean => !isNamedFor(event.id, path)
  const sorted = [...events].sort(
    (a, b) => Number(isMisnamed(a)) - Number(isMisnamed(b)) || (a.path < b.path ? -1 : 1),
  )
  const clashes = findClashes(sorted.map(({ event }) => event)).flatMap((clash) => {
    const [laterEvent, earlierEvent] = [sorted[clash.laterIndex], sorted[clash.earlierIndex]]
    if (laterEvent === undefined || earlierEvent === undefined) return []
    const [source, earlierSource] = [laterEvent.source(), earlierEvent.source()]
    const part = clash.at === 'order_id' ? 'key' : 'value'
    return [
      {
        ...createFinding(
          clash.code,
          sharedAddressChecks[clash.code],
          {
            at: getWrittenPath(source, clash.at),
            part,
            message: clash.message,
            ...(clash.help === undefined ? {} : { help: clash.help }),
          },
          source,
        ),
        related: [
          {
            message: 'also here',
            at: earlierSource.place(getWrittenPath(earlierSource, clash.earlierAt), part),
          },
        ],
      },
    ]
  })
  return [...clashes, ...findCopiedEvents(sorted)]
}

/** Reports mentions of other events: the file may be a copy of another event's file. */
function findCopiedEvents(events: readonly OtherEvent[]): readonly Finding[] {
  const names = indexEventNames(events.map(({ event }) => event))
  return events.flatMap((checkedEvent) => {
    if (!checkedEvent.isNew) return []
    const source = checkedEvent.source()
    return findMentions(checkedEvent.event, source, names).flatMap(({ owner, draft }) => {
      const namedEventSource = events[owner]?.source()
      return namedEventSource === undefined
        ? []
        : [
            {
              ...createFinding('EV808', sharedAddressChecks.EV808, draft, source),
              related: [{ message: 'the other event', at: namedEventSource.place('event.title') }],
            },
          ]
    })
  })
}

/** Returns the path at which the file states a value: a dashboard without a key uses the event's id. */
function getWrittenPath(source: Source, at: string): string {
  return at === 'admin.dashboard.key' && !source.has(at) ? 'event.id' : at
}
