/** The changes between two versions of an event's file, and the text of one version. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OfficeEvent } from '../../../engine/api.ts'
import { callApi } from '../office-api-and-urls.ts'
import { readVersionDifference, readVersionText } from '../operations/operations-api-responses.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'

export const VERSIONS_API = '/api/admin/event-versions/'
/** The number of characters shown from a version's hash, as in the server log. */
const SHORT_VERSION_CHARACTERS = 12

export const formatVersion = (version: string): string => version.slice(0, SHORT_VERSION_CHARACTERS)

type VersionProps = { readonly event: OfficeEvent; readonly version: string }

/** Lists the differences between `from` and `version`. */
export function VersionChanges({ event, version, from }: VersionProps & { readonly from: string }) {
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
        {unreadable.map(formatVersion).join(' and version ')}. Its text is still stored.
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

/** Shows the text of the file as it was loaded, with line numbers. Loads the text when it is opened. */
export function VersionText({
  event,
  version,
  loadedAtText,
}: VersionProps & { readonly loadedAtText: string }) {
  const [isOpen, setOpen] = useState(false)
  const query = useQuery({
    queryKey: ['event-versions', event.id, 'text', version],
    queryFn: ({ signal }) =>
      callApi(
        `${VERSIONS_API}text/?${new URLSearchParams({ event: event.id, version })}`,
        readVersionText,
        { signal },
      ),
    staleTime: Infinity,
    enabled: isOpen,
  })
  const error = useSignInOn401(query.error)
  return (
    <details className="choices" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Text<span className="vh"> of the version loaded on {loadedAtText}</span>
      </summary>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {query.isLoading && (
        <p role="status" aria-busy="true">
          Loading the text…
        </p>
      )}
      {query.data !== undefined && (
        <div
          className="file-text"
          role="region"
          aria-label={`Text of the version loaded on ${loadedAtText}`}
        >
          <ol>
            {query.data.text
              .trimEnd()
              .split('\n')
              .map((line, index) => (
                <li key={index}>
                  <code>{line}</code>
                </li>
              ))}
          </ol>
        </div>
      )}
    </details>
  )
}
