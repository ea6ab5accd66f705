import createCache from '@emotion/cache'
import { CacheProvider } from '@emotion/react'
import { ThemeProvider } from '@mui/material/styles'
import { useCallback, useEffect, useRef, useState } from 'react'
import { fill, formatMoney } from '../../engine/index.ts'
import type {
  EventAnswer,
  FieldErrors,
  PaymentData,
  PublicEvent,
  Quote,
  TariffAnswer,
} from '../../engine/index.ts'
import { newKey } from '../api.ts'
import type { PageProps } from '../shared/page.ts'
import { Dialog } from '../shared/dialog.tsx'
import { EventFooter, EventHeader, wear } from '../shared/frame.tsx'
import { Icon } from '../shared/icons.tsx'
import { Ledger } from '../shared/ledger.tsx'
import { NoticeProvider, useNotice } from '../shared/notice.tsx'
import { PriceNote, priceOfOption } from './choices.tsx'
import { ClosedBox } from './closed.tsx'
import { FormBox, formId, useForm } from './form.tsx'
import type { FormState } from './form.tsx'
import { HandOff } from '../shared/handoff.tsx'
import { forget, keep, recall, startOf } from '../shared/keep.ts'
import { labelOfCategory, priceOf, useTariff } from './price.ts'
import { register } from './submit.ts'
import type { Outcome } from './submit.ts'
import { quoteRows, SummaryBar, SummaryColumn, useWide } from './summary.tsx'
import { theme } from './theme.ts'

/** Styles that MUI makes carry the page's nonce: the content policy lets no others in. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
const cache = createCache({ key: 'r', ...(nonce ? { nonce } : {}) })

/** Registration for one event: the form, the live price, the hand-off to the gateway. */
export default function EventPage({ page }: PageProps) {
  if (page.page !== 'event') return null
  const { event } = page.event
  wear(event.look.colour)
  return (
    <CacheProvider value={cache}>
      <ThemeProvider theme={theme}>
        <NoticeProvider as={event.form.notices} ms={event.form.noticeMs}>
          <EventHeader event={event} />
          <Registration page={page.event} />
          <EventFooter support={event.support} />
        </NoticeProvider>
      </ThemeProvider>
    </CacheProvider>
  )
}

type Phase =
  | { readonly is: 'filling' }
  | { readonly is: 'submitting' }
  | { readonly is: 'leaving'; readonly data: PaymentData }
  | { readonly is: 'asked'; readonly was: Quote; readonly now: Quote }
  | { readonly is: 'registered'; readonly text: string }

function Registration({ page }: { readonly page: EventAnswer }) {
  const { event } = page
  const notice = useNotice()
  const wide = useWide()
  const [tariff, askTariff] = useTariff(event)
  const [phase, setPhase] = useState<Phase>({ is: 'filling' })
  const [problem, setProblem] = useState<string | null>(null)
  /** Counts failed submits, so that each of them takes the focus to the summary of errors. */
  const [attempts, setAttempts] = useState(0)
  const [begin] = useState(() => recall(event))
  const [recalled, setRecalled] = useState(begin !== null)
  const key = useRef(begin?.key ?? newKey())
  const form = useForm(
    page,
    begin?.data ?? startOf(event),
    useCallback(() => {
      key.current = newKey()
      setProblem(null)
      setRecalled(false)
    }, []),
  )
  const { data } = form
  useEffect(() => {
    if (data !== begin?.data && JSON.stringify(data) !== JSON.stringify(startOf(event)))
      keep(event, { data, key: key.current })
  }, [event, data, begin])
  const price = priceOf(event, tariff, form.answers)
  const quoted = price.is === 'price' ? price.quote : null

  const send = async (quote: Quote | null) => {
    if (phase.is === 'submitting' || phase.is === 'leaving') return
    setPhase({ is: 'submitting' })
    setProblem(null)
    const again = () => (key.current = newKey())
    const outcome = await register(event, form.answers, form.files, quote, {
      now: () => key.current,
      again,
    })
    // After a clear "no" the next try is another one; what was registered, or may have been, keeps its key.
    if (outcome.is !== 'registered' && !(outcome.is === 'refused' && outcome.unsure)) again()
    keep(event, { data: form.data, key: key.current })
    setPhase(next(outcome, quote))
  }
  const next = (outcome: Outcome, quote: Quote | null): Phase => {
    switch (outcome.is) {
      case 'registered':
        return registered(outcome.answer.reg_no, outcome.answer.payment_data)
      case 'invalid':
        form.setErrors(outcome.errors)
        setAttempts((times) => times + 1)
        notice(outcome.message, 'bad')
        if (!Object.keys(outcome.errors).some((id) => form.shown.has(id)))
          setProblem(outcome.message)
        return { is: 'filling' }
      case 'price_changed':
        askTariff()
        return quote === null ? { is: 'filling' } : { is: 'asked', was: quote, now: outcome.now }
      case 'closed':
        askTariff()
        notice(outcome.message, 'bad')
        setProblem(outcome.message)
        return { is: 'filling' }
      case 'refused':
        notice(outcome.message, 'bad')
        setProblem(outcome.message)
        return { is: 'filling' }
    }
  }
  const registered = (regNo: string, data: PaymentData | undefined): Phase => {
    if (data && event.payment) return { is: 'leaving', data }
    const say = (text: string) => fill(text, { reg_no: regNo }, '')
    const { notice: noticeText, alert } = event.form.withoutPayment
    if (noticeText !== null) notice(say(noticeText), 'good')
    startAfresh()
    return alert === null ? { is: 'filling' } : { is: 'registered', text: say(alert) }
  }
  const startAfresh = () => {
    form.reset()
    forget(event)
    key.current = newKey()
    setRecalled(false)
    setAttempts(0)
  }
  const submit = () => {
    if (!form.check()) setAttempts((times) => times + 1)
    else void send(quoted)
  }
  const backToForm = useCallback(() => setPhase({ is: 'filling' }), [])
  useReturnOfFocus(phase.is === 'filling')

  const busy = phase.is === 'submitting' || phase.is === 'leaving'
  const summary = {
    event,
    price,
    until: tariff.is === 'here' ? tariff.answer.until : null,
    busy,
    wrong: Object.keys(form.errors).length,
    problem,
    retry: askTariff,
  }
  const closedToday = tariff.is === 'here' && !tariff.answer.open
  return (
    <main id="main" className="wrap pg" aria-busy={busy}>
      {closedToday && (
        <div className="full">
          <ClosedBox event={event} text={tariff.answer.closed_text} />
        </div>
      )}
      <Stepper event={event} form={form} />
      <div className="col">
        {attempts > 0 && <ErrorSummary event={event} errors={form.errors} attempts={attempts} />}
        {recalled && (
          <p className="recalled">
            Your answers are as you left them.{' '}
            <button type="button" className="link" onClick={startAfresh}>
              Start afresh
            </button>
          </p>
        )}
        <fieldset className="bare" disabled={busy}>
          <FormBox {...form.formProps} tariff={tariff} submit={submit} />
        </fieldset>
        <PriceList event={event} tariff={tariff.is === 'here' ? tariff.answer : null} />
        <Panel event={event} />
      </div>
      {wide ? <SummaryColumn {...summary} /> : <SummaryBar {...summary} />}
      {phase.is === 'leaving' && event.payment && (
        <HandOff gateway={event.payment.gateway} data={phase.data} leftAgain={backToForm} />
      )}
      {phase.is === 'asked' && (
        <PriceChanged
          event={event}
          was={phase.was}
          now={phase.now}
          pay={() => void send(phase.now)}
          back={backToForm}
        />
      )}
      {phase.is === 'registered' && (
        <Dialog title={event.title} onClose={backToForm}>
          <p className="said">{phase.text}</p>
          <div className="acts">
            <button type="button" className="btn" onClick={backToForm}>
              OK
            </button>
          </div>
        </Dialog>
      )}
    </main>
  )
}

/** The pay button loses the focus while it is disabled, and with it the reader's place; it has it back when the form is open again. */
function useReturnOfFocus(open: boolean): void {
  const was = useRef(open)
  useEffect(() => {
    if (open && !was.current && document.activeElement === document.body)
      document
        .querySelector<HTMLElement>(`button[form="${formId}"]`)
        ?.focus({ preventScroll: true })
    was.current = open
  }, [open])
}

/** Steps as the event file names them. Where it does not hold them on one, the first unfinished section is the current one. */
export function Stepper({
  event,
  form,
}: {
  readonly event: PublicEvent
  readonly form: FormState
}) {
  const { stepper } = event.form
  if (stepper === null) return null
  const { steps, staysOn } = stepper
  const unfinished = form.progress.findIndex(
    (state, index) =>
      state !== 'complete' && event.sections[index]?.fields.some((id) => form.shown.has(id)),
  )
  const current =
    staysOn === undefined
      ? unfinished < 0
        ? steps.length - 1
        : Math.min(unfinished, steps.length - 1)
      : staysOn - 1
  return (
    <ol className="stp full" aria-label="Steps">
      {steps.map((step, index) => (
        <li
          key={step}
          {...(index === current ? { 'aria-current': 'step' as const } : {})}
          className={index < current ? 'past' : ''}
        >
          <span className="t">
            <span className="of">
              Step {index + 1} of {steps.length}:{' '}
            </span>
            {step}
          </span>
        </li>
      ))}
    </ol>
  )
}

/** Takes the focus after each failed submit; every line leads to its field. Shrinks as the answers are mended. */
export function ErrorSummary({
  event,
  errors,
  attempts,
}: {
  readonly event: PublicEvent
  readonly errors: FieldErrors
  readonly attempts: number
}) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.focus({ preventScroll: true })
    box.current?.scrollIntoView({ block: 'start', behavior: 'instant' })
  }, [attempts])
  const labels = new Map(event.fields.map((field) => [field.id, field.label]))
  const lines = Object.entries(errors)
  if (lines.length === 0) return null
  return (
    <div className="errs" ref={box} tabIndex={-1} role="group" aria-labelledby="errs-title">
      <h2 id="errs-title">
        <Icon name="bang" />
        There is a problem
      </h2>
      <ul>
        {lines.map(([id, text]) => (
          <li key={id}>
            <a
              href={`#root_${id}`}
              onClick={(click) => {
                click.preventDefault()
                goTo(id)
              }}
            >
              {needsLabel(text) ? `${labels.get(id)}: ${text}` : text}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** "Required" alone does not say what; a sentence does. */
const needsLabel = (text: string): boolean => text.split(' ').length < 4

function goTo(id: string): void {
  const control = document.getElementById(`root_${id}`)
  control?.focus({ preventScroll: true })
  const box = control?.closest('.f') ?? control
  box?.scrollIntoView({ block: 'center', behavior: 'instant' })
}

export function Panel({ event }: { readonly event: PublicEvent }) {
  const { panel } = event.form
  if (panel === null) return null
  return (
    <aside className="info" aria-label={panel.title ?? 'Information'}>
      {panel.title !== undefined && <h2>{panel.title}</h2>}
      <ul>
        {panel.lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </aside>
  )
}

/**
 * Today's fees of every category, where the form's own choices do not show them: the delegate does not
 * pick the category, or some are on the price list only.
 */
function PriceList({
  event,
  tariff,
}: {
  readonly event: PublicEvent
  readonly tariff: TariffAnswer | null
}) {
  if (
    event.fees.prices === null ||
    (event.categoryChoice.by === 'field' && !event.categories.some(({ listedOnly }) => listedOnly))
  )
    return null
  const rows = event.categories.map((category) => ({
    id: category.id,
    label: category.label,
    value: tariff === null ? '\u00a0' : (priceOfOption(event, tariff, category) ?? 'Not on sale'),
  }))
  return (
    <section className="info fees" aria-labelledby="fees">
      <h2 id="fees">Registration fees</h2>
      <PriceNote event={event} tariff={tariff} />
      <Ledger rows={rows} money />
    </section>
  )
}

type PriceChangedProps = {
  readonly event: PublicEvent
  readonly was: Quote
  readonly now: Quote
  readonly pay: () => void
  readonly back: () => void
}

/** Old and new price, and why; nothing is charged before the delegate says so. */
function PriceChanged({ event, was, now, pay, back }: PriceChangedProps) {
  const why =
    was.category !== now.category
      ? `Your answers now belong to the category ${labelOfCategory(event, now.category)}.`
      : was.period !== now.period
        ? 'A new price period began while you were filling in the form.'
        : 'The organisers changed the price while you were filling in the form.'
  const total = formatMoney(now.total)
  return (
    <Dialog title="The price has changed" onClose={back}>
      <p>{why} Nothing has been charged.</p>
      <Ledger rows={quoteRows(event, now, ['base', 'gst', 'total'], was)} money />
      <div className="acts">
        <button type="button" className="btn" onClick={pay}>
          {event.payment ? `Pay ${total}` : `Register for ${total}`}
        </button>
        <button type="button" className="btn line" onClick={back}>
          Back to the form
        </button>
      </div>
    </Dialog>
  )
}
