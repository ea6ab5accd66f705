/** One registration from the first answer to the gateway: which phase it is in, and what leads to the next. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { assertNever, fill, NO_FACTS } from '../../engine/index.ts'
import type { EventAnswer, Facts, PaymentData, Quote } from '../../engine/index.ts'
import type { Registered } from '../answers.ts'
import { newKey } from '../api.ts'
import { Dialog } from '../shared/dialog.tsx'
import { HandOff, useReturn } from '../shared/handoff.tsx'
import { forget, keep, recall, startOf } from '../shared/keep.ts'
import { useMessage } from '../shared/messages.tsx'
import { resultPageOf, SentBefore } from '../shared/sent.tsx'
import { Changed } from './changed.tsx'
import { ClosedBox } from './closed.tsx'
import { Marks } from './context.ts'
import { FormBox, FORM_ID, useForm } from './form.tsx'
import { useMarks } from './more.ts'
import type { More } from './more.ts'
import { Panel, PriceList } from './notes.tsx'
import { priceOf, useTariff } from './price.ts'
import { ErrorSummary } from './problems.tsx'
import { Stepper } from './steps.tsx'
import { register } from './submit.ts'
import type { Outcome } from './submit.ts'
import { SummaryBar, SummaryColumn, useWide } from './summary.tsx'

type Phase =
  | { readonly is: 'filling' }
  | { readonly is: 'submitting' }
  | { readonly is: 'leaving'; readonly data: PaymentData }
  | { readonly is: 'asked'; readonly was: Quote; readonly now: Quote }
  | { readonly is: 'registered'; readonly text: string }

/** The form, the live price, the hand-off to the gateway; what is sent, and what became of it. */
export function Registration({ page, more }: { readonly page: EventAnswer; readonly more: More }) {
  const { event } = page
  const say = useMessage()
  const wide = useWide()
  const [tariff, askTariff] = useTariff(page)
  const [phase, setPhase] = useState<Phase>({ is: 'filling' })
  const [problem, setProblem] = useState<string | null>(null)
  /** Counts failed submits, so that each of them takes the focus to the summary of errors. */
  const [attempts, setAttempts] = useState(0)
  const [begin] = useState(() => recall(event))
  const [recalled, setRecalled] = useState(begin !== null)
  /** The number of the registration that was sent from here and left to be paid. */
  const [sent, setSent] = useState(begin?.regNo ?? null)
  const key = useRef(begin?.key ?? newKey())
  const answer = tariff.is === 'here' ? tariff.answer : null
  const left = answer?.left
  const facts = useMemo<Facts>(() => (left ? { ...NO_FACTS, left } : NO_FACTS), [left])
  const form = useForm(
    page,
    begin?.data ?? startOf(event),
    facts,
    useCallback(() => {
      key.current = newKey()
      setProblem(null)
      setRecalled(false)
    }, []),
  )
  const { data } = form
  useEffect(() => {
    if (data !== begin?.data && JSON.stringify(data) !== JSON.stringify(startOf(event)))
      keep(event, { data, key: key.current, regNo: sent })
  }, [event, data, begin, sent])
  const price = priceOf(event, tariff, form.answers, more.pricing)
  const marks = useMarks(event, answer, form.answers, more)
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
    const regNo = outcome.is === 'registered' ? outcome.answer.reg_no : sent
    keep(event, { data: form.data, key: key.current, regNo })
    setSent(regNo)
    setPhase(next(outcome, quote))
  }
  const next = (outcome: Outcome, quote: Quote | null): Phase => {
    switch (outcome.is) {
      case 'registered':
        return registered(outcome.answer, quote)
      case 'invalid':
        form.setErrors(outcome.errors)
        setAttempts((times) => times + 1)
        say(outcome.message, 'bad')
        if (!Object.keys(outcome.errors).some((id) => form.shown.has(id)))
          setProblem(outcome.message)
        return { is: 'filling' }
      case 'changed':
        askTariff()
        return quote === null ? { is: 'filling' } : { is: 'asked', was: quote, now: outcome.now }
      case 'closed':
        askTariff()
        say(outcome.message, 'bad')
        setProblem(outcome.message)
        return { is: 'filling' }
      case 'refused':
        say(outcome.message, 'bad')
        setProblem(outcome.message)
        return { is: 'filling' }
      default:
        return assertNever(outcome)
    }
  }
  const registered = (answer: Registered, quote: Quote | null): Phase => {
    const { reg_no: regNo, payment_data: data, stands } = answer
    if (data && event.payment) return { is: 'leaving', data }
    const costNothing = stands === 'complete' && (quote?.total ?? 0) === 0
    if (stands !== undefined && event.payment && !costNothing) {
      // It was sent before, and stands otherwise than to be paid: its own page says how.
      location.assign(resultPageOf(event, regNo))
      return { is: 'submitting' }
    }
    const filled = (text: string) => fill(text, { reg_no: regNo }, '')
    const { notice: message, alert } = event.form.withoutPayment
    if (message !== null) say(filled(message), 'good')
    startAfresh()
    return alert === null ? { is: 'filling' } : { is: 'registered', text: filled(alert) }
  }
  const startAfresh = () => {
    form.reset()
    forget(event)
    key.current = newKey()
    setRecalled(false)
    setSent(null)
    setAttempts(0)
  }
  const submit = () => {
    if (!form.check()) setAttempts((times) => times + 1)
    else void send(quoted)
  }
  const backToForm = useCallback(() => setPhase({ is: 'filling' }), [])
  useReturn(
    useCallback(() => {
      setPhase({ is: 'filling' })
      setRecalled(true)
    }, []),
  )
  useReturnOfFocus(phase.is === 'filling')

  const busy = phase.is === 'submitting' || phase.is === 'leaving'
  const summary = {
    event,
    price,
    more,
    until: answer?.until ?? null,
    busy,
    wrong: Object.keys(form.errors).length,
    problem,
    retry: askTariff,
  }
  return (
    <main id="main" className="wrap pg" aria-busy={busy}>
      {answer?.open === false && (
        <div className="full">
          <ClosedBox event={event} text={answer.closed_text} />
        </div>
      )}
      <Stepper event={event} form={form} />
      <div className="col">
        {attempts > 0 && <ErrorSummary event={event} errors={form.errors} attempts={attempts} />}
        {sent !== null && !busy && <SentBefore event={event} regNo={sent} edited={!recalled} />}
        {recalled && (
          <p className="recalled">
            Your answers are as you left them.{' '}
            <button type="button" className="link" onClick={startAfresh}>
              Start afresh
            </button>
          </p>
        )}
        <fieldset className="bare" disabled={busy}>
          <Marks value={marks}>
            <FormBox {...form.formProps} tariff={tariff} more={more} submit={submit} />
          </Marks>
        </fieldset>
        <PriceList event={event} tariff={answer} />
        <Panel event={event} />
      </div>
      {wide ? <SummaryColumn {...summary} /> : <SummaryBar {...summary} />}
      {phase.is === 'leaving' && event.payment && (
        <HandOff gateway={event.payment.gateway} data={phase.data} leftAgain={backToForm} />
      )}
      {phase.is === 'asked' && (
        <Changed
          event={event}
          rows={more.rows}
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
        .querySelector<HTMLElement>(`button[form="${FORM_ID}"]`)
        ?.focus({ preventScroll: true })
    was.current = open
  }, [open])
}
