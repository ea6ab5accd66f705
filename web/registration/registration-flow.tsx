/** The flow of one registration, from the first answer to the gateway. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { assertNever, findContradiction, fillPlaceholders } from '../../engine/index.ts'
import { CONNECTION_ERROR_MESSAGES, FORM_MESSAGES, UPLOAD_MESSAGES } from '../../engine/messages.ts'
import type { Field, Quote, RawAnswers } from '../../engine/index.ts'
import type { RegisterResult } from '../app/api-responses.ts'
import { createIdempotencyKey, type ApiError } from '../app/api-client.ts'
import { GatewayRedirect, useReturnFromGateway } from '../ui/payment/gateway-redirect.tsx'
import * as drafts from './draft-storage.ts'
import type { CompletedRegistration, Draft } from './draft-storage.ts'
import { isOffline } from '../ui/layout/offline-notice.ts'
import { useShowToast } from '../ui/toast.tsx'
import * as notices from './previous-submission-notice.tsx'
import type { SubmitPhase, ConfirmedSubmission, SubmitDialog } from './submit-dialogs.tsx'
import { ClosedNotice, PastEventNote } from './closed-page.tsx'
import { OptionStatuses, CurrentSection } from './form/form-context.ts'
import { FormBox, useForm } from './form/registration-form.tsx'
import { ONE_PAGE, useOptionStatuses } from './form/form-extensions.ts'
import type { FormExtensions, FormPricingContext } from './form/form-extensions.ts'
import { Fees, OrganiserNotes, PriceValidity } from './price/fees-and-notes.tsx'
import { calculatePrice, useTariff, type FormPageData, type Tariff } from './price/live-price.ts'
import { createUploads, findPendingUpload, usePendingUpload } from './uploads/upload-progress.ts'
import { UploadInProgressNotice } from './uploads/waiting-for-upload.tsx'
import { ErrorSummary } from './form/error-summary.tsx'
import { ProgressSteps } from './form/progress-steps.tsx'
import { identifyBrowser, register, type SubmitResult } from './submit-registration.ts'
import { NotesBelowForm, PriceSummary } from './price/price-summary-and-pay-button.tsx'
import { useHydratedAnswers } from './hydration/hydrate-form.ts'
import { focusNextOnEnter, useRestoredFocus } from './fields/keyboard-and-autofill.ts'

/** Loaded while the answers are sent, because few submissions need a dialog. */
const loadDialog = (): Promise<typeof SubmitDialog> =>
  import('./submit-dialogs.tsx').then((all) => all.SubmitDialog)
const PHASES_WITH_DIALOG: ReadonlySet<SubmitPhase['is']> = new Set([
  'price-changed',
  'offer',
  'same-person',
  'registered',
])

/** Shows the form with its pricing context: today's prices and seats, discount code, member lists. */
export function Registration({ page, extensions }: Pick<FormFlowProps, 'page' | 'extensions'>) {
  const { event } = page.event
  const prices = useTariff(page)
  // The server renders a form without answers. Hydration restores the draft.
  const [draft, setDraft] = useState(() => (page.drawn ? null : drafts.loadDraft(event)))
  return (
    <extensions.PricingContextProvider
      event={event}
      tariff={getLoadedTariff(prices[0])}
      initialCode={draft?.code ?? null}
    >
      {(context) => <FormFlow {...{ page, extensions, prices, draft, setDraft, context }} />}
    </extensions.PricingContextProvider>
  )
}

const getLoadedTariff = (tariff: Tariff) => (tariff.is === 'loaded' ? tariff.response : null)

type FormFlowProps = {
  readonly page: FormPageData
  readonly extensions: FormExtensions
  readonly prices: ReturnType<typeof useTariff>
  readonly draft: Draft | null
  readonly setDraft: (draft: Draft) => void
  readonly context: FormPricingContext
}

/** Shows the form and the live price, submits the answers, and redirects to the gateway. */
function FormFlow({
  page,
  extensions,
  prices: [tariff, reloadTariff],
  draft,
  setDraft,
  context,
}: FormFlowProps) {
  const { event } = page.event
  const showToast = useShowToast()
  const [phase, setPhase] = useState<SubmitPhase>({ is: 'filling' })
  const [Dialog, setDialog] = useState<typeof SubmitDialog | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  /** The form is submitted as soon as the pending upload has ended. */
  const [isWaitingForUpload, setWaitingForUpload] = useState(false)
  /** Counts failed submissions, so that each one moves the focus to the error summary. */
  const [attempts, setAttempts] = useState(0)
  const [isDraftRestored, setDraftRestored] = useState(draft !== null)
  /** The most recently cleared answers, until the delegate types. */
  const [clearedAnswers, setClearedAnswers] = useState<RawAnswers | null>(null)
  /** Number of the unpaid registration that was sent from this tab. */
  const [submittedRegNo, setSubmittedRegNo] = useState(draft?.regNo ?? null)
  const key = useRef(draft?.key ?? createIdempotencyKey())
  const prices = getLoadedTariff(tariff)
  const [uploads] = useState(() => createUploads(event, page.event.now))
  const onEdit = useCallback(() => {
    identifyBrowser(event)
    key.current = createIdempotencyKey()
    setProblem(null)
    setDraftRestored(false)
    setClearedAnswers(null)
    // A rejected upload is reported, but unlike an edit, it does not cancel the submission.
    setWaitingForUpload((isWaiting) => isWaiting && findPendingUpload(uploads.all()) === null)
  }, [event, uploads])
  const { code, context: pricingContext, startLookup } = context
  const codeAtLastEdit = useRef(code)
  useEffect(() => {
    // A different discount code creates a different registration, like an edit.
    if (code !== codeAtLastEdit.current) onEdit()
    codeAtLastEdit.current = code
  }, [code, onEdit])
  const form = useForm(
    page.event,
    draft?.data ?? drafts.buildInitialAnswers(event),
    context,
    uploads,
    onEdit,
  )
  const { data } = form
  useEffect(() => {
    if (data !== draft?.data && drafts.hasAnswers(event, data))
      drafts.saveDraft(event, { data, key: key.current, regNo: submittedRegNo, code })
  }, [event, data, draft, submittedRegNo, code])
  useHydratedAnswers(page, form, (draft, isChanged) => {
    if (isChanged) onEdit()
    if (draft === null) return
    setDraft(draft)
    setSubmittedRegNo(draft.regNo)
    setDraftRestored(!isChanged)
    if (!isChanged) key.current = draft.key
  })
  useEffect(() => {
    // Look up the answers restored from the draft, because their fields have not lost focus.
    for (const [id, value] of Object.entries(draft?.data ?? {})) startLookup(id, value)
  }, [draft, startLookup])
  /** Shows an error as a toast, and in the payment notes while it applies. */
  const showError = useCallback(
    (text: string) => {
      showToast(text, 'bad')
      setProblem(text)
    },
    [showToast],
  )
  const price = calculatePrice(event, tariff, form.answers, extensions.pricing)
  const statuses = useOptionStatuses(event, prices, form.answers, context.memberEntries, extensions)
  const currentQuote = price.is === 'price' ? price.quote : null

  const send = async (submission: ConfirmedSubmission) => {
    const { quote, confirmed = false, previousRegNo = null } = submission
    if (phase.is === 'submitting' || phase.is === 'leaving') return
    setPhase({ is: 'submitting' })
    setProblem(null)
    const dialog = loadDialog().catch(() => null)
    const renewKey = () => (key.current = createIdempotencyKey())
    const extraParameters = {
      ...(code !== null && { code }),
      ...(confirmed && { confirmed }),
      // The bill showed this category, which may have been offered because the requested one was full.
      ...(quote !== null && quote.lines.length > 0 && { registration_category: quote.category }),
    }
    const keys = { getCurrent: () => key.current, renew: renewKey, previousRegNo }
    const result = await register(event, form, quote, extraParameters, keys, () =>
      setPhase({ is: 'submitting', isRetry: true }),
    )
    // After a definite rejection, the next attempt needs a new key.
    if (result.is !== 'registered' && !(result.is === 'refused' && result.isUncertain)) renewKey()
    const regNo = result.is === 'registered' ? result.response.reg_no : submittedRegNo
    drafts.saveDraft(event, { data: form.data, key: key.current, regNo, code })
    setSubmittedRegNo(regNo)
    const nextPhase: SubmitPhase =
      result.is === 'same-person'
        ? { is: result.is, regNo: result.regNo, message: result.message, submission }
        : handleResult(result, quote)
    if (!PHASES_WITH_DIALOG.has(nextPhase.is)) return setPhase(nextPhase)
    const loadedDialog = await dialog
    setDialog(() => loadedDialog)
    if (loadedDialog !== null) return setPhase(nextPhase)
    if (nextPhase.is === 'registered') showToast(nextPhase.text, 'good')
    else showError(CONNECTION_ERROR_MESSAGES.notSent)
    setPhase({ is: 'filling' })
  }
  const handleResult = (
    submitResult: Exclude<SubmitResult, { is: 'same-person' }>,
    quote: Quote | null,
  ): SubmitPhase => {
    switch (submitResult.is) {
      case 'registered':
        return handleRegistered(submitResult.response, quote)
      case 'invalid':
        // The server's error about an uploaded document does not apply to its replacement.
        for (const id of Object.keys(submitResult.errors))
          if (uploads.all().has(id)) uploads.remove(id)
        form.setErrors(submitResult.errors)
        // The server has newer data than the earlier lookups: seats left, member list entries.
        Object.keys(submitResult.errors).forEach(context.onAnswerChange)
        reloadTariff()
        setAttempts((count) => count + 1)
        showToast(submitResult.message, 'bad')
        if (!Object.keys(submitResult.errors).some((id) => form.shownFields.has(id)))
          setProblem(submitResult.message)
        return { is: 'filling' }
      case 'changed':
        reloadTariff()
        return quote === null
          ? { is: 'filling' }
          : { is: 'price-changed', oldQuote: quote, newQuote: submitResult.currentQuote }
      case 'closed':
        reloadTariff()
        showError(submitResult.message)
        return { is: 'filling' }
      case 'refused':
        return handleRejection(submitResult.error, quote)
      default:
        return assertNever(submitResult)
    }
  }
  const handleRejection = (error: ApiError, oldQuote: Quote | null): SubmitPhase => {
    const offer = extensions.readAlternative(error)
    // Seats left and the effect of the discount code may have changed.
    if (error.code === 'full') reloadTariff()
    if (offer !== null) return { is: 'offer', offer, oldQuote }
    if (error.code.startsWith('code_')) context.showCodeError(error.message)
    // The offline notice already reports a lost connection.
    if (!isOffline()) showToast(error.message, 'bad')
    setProblem(error.code === 'network' ? CONNECTION_ERROR_MESSAGES.notSent : error.message)
    return { is: 'filling' }
  }
  const handleRegistered = (response: RegisterResult, quote: Quote | null): SubmitPhase => {
    const { reg_no: regNo, payment_data: data, stands: paymentState, page } = response
    if (data && event.payment) return { is: 'leaving', data }
    const isDue = paymentState && (event.payment ?? paymentState === 'to-approve')
    if (page || (isDue && !(paymentState === 'complete' && !quote?.total))) {
      // Paid elsewhere, or sent before and not payable now: the result page gives the details.
      location.assign(page ?? notices.buildResultPageUrl(event, regNo))
      return { is: 'submitting' }
    }
    const fillRegNo = (text: string) => fillPlaceholders(text, { reg_no: regNo }, '')
    const { notice: message, alert } = event.form.withoutPayment
    if (message !== null) showToast(fillRegNo(message), 'good')
    resetForm()
    return alert === null ? { is: 'filling' } : { is: 'registered', text: fillRegNo(alert) }
  }
  const resetForm = () => {
    form.reset()
    context.reset()
    drafts.deleteDraft(event)
    key.current = createIdempotencyKey()
    setDraftRestored(false)
    setSubmittedRegNo(null)
    setAttempts(0)
  }
  const clearForm = () => {
    resetForm()
    setClearedAnswers(data)
  }
  const undoClear = () => {
    const fileIds = new Set(event.fields.flatMap(({ id, type }) => (type === 'file' ? [id] : [])))
    // The server has deleted the documents; showing their names would be misleading.
    form.replaceAnswers(
      Object.fromEntries(Object.entries(clearedAnswers ?? {}).filter(([id]) => !fileIds.has(id))),
    )
    setClearedAnswers(null)
    setDraftRestored(true)
  }
  const isUploading = usePendingUpload(uploads, form.shownFields)
  const pendingUploads = useRef<readonly string[]>([])
  const submit = () => {
    if (form.validateAnswers() !== null) setAttempts((count) => count + 1)
    else if (isUploading) {
      pendingUploads.current = [...uploads.all().keys()]
      setWaitingForUpload(true)
    } else void send({ quote: currentQuote })
  }
  const submitRef = useRef(submit)
  submitRef.current = submit
  useEffect(() => {
    if (!isWaitingForUpload || isUploading) return
    setWaitingForUpload(false)
    // If an upload failed, the form is not sent without the document.
    if (pendingUploads.current.every((id) => uploads.all().has(id))) submitRef.current()
    else if (form.validateAnswers() !== null) setAttempts((count) => count + 1)
    else showError(UPLOAD_MESSAGES.notAccepted)
  }, [isWaitingForUpload, isUploading, uploads, form, showError])
  /** Runs when all lookups of this page have ended. */
  const continueRef = useRef(submit)
  const [isWaitingForLookups, setWaitingForLookups] = useState(false)
  const openNext = () => {
    const isPending = ({ id }: Field) => form.shownFields.has(id) && startLookup(id, data[id])
    if (event.fields.filter(isPending).length > 0) setWaitingForLookups(true)
    else continueRef.current()
  }
  useEffect(() => {
    if (!isWaitingForLookups || context.isLookingUp) return
    setWaitingForLookups(false)
    continueRef.current()
  }, [isWaitingForLookups, context.isLookingUp])
  const backToForm = useCallback(() => setPhase({ is: 'filling' }), [])
  useReturnFromGateway(
    useCallback(() => {
      setPhase({ is: 'filling' })
      setDraftRestored(true)
    }, []),
  )
  useRestoredFocus(phase.is === 'filling')
  const [completed, setCompleted] = useState<CompletedRegistration | null>(null)
  useEffect(() => setCompleted(drafts.loadCompletedRegistration(event)), [event])
  const sameEmail = completed && drafts.compareEmail(event, form.answers, completed)

  const isBusy = phase.is === 'submitting' || phase.is === 'leaving'
  const summary = {
    event,
    price,
    extensions,
    notes: [
      ...(sameEmail ? [FORM_MESSAGES.summary[sameEmail]] : []),
      ...extensions.priceNotes(event, form.answers, pricingContext.left, currentQuote, prices?.now),
    ],
    submitLabel: extensions.submitLabel(event, form.answers),
    contradiction: findContradiction(event, form.answers, currentQuote?.category ?? null),
    uploadNotice: isWaitingForUpload && (
      <UploadInProgressNotice {...{ uploads }} shownFields={form.shownFields} />
    ),
    confirmationAddress: form.answers[event.roles.email ?? ''],
    priceChangeNote: currentQuote && prices && (
      <PriceValidity event={event} answers={form.answers} quote={currentQuote} now={prices.now} />
    ),
    isBusy,
    isRetrying: phase.is === 'submitting' && phase.isRetry === true,
    errorCount: Object.keys(form.errors).length,
    problem,
    reloadPrices: reloadTariff,
  }
  return (
    <extensions.Paged event={event} form={form} price={price} attempts={attempts}>
      {(paging) => {
        continueRef.current = paging.isLast ? submit : paging.openNextPage
        return (
          <main id="main" className="wrap pg" aria-busy={isBusy}>
            <PastEventNote event={event} now={page.event.now} />
            {prices?.open === false && (
              <div className="full">
                <ClosedNotice event={event} text={prices.closed_text} />
              </div>
            )}
            {paging.steps ?? <ProgressSteps event={event} form={form} />}
            <div className="col">
              {attempts > 0 && paging === ONE_PAGE && (
                <ErrorSummary event={event} errors={form.errors} attempts={attempts} />
              )}
              {submittedRegNo !== null && !isBusy && (
                <notices.SubmittedNotice
                  event={event}
                  regNo={submittedRegNo}
                  isEdited={!isDraftRestored}
                />
              )}
              {completed && <notices.AlreadyRegisteredNotice {...{ completed, sameEmail }} />}
              {(isDraftRestored || clearedAnswers !== null) && (
                <notices.RestoredAnswersNotice
                  isCleared={clearedAnswers !== null}
                  onUndo={clearedAnswers === null ? clearForm : undoClear}
                />
              )}
              <fieldset className="bare" disabled={isBusy} onKeyDown={focusNextOnEnter}>
                <CurrentSection value={paging.section}>
                  <OptionStatuses value={statuses}>
                    <FormBox {...form.formProps} {...{ tariff, extensions }} onSubmit={openNext} />
                  </OptionStatuses>
                </CurrentSection>
              </fieldset>
              {paging.contentBelow}
              <NotesBelowForm {...summary} isLast={paging.isLast} />
              {(paging.isFirst || paging.isLast) && context.codeField}
              {paging.isFirst && (
                <>
                  <Fees event={event} tariff={prices} quote={currentQuote} answers={form.answers} />
                  <OrganiserNotes event={event} />
                </>
              )}
            </div>
            <PriceSummary {...summary} isLast={paging.isLast} />
            {phase.is === 'leaving' && event.payment && (
              <GatewayRedirect event={event} data={phase.data} onReturn={backToForm} />
            )}
            {Dialog && (
              <Dialog
                {...{ event, extensions, phase }}
                send={(submission) => void send(submission)}
                onClose={backToForm}
              />
            )}
          </main>
        )
      }}
    </extensions.Paged>
  )
}
