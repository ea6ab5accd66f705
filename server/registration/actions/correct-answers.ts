/** Handles actions that change answers: correction, edit and transfer to another person. */
import {
  formatAnswer,
  assertNever,
  calculateBalance,
  correctRegistration,
  listHolderFields,
  readDelegate,
  listEditableFields,
  err,
  extractContext,
  listFileFieldsToSubmit,
  formatMoney,
  getPriceHoldEnd,
  getOwn,
  ok,
  toAmount,
  listRequiredSeats,
  mergeRawAnswers,
  listUniqueRules,
  formatCurrency,
} from '../../../engine/index.ts'
import {
  buildCorrectedEmail,
  buildMoreToPayEmail,
  formatMessage,
  buildTransferredEmail,
  SERVER_MESSAGES,
  UPLOAD_REFUSAL_MESSAGES,
  buildTransferredToYouEmail,
} from '../../../engine/messages.ts'
import type {
  CorrectedRegistration,
  CorrectionRefusal,
  EventConfig,
  PaymentTotals,
  PricingContext,
  Amount,
  Answers,
  RawAnswers,
} from '../../../engine/index.ts'
import { findDrafts } from '../uploads/draft-uploads.ts'
import { buildPricingContext, readSeatsLeft } from '../look-up-pricing-context.ts'
import { FILE_EXPIRED } from '../uploads/validate-uploads.ts'
import type { DraftProof, NewMail, StoredRegistration } from '../../storage/index.ts'
import { toStoredAmounts } from './approve-registration.ts'
import { listEditableAnswers } from './correctable-answers.ts'
import { readAmountParameter, refuseData } from './action-input.ts'
import { calculateGoodwill } from './balance-due.ts'
import type { ActionRequest, ActionHandler, ActionResult } from './action-input.ts'
import { buildFreeConfirmationEmail } from './resend-emails.ts'
import { choosePaymentChannel, applyOpenMethod } from './choose-payment-method.ts'

/**
 * Corrects answers. Parameters: `{answers: {field: answer}, total?: rupees, seen?}`. Null removes an answer. If the
 * price changes, `total` is the new price that the user has accepted; without it, the new price is returned and
 * nothing is saved. `seen` contains the answers that the user saw, in the same format.
 */
export const correct: ActionHandler = async (request) => {
  const changes = request.params['answers']
  if (typeof changes !== 'object' || changes === null)
    return refuseData('Choose at least one answer to correct: answers: {field: answer}.')
  const changeMessage = describeConcurrentChange(request)
  if (changeMessage !== null) return err({ code: 'moved_on', message: changeMessage })
  return changeAnswers(request, changes as RawAnswers, 'correct')
}

/**
 * Describes an answer that another user has changed since this user loaded it, so that a correction does not silently
 * overwrite the change. Null if there is none.
 */
function describeConcurrentChange({ served, registration, params }: ActionRequest): string | null {
  const seenAnswers = params['seen']
  if (typeof seenAnswers !== 'object' || seenAnswers === null) return null
  const changedField = listEditableAnswers(served.config, registration).find(
    ({ id, value }) =>
      Object.hasOwn(seenAnswers, id) &&
      JSON.stringify(getOwn(seenAnswers as RawAnswers, id)) !== JSON.stringify(value),
  )
  if (changedField === undefined) return null
  const { id, label } = changedField
  const answer = getOwn(registration.answers, id)
  const current = answer === undefined ? 'empty' : `“${formatAnswer(served.config, id, answer)}”`
  return `${label} has changed since you opened it. It is now ${current}. Nothing was saved.`
}

/** Transfers the registration. `{answers}` contains the new person's details, as the event file requires. */
export const transferRegistration: ActionHandler = async (request) => {
  const { roles } = request.served.config
  const changes = request.params['answers']
  if (typeof changes !== 'object' || changes === null)
    return refuseData('Enter the details of the new person: answers: {field: answer}.')
  const personFields = Object.values(roles)
  const otherFields = Object.keys(changes).filter((id) => !personFields.includes(id))
  if (otherFields.length > 0)
    return refuseData(`A transfer changes only the person, not ${otherFields.join(', ')}.`)
  const name =
    roles.fullName === undefined ? undefined : getOwn(changes as RawAnswers, roles.fullName)
  if (typeof name !== 'string' || name.trim() === '')
    return refuseData('Enter the name of the new person.')
  // Clears answers that the new person did not give, so that the previous person's answers do not remain.
  const empty = Object.fromEntries(personFields.map((id) => [id, null]))
  return changeAnswers(request, { ...empty, ...changes }, 'transfer')
}

/**
 * Edits a delegate's own answers. `{answers}` contains fields that delegates may change until the event's edit date. A
 * file is given as the token of an earlier upload. A missing required file may be submitted on any day.
 */
export const edit: ActionHandler = async (request) => {
  const { answers: answerText, request: requestText, selfService: text } = SERVER_MESSAGES
  const { deps, served, registration, newAction, params } = request
  const { config } = served
  const givenAnswers = params['answers']
  if (typeof givenAnswers !== 'object' || givenAnswers === null)
    return refuseData(requestText.noAnswers)
  const allowedFields = new Set([
    ...listEditableFields(config, newAction.at).map(({ id }) => id),
    ...listFileFieldsToSubmit(config, registration.answers, []).map(({ id }) => id),
  ])
  const otherFields = Object.keys(givenAnswers).filter((id) => !allowedFields.has(id))
  if (otherFields.length > 0)
    return refuseData(
      formatMessage(config.edit === null ? text.notEditable : text.notEditableAnyMore, {
        fields: otherFields.map((id) => findLabel(config, id)).join(', '),
        support: config.support,
      }),
    )
  const drafts = await findDrafts(deps, config, givenAnswers as RawAnswers, newAction.at)
  const files: Record<string, DraftProof> = {}
  for (const [id, draft] of drafts) {
    if (!draft.ok)
      return refuseData(
        formatMessage(answerText.fieldError, { field: findLabel(config, id), error: FILE_EXPIRED }),
      )
    files[id] = draft.value
  }
  const missingFields = config.fields.filter(
    ({ id, type }) => type === 'file' && Object.hasOwn(givenAnswers, id) && files[id] === undefined,
  )
  if (missingFields.length > 0) return refuseData(UPLOAD_REFUSAL_MESSAGES.sendFileFirst)
  const fileNames = Object.fromEntries(Object.entries(files).map(([id, { name }]) => [id, name]))
  return changeAnswers(request, { ...givenAnswers, ...fileNames }, 'edit', Object.values(files))
}

async function changeAnswers(
  request: ActionRequest,
  changes: RawAnswers,
  kind: 'correct' | 'transfer' | 'edit',
  files: readonly DraftProof[] = [],
): Promise<ActionResult> {
  const isTransfer = kind === 'transfer'
  const { deps, served, registration, newAction, params } = request
  const { config } = served
  const unknownFields = Object.keys(changes).filter(
    (id) => !config.fields.some((configField) => configField.id === id),
  )
  if (unknownFields.length > 0)
    return refuseData(`The form has no field ${unknownFields.join(', ')}.`)
  const isSent = (id: string): boolean => files.some(({ field }) => field === id)
  const missingFields = config.fields.filter(
    ({ id, type }) => type === 'file' && Object.hasOwn(changes, id) && !isSent(id),
  )
  if (missingFields.length > 0) return refuseData('Files cannot be corrected here.')
  const context = await buildCorrectionContext(request, changes)
  const holderFields =
    kind === 'correct' && registration.wasTransferred
      ? listHolderFields(config.roles, config.fields, await deps.store.actions(registration.regNo))
      : null
  const correct = (priced: StoredRegistration) =>
    correctRegistration(config, priced, changes, context, holderFields)
  const chosen = correct(registration)
  // A price after a free registration places the first order, which needs a method that is open.
  const placesOrder = registration.total === 0 && chosen.ok && (chosen.value.quote?.total ?? 0) > 0
  const { registration: pricedRegistration, replacedMethod } = placesOrder
    ? applyOpenMethod(config, registration, newAction.at)
    : { registration, replacedMethod: null }
  const correction = replacedMethod === null ? chosen : correct(pricedRegistration)
  if (!correction.ok)
    return refuseData(
      kind === 'edit' && correction.error.code === 'other_currency'
        ? formatMessage(SERVER_MESSAGES.selfService.changesPrice, { support: config.support })
        : formatRefusal(config, correction.error),
      correction.error.code === 'wrong_answers' ? correction.error.errors : undefined,
    )
  const { answers, category, quote } = correction.value
  if (kind === 'edit' && (quote !== null || category !== registration.category))
    return refuseData(
      formatMessage(SERVER_MESSAGES.selfService.changesPrice, { support: config.support }),
    )
  const difference = calculateDifference(registration, correction.value)
  const refundedBefore =
    quote === null
      ? ''
      : formatRefundedBefore(
          registration,
          await deps.store.paymentsOutsideBill(registration.regNo),
          quote.total,
        )
  if (quote !== null && difference !== 0) {
    const acceptedTotal = readAmountParameter(params, 'total', registration.currency)
    if (!acceptedTotal.ok) return acceptedTotal
    if (acceptedTotal.value !== quote.total)
      return err({
        code: 'price_changes',
        message: `${formatPriceChange(registration, quote.total)}${refundedBefore}`,
        quote,
      })
  }
  const updatedRegistration = { ...registration, answers }
  const correctResult = await deps.store.correct(newAction, {
    previousAnswers: registration.answers,
    answers,
    category,
    searchable: readDelegate(config, answers),
    unique: listUniqueRules(config),
    quote,
    channel: choosePaymentChannel(deps, config, pricedRegistration, newAction.at),
    holdUntil: getPriceHoldEnd(config, newAction.at, { answers, category }),
    changes: [
      ...correction.value.changes,
      ...(replacedMethod ? [replacedMethod.change] : []),
      // The new file has the same name as the previous one, so the answers alone do not show the change.
      ...files
        .filter(({ field, name }) => getOwn(registration.answers, field) === name)
        .map(({ field }) => `${findLabel(config, field)}: another file`),
    ],
    uploads: files.map(({ field, sha256, name, type, bytes }) => ({
      field,
      sha256,
      name,
      type,
      bytes,
    })),
    confirmation:
      quote?.total === 0
        ? buildFreeConfirmationEmail(
            config,
            { ...updatedRegistration, ...toStoredAmounts(quote), category, due: toAmount(0) },
            newAction.at,
          )
        : null,
    emails: isTransfer
      ? removeNulls([
          buildTransferredEmail(config, registration),
          buildTransferredToYouEmail(config, updatedRegistration),
        ])
      : await buildBalanceEmails(
          request,
          updatedRegistration,
          await calculateBalanceAfter(request, quote?.total ?? null),
        ),
    // Earlier links were sent to an address that is not the delegate's. A delegate who edits their own answers keeps
    // the link.
    revokesLinks:
      isTransfer || (kind === 'correct' && hasNewEmail(config, registration.answers, answers)),
  })
  return correctResult.ok && !correctResult.value.repeated
    ? ok({ ...correctResult.value, message: `${correctResult.value.message}${refundedBefore}` })
    : correctResult
}

/** Returns true if future emails are sent to another address. */
function hasNewEmail(config: EventConfig, previous: Answers, current: Answers): boolean {
  const [delegateBefore, delegateAfter] = [
    readDelegate(config, previous),
    readDelegate(config, current),
  ]
  return delegateBefore.email.toLowerCase() !== delegateAfter.email.toLowerCase()
}

/** Computes the balance at a new price, by the same rule as the store; `total` is null if the price is unchanged. */
async function calculateBalanceAfter(
  { deps, registration }: ActionRequest,
  total: Amount | null,
): Promise<Amount> {
  const { regNo, due, total: previousTotal } = registration
  if (total === null) return due
  const amounts = await deps.store.paymentsOutsideBill(regNo)
  return toAmount(
    due +
      calculateBalance(total, amounts) -
      calculateBalance(previousTotal ?? toAmount(0), amounts),
  )
}

/** Returns the emails about a paid registration whose balance rises or falls. */
async function buildBalanceEmails(
  { deps, served: { config } }: ActionRequest,
  registration: StoredRegistration,
  due: Amount,
): Promise<readonly NewMail[]> {
  if (registration.paymentStatus !== 'success' || due === registration.due) return []
  if (due > 0)
    return config.payment === null
      ? []
      : removeNulls([buildMoreToPayEmail(config, registration, due)])
  // Money that has been refunded is not refunded again.
  const refundAmount = toAmount(Math.min(-due, await deps.store.netAmountPaid(registration.regNo)))
  return removeNulls([buildCorrectedEmail(config, registration, refundAmount)])
}

const removeNulls = (emails: readonly (NewMail | null)[]): readonly NewMail[] =>
  emails.filter((email) => email !== null)

/**
 * Looks up changed answers in the member lists, and counts the seats left, including those that the registration holds.
 */
async function buildCorrectionContext(
  { deps, served: { config }, registration, newAction: { at } }: ActionRequest,
  changes: RawAnswers,
): Promise<PricingContext> {
  const { answers, category } = registration
  const contextBefore = extractContext(config, answers)
  const raw = mergeRawAnswers(config, answers, changes)
  const seatsLeft = await readSeatsLeft(deps, config, at)
  const heldSeats = listRequiredSeats(config.quotas, answers, category).map(
    ({ id, quantity, quota }) =>
      [
        id,
        quota.count === undefined ? 1 : Math.max(0, getOwn(seatsLeft, id) ?? 0) + quantity,
      ] as const,
  )
  const { context: listContext } = await buildPricingContext(deps, config, raw, {}, at)
  const isUnchanged = (field: string): boolean => getOwn(changes, field) === undefined
  return {
    code: contextBefore.code,
    // Seats that were full at registration still count as full, because the registration was priced that way.
    left: { ...seatsLeft, ...Object.fromEntries(heldSeats), ...contextBefore.left },
    memberRecords: Object.fromEntries(
      Object.entries(listContext.memberRecords).map(([field, row]) => [
        field,
        isUnchanged(field) ? (getOwn(contextBefore.memberRecords, field) ?? row) : row,
      ]),
    ),
  }
}

function calculateDifference(
  { total }: Pick<StoredRegistration, 'total'>,
  { quote }: CorrectedRegistration,
): Amount {
  return quote === null ? toAmount(0) : toAmount(quote.total - (total ?? 0))
}

function formatPriceChange(
  { total, currency }: Pick<StoredRegistration, 'total' | 'currency'>,
  newPrice: Amount,
): string {
  const oldTotal = total ?? toAmount(0)
  const [increase, decrease] = [toAmount(newPrice - oldTotal), toAmount(oldTotal - newPrice)]
  const changeText =
    increase > 0
      ? `${formatMoney(increase, currency)} more`
      : `${formatMoney(decrease, currency)} less`
  return `This correction changes the price from ${formatMoney(oldTotal, currency)} to ${formatMoney(newPrice, currency)}: ${changeText}. Accept the new price to save it.`
}

/** Returns a warning if a new price requires a second refund, perhaps for the same change; otherwise ''. */
function formatRefundedBefore(
  registration: Pick<StoredRegistration, 'state' | 'total' | 'currency'>,
  amounts: PaymentTotals,
  newTotal: Amount,
): string {
  const { currency } = registration
  const goodwill = calculateGoodwill(registration, amounts)
  const toRefund = -calculateBalance(newTotal, amounts)
  const refundsMore = toRefund > -calculateBalance(registration.total ?? newTotal, amounts)
  return goodwill > 0 && toRefund > 0 && refundsMore
    ? ` ${formatMoney(goodwill, currency)} was already refunded as goodwill and is not deducted: the list of refunds will show ${formatMoney(toAmount(toRefund), currency)}.`
    : ''
}

function formatRefusal(event: EventConfig, refusal: CorrectionRefusal): string {
  switch (refusal.code) {
    case 'wrong_answers':
      return Object.entries(refusal.errors)
        .map(([id, message]) => {
          const label = findLabel(event, id)
          const isLabelInMessage = message.toLowerCase().includes(label.toLowerCase())
          return isLabelInMessage ? message : `${label}: ${message}`
        })
        .join(' ')
    case 'no_price':
      return refusal.why.code === 'no_category'
        ? 'These answers match no category.'
        : 'These answers include an item that was not on sale on the day of registration.'
    case 'other_currency':
      return `With these answers, the price is in ${formatCurrency(refusal.now)}, but this registration was priced in ${formatCurrency(refusal.was)}. Cancel it, and ask the delegate to register again.`
    default:
      return assertNever(refusal)
  }
}

function findLabel({ fields }: EventConfig, id: string): string {
  return fields.find((field) => field.id === id.split('.')[0])?.label ?? id
}
