/**
 * Simulates delegates who follow the plan, and the gateway messages about their payments. Delegates register, pay, pay
 * in two tabs, reload, retry a payment and resend a form.
 */
import type { RegNo } from '../../engine/index.ts'
import type { PaymentData, RegisterResponse, RegistrationResponse } from '../../engine/api.ts'
import {
  INR,
  formatPlainAmount,
  assertNever,
  dayOf,
  instant,
  toAmount,
} from '../../engine/index.ts'
import type { Fields } from '../../server/payments/gateways/message-fields.ts'
import {
  DEFAULT_RETURN_PATH,
  ORDER_RETURN_PATH,
} from '../../server/payments/gateways/message-paths.ts'
import { respellReference } from './bank.ts'
import type { Bank } from './bank.ts'
import type { Timeline } from './virtual-time.ts'
import {
  createAnswers,
  METHOD_PRICED_ON_CREDIT_DATE,
  CONFERENCE_ACCOUNT,
  findPrice,
  compileServedEvent,
  getCurrency,
} from './events.ts'
import type { Version } from './events.ts'
import { REFUND_FAILS_AFTER_MS, isCapture, buildMessage } from './gateway.ts'
import type { Gateway } from './gateway.ts'
import type { SimulatedResponse, SimulatedServer } from './server.ts'
import { drawMessages } from './plan.ts'
import type { Delegate, Plan, Step, Visit } from './plan.ts'
import { createGatewayMessages } from './gateway-messages.ts'
import { buildDisputeWebhook, chooseDisputed, openDispute } from './razorpay-disputes.ts'
import type { PlannedDispute } from './razorpay-disputes.ts'
import { RAZORPAY_MERCHANT, buildPaymentWebhook, buildRazorpayReturn } from './razorpay-gateway.ts'
import type { PaymentWebhook, RefundWebhook } from './razorpay-gateway.ts'
import { getFirstCode, followPayment, getLateAuthorizationMs } from './razorpay-payments.ts'
import type { Mailbox } from './emails.ts'
import type { Invariants, Violation } from './check-payments.ts'
import type { Random } from './random.ts'
import { createRandom } from './random.ts'
import type { Tally } from './tally.ts'

/** How long a delegate waits before submitting a form again if there is no response, and how many times they try. */
const RETRY_MS = 30_000
const MAX_TRIES = 4

export type Delegates = {
  begin(): void
  /** Returns the registration numbers of all registered delegates. */
  listRegNos(): readonly string[]
  findEventId(regNo: string): string
  /** Opens every delegate's page once more, when the simulated system is idle. */
  openPagesAgain(): Promise<void>
}
type DelegatesContext = {
  readonly plan: Plan
  readonly timeline: Timeline
  readonly server: SimulatedServer
  readonly gateway: Gateway
  readonly bank: Bank
  readonly invariants: Invariants
  readonly reportViolation: (violation: Violation | null) => void
  readonly tally: Tally
  readonly writeTrace: (describe: () => string) => void
  readonly extendHistory: (ms: number) => void
  readonly mailbox: Mailbox
  readonly getVersion: (event: string) => Version
}
/** What a delegate's browser holds: the registration number and the payment forms, newest last. */
type BrowserState = {
  readonly regNo: string
  readonly forms: PaymentData[]
  readonly isFree: boolean
  readonly acceptedFields: Fields
}

/** `responses`: all responses to a form that was sent twice. */
type RegisterResult = RegisterResponse & {
  readonly acceptedFields: Fields
  readonly responses: readonly RegisterResponse[]
}

/** The response to a form that requests something unavailable. */
type Rejection = {
  readonly code: string
  readonly quote?: { readonly category: string } | null
  readonly errors?: Fields
}
type PriceChange = { readonly code: string; readonly quote: { readonly total: number } }

const FORM = 'application/x-www-form-urlencoded'

export function createDelegates(context: DelegatesContext): Delegates {
  const {
    plan,
    timeline,
    server,
    gateway,
    bank,
    invariants,
    reportViolation,
    tally,
    writeTrace,
    extendHistory,
    mailbox,
  } = context
  const registeredDelegates = new Map<
    string,
    { readonly delegate: Delegate; readonly browser: BrowserState }
  >()

  const call = async (
    method: 'GET' | 'POST',
    url: string,
    contentType = '',
    payload = '',
    idempotencyKey = '',
    extraHeaders: Fields = {},
  ): Promise<SimulatedResponse | null> => {
    await timeline.wait(20)
    const headers = {
      ...(contentType === '' ? {} : { 'content-type': contentType }),
      ...(idempotencyKey === '' ? {} : { 'idempotency-key': idempotencyKey }),
      ...extraHeaders,
    }
    const httpResponse = await server.call({
      method,
      url,
      headers,
      ...(payload === '' ? {} : { payload }),
    })
    writeTrace(
      () =>
        `${method} ${url} ${httpResponse === null ? 'is lost' : `${httpResponse.status} ${httpResponse.location}`}`,
    )
    if (httpResponse !== null && httpResponse.status >= 500 && httpResponse.status !== 503)
      reportViolation({
        invariant: 'no 5xx except 503',
        cause: `${method} ${url}: ${httpResponse.status} ${httpResponse.body}`,
      })
    return httpResponse
  }

  const { sendMessage, announce } = createGatewayMessages({
    timeline,
    tally,
    extendHistory,
    call,
  })

  gateway.onRefund = (order, transaction, refund) => {
    if (order.merchantId !== RAZORPAY_MERCHANT) return
    const refundRandom = createRandom(
      plan.profile.name,
      plan.seed,
      plan.history,
      'refund',
      refund.reference,
    )
    const announceRefund = (event: RefundWebhook): void => {
      const webhook = buildPaymentWebhook(event, order, transaction, timeline.now(), refund)
      announce(webhook, drawMessages(plan.profile, refundRandom))
    }
    announceRefund('refund.created')
    if (refund.failsAt !== null) {
      extendHistory(refund.failsAt - timeline.now())
      timeline.schedule(refund.failsAt - timeline.now(), () => announceRefund('refund.failed'))
    } else if (refund.doneAt - timeline.now() < REFUND_FAILS_AFTER_MS)
      timeline.schedule(refund.doneAt - timeline.now(), () => announceRefund('refund.processed'))
  }

  const followDispute = async (plannedDispute: PlannedDispute, random: Random): Promise<void> => {
    const disputedPayment = chooseDisputed(gateway, RAZORPAY_MERCHANT, random)
    if (disputedPayment === null) return
    const dispute = openDispute(gateway, disputedPayment, timeline.now())
    for (const { afterMs, status } of plannedDispute.steps) {
      extendHistory(afterMs)
      await timeline.wait(afterMs)
      dispute.changes.push({ at: timeline.now(), status })
      writeTrace(() => `dispute ${dispute.id} of ${dispute.paymentReference}: ${status}`)
      announce(
        buildDisputeWebhook(disputedPayment.order, dispute),
        drawMessages(plan.profile, random),
        () => void (dispute.isNamed = true),
      )
    }
  }

  // ── On the gateway's page ────────────────────────────────────────────────────

  const visit = async (
    browser: BrowserState,
    plannedVisit: Visit,
    random: Random,
  ): Promise<void> => {
    const form = plannedVisit.isOldTab ? browser.forms[0] : browser.forms.at(-1)
    if (form === undefined) return
    writeTrace(() => `${form.orderid} at the gateway: ${JSON.stringify(plannedVisit)}`)
    const isRazorpay = 'checkout_id' in form
    const order = gateway.visit(
      form.orderid,
      isRazorpay ? RAZORPAY_MERCHANT : (form.mercid ?? ''),
      form.amount,
      timeline.now(),
    )
    extendHistory(plannedVisit.thinkingMs)
    await timeline.wait(plannedVisit.thinkingMs)
    if (plannedVisit.result === 'left') return
    const finishVisit = (): void => {
      const isPaid = plannedVisit.result === 'paid'
      const authorization = isRazorpay && isPaid ? plannedVisit.lateAuthorization : null
      // Razorpay accepts only payments that match their order.
      const mismatch = isRazorpay ? null : plannedVisit.mismatch
      const declineCode = random.pick(['400', '405', '502'])
      const transaction = gateway.transact(order, {
        amount:
          isPaid && mismatch === 'amount'
            ? toAmount(order.requestedAmount - 100)
            : order.requestedAmount,
        currency: mismatch === 'currency' ? '840' : order.currency,
        type: mismatch === 'kind' ? '310' : '320',
        isTest: mismatch === 'test',
        at: instant(Math.floor(timeline.now() / 1000) * 1000),
        code: authorization !== null ? getFirstCode(authorization) : isPaid ? '200' : declineCode,
        message: isPaid ? 'Success' : 'Declined',
        checkoutId: isRazorpay ? (form.checkout_id ?? '') : '',
      })
      writeTrace(() => `${order.orderId}: ${JSON.stringify(transaction)}`)
      if (isRazorpay) {
        const announceEvent = (event: PaymentWebhook): void => {
          writeTrace(() => `${transaction.reference}: ${event}`)
          const webhook = buildPaymentWebhook(event, order, transaction, timeline.now())
          announce(webhook, plannedVisit.messages, () => {
            if (webhook.reportsCapture) transaction.isAnnounced = true
          })
        }
        if (authorization === null) announceEvent(isPaid ? 'payment.captured' : 'payment.failed')
        else {
          extendHistory(getLateAuthorizationMs(authorization))
          followPayment({ order, transaction }, authorization, timeline, announceEvent)
        }
        return
      }
      for (const plannedMessage of plannedVisit.messages)
        sendMessage(order, transaction, plannedMessage)
    }
    if (plannedVisit.heldMs === 0 || isRazorpay) finishVisit()
    else {
      order.heldUntil = Math.max(order.heldUntil, timeline.now() + plannedVisit.heldMs)
      extendHistory(plannedVisit.heldMs)
      timeline.schedule(plannedVisit.heldMs, finishVisit)
    }
    if (plannedVisit.returnAfterMs === null) return
    await timeline.wait(plannedVisit.returnAfterMs)
    const lastTransaction = order.transactions.at(-1)
    if (isRazorpay) {
      const fields = buildRazorpayReturn(lastTransaction)
      const path = `${ORDER_RETURN_PATH}${order.orderId}/`
      await call('POST', path, FORM, new URLSearchParams(fields).toString())
      await openPage(browser, plan.delegates[0]?.event ?? 'sample2026', order.orderId)
      return
    }
    const messageFields =
      lastTransaction === undefined
        ? {
            TRANSACTIONID: order.orderId,
            TRANSACTIONSTATUS: '211',
            AMOUNT: formatPlainAmount(order.requestedAmount, INR),
          }
        : buildMessage(order, lastTransaction, null)
    await call('POST', DEFAULT_RETURN_PATH, FORM, new URLSearchParams(messageFields).toString())
    await openPage(browser, plan.delegates[0]?.event ?? 'sample2026', order.orderId)
  }

  // ── On our pages ─────────────────────────────────────────────────────────────

  const openPage = async (
    browser: BrowserState,
    event: Delegate['event'],
    number: string,
  ): Promise<RegistrationResponse['registration'] | null> => {
    const path = compileServedEvent(event, 'usual').config.api.registration.replace(
      '{reg_no}',
      number,
    )
    const response = await call('GET', path)
    if (response?.status !== 200) return null
    const { registration } = JSON.parse(response.body) as RegistrationResponse
    const owner = registeredDelegates.get(browser.regNo)?.delegate
    const currency = owner && getCurrency(owner.event, owner.isMember ? 'member' : 'non-member')
    if (currency !== undefined && (registration.currency ?? INR) !== currency)
      reportViolation({
        invariant: 'a page states its registration’s currency',
        cause: `${number}: ${registration.currency}`,
      })
    if (registration.payment_status === 'success' && !browser.isFree)
      reportViolation(await invariants.checkDisplayedAsPaid(browser.regNo))
    return registration
  }
  const parseRegisterResponse = (response: SimulatedResponse | null): RegisterResponse | null =>
    response?.status === 201 || response?.status === 200
      ? (JSON.parse(response.body) as RegisterResponse)
      : null

  const send = (
    { name, event, isMember, code, way: paymentMethod, items }: Delegate,
    acceptedFields: Fields,
  ): Promise<SimulatedResponse | null> =>
    call(
      'POST',
      compileServedEvent(event, 'usual').config.api.register,
      'application/json',
      JSON.stringify({
        ...createAnswers(name, isMember, code, paymentMethod, items),
        ...acceptedFields,
      }),
      `form-of-${name}`,
    )
  /**
   * Returns the fields for the delegate's next attempt after the seats sold out, a code was used up or a method did not
   * accept the currency. Null if they give up.
   */
  const chooseAlternative = (
    responses: readonly (SimulatedResponse | null)[],
    acceptedFields: Fields,
  ): Fields | null => {
    const rejection = responses.find(
      (response) => response?.status === 409 || response?.status === 422,
    )
    if (rejection == null) return null
    const { code, quote, errors } = JSON.parse(rejection.body) as Rejection
    if (code === 'full') tally.full += 1
    if (code === 'full' && quote != null)
      return { ...acceptedFields, registration_category: quote.category }
    if (
      code === 'invalid_answers' &&
      errors?.['way'] !== undefined &&
      acceptedFields['way'] === undefined
    )
      return { ...acceptedFields, way: 'world' }
    if (!code.startsWith('code_')) return null
    tally.codesRefused += 1
    return { ...acceptedFields, code: '' }
  }
  /** Submits the form. If there is no response, the browser submits it again with the same key. */
  const register = async (delegate: Delegate): Promise<RegisterResult | null> => {
    let acceptedFields: Fields = {}
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const isDoubleSubmission = delegate.isSubmittedTwice && attempt === 0
      const httpResponses = await Promise.all(
        (isDoubleSubmission ? [1, 2] : [1]).map(() => send(delegate, acceptedFields)),
      )
      const responses = httpResponses.map(parseRegisterResponse).filter((form) => form !== null)
      const regNos = new Set(responses.map(({ reg_no }) => reg_no))
      if (regNos.size > 1)
        reportViolation({
          invariant: 'one form creates one registration',
          cause: [...regNos].join(', '),
        })
      if (responses[0] !== undefined) return { ...responses[0], acceptedFields, responses }
      const alternative = chooseAlternative(httpResponses, acceptedFields)
      if (alternative !== null) {
        acceptedFields = alternative
        continue
      }
      const isFinal = httpResponses.some((response) => response !== null && response.status !== 503)
      if (isFinal) return null
      extendHistory(RETRY_MS)
      await timeline.wait(RETRY_MS)
    }
    return null
  }
  const storeForm = (browser: BrowserState, response: RegisterResponse | null): void => {
    const form = response?.payment_data
    // After a day, the same form creates a new registration, which is ignored here.
    if (
      response?.reg_no === browser.regNo &&
      form !== undefined &&
      !browser.forms.some((known) => isSameForm(known, form))
    )
      browser.forms.push(form)
  }
  /**
   * Requests another payment form. If the price has changed in the meantime, the delegate accepts the new price.
   * Returns true if the delegate got a form.
   */
  const payAgain = async (
    browser: BrowserState,
    path: string,
    fields: Fields,
  ): Promise<boolean> => {
    const send = (extraFields: Fields): Promise<SimulatedResponse | null> =>
      call('POST', path, FORM, new URLSearchParams({ ...fields, ...extraFields }).toString())
    const response = await send({})
    const priceChange = response?.status === 409 ? (JSON.parse(response.body) as PriceChange) : null
    const form = parseRegisterResponse(
      priceChange?.code === 'price_moved'
        ? await send({ price: String(priceChange.quote.total) })
        : response,
    )
    storeForm(browser, form)
    return form !== null
  }
  const payByNumber = (browser: BrowserState): Promise<boolean> =>
    payAgain(browser, '/api/payment/retry/', {
      order_id: browser.forms.at(-1)?.orderid ?? browser.regNo,
    })
  const payByLink = async (browser: BrowserState): Promise<boolean> => {
    const token = mailbox.getLinkToken(browser.regNo)
    if (token === null) return false
    tally.resumed += 1
    return payAgain(browser, '/api/payment/resume/', { token })
  }
  const actOnSelfServicePage = async (browser: BrowserState, body: object): Promise<void> => {
    const token = mailbox.getLinkToken(browser.regNo)
    if (token === null) return
    const requestBody = JSON.stringify({ ...body, key: `own-${timeline.now()}` })
    const path = `/api/my/${token}/acts/`
    // A double click sends the same key twice.
    await Promise.all([1, 2].map(() => call('POST', path, 'application/json', requestBody)))
    mailbox.scheduleSending()
  }
  /**
   * Pays by bank transfer, and then reports the payment on the self-service page. Some delegates pay a different
   * amount, or nothing.
   */
  const claimPayment = async (browser: BrowserState, random: Random): Promise<void> => {
    const storedRegistration = await server.runJob(({ store }) =>
      store.registration(browser.regNo as RegNo),
    )
    const newestPayment = storedRegistration?.payments[0]
    if (storedRegistration == null || newestPayment === undefined) return
    const paid_on = dayOf(timeline.now())
    const paymentMethod = newestPayment.way ?? 'transfer'
    const isOpen = storedRegistration.paymentStatus !== 'success'
    const priceOnDay =
      paymentMethod === METHOD_PRICED_ON_CREDIT_DATE && isOpen
        ? findPrice(
            context.getVersion(storedRegistration.eventId),
            storedRegistration.category ?? '',
            paid_on,
          )
        : null
    const orderAmount = priceOnDay ?? newestPayment.amount
    const paymentKind = random.pick([
      'right',
      'right',
      'right',
      'less',
      'not at all',
      'another payment',
      'our account',
    ] as const)
    const bankPayments = bank.listPayments()
    const bankPayment =
      paymentKind === 'right' || paymentKind === 'less'
        ? bank.pay(
            'transfer',
            toAmount(paymentKind === 'less' ? orderAmount - 100 : orderAmount),
            paid_on,
            getCurrency(storedRegistration.eventId, storedRegistration.category),
          )
        : paymentKind === 'another payment' && bankPayments.length > 0
          ? random.pick(bankPayments)
          : null
    const organiserAccount = paymentKind === 'our account' ? CONFERENCE_ACCOUNT : null
    const utr =
      bankPayment?.reference ??
      organiserAccount ??
      `HDFCN5${String(9_000_000_000 + random.below(1000))}`
    await actOnSelfServicePage(browser, {
      act: 'tell',
      way: paymentMethod,
      answers: { utr: respellReference(utr, random), paid_on },
    })
  }
  /** Performs one step of the delegate's plan. */
  const performStep = async (
    delegate: Delegate,
    browser: BrowserState,
    step: Step,
    random: Random,
  ): Promise<void> => {
    switch (step.is) {
      case 'visit':
        return visit(browser, step.visit, random)
      case 'other tab':
        void visit(browser, step.visit, random)
        return
      case 'reload':
        await openPage(browser, delegate.event, browser.regNo)
        return
      case 'same form':
        storeForm(browser, parseRegisterResponse(await send(delegate, browser.acceptedFields)))
        return
      case 'retry':
        return void (await payByNumber(browser))
      case 'resume':
        return void (await payByLink(browser))
      case 'edit':
        return actOnSelfServicePage(browser, {
          act: 'edit',
          answers: { food: random.pick(['rice', 'bread']) },
        })
      case 'accept_offer':
        return actOnSelfServicePage(browser, { act: 'accept_offer', category: 'non-member' })
      case 'tell':
        return claimPayment(browser, random)
      case 'ask_cancel':
        return actOnSelfServicePage(browser, { act: 'ask_cancel', why: 'I cannot come' })
      case 'what is due': {
        const pageState = await openPage(browser, delegate.event, browser.regNo)
        if (pageState?.may_pay !== true) return
        const requestPayment =
          mailbox.getLinkToken(browser.regNo) === null ? payByNumber : payByLink
        if (await requestPayment(browser)) return visit(browser, step.visit, random)
        return
      }
      default:
        return assertNever(step)
    }
  }

  const followPlan = async (delegate: Delegate): Promise<void> => {
    await timeline.wait(delegate.afterMs)
    const result = await register(delegate)
    if (result === null) return
    const isFree = result.payment_data === undefined && result.stands === 'complete'
    const browser: BrowserState = {
      regNo: result.reg_no,
      forms: [],
      isFree,
      acceptedFields: result.acceptedFields,
    }
    for (const response of result.responses) storeForm(browser, response)
    registeredDelegates.set(result.reg_no, { delegate, browser })
    mailbox.scheduleSending()
    for (const [index, step] of delegate.steps.entries()) {
      extendHistory(step.afterMs)
      await timeline.wait(step.afterMs)
      const isVisit = step.is === 'visit' || step.is === 'other tab'
      // A delegate who has already paid pays again only by mistake, in an old or second tab.
      if (step.is === 'visit' && !step.visit.isOldTab && index > 0 && hasPaid(browser)) continue
      if (isVisit && browser.forms.length === 0) continue
      await performStep(
        delegate,
        browser,
        step,
        createRandom(plan.profile.name, plan.seed, plan.history, 'step', delegate.name, index),
      )
    }
  }
  const hasPaid = ({ forms }: BrowserState): boolean =>
    forms.some(({ orderid }) => gateway.orders.get(orderid)?.transactions.some(isCapture) === true)

  return {
    begin: () => {
      for (const [index, plannedDispute] of plan.disputes.entries()) {
        const { name } = plan.profile
        const disputeRandom = createRandom(name, plan.seed, plan.history, 'dispute', index)
        extendHistory(plannedDispute.afterMs)
        timeline.schedule(
          plannedDispute.afterMs,
          () => void followDispute(plannedDispute, disputeRandom),
        )
      }
      for (const delegate of plan.delegates) {
        extendHistory(delegate.afterMs)
        void followPlan(delegate)
      }
    },
    listRegNos: () => [...registeredDelegates.keys()],
    findEventId: (regNo) => registeredDelegates.get(regNo)?.delegate.event ?? '',
    openPagesAgain: async () => {
      if (!server.isUp()) return
      const pageViews = [...registeredDelegates.values()].map(({ delegate, browser }) =>
        openPage(browser, delegate.event, browser.regNo),
      )
      const nextMinute = instant(timeline.now() + 60_000)
      await timeline.run(() => nextMinute)
      await Promise.all(pageViews)
    },
  }
}

/** Returns true if both forms belong to the same gateway order. The gateway may have two for one of our orders. */
const isSameForm = (form: PaymentData, other: PaymentData): boolean =>
  form.orderid === other.orderid &&
  ('checkout_id' in form ? form.checkout_id : '') ===
    ('checkout_id' in other ? other.checkout_id : '')
