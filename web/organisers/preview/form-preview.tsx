/** The preview of the registration form; nothing is sent. */
import createCache from '@emotion/cache'
import { CacheProvider } from '@emotion/react'
import { ThemeProvider } from '@mui/material/styles'
import { useMemo, useState } from 'react'
import type { MouseEvent } from 'react'
import { formatIsoIndia, findContradiction } from '../../../engine/index.ts'
import { buildTariff } from '../../../engine/api.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { EventResponse } from '../../../engine/api.ts'
import { ClosedNotice } from '../../registration/closed-page.tsx'
import { OptionStatuses } from '../../registration/form/form-context.ts'
import { FormBox, useForm } from '../../registration/form/registration-form.tsx'
import { useOptionStatuses } from '../../registration/form/form-extensions.ts'
import { PriceUntil } from '../../registration/price/fee-table.tsx'
import { OrganiserNotes } from '../../registration/price/fees-and-notes.tsx'
import { ErrorSummary } from '../../registration/form/error-summary.tsx'
import { ProgressSteps } from '../../registration/form/progress-steps.tsx'
import { buildInitialAnswers } from '../../registration/draft-storage.ts'
import { createUploads } from '../../registration/uploads/upload-progress.ts'
import { calculatePrice } from '../../registration/price/live-price.ts'
import type { Tariff } from '../../registration/price/live-price.ts'
import { ALL_EXTENSIONS } from '../../registration/registration-page-with-items-and-codes.tsx'
import { SummaryColumn } from '../../registration/price/price-summary-and-pay-button.tsx'
import { getMuiTheme } from '../../registration/form/mui-theme.ts'
import { EventHeader } from '../../ui/layout/event-header-footer.tsx'
import { ToastProvider, useShowToast } from '../../ui/toast.tsx'
import { getNoon } from '../test-delegate/test-delegate.tsx'
import type { TestDelegate } from '../test-delegate/test-delegate.tsx'
import './page-preview.css'

const cache = createCache({ key: 'o' })

/** Shows the form as delegates see it, with the prices of the selected day. Nothing is sent. */
export default function FormPreview({
  title,
  event,
  testDelegate,
}: {
  readonly title: string
  readonly event: EventConfig
  readonly testDelegate: TestDelegate
}) {
  return (
    <CacheProvider value={cache}>
      <ThemeProvider theme={getMuiTheme()}>
        <ToastProvider as={event.form.notices} ms={event.form.noticeMs}>
          <h2 className="vh">{title}</h2>
          <div className="org-page" onClickCapture={preventNavigation}>
            <EventHeader event={event} level="h2" />
            <FormWithPrices event={event} testDelegate={testDelegate} />
          </div>
        </ToastProvider>
      </ThemeProvider>
    </CacheProvider>
  )
}

const doNothing = () => {}
/** The preview looks nothing up: discount codes, member lists and seats come from the test settings. */
const NO_LOOKUPS = { errors: {}, startLookup: () => false, onAnswerChange: () => {} }
const NO_ENTRIES: ReadonlyMap<string, string> = new Map()

/** Prevents the header's link to the home page, which would discard the file. */
const preventNavigation = (clickEvent: MouseEvent) => {
  if (clickEvent.target instanceof Element && clickEvent.target.closest('a[href="/"]') !== null)
    clickEvent.preventDefault()
}

function FormWithPrices({
  event,
  testDelegate,
}: {
  readonly event: EventConfig
  readonly testDelegate: TestDelegate
}) {
  const showToast = useShowToast()
  const noon = getNoon(testDelegate.day)
  // No validator can be compiled in the browser, so the engine validates the answers.
  const page = useMemo<EventResponse>(
    () => ({
      status: 'success',
      event,
      hash: '',
      validator_url: null,
      schema: {},
      now: formatIsoIndia(noon),
    }),
    [event, noon],
  )
  const loadedTariff = useMemo<Tariff>(
    () => ({ is: 'loaded', response: buildTariff(event, noon, testDelegate.context.left) }),
    [event, noon, testDelegate.context.left],
  )
  const [attempts, setAttempts] = useState(0)
  const uploads = useMemo(() => createUploads(event, null), [event])
  const context = useMemo(
    () => ({ ...NO_LOOKUPS, context: testDelegate.context }),
    [testDelegate.context],
  )
  const form = useForm(page, buildInitialAnswers(event), context, uploads, doNothing)
  const price = calculatePrice(event, loadedTariff, form.answers, ALL_EXTENSIONS.pricing)
  const submit = () => {
    if (form.validateAnswers() === null)
      showToast('No errors. This is a preview, so your answers were not sent.', 'good')
    else setAttempts((count) => count + 1)
  }
  const { response } = loadedTariff as Extract<Tariff, { is: 'loaded' }>
  const currentQuote = price.is === 'price' ? price.quote : null
  const statuses = useOptionStatuses(event, response, form.answers, NO_ENTRIES, ALL_EXTENSIONS)
  return (
    <div className="pg">
      {!response.open && <ClosedNotice event={event} text={response.closed_text} />}
      <ProgressSteps event={event} form={form} />
      <div className="col">
        {attempts > 0 && <ErrorSummary event={event} errors={form.errors} attempts={attempts} />}
        <OptionStatuses value={statuses}>
          <FormBox
            {...form.formProps}
            tariff={loadedTariff}
            extensions={ALL_EXTENSIONS}
            onSubmit={submit}
          />
        </OptionStatuses>
        <OrganiserNotes event={event} />
      </div>
      <SummaryColumn
        event={event}
        price={price}
        extensions={ALL_EXTENSIONS}
        notes={ALL_EXTENSIONS.priceNotes(
          event,
          form.answers,
          testDelegate.context.left,
          currentQuote,
          response.now,
        )}
        isLast
        priceChangeNote={
          currentQuote && (
            <PriceUntil
              event={event}
              answers={form.answers}
              quote={currentQuote}
              now={response.now}
            />
          )
        }
        isBusy={false}
        isRetrying={false}
        submitLabel={ALL_EXTENSIONS.submitLabel(event, form.answers)}
        contradiction={findContradiction(event, form.answers, currentQuote?.category ?? null)}
        uploadNotice={null}
        confirmationAddress={undefined}
        errorCount={Object.keys(form.errors).length}
        problem={null}
        reloadPrices={doNothing}
      />
    </div>
  )
}
