/** The event files: which version of each is served and why, and a reload button. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { WireEventFile } from '../../../engine/api.ts'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { readEventFiles } from './operations-api-responses.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import '../registration/registration-details-page.css'
import '../users/team-page.css'
import './emails-page.css'

export const EVENT_FILES_API = '/api/admin/served-files/'
export const EVENT_FILES_KEY = ['event-files'] as const

export function EventFilesPage() {
  const queryClient = useQueryClient()
  const query = useQuery({
    queryKey: EVENT_FILES_KEY,
    queryFn: ({ signal }) => callApi(EVENT_FILES_API, readEventFiles, { signal }),
  })
  const reloadMutation = useMutation({
    mutationFn: () => callApi(`${EVENT_FILES_API}reload/`, readEventFiles, { method: 'POST' }),
    onSuccess: (response) => queryClient.setQueryData(EVENT_FILES_KEY, response),
  })
  const error = useSignInOn401(query.error)
  const reloadError = useSignInOn401(reloadMutation.error)
  const files = query.data?.files
  const notLiveCount = files?.filter(({ is: state }) => state !== 'served').length ?? 0
  return (
    <main className="main" id="main" aria-busy={query.isFetching || reloadMutation.isPending}>
      <PageHeading title="Event files">
        <button
          type="button"
          className="btn line sm"
          disabled={reloadMutation.isPending}
          onClick={() => reloadMutation.mutate()}
        >
          Reload
        </button>
      </PageHeading>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {reloadError && (
        <Banner text={reloadError.message} onDismiss={() => reloadMutation.reset()} />
      )}
      {files === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the event files</span>
        </p>
      )}
      {files && (
        <>
          <p role="status" className={notLiveCount === 0 ? 'form-status' : 'mute'}>
            {reloadMutation.isSuccess ? 'Event files reloaded. ' : ''}
            {notLiveCount === 0
              ? 'All event files are live.'
              : notLiveCount === 1
                ? 'The current version of 1 event file is not live.'
                : `The current versions of ${notLiveCount} event files are not live.`}
          </p>
          <section className="panel" aria-label="Event files">
            <ul className="log email-list">
              {files.map((file) => (
                <EventFileRow key={file.file} file={file} />
              ))}
            </ul>
          </section>
        </>
      )}
    </main>
  )
}

/** Shows one file: its version, whether it is live, the reason if it is not, and its findings. */
export function EventFileRow({
  file: { file, title, version, is: state, why: reason, findings },
}: {
  readonly file: WireEventFile
}) {
  return (
    <li>
      <span>
        <b className="to">{title ?? file}</b>
        <small>
          {[
            ...(title === null ? [] : [file]),
            ...(version === null ? [] : [`version ${version}`]),
          ].join(' · ')}
        </small>
        {reason !== null && (
          <small className={state === 'gone' ? undefined : 'bad'}>{reason}</small>
        )}
        {findings !== null && (
          <details className="choices">
            <summary>
              Findings<span className="vh"> of {file}</span>
            </summary>
            <pre className="findings">{findings}</pre>
          </details>
        )}
      </span>
      <span className="r">
        {state === 'served' ? (
          <Badge tone="good" icon="tick">
            Live
          </Badge>
        ) : state === 'before' ? (
          <Badge tone="care" icon="clock">
            Previous version live
          </Badge>
        ) : state === 'gone' ? (
          <Badge tone="care" icon="clock">
            File removed
          </Badge>
        ) : (
          <Badge tone="bad" icon="cross">
            Not live
          </Badge>
        )}
      </span>
    </li>
  )
}
