/** Records a payment received by transfer or at the desk. */
import {
  acceptsCurrency,
  checkAction,
  listAllowedActions,
  listOwnOfficeMethods,
  toBankKey,
  dayOf,
  findEarlyPayment,
  MAX_DAYS_BEFORE_REGISTRATION,
  err,
  formatDayShort,
  hasNonAsciiCharacters,
  isAtLeast,
  isDay,
  isManualMethod,
  isDeskPayment,
  isSlipNumber,
  ok,
  getOwn,
  explainInvalidReference,
  MANUAL_METHOD_IDS,
  MAX_REFERENCE_CHARACTERS,
  startOfDay,
  toMajorUnits,
  formatMethodInSentence,
  canPayIn,
  describeMethod,
  describeMethodFields,
  readMethodFields,
  getReferenceLabel,
  listMethodsPricedOnCredit,
  type Actor,
  type Currency,
  type Day,
  type EventConfig,
  type Instant,
  type Amount,
  type Result,
  type Role,
  type ManualMethod,
} from '../../../engine/index.ts'
import type { ActionsResponse } from '../../../engine/api.ts'
import { applyPrice, quotePriceOfPayment } from '../../payments/price-on-credit-date.ts'
import { buildPaidEmail } from '../../payments/verify-payment.ts'
import type {
  ActionDenial,
  BankLineOfPayment,
  RecordedOfficeMethod,
  StoredRegistration,
} from '../../storage/index.ts'
import { toWireFields } from './payment-instructions.ts'
import { readAmountParameter, refuseData, readText } from './action-input.ts'
import type { ActionRequest, ActionResult } from './action-input.ts'

/**
 * Records a payment that the registration expects. Parameters: `{way, reference, amount: rupees, day?: YYYY-MM-DD}`.
 * Without a day, the payment was received now. A desk payment without a slip number gets the registration number as its
 * reference.
 */
export const confirmPayment = async (
  request: ActionRequest,
  bankLine?: BankLineOfPayment,
): Promise<ActionResult> => {
  const { deps, served, registration, newAction } = request
  const received = readPayment(await addSlipNumber(request))
  if (!received.ok) return received
  const { reference, paidAt, method, officeMethod } = received.value
  const [payment] = registration.payments
  const price = quotePriceOfPayment(served.config, registration, paidAt, method, officeMethod?.id)
  const email =
    payment === undefined
      ? null
      : await buildPaidEmail(
          deps.store,
          { event: served.config, registration: applyPrice(registration, price), payment },
          reference,
          paidAt,
        )
  return deps.store.recordPayment(newAction, { ...received.value, bankLine, price }, email)
}

/** Records an extra payment for a registration that is already paid or has ended. */
export const recordExtraPayment = async (
  request: ActionRequest,
  bankLine?: BankLineOfPayment,
): Promise<ActionResult> => {
  const received = readPayment(await addSlipNumber(request))
  return received.ok
    ? request.deps.store.recordExtraPayment(request.newAction, { ...received.value, bankLine })
    : received
}

/**
 * Records a reported transfer, as an extra payment if the registration expects none. `bankLine`: the line of a saved
 * statement that staff assign.
 */
export const confirmOrRecordExtra = (
  input: ActionRequest,
  bankLine?: BankLineOfPayment,
): Promise<ActionResult> =>
  listAllowedActions(input.registration.state, input.newAction.actor).includes('came_again')
    ? recordExtraPayment(
        { ...input, newAction: { ...input.newAction, act: 'came_again' } },
        bankLine,
      )
    : confirmPayment(input, bankLine)

/** Checks the payment that `confirmOrRecordExtra` would record, without recording it. */
export async function checkConfirmOrExtra(
  request: ActionRequest,
): Promise<Result<null, ActionDenial>> {
  const { registration, newAction } = request
  const { state, paymentStatus } = registration
  const act = listAllowedActions(state, newAction.actor).includes('came_again')
    ? 'came_again'
    : 'confirm'
  const action = checkAction(state, { ...newAction, act }, paymentStatus)
  if (!action.ok) return action
  const received = readPayment(await addSlipNumber(request))
  return received.ok ? ok(null) : received
}

/**
 * If staff entered no slip number, returns the request with the registration number as the slip number. From the second
 * payment on, a counter is added to it.
 */
async function addSlipNumber(request: ActionRequest): Promise<ActionRequest> {
  const { deps, registration, params } = request
  const method = readManualMethod(request)
  const isWithoutSlip =
    method !== null && isDeskPayment(method) && readText(params, 'reference') === ''
  if (!isWithoutSlip) return request
  const captureCount = (await deps.store.captures(registration.regNo)).length
  const reference =
    captureCount === 0 ? registration.regNo : `${registration.regNo}-${captureCount + 1}`
  return { ...request, params: { ...params, reference } }
}

/** Returns the event file's own office methods that staff can record for a bill in this currency. */
export function toWireOfficeMethods(
  config: EventConfig,
  currency: Currency,
): Pick<ActionsResponse, 'office_methods'> {
  const methods = listOwnOfficeMethods(config, currency).map((method) => {
    const { id, label, fields, reference } = method
    const slip = fields.find((field) => field.id === reference)
    return {
      id,
      label,
      reference: slip?.label ?? getReferenceLabel('desk', currency),
      required: slip?.required !== undefined,
      fields: toWireFields(method, null).filter(
        ({ id: fieldId, file }) => fieldId !== reference && file === null,
      ),
    }
  })
  return methods.length === 0 ? {} : { office_methods: methods }
}

/**
 * Returns the amounts that *Record payment* expects today by each method whose price differs from the stored price,
 * and whether the price depends on the date received.
 */
export function toWireMethodPrices(
  config: EventConfig,
  registration: StoredRegistration,
  at: Instant,
): Pick<ActionsResponse, 'to_pay_by_method' | 'priced_on_credit'> {
  const { currency, paymentStatus, payments, total } = registration
  if (paymentStatus === 'success') return {}
  const methods: readonly (readonly [id: string, method: ManualMethod, officeMethod?: string])[] = [
    ...MANUAL_METHOD_IDS.map((id) => [id, id] as const),
    ...listOwnOfficeMethods(config, currency).map(({ id }) => [id, 'desk', id] as const),
  ]
  const amounts = methods.flatMap(([id, method, officeMethod]) => {
    const price = quotePriceOfPayment(config, registration, at, method, officeMethod)
    return price === null || price.total === total
      ? []
      : [[id, toMajorUnits(price.total, currency)] as const]
  })
  return {
    ...(amounts.length > 0 && { to_pay_by_method: Object.fromEntries(amounts) }),
    ...(listMethodsPricedOnCredit(config).includes(payments[0]?.way ?? '') && {
      priced_on_credit: true,
    }),
  }
}

type MethodParameters = Pick<ActionRequest, 'served' | 'registration' | 'params'>

/** Returns the event file's own office method that the request names. Undefined for a built-in method. */
const findOwnOfficeMethod = ({ served, registration: { currency }, params }: MethodParameters) =>
  listOwnOfficeMethods(served.config, currency).find(({ id }) => id === readText(params, 'way'))

/**
 * Returns the manual method of the request: a built-in one, or `desk` for an office method of the event file. Null if
 * there is none, or if the event file's method of that name does not accept the currency of the bill.
 */
function readManualMethod(request: MethodParameters): ManualMethod | null {
  const { served, registration } = request
  const id = readText(request.params, 'way')
  const fileMethod = served.config.methods.find(
    (method) => method.is === 'desk' && method.id === id,
  )
  if (fileMethod !== undefined && !acceptsCurrency(fileMethod, registration.currency)) return null
  if (isManualMethod(id)) return id
  return findOwnOfficeMethod(request) === undefined ? null : 'desk'
}

function readPayment(request: MethodParameters & Pick<ActionRequest, 'newAction'>): Result<
  {
    readonly method: ManualMethod
    readonly officeMethod?: RecordedOfficeMethod
    readonly reference: string
    readonly also: readonly string[]
    readonly amount: Amount
    readonly paidAt: Instant
    readonly accountCurrency?: Currency
  },
  ActionDenial
> {
  const { served, newAction, params } = request
  const { currency, createdAt } = request.registration
  const manualMethod = readManualMethod(request)
  if (manualMethod === null) return refuseData('Choose a payment method.')
  if (!canPayIn(manualMethod, currency))
    return refuseData(
      `UPI payments can be made only in rupees, but this registration is in ${currency}.`,
    )
  const statedCurrency = readText(params, 'currency')
  if (statedCurrency !== '' && statedCurrency !== currency)
    return refuseData(
      `This payment is in ${statedCurrency}, and the registration is in ${currency}.`,
    )
  const { minimumRole } = describeMethod(manualMethod)
  const referenceLabel = getReferenceLabel(manualMethod, currency)
  if (!canConfirm(newAction.actor, minimumRole))
    return err({
      code: 'not_your_role' as const,
      message: `You need the ${minimumRole} role to record a payment ${formatMethodInSentence(manualMethod)}. Your role is ${newAction.actor}.`,
    })
  const reference = readText(params, 'reference').replaceAll(/\s+/g, ' ')
  const otherReferences = readOtherReferences(getOwn(params, 'also'))
  if (otherReferences === null)
    return refuseData('The other bank references must be a list of strings.')
  // A bank reference has at least one letter or digit.
  const isEmpty = !isDeskPayment(manualMethod) && toBankKey(reference) === ''
  if (isEmpty || explainInvalidReference(reference) !== null)
    return refuseData(
      `Enter the ${referenceLabel.replace(/^(?!UPI|UTR)./, (firstLetter) => firstLetter.toLowerCase())}, at most ${MAX_REFERENCE_CHARACTERS} characters.`,
    )
  const characterError = findCharacterError(manualMethod, reference)
  if (characterError !== null) return refuseData(characterError)
  const amount = readAmountParameter(params, 'amount', currency)
  if (!amount.ok) return amount
  if (amount.value === null || amount.value === 0) return refuseData('Enter the amount received.')
  const today = dayOf(newAction.at)
  const statedDay = readText(params, 'day')
  const day = statedDay || today
  if (!isDay(day)) return refuseData('Enter the date in this format: 2026-12-31.')
  if (day > today)
    return refuseData(
      `The date received, ${formatDayShort(day)}, is after today, ${formatDayShort(today)}.`,
    )
  const earlyPayment = findEarlyPayment(served.config, createdAt, day)
  if (earlyPayment !== null)
    return refuseData(
      `The date received, ${formatDayShort(day)}, is more than ${MAX_DAYS_BEFORE_REGISTRATION} days before ${earlyPayment.isOpening ? 'registration opened' : 'the registration was made'}, ${formatDayShort(earlyPayment.start)}. Check the year.`,
    )
  const officeMethod = readOfficeMethod(request, reference, today)
  if (!officeMethod.ok) return officeMethod
  // A desk payment, or one without a stated day, is received when it is recorded. A bank statement or a delegate states
  // the day of a transfer.
  const isTimeKnown = day === today && (statedDay === '' || isDeskPayment(manualMethod))
  const paidAt = isTimeKnown ? newAction.at : startOfDay(day)
  return ok({
    method: manualMethod,
    ...(officeMethod.value !== null && { officeMethod: officeMethod.value }),
    reference,
    also: otherReferences,
    amount: amount.value,
    paidAt,
    ...(statedCurrency !== '' && { accountCurrency: currency }),
  })
}

/**
 * Reads the event file's own office method with its further fields (`paid`). Null for a built-in method. The fields are
 * checked only if the request has them, because API clients may record a payment without them.
 */
function readOfficeMethod(
  request: MethodParameters,
  reference: string,
  today: Day,
): Result<RecordedOfficeMethod | null, ActionDenial> {
  const method = findOwnOfficeMethod(request)
  if (method === undefined) return ok(null)
  const { id, label, reference: referenceId } = method
  const paid = getOwn(request.params, 'paid')
  if (typeof paid !== 'object' || paid === null) return ok({ id, label, details: '' })
  const raw = { ...paid, ...(referenceId !== undefined && { [referenceId]: reference }) }
  const answers = readMethodFields(request.served.config, method, raw, today)
  return answers.ok
    ? ok({ id, label, details: describeMethodFields(method, answers.value) })
    : refuseData(Object.values(answers.error).join(' '))
}

/**
 * Returns an error message if a reference that is compared with bank statements has invalid characters, else null. A
 * desk receipt number may use any script.
 */
export function findCharacterError(method: ManualMethod, reference: string): string | null {
  const key = toBankKey(reference)
  const isSlip = method === 'cash' || (isDeskPayment(method) && isSlipNumber(key))
  return isSlip || !hasNonAsciiCharacters(key)
    ? null
    : 'Enter the reference in Latin letters and digits, as the bank prints it.'
}

/** A bank statement line has only a few numbers. */
const MAX_OTHER_REFERENCES = 10

/**
 * Parses the other references that a bank statement line contains for the same payment. Null if the value is not a list
 * of references.
 */
export function readOtherReferences(references: unknown): readonly string[] | null {
  if (references === undefined) return []
  const isList = Array.isArray(references) && references.length <= MAX_OTHER_REFERENCES
  return isList &&
    references.every(
      (reference) => typeof reference === 'string' && explainInvalidReference(reference) === null,
    )
    ? references
    : null
}

const canConfirm = (actor: Actor, minimumRole: Role): boolean =>
  actor !== 'delegate' && actor !== 'clock' && isAtLeast(actor, minimumRole)
