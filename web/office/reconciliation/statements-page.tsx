/** Bank statements of all the user's events: the upload, and the saved statements. */
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { INR, formatDayShort, isDay } from '../../../engine/index.ts'
import type { OfficeEvent, WireStatementSummary } from '../../../engine/api.ts'
import { callApi, SETTLEMENTS, toSpreadsheet } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { formatDateTime } from '../ui/format-date-time.ts'
import { ColumnMapping } from './column-mapping.tsx'
import { readStatements, readUpload, buildStatementUrl } from './statement-api-responses.ts'
import '../registration/registration-details-page.css'
import '../discount-codes/discount-codes-page.css'
import './settlements.css'
import { SpreadsheetForm } from '../ui/form-fields.tsx'
import './statement-page.css'

type EventsProps = { readonly events: readonly OfficeEvent[] }

export function StatementsPage({ events }: EventsProps) {
  return (
    <main className="main" id="main">
      <PageHeading title="Bank statements">
        <Link className="btn line" to={SETTLEMENTS}>
          Settlements
        </Link>
      </PageHeading>
      <UploadForm events={events} />
      <SavedStatements />
    </main>
  )
}

/** Returns the currencies of all events, including rupees for an event that states none. */
export const findCurrencies = (events: readonly OfficeEvent[]): readonly string[] => [
  ...new Set(events.flatMap(({ currencies }) => currencies ?? [INR])),
]

function UploadForm({ events }: EventsProps) {
  const currencies = findCurrencies(events)
  const navigate = useNavigate()
  const [file, setFile] = useState<File | null>(null)
  const [currency, setCurrency] = useState(currencies.includes(INR) ? INR : currencies[0])
  const upload = useMutation({
    mutationFn: (upload: { readonly file: File; readonly columns: string }) =>
      callApi(
        `/api/admin/statements/?statement_currency=${encodeURIComponent(currency ?? INR)}${upload.columns}`,
        readUpload,
        { method: 'POST', form: toSpreadsheet(upload.file) },
      ),
    onSuccess: (response) =>
      response.header === null
        ? navigate(buildStatementUrl(response.id), { state: { isUploaded: true } })
        : undefined,
  })
  const error = useSignInOn401(upload.error)
  const { data } = upload
  return (
    <section className="panel" aria-labelledby="statement-load" aria-busy={upload.isPending}>
      <h2 id="statement-load">Upload a statement</h2>
      <p className="mute">
        One file covers all events that share the account. CSV or Excel, as downloaded from your
        bank. No payment is recorded until you confirm it. Returned transfers are sent for review
        immediately.
      </p>
      {error && <Banner text={error.message} onDismiss={() => upload.reset()} />}
      <SpreadsheetForm
        label="Bank statement (CSV or Excel)"
        isPending={upload.isPending}
        onChoose={(chosenFile) => {
          upload.reset()
          setFile(chosenFile)
        }}
        onSubmit={() => {
          if (file !== null) upload.mutate({ file, columns: '' })
        }}
      >
        {currencies.length > 1 && (
          <label>
            Account currency
            <select
              value={currency}
              onChange={({ target }) => {
                upload.reset()
                setCurrency(target.value)
              }}
            >
              {currencies.map((code) => (
                <option key={code}>{code}</option>
              ))}
            </select>
          </label>
        )}
      </SpreadsheetForm>
      {data !== undefined && data.header !== null && file !== null && (
        <ColumnMapping
          kind="bank"
          headings={data.header}
          onMapped={(columns) => upload.mutate({ file, columns })}
          isBusy={upload.isPending}
        />
      )}
    </section>
  )
}

function SavedStatements() {
  const query = useInfiniteQuery({
    queryKey: ['statements'],
    queryFn: ({ pageParam, signal }) =>
      callApi(
        `/api/admin/statements/${pageParam === null ? '' : `?before=${pageParam}`}`,
        readStatements,
        { signal },
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ before }) => before,
  })
  const error = useSignInOn401(query.error)
  const statements = query.data?.pages.flatMap((page) => page.statements)
  return (
    <section className="panel" aria-labelledby="statements-saved" aria-busy={query.isFetching}>
      <h2 id="statements-saved">Saved statements</h2>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {statements?.length === 0 && (
        <p className="mute">No statements yet. Upload the first one above.</p>
      )}
      {statements !== undefined && statements.length > 0 && (
        <ul className="log">
          {statements.map((statement) => (
            <li key={statement.id}>
              <span>
                <Link to={buildStatementUrl(statement.id)}>{describeStatement(statement)}</Link>
                <small>
                  Uploaded by {statement.who}, {formatDateTime(statement.at)}
                </small>
              </span>
              <span className="r">
                {statement.open > 0
                  ? `${statement.open} open`
                  : statement.matched > 0
                    ? 'All resolved'
                    : 'No open lines'}
                <small>{statement.matched} resolved</small>
              </span>
            </li>
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <button type="button" className="btn line" onClick={() => void query.fetchNextPage()}>
          Show more
        </button>
      )}
    </section>
  )
}

/** Describes a statement by its bank and period. */
export function describeStatement({ bank, from, to, currency }: WireStatementSummary): string {
  const [firstDay, lastDay] = [from, to].map((day) => (isDay(day) ? formatDayShort(day) : day))
  const period = firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`
  return [bank === '' ? 'Bank statement' : bank, currency, period].filter(Boolean).join(', ')
}
