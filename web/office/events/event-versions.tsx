/** The versions of an event's file, the newest first, with the changes of each in sentences. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OfficeEvent, WireEventVersion } from '../../../engine/api.ts'
import { callApi } from '../office-api-and-urls.ts'
import { readEventVersions, readVersionDifference } from '../operations/operations-api-responses.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { BusyButton } from '../ui/busy-button.tsx'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { formatDateTime } from '../ui/format-date-time.ts'
import './event-versions.css'

const VERSIONS_API = '/api/admin/event-versions/'
/** As in the log of the server. */
const SHORT_VERSION_CHARACTERS = 12

export const formatVersion = (version: string): string => version.slice(0, SHORT_VERSION_CHARACTERS)

export function EventVersions({ event }: { readonly event: OfficeEvent }) {
  const query = useInfiniteQuery({
    queryKey: ['event-versions', event.id],
    initialPageParam: '',
    queryFn: ({ signal, pageParam: before }) =>
      callApi(
        `${VERSIONS_API}?${new URLSearchParams({ event: event.id, ...(before !== '' && { before }) })}`,
        readEventVersions,
        { signal },
      ),
    getNextPageParam: (page) => page.before,
  })
  const error = useSignInOn401(query.error)
  const versions = query.data?.pages.flatMap((page) => page.versions)
  return (
    <section className="pan" aria-labelledby="versions" aria-busy={query.isFetching}>
      <h2 id="versions">Versions</h2>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {versions === undefined && !query.isError && <p role="status">Loading the versions…</p>}
      {versions?.length === 0 && <p className="mute">No version of this file is stored yet.</p>}
      {versions?.length === 1 && versions[0] !== undefined && (
        <p>
          This file has not changed since it was loaded on {formatDateTime(versions[0].loaded_at)}.
        </p>
      )}
      <ol className="versions">
        {versions?.map((version, index) => (
          <VersionRow
            key={version.version}
            event={event}
            version={version}
            before={versions[index + 1] ?? null}
            isFirst={index === 0}
          />
        ))}
      </ol>
      {query.hasNextPage && (
        <BusyButton
          className="btn line"
          isBusy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show older versions
        </BusyButton>
      )}
    </section>
  )
}

function VersionRow({
  event,
  version: { version, loaded_at, last_loaded_at, is_live, previous },
  before,
  isFirst,
}: {
  readonly event: OfficeEvent
  readonly version: WireEventVersion
  readonly before: WireEventVersion | null
  readonly isFirst: boolean
}) {
  const [isOpen, setOpen] = useState(isFirst)
  const loaded = formatDateTime(loaded_at)
  // The file was changed back: an older text was loaded again after a newer one.
  const isRestored = before !== null && before.loaded_at > loaded_at
  return (
    <li>
      <h3>
        Loaded on <time dateTime={loaded_at}>{loaded}</time>{' '}
        {is_live && (
          <Badge tone="good" icon="tick">
            Live
          </Badge>
        )}
      </h3>
      <p className="mute">
        Version {formatVersion(version)}
        {isRestored &&
          ` · changed back to this version, last loaded on ${formatDateTime(last_loaded_at)}`}
      </p>
      {previous === null ? (
        <p>This is the first version.</p>
      ) : (
        <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            Changes<span className="vh"> in the version loaded on {loaded}</span>
          </summary>
          {isOpen && <VersionChanges event={event} version={version} from={previous} />}
        </details>
      )}
    </li>
  )
}

/** What is different between two versions of the file. */
export function VersionChanges({
  event,
  version,
  from,
}: {
  readonly event: OfficeEvent
  readonly version: string
  readonly from: string
}) {
  const query = useQuery({
    queryKey: ['event-versions', event.id, from, version],
    queryFn: ({ signal }) =>
      callApi(
        `${VERSIONS_API}difference/?${new URLSearchParams({ event: event.id, version, from })}`,
        readVersionDifference,
        { signal },
      ),
    // Stored versions never change.
    staleTime: Infinity,
  })
  const error = useSignInOn401(query.error)
  if (error)
    return (
      <Banner
        text={error.message}
        action={{ label: 'Try Again', onClick: () => void query.refetch() }}
      />
    )
  if (query.data === undefined)
    return (
      <p role="status" aria-busy="true">
        Loading the changes…
      </p>
    )
  const { unreadable, groups } = query.data
  if (unreadable.length > 0)
    return (
      <p>
        The changes cannot be listed: today’s rules no longer accept version{' '}
        {unreadable.map(formatVersion).join(' and version ')}.
      </p>
    )
  if (groups.length === 0)
    return (
      <p>Nothing changes for delegates or staff. Only comments, examples or formatting differ.</p>
    )
  return groups.map(({ title, changes }) => (
    <div key={title}>
      <h4>{title}</h4>
      <ul>
        {changes.map((change, index) => (
          <li key={index}>{change}</li>
        ))}
      </ul>
    </div>
  ))
}
