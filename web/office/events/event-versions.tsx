/** The versions of an event's file, newest first, and a comparison of any two. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { OfficeEvent, WireEventVersion } from '../../../engine/api.ts'
import { callApi } from '../office-api-and-urls.ts'
import { readEventVersions } from '../operations/operations-api-responses.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { BusyButton } from '../ui/busy-button.tsx'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { formatDateTime } from '../ui/format-date-time.ts'
import {
  VERSIONS_API,
  VersionChanges,
  VersionText,
  formatVersion,
} from './event-version-changes.tsx'
import './event-versions.css'

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
  const [onlyVersion] = versions?.length === 1 ? versions : []
  return (
    <section className="panel" aria-labelledby="versions" aria-busy={query.isFetching}>
      <h2 id="versions">Versions</h2>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {versions === undefined && !query.isError && <p role="status">Loading the versions…</p>}
      {versions?.length === 0 && <p className="mute">No version of this file is stored yet.</p>}
      {onlyVersion && (
        <p>
          This file has not changed since it was loaded on {formatDateTime(onlyVersion.loaded_at)}.
        </p>
      )}
      {/* With only two versions, the newer one's changes are already the comparison. */}
      {versions && versions.length > 2 && <Comparison event={event} versions={versions} />}
      {versions && (
        <ol className="versions">
          {versions.map((version, index) => (
            <VersionRow
              key={version.version}
              event={event}
              version={version}
              olderVersion={versions[index + 1] ?? null}
              isNewest={index === 0}
            />
          ))}
        </ol>
      )}
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

const formatVersionName = ({ loaded_at: loadedAt, version }: WireEventVersion): string =>
  `${formatDateTime(loadedAt)} · ${formatVersion(version)}`

/** Compares the two versions that are chosen in the URL. */
function Comparison({
  event,
  versions,
}: {
  readonly event: OfficeEvent
  readonly versions: readonly WireEventVersion[]
}) {
  const [params, setParams] = useSearchParams()
  const choices = [
    { name: 'from', label: 'Compare version' },
    { name: 'version', label: 'with version' },
  ] as const
  const choose = (name: string, version: string) =>
    setParams(
      (previous) => {
        const next = new URLSearchParams(previous)
        if (version === '') next.delete(name)
        else next.set(name, version)
        return next
      },
      { replace: true },
    )
  const from = params.get('from') ?? ''
  const version = params.get('version') ?? ''
  const findVersionName = (hash: string): string => {
    const chosenVersion = versions.find((choice) => choice.version === hash)
    return chosenVersion === undefined ? formatVersion(hash) : formatVersionName(chosenVersion)
  }
  return (
    <>
      <div className="version-choices">
        {choices.map(({ name, label }) => (
          <label key={name} className="event-select">
            {label}
            <select
              value={params.get(name) ?? ''}
              onChange={({ target }) => choose(name, target.value)}
            >
              <option value="">Choose a version</option>
              {versions.map((choice) => (
                <option key={choice.version} value={choice.version}>
                  {formatVersionName(choice)}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <div className="versions compared" role="status">
        {from !== '' && version !== '' && (
          <>
            {/* The fields above are not printed. */}
            <h3>
              Changes from {findVersionName(from)} to {findVersionName(version)}
            </h3>
            {from === version ? (
              <p>Choose two different versions.</p>
            ) : (
              <VersionChanges event={event} from={from} version={version} />
            )}
          </>
        )}
      </div>
    </>
  )
}

function VersionRow({
  event,
  version: { version, loaded_at, last_loaded_at, is_live, previous },
  olderVersion,
  isNewest,
}: {
  readonly event: OfficeEvent
  readonly version: WireEventVersion
  readonly olderVersion: WireEventVersion | null
  readonly isNewest: boolean
}) {
  const [isOpen, setOpen] = useState(isNewest)
  const loadedAtText = formatDateTime(loaded_at)
  // The file was changed back: an older text was loaded again after a newer one.
  const isRestored = olderVersion !== null && olderVersion.loaded_at > loaded_at
  return (
    <li>
      <h3>
        Loaded on <time dateTime={loaded_at}>{loadedAtText}</time>{' '}
        {is_live && (
          <Badge tone="good" icon="tick">
            Live
          </Badge>
        )}
      </h3>
      <p className="mute">Version {formatVersion(version)}</p>
      {isRestored && (
        <p>
          The file was changed back to this version. It was last loaded on{' '}
          {formatDateTime(last_loaded_at)}.
        </p>
      )}
      {previous === null ? (
        <p>This is the first version.</p>
      ) : (
        <details
          className="choices"
          open={isOpen}
          onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        >
          <summary>
            Changes<span className="vh"> in the version loaded on {loadedAtText}</span>
          </summary>
          {isOpen && <VersionChanges event={event} version={version} from={previous} />}
        </details>
      )}
      <VersionText event={event} version={version} loadedAtText={loadedAtText} />
    </li>
  )
}
