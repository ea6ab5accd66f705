/** Builds the responses to a delegate who has registered before, with the same form or as the same person. */
import {
  assert,
  dayOf,
  err,
  formatDay,
  formatMoney,
  getPaymentState,
  isSameEmail,
  ok,
  readDelegate,
} from '../../engine/index.ts'
import { formatMessage, SERVER_MESSAGES } from '../../engine/messages.ts'
import type { EventConfig, Instant, PaymentState, RegNo, Result } from '../../engine/index.ts'
import type { RegisterResponse } from '../../engine/api.ts'
import type { Deps } from '../dependencies.ts'
import type {
  ListedRegistration,
  SamePersonRegistration,
  StoredRegistration,
} from '../storage/index.ts'
import { buildResponse } from '../payments/start-checkout.ts'
import { issueLink } from './access-link.ts'
import { refuseRetry } from './registration-errors.ts'
import type { Refusal } from './registration-errors.ts'
import { retryPayment } from './retry-payment.ts'

const { samePerson } = SERVER_MESSAGES

/** Asks whether to register and pay again, for a browser that has registered this person. */
export const refuseSamePerson = (otherRegistration: SamePersonRegistration): Refusal =>
  askAboutRegistration(
    otherRegistration,
    otherRegistration.isPaid ? samePerson.paid : samePerson.unpaid,
  )

/** Asks whether to pay for an older registration too, after the same person has paid for another. */
export const askToPayAgain = (unpaidRegistration: SamePersonRegistration): Refusal =>
  askAboutRegistration(unpaidRegistration, samePerson.paidOther)

/** Identifies the other registration in the message and in `reg_no`, which the browser sends back to confirm. */
function askAboutRegistration(
  { regNo, amount, currency, at }: SamePersonRegistration,
  message: string,
): Refusal {
  const values = {
    number: regNo,
    amount: formatMoney(amount, currency),
    day: formatDay(dayOf(at)),
  }
  return {
    status: 409,
    code: 'same_person',
    message: formatMessage(message, values),
    details: { reg_no: regNo },
    retryAfterSeconds: null,
  }
}

const MANUAL_STATES: readonly PaymentState[] = ['by-hand', 'told', 'lapsed']

/**
 * Builds the response to a registration paid outside a gateway: its page has payment instructions and the claim form.
 */
export async function buildManualPaymentResponse(
  deps: Deps,
  event: EventConfig,
  regNo: RegNo,
): Promise<RegisterResponse> {
  const link = await issueLink(deps, { regNo, eventId: event.id })
  return { ...buildResponse(event, regNo, null, 'by-hand'), page: new URL(link).pathname }
}

/** Returns the first registration, with new gateway form data if it can be paid, otherwise only the payment state. */
export async function buildRepeatedResponse(
  deps: Deps,
  event: EventConfig,
  { regNo }: Pick<StoredRegistration, 'regNo'>,
  at: Instant,
): Promise<Result<RegisterResponse, Refusal>> {
  const earlierRegistration = await deps.store.registration(regNo)
  assert(earlierRegistration !== null, 'a resubmitted registration does not exist')
  if (MANUAL_STATES.includes(getPaymentState(earlierRegistration, at)))
    return ok(await buildManualPaymentResponse(deps, event, regNo))
  const payable = await retryPayment(deps, event, regNo, at)
  if (payable.ok) return ok(buildResponse(event, regNo, payable.value.data))
  if (['registration_closed', 'not_payable', 'taken'].includes(payable.error.code))
    return err(refuseRetry(event, payable.error))
  const stored = await deps.store.registration(regNo)
  assert(stored !== null, 'a resubmitted registration does not exist')
  return ok(buildResponse(event, regNo, null, getPaymentState(stored, at)))
}

/** Staff may register many delegates under the office's address. The registration list shows the others. */
const MAX_SAME_EMAIL_REGISTRATIONS = 50

/** Returns other registrations with the same email address in any spelling, newest first: possible duplicates. */
export async function findWithSameEmail(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  { regNo, answers }: StoredRegistration,
): Promise<readonly ListedRegistration[]> {
  const { email } = readDelegate(event, answers)
  if (email === '') return []
  const query = { eventId: event.id, answers: {}, search: email }
  const { rows } = await store.listPage(query, 1, MAX_SAME_EMAIL_REGISTRATIONS)
  return rows.filter(
    (row) => row.regNo !== regNo && isSameEmail(readDelegate(event, row.answers).email, email),
  )
}
