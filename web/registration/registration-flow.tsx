/** The flow of one registration, from the first answer to the gateway. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { assertNever, findContradiction, fillPlaceholders } from '../../engine/index.ts'
import { CONNECTION_ERROR_MESSAGES, FORM_MESSAGES } from '../../engine/messages.ts'
import type { Quote, RawAnswers } from '../../engine/index.ts'
import type { PaymentData, TariffAnswer } from '../../engine/api.ts'
import type { Registered } from '../app/api-responses.ts'
import { newKey, type ApiError } from '../app/api-client.ts'
import { HandOff, useReturn } from '../ui/payment/gateway-redirect.tsx'
import { completedBefore, forget, isBegun, keep, markOf, recall, startOf } from './draft-storage.ts'
import type { Completed, Kept } from './draft-storage.ts'
import { isOffline } from '../ui/layout/offline-notice.ts'
import { useMessage } from '../ui/toast.tsx'
import {
  AnswersKept,
  RegisteredBefore,
  resultPageOf,
  SentBefore,
} from './previous-submission-notice.tsx'
import { Changed, RegisteredSaid } from './price-changed-dialog.tsx'
import { ClosedBox, TookPlace } from './closed-page.tsx'
import { Marks, OnPage } from './form/form-context.ts'
import { FormBox, useForm } from './form/registration-form.tsx'
import { ONE_PAGE, useMarks } from './form/form-extensions.ts'
import type { PendingConfirmation, More, Outside } from './form/form-extensions.ts'
import { Fees, Panel, Until } from './price/fees-and-notes.tsx'
import { priceOf, useTariff, type EventPage, type Tariff } from './price/live-price.ts'
import { openProofs, underway, useUnderway } from './uploads/upload-progress.ts'
import { Held } from './uploads/waiting-for-upload.tsx'
import { ErrorSummary } from './form/error-summary.tsx'
import { Stepper } from './form/progress-steps.tsx'
import { register, type SubmitResult } from './submit-registration.ts'
import { NotesBelow, Summary } from './price/price-summary-and-pay-button.tsx'
import { useTakeOver } from './hydration/hydrate-form.ts'
import { onwardByEnter, useReturnOfFocus } from './fields/keyboard-and-autofill.ts'

type Phase =
  | { readonly is: 'filling' }
  /** `again`: the request timed out and is being sent again. */
  | { readonly is: 'submitting'; readonly again?: boolean }
  | { readonly is: 'leaving'; readonly data: PaymentData }
  | { readonly is: 'asked'; readonly was: Quote; readonly now: Quote }
  | { readonly is: 'asked-again'; readonly asked: PendingConfirmation; readonly was: Quote | null }
  | { readonly is: 'registered'; readonly text: string }

/** The form with its pricing context: today's prices and seats, discount code, member lists. */
export function Registration({ page, more }: { readonly page: EventPage; readonly more: More }) {
  const { event } = page.event
  const prices = useTariff(page)
  // The server renders a form without answers; kept answers are restored on hydration.
  const [begin, setBegin] = useState(() => (page.drawn ? null : recall(event)))
  return (
    <more.Beside event={event} tariff={answerOf(prices[0])} begin={begin?.code ?? null}>
      {(outside) => (
        <Filling
          page={page}
          more={more}
          prices={prices}
          begin={begin}
          setBegin={setBegin}
          outside={outside}
        />
      )}
    </more.Beside>
  )
}

const answerOf = (tariff: Tariff): TariffAnswer | null =>
  tariff.is === 'here' ? tariff.answer : null

type FillingProps = {
  readonly page: EventPage
  readonly more: More
  readonly prices: ReturnType<typeof useTariff>
  readonly begin: Kept | null
  readonly setBegin: (kept: Kept) => void
  readonly outside: Outside
}

/** The form, the live price, the submit with its result, and the redirect to the gateway. */
function Filling({
  page,
  more,
  prices: [tariff, askTariff],
  begin,
  setBegin,
  outside,
}: FillingProps) {
  const { event } = page.event
  const say = useMessage()
  const [phase, setPhase] = useState<Phase>({ is: 'filling' })
  const [problem, setProblem] = useState<string | null>(null)
  /** The form is submitted as soon as the pending upload has ended. */
  const [holds, setHolds] = useState(false)
  /** Counts failed submits, so that each one moves the focus to the error summary. */
  const [attempts, setAttempts] = useState(0)
  const [recalled, setRecalled] = useState(begin !== null)
  /** The answers that were cleared last, until something else is typed. */
  const [cleared, setCleared] = useState<RawAnswers | null>(null)
  /** Number of the registration that was sent from this tab and not paid yet. */
  const [sent, setSent] = useState(begin?.regNo ?? null)
  const key = useRef(begin?.key ?? newKey())
  const answer = answerOf(tariff)
  const [proofs] = useState(() => openProofs(event, page.event.now))
  const edited = useCallback(() => {
    key.current = newKey()
    setProblem(null)
    setRecalled(false)
    setCleared(null)
    // A rejected upload is reported where the delegate waits for it; it is not cancelled as by an
    // edit.
    setHolds((held) => held && underway(proofs.all()) === null)
  }, [proofs])
  const { code, facts, left } = outside
  const codeOfKey = useRef(code)
  useEffect(() => {
    // A different discount code makes a different registration, like an edit.
    if (code !== codeOfKey.current) edited()
    codeOfKey.current = code
  }, [code, edited])
  const form = useForm(page.event, begin?.data ?? startOf(event), outside, proofs, edited)
  const { data } = form
  useEffect(() => {
    if (data !== begin?.data && isBegun(event, data))
      keep(event, { data, key: key.current, regNo: sent, code })
  }, [event, data, begin, sent, code])
  useTakeOver(page, form, (kept, changed) => {
    if (changed) edited()
    if (kept === null) return
    setBegin(kept)
    setSent(kept.regNo)
    setRecalled(!changed)
    if (!changed) key.current = kept.key
  })
  useEffect(() => {
    // Look kept answers up again, because their fields never lose focus.
    for (const [id, value] of Object.entries(begin?.data ?? {})) left(id, value)
  }, [begin, left])
  /** Shows an error as a toast, and with the payment notes for as long as it applies. */
  const told = useCallback(
    (text: string) => {
      say(text, 'bad')
      setProblem(text)
    },
    [say],
  )
  const price = priceOf(event, tariff, form.answers, more.pricing)
  const marks = useMarks(event, answer, form.answers, outside.said, more)
  const quoted = price.is === 'price' ? price.quote : null

  /** `confirmed`: the delegate registers again although a registration exists already. */
  const send = async (quote: Quote | null, confirmed = false) => {
    if (phase.is === 'submitting' || phase.is === 'leaving') return
    setPhase({ is: 'submitting' })
    setProblem(null)
    const again = () => (key.current = newKey())
    const beside = {
      ...(code !== null && { code }),
      ...(confirmed && { confirmed }),
      // The bill showed this category, possibly one that was offered because the other was full.
      ...(quote !== null && quote.lines.length > 0 && { registration_category: quote.category }),
    }
    const keys = { now: () => key.current, again }
    const outcome = await register(event, form, quote, beside, keys, () =>
      setPhase({ is: 'submitting', again: true }),
    )
    // After a definite refusal, the next attempt needs a new key. What was registered, or may have
    // been, keeps its key.
    if (outcome.is !== 'registered' && !(outcome.is === 'refused' && outcome.unsure)) again()
    const regNo = outcome.is === 'registered' ? outcome.answer.reg_no : sent
    keep(event, { data: form.data, key: key.current, regNo, code })
    setSent(regNo)
    setPhase(next(outcome, quote))
  }
  const next = (outcome: SubmitResult, quote: Quote | null): Phase => {
    switch (outcome.is) {
      case 'registered':
        return registered(outcome.answer, quote)
      case 'invalid':
        // The server's error about an uploaded document does not apply to its replacement.
        for (const id of Object.keys(outcome.errors)) if (proofs.all().has(id)) proofs.remove(id)
        form.setErrors(outcome.errors)
        // The server has newer data than the earlier lookups: seats left, member list entries.
        Object.keys(outcome.errors).forEach(outside.changed)
        askTariff()
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
        told(outcome.message)
        return { is: 'filling' }
      case 'refused':
        return refused(outcome.error, quote)
      default:
        return assertNever(outcome)
    }
  }
  const refused = (error: ApiError, was: Quote | null): Phase => {
    const asked = more.askedBy(error)
    // Seats left and the effect of the discount code may have changed.
    if (error.code === 'full') askTariff()
    if (asked !== null) return { is: 'asked-again', asked, was }
    if (error.code.startsWith('code_')) outside.codeRefused(error.message)
    // The offline notice already reports a lost connection.
    if (!isOffline()) say(error.message, 'bad')
    setProblem(error.code === 'network' ? CONNECTION_ERROR_MESSAGES.notSent : error.message)
    return { is: 'filling' }
  }
  const registered = (answer: Registered, quote: Quote | null): Phase => {
    const { reg_no: regNo, payment_data: data, stands, page } = answer
    if (data && event.payment) return { is: 'leaving', data }
    const isDue = stands && (event.payment ?? stands === 'to-approve')
    if (page || (isDue && !(stands === 'complete' && !quote?.total))) {
      // Paid elsewhere, or sent before and not payable now: the registration's own page explains
      // how.
      location.assign(page ?? resultPageOf(event, regNo))
      return { is: 'submitting' }
    }
    const filled = (text: string) => fillPlaceholders(text, { reg_no: regNo }, '')
    const { notice: message, alert } = event.form.withoutPayment
    if (message !== null) say(filled(message), 'good')
    startAfresh()
    return alert === null ? { is: 'filling' } : { is: 'registered', text: filled(alert) }
  }
  const startAfresh = () => {
    form.reset()
    outside.reset()
    forget(event)
    key.current = newKey()
    setRecalled(false)
    setSent(null)
    setAttempts(0)
  }
  const clear = () => {
    startAfresh()
    setCleared(data)
  }
  const undo = () => {
    const files = new Set(event.fields.flatMap(({ id, type }) => (type === 'file' ? [id] : [])))
    // The server has deleted the documents; showing their names would be misleading.
    form.layIn(Object.fromEntries(Object.entries(cleared ?? {}).filter(([id]) => !files.has(id))))
    setCleared(null)
    setRecalled(true)
  }
  const isUnderway = useUnderway(proofs, form.shown)
  const waitsFor = useRef<readonly string[]>([])
  const submit = () => {
    if (form.check() !== null) setAttempts((times) => times + 1)
    else if (isUnderway) {
      waitsFor.current = [...proofs.all().keys()]
      setHolds(true)
    } else void send(quoted)
  }
  const submitting = useRef(submit)
  submitting.current = submit
  useEffect(() => {
    if (!holds || isUnderway) return
    setHolds(false)
    // If an upload was lost, nothing is sent without it.
    if (waitsFor.current.every((id) => proofs.all().has(id))) submitting.current()
    else if (form.check() !== null) setAttempts((times) => times + 1)
    else told(FORM_MESSAGES.fileNotAccepted)
  }, [holds, isUnderway, proofs, form, told])
  /** Runs when all lookups of this page have ended. */
  const onward = useRef(submit)
  const [waits, setWaits] = useState(false)
  const goOn = () => {
    const asked = event.fields.filter(({ id }) => form.shown.has(id) && left(id, data[id]))
    if (asked.length > 0) setWaits(true)
    else onward.current()
  }
  useEffect(() => {
    if (!waits || outside.isAsking) return
    setWaits(false)
    onward.current()
  }, [waits, outside.isAsking])
  const backToForm = useCallback(() => setPhase({ is: 'filling' }), [])
  useReturn(
    useCallback(() => {
      setPhase({ is: 'filling' })
      setRecalled(true)
    }, []),
  )
  useReturnOfFocus(phase.is === 'filling')

  const [completed, setCompleted] = useState<Completed | null>(null)
  useEffect(() => setCompleted(completedBefore(event)), [event])
  const isSame =
    completed !== null &&
    event.roles.email !== undefined &&
    markOf(form.answers[event.roles.email]) === completed.mark

  const busy = phase.is === 'submitting' || phase.is === 'leaving'
  const summary = {
    event,
    price,
    more,
    notes: [
      ...(isSame ? [FORM_MESSAGES.summary.emailUsed] : []),
      ...more.notesOf(event, form.answers, facts.left),
    ],
    send: more.sendOf(event, form.answers),
    odd: findContradiction(event, form.answers, quoted?.category ?? null),
    held: holds ? <Held proofs={proofs} shown={form.shown} /> : null,
    mailTo: form.answers[event.roles.email ?? ''],
    until: quoted && answer && (
      <Until event={event} answers={form.answers} quote={quoted} now={answer.now} />
    ),
    busy,
    waits: phase.is === 'submitting' && phase.again === true,
    wrong: Object.keys(form.errors).length,
    problem,
    retry: askTariff,
  }
  return (
    <more.Paged event={event} form={form} price={price} attempts={attempts}>
      {(paging) => {
        onward.current = paging.isLast ? submit : paging.next
        return (
          <main id="main" className="wrap pg" aria-busy={busy}>
            <TookPlace event={event} now={page.event.now} />
            {answer?.open === false && (
              <div className="full">
                <ClosedBox event={event} text={answer.closed_text} />
              </div>
            )}
            {paging.steps ?? <Stepper event={event} form={form} />}
            <div className="col">
              {attempts > 0 && paging === ONE_PAGE && (
                <ErrorSummary event={event} errors={form.errors} attempts={attempts} />
              )}
              {sent !== null && !busy && (
                <SentBefore event={event} regNo={sent} edited={!recalled} />
              )}
              {completed !== null && <RegisteredBefore completed={completed} isSame={isSame} />}
              {(recalled || cleared !== null) && (
                <AnswersKept cleared={cleared !== null} act={cleared === null ? clear : undo} />
              )}
              <fieldset className="bare" disabled={busy} onKeyDown={onwardByEnter}>
                <OnPage value={paging.section}>
                  <Marks value={marks}>
                    <FormBox {...form.formProps} tariff={tariff} more={more} submit={goOn} />
                  </Marks>
                </OnPage>
              </fieldset>
              {paging.below}
              <NotesBelow {...summary} isLast={paging.isLast} />
              {(paging.isFirst || paging.isLast) && outside.box}
              {paging.isFirst && (
                <>
                  <Fees event={event} tariff={answer} quote={quoted} />
                  <Panel event={event} />
                </>
              )}
            </div>
            <Summary {...summary} isLast={paging.isLast} />
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
            {phase.is === 'asked-again' && (
              <more.AskedAgain
                event={event}
                asked={phase.asked}
                was={phase.was}
                yes={() => void send(phase.asked.now ?? phase.was, phase.asked.now === null)}
                back={backToForm}
              />
            )}
            {phase.is === 'registered' && (
              <RegisteredSaid event={event} text={phase.text} onClose={backToForm} />
            )}
          </main>
        )
      }}
    </more.Paged>
  )
}
