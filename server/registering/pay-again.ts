/**
 * What is to be paid for a registration that is there, and the one rule for paying once more: after the
 * same form was sent again (a repeated idempotency key) and after "try again" on a result page.
 */
import { dayOf, delegateOf, err, ok, openOn, orderIdOf } from '../../engine/index.ts'
import type {
  Answers,
  EventConfig,
  Instant,
  OrderId,
  Paise,
  PaymentData,
  RegisterAnswer,
  RegNo,
  Result,
} from '../../engine/index.ts'
import type { Deps, HandOffRefusal } from '../deps.ts'
import { within } from '../machine/clock.ts'
import type { NextAttempt, StoredRegistration } from '../store/store.ts'

/** A person waits for the page of the gateway: after this we go by what is stored. */
const ASK_MS = 5_000

/** What is to be paid, and under which order. */
export type Due = {
  readonly regNo: RegNo
  readonly orderId: OrderId
  readonly amount: Paise
  readonly answers: Answers
}
export type PayAgainRefusal =
  /** Paid, given back, under review, or never to be paid. */
  | { readonly code: 'nothing_due' }
  | { readonly code: 'too_many_attempts' }
  | { readonly code: 'registration_closed'; readonly text: string }
  | { readonly code: 'not_payable'; readonly why: HandOffRefusal }

/** The gateway's form for what is to be paid; its checksum holds the day, so it is built afresh each time. */
export function handOff(
  deps: Pick<Deps, 'gateway'>,
  event: EventConfig,
  due: Due,
  at: Instant,
): Result<PaymentData, HandOffRefusal> {
  const { fullName, email, phone } = delegateOf(event, due.answers)
  const buyer = { fullName, email, phone, regNo: due.regNo }
  return deps.gateway.handOff(event, buyer, due.orderId, due.amount, at)
}

const RECORDED = 'Your registration is recorded.'

/** What a browser is told of a registration that is stored; `data` null: nothing is to be paid. */
export function answerTo(
  event: EventConfig,
  reg_no: string,
  data: PaymentData | null,
): RegisterAnswer {
  if (data === null) {
    const notice = event.payment === null ? event.form.withoutPayment.notice : null
    return { status: 'success', message: notice ?? RECORDED, reg_no, stands: 'complete' }
  }
  const message = `${RECORDED} It is complete once the payment is made.`
  return { status: 'success', message, reg_no, stands: 'not-paid', payment_data: data }
}

/** An order that can be paid, with the form that pays it. */
export type Payable = Due & { readonly data: PaymentData; readonly isNew: boolean }

/**
 * The order to pay: the open one while it is pending, a new one after a failure. A failed order cannot be
 * used again, and the gateway may know of a failure, or of money, before we do: so it is asked first.
 * After the last day an open order may still be paid, but none begins.
 */
export async function payAgain(
  deps: Deps,
  event: EventConfig,
  regNo: RegNo,
  at: Instant,
): Promise<Result<Payable, PayAgainRefusal>> {
  const payable = (due: Due, isNew: boolean): Result<Payable, PayAgainRefusal> => {
    const data = handOff(deps, event, due, at)
    return data.ok
      ? ok({ ...due, data: data.value, isNew })
      : err({ code: 'not_payable', why: data.error })
  }
  const open = (stored: StoredRegistration | null): Result<Payable, PayAgainRefusal> => {
    const due = openOrder(stored)
    return due.ok ? payable(due.value, false) : due
  }
  await askFirst(deps, regNo, at)
  const stored = await deps.store.registration(regNo)
  const newest = stored?.payments[0]
  if (stored?.paymentStatus !== 'failed' || stored.inReview || newest === undefined)
    return open(stored)
  const isOpen = openOn(event, dayOf(at))
  if (!isOpen.open) return err({ code: 'registration_closed', text: isOpen.text })
  const { answers } = stored
  // Tried before anything is stored. Which attempt it will be is not known yet; all further ids are as long.
  const tried = payable(
    { regNo, orderId: orderIdOf(regNo, 2), amount: newest.amount, answers },
    true,
  )
  if (!tried.ok) return tried
  const again = await deps.store.retry(regNo, at, { ...askedOf(deps, event) })
  if (again.ok) {
    const { orderId, amount } = again.value
    return payable({ regNo, orderId, amount, answers }, true)
  }
  switch (again.error.code) {
    case 'too_many_attempts':
      return err({ code: 'too_many_attempts' })
    // Another request was quicker, and its order is open now.
    case 'not_failed':
    case 'not_found':
      return open(await deps.store.registration(regNo))
  }
}

function askedOf(
  { gateway }: Pick<Deps, 'gateway'>,
  event: EventConfig,
): Pick<NextAttempt, 'askedOf'> {
  if (event.payment === null) return {}
  return { askedOf: { account: event.payment.account, merchantId: gateway.merchantOf(event) } }
}

function openOrder(stored: StoredRegistration | null): Result<Due, PayAgainRefusal> {
  const newest = stored?.payments[0]
  if (stored?.paymentStatus !== 'pending' || stored.inReview || newest === undefined)
    return err({ code: 'nothing_due' })
  const { orderId, amount } = newest
  return ok({ regNo: stored.regNo, orderId, amount, answers: stored.answers })
}

/** An order placed this very moment has nothing to tell yet. */
async function askFirst(deps: Deps, regNo: RegNo, at: Instant): Promise<void> {
  const newest = (await deps.store.registration(regNo))?.payments[0]
  const isOpen = newest?.status === 'pending' && newest.createdAt < at
  if (newest === undefined || !(isOpen || newest.status === 'failed')) return
  await within(ASK_MS, deps.payments.verify(newest.orderId, ASK_MS), (error) =>
    deps.log.error({ error: String(error) }, 'a payment could not be verified'),
  )
}
