/** Gateway settlements: upload of a report, the payouts, and payments that are not settled yet. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import type { OfficeEvent } from '../../../engine/api.ts'
import { toSpreadsheet, callApi, STATEMENTS } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { readReport } from './settlement-api-responses.ts'
import { AllPayouts } from './payouts-and-payout-page.tsx'
import { SavedSettlements, SettlementReport } from './settlement-report.tsx'
import { ColumnMapping } from './column-mapping.tsx'
import { ExchangeRates } from './exchange-rates.tsx'
import '../registration/registration-details-page.css'
import '../discount-codes/discount-codes-page.css'
import '../registration/actions-and-timeline.css'
import { SpreadsheetForm } from '../ui/form-fields.tsx'
import './settlements.css'

export function SettlementsPage({ events }: { readonly events: readonly OfficeEvent[] }) {
  const [params, setParams] = useSearchParams()
  const event = events.find(({ id }) => id === params.get('event')) ?? events[0]
  return (
    <main className="main" id="main">
      <PageHeading title="Settlements">
        <Link className="btn line" to={STATEMENTS}>
          Bank statements
        </Link>
      </PageHeading>
      {events.length > 1 && (
        <label className="event-select">
          Event
          <select
            value={event?.id}
            onChange={({ target }) => setParams({ event: target.value }, { replace: true })}
          >
            {events.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
      {event !== undefined && <EventSettlements key={event.id} event={event} />}
    </main>
  )
}

function EventSettlements({ event }: { readonly event: OfficeEvent }) {
  const [file, setFile] = useState<File | null>(null)
  const upload = useMutation({
    mutationFn: (upload: { readonly file: File; readonly columns: string }) =>
      callApi(
        `/api/admin/reconcile/?event=${encodeURIComponent(event.id)}${upload.columns}`,
        readReport,
        { method: 'POST', form: toSpreadsheet(upload.file) },
      ),
  })
  const error = useSignInOn401(upload.error)
  const { data } = upload
  return (
    <>
      <section className="panel" aria-labelledby="settlement-load" aria-busy={upload.isPending}>
        <h2 id="settlement-load">Upload a settlement report</h2>
        <p className="mute">
          A CSV or Excel file from your gateway. Nothing is saved until you choose Save.
        </p>
        {error && <Banner text={error.message} onDismiss={() => upload.reset()} />}
        {data?.is === 'statement' && (
          <p role="alert" className="care">
            This is a bank statement. Upload it under <Link to={STATEMENTS}>Bank statements</Link>.
          </p>
        )}
        <SpreadsheetForm
          label="Settlement report (CSV or Excel)"
          isPending={upload.isPending}
          onChoose={(chosenFile) => {
            upload.reset()
            setFile(chosenFile)
          }}
          onSubmit={() => {
            if (file !== null) upload.mutate({ file, columns: '' })
          }}
        />
        {data?.is === 'header' && file !== null && (
          <ColumnMapping
            kind="settlement"
            headings={data.header}
            onMapped={(columns) => upload.mutate({ file, columns })}
            isBusy={upload.isPending}
          />
        )}
      </section>
      {data?.is === 'settlement' && file !== null && (
        <SettlementReport
          key={upload.submittedAt}
          event={event}
          settlement={data.settlement}
          file={file}
          columns={upload.variables?.columns ?? ''}
        />
      )}
      {data?.is !== 'settlement' && (
        <>
          <AllPayouts event={event} />
          <SavedSettlements event={event} />
        </>
      )}
      {event.rate_currencies !== undefined && (
        <ExchangeRates event={event} currencies={event.rate_currencies} />
      )}
    </>
  )
}
