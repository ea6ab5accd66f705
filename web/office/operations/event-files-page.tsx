/** The event files: the version of each that is served, the reason, and a reload button. */
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

const CALL = '/api/admin/served-files/'
const KEY = ['event-files'] as const

export function EventFilesPage() {
  const client = useQueryClient()
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => callApi(CALL, readEventFiles, { signal }),
  })
  const reload = useMutation({
    mutationFn: () => callApi(`${CALL}reload/`, readEventFiles, { method: 'POST' }),
    onSuccess: (answer) => client.setQueryData(KEY, answer),
  })
  const error = useSignInOn401(query.error)
  const refused = useSignInOn401(reload.error)
  const files = query.data?.files
  const waiting = files?.filter(({ is }) => is !== 'served').length ?? 0
  return (
    <main className="main" id="main" aria-busy={query.isFetching || reload.isPending}>
      <PageHeading title="Event files">
        <button
          type="button"
          className="btn line sm"
          disabled={reload.isPending}
          onClick={() => reload.mutate()}
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
      {refused && <Banner text={refused.message} onDismiss={() => reload.reset()} />}
      {files === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the event files</span>
        </p>
      )}
      {files && (
        <>
          <p role="status" className={waiting === 0 ? 'settled' : 'mute'}>
            {reload.isSuccess ? 'Event files reloaded. ' : ''}
            {waiting === 0
              ? 'All event files are live.'
              : waiting === 1
                ? '1 event file is not live in its current version.'
                : `${waiting} event files are not live in their current version.`}
          </p>
          <section className="pan" aria-label="Event files">
            <ul className="log mails">
              {files.map((file) => (
                <File key={file.file} file={file} />
              ))}
            </ul>
          </section>
        </>
      )}
    </main>
  )
}

function File({
  file: { file, title, version, is, why, findings },
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
        {why !== null && <small className={is === 'gone' ? undefined : 'bad'}>{why}</small>}
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
        {is === 'served' ? (
          <Badge tone="good" icon="tick">
            Live
          </Badge>
        ) : is === 'before' ? (
          <Badge tone="care" icon="clock">
            Previous version live
          </Badge>
        ) : is === 'gone' ? (
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
