/**
 * Simulates staff actions through the API, in the same order as the office pages: view, choose, submit. Some actions
 * are sent twice, at the same time as a colleague's, without permission, or after signing out.
 */
import { addDays, assertNever, dayOf, toAmount, getReviewVersion } from '../../engine/index.ts'
import type {
  ActionName,
  Currency,
  RegistrationState,
  RegNo,
  ManualMethod,
} from '../../engine/index.ts'
import type { ActionsResponse } from '../../engine/api.ts'
import { addAtDesk } from './add-registrations.ts'
import { findAccountType, respellReference } from './bank.ts'
import type { Bank, BankPayment } from './bank.ts'
import type { Timeline } from './virtual-time.ts'
import {
  APPROVAL_EVENT,
  METHOD_PRICED_ON_CREDIT_DATE,
  ITEM_IDS,
  TAX_RATES_EVENT,
  getCurrency,
  findPrice,
} from './events.ts'
import type { EventId, Version } from './events.ts'
import { compareFigures } from './check-figures.ts'
import type { Gateway } from './gateway.ts'
import { createStaffClient } from './office-sessions.ts'
import type { SimulatedResponse, SimulatedServer } from './server.ts'
import { chooseDecision } from './treasurer.ts'
import type { StaffAction, StaffStep, Plan } from './plan.ts'
import { chooseEuroEvent } from './profiles.ts'
import type { Mailbox } from './emails.ts'
import type { Violation } from './check-payments.ts'
import { createRandom } from './random.ts'
import type { Random } from './random.ts'
import { openPageForRefundCheck } from './check-cancellation.ts'
import { importStatement } from './bank-statements.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Store, StoredRegistration } from '../../server/storage/index.ts'
import type { Tally } from './tally.ts'
import type { HistoryInvariants } from './check-history.ts'
import { canPerform, STAFF, STAFF_NAMES } from './expected-permissions.ts'
import type { StaffName } from './expected-permissions.ts'

const METHODS = [
  'transfer',
  'upi',
  'cheque',
  'cash',
  'machine',
] as const satisfies readonly ManualMethod[]

/** Numbers up to this one are reserved for the plan's delegates. Delegates in manual registrations get higher ones. */
const LAST_RESERVED_NUMBER = 100
/** The maximum number of days between a payment and its confirmation by staff. */
const MAX_DAYS_AGO = 6

const REQUIRED_STATE: Readonly<Partial<Record<StaffAction, RegistrationState>>> = {
  approve: 'to_approve',
  refuse: 'to_approve',
  'refuse with an offer': 'to_approve',
  'find claimed payment': 'told',
  reopen: 'lapsed',
  'record extra payment': 'complete',
}

export type StaffSimulationContext = {
  readonly plan: Plan
  readonly timeline: Timeline
  readonly server: SimulatedServer
  readonly gateway: Gateway
  readonly bank: Bank
  readonly mailbox: Mailbox
  readonly actionHistory: HistoryInvariants
  readonly tally: Tally
  readonly reportViolation: (violation: Violation | null) => void
  readonly writeTrace: (describe: () => string) => void
  readonly extendHistory: (ms: number) => void
  /** Lists the registration numbers of all registrations. */
  readonly listRegNos: () => readonly string[]
  readonly getEvent: (regNo: string) => string
  /** Adds a manual registration to those that simulated staff can choose. */
  readonly addRegNo: (regNo: string, event: string) => void
  readonly getVersion: (event: string) => Version
  readonly sql: () => Sql
  readonly getOwedPartOfRefunds: (id: number) => number
}
/** The request body that a staff page sends, without the reason and the key. */
type ActionBody = Readonly<Record<string, unknown>> & { readonly act: ActionName }

const isNameChange = ({ answers }: ActionBody): boolean =>
  typeof answers === 'object' && answers !== null && Object.keys(answers).join() === 'full_name'

/** Creates the staff users with their roles and without passwords. */
export async function createStaff(store: Store, createdAt: Parameters<Store['addAdmin']>[2]) {
  for (const name of STAFF_NAMES) await store.addAdmin(name, '', createdAt, STAFF[name])
}

export function createStaffSimulation(context: StaffSimulationContext): { begin(): void } {
  const {
    plan,
    timeline,
    server,
    bank,
    actionHistory,
    tally,
    reportViolation,
    writeTrace,
    extendHistory,
  } = context
  const client = createStaffClient(context)
  const { call, signIn } = client
  let lastAddedNumber = LAST_RESERVED_NUMBER

  const performAction = async (
    staffName: StaffName,
    regNo: string,
    step: StaffStep,
    random: Random,
  ) => {
    const token = await signIn(staffName)
    if (token === null) return
    const url = `/admin/registrations/${regNo}/acts/`
    const openPage = () => call('GET', url, token)
    const proposal = await openPageForRefundCheck(context, regNo, { now: timeline.now, openPage })
    const pageResponse = proposal.response
    const hasAccess =
      STAFF[staffName].events?.some((id) => id === context.getEvent(regNo)) !== false
    if (!hasAccess && pageResponse?.status === 200)
      reportViolation({
        invariant: 'staff perform only actions that their role allows',
        cause: `${staffName} sees ${regNo}`,
      })
    if (hasAccess && pageResponse?.status !== 200) return
    const page =
      hasAccess && pageResponse !== null ? (JSON.parse(pageResponse.body) as ActionsResponse) : null
    // A server whose clock is wrong may use another step of the refund scale.
    if (page !== null && !plan.incidents.some(({ is }) => is === 'clock'))
      reportViolation(proposal.checkProposedRefund(page))
    const body = await chooseBody(step.is, page, regNo, random)
    if (body === null) return
    if (step.isSignedOut) await call('POST', '/admin/logout/', token)
    await submitAction(staffName, regNo, token, body, step)
  }
  /** Submits the action. If the price has changed, confirms the new price. */
  const submitAction = async (
    staffName: StaffName,
    regNo: string,
    token: string,
    body: ActionBody,
    step: StaffStep,
  ): Promise<void> => {
    const key = client.nextClick()
    const payload = { ...body, why: `${body.act} ${key}`, key }
    tally.acts += 1
    const send = async (): Promise<SimulatedResponse | null> => {
      const actionResponse = await call(
        'POST',
        `/admin/registrations/${regNo}/acts/`,
        token,
        payload,
      )
      if (actionResponse?.status !== 200) return actionResponse
      tally.acted += 1
      const method = typeof body['way'] === 'string' ? body['way'] : null
      if (step.isSignedOut)
        reportViolation({
          invariant: 'an expired session gives no access',
          cause: `${staffName}: ${payload.why}`,
        })
      if (!canPerform(staffName, body.act, context.getEvent(regNo), method))
        reportViolation({
          invariant: 'staff perform only actions that their role allows',
          cause: `${staffName}: ${payload.why}`,
        })
      reportViolation(await actionHistory.checkReportedAction(regNo, body.act, payload.why))
      context.mailbox.scheduleSending()
      return actionResponse
    }
    const responses = await Promise.all(step.isSentTwice ? [send(), send()] : [send()])
    const [firstResponse] = responses
    if (firstResponse?.status !== 409 || 'total' in body) return
    const { code, quote } = JSON.parse(firstResponse.body) as {
      code: string
      quote?: { total_amount?: number; total?: number }
    }
    const total = quote?.total ?? quote?.total_amount
    if (code === 'price_changes' && isNameChange(body))
      reportViolation({
        invariant: 'a name change is free',
        cause: `${staffName}: ${payload.why}: ${firstResponse.body}`,
      })
    if (code === 'price_changes' && total !== undefined)
      await submitAction(staffName, regNo, token, { ...body, total }, step)
  }

  /** Each registration's items before its latest correction. */
  const itemsByRegNo = new Map<string, Readonly<Record<string, boolean>>>()
  const readItems = (page: ActionsResponse | null): Readonly<Record<string, boolean>> =>
    Object.fromEntries(
      ITEM_IDS.map((item) => {
        const value = page?.fields.find(({ id }) => id === item)?.value
        return [item, value === 'true' || value === 'yes']
      }),
    )

  /** Builds the request body. Null if the action does not apply. */
  const chooseBody = async (
    action: StaffAction,
    page: ActionsResponse | null,
    regNo: string,
    random: Random,
  ): Promise<ActionBody | null> => {
    switch (action) {
      case 'note':
        return { act: 'note' }
      case 'correct name':
        return { act: 'correct', answers: { full_name: `Corrected ${random.below(1000)}` } }
      case 'correct category': {
        const currentAnswer = page?.fields.find(({ id }) => id === 'is_member')?.value
        return {
          act: 'correct',
          answers: { is_member: currentAnswer !== 'true' && currentAnswer !== 'yes' },
        }
      }
      case 'correct items': {
        const newItems = random.pick([
          { workshop: true, donation: false },
          { workshop: false, donation: true },
        ])
        const answers = random.chance(0.4)
          ? newItems
          : Object.fromEntries(
              ITEM_IDS.filter(() => random.chance(0.35)).map((id) => [id, random.chance(0.5)]),
            )
        if (context.getEvent(regNo) !== TAX_RATES_EVENT) return null
        const itemsBeforeCorrection = itemsByRegNo.get(regNo)
        itemsByRegNo.set(regNo, readItems(page))
        // Half of the later corrections undo the previous one.
        const undoesPrevious = itemsBeforeCorrection !== undefined && random.chance(0.5)
        return { act: 'correct', answers: undoesPrevious ? itemsBeforeCorrection : answers }
      }
      case 'transfer': {
        const n = random.below(1000)
        const answers = {
          full_name: `Other ${n}`,
          email: `other${n}@sample.example`,
          phone_number: '9876511111',
        }
        return { act: 'transfer', answers }
      }
      case 'cancel': {
        const refundAmount = random.pick([page?.proposed_back ?? 0, 0, page?.kept ?? 0])
        return { act: 'cancel', pay_back: refundAmount, kept: page?.kept ?? null }
      }
      case 'refund':
      case 'refund by hand': {
        const owedRefund = page?.pay_back ?? 0
        const netPaid = page?.kept ?? 100
        // After a large goodwill refund, little is left to refund if the price is reduced.
        const largeAmounts =
          context.getEvent(regNo) === TAX_RATES_EVENT ? [Math.round(netPaid * 85) / 100] : []
        const amount =
          owedRefund > 0 ? owedRefund : random.pick([100, netPaid, 250.5, ...largeAmounts])
        if (action === 'refund') return { act: 'refund', amount }
        const reference = bank.payRefund(toAmount(Math.round(amount * 100)))
        return { act: 'refund', amount, by_hand: true, reference }
      }
      case 'accept':
      case 'dismiss':
        return decideFirstReview(action, regNo, random)
      case 'record extra payment':
      case 'confirm': {
        const bankPayment = await choosePayment(regNo, random)
        const reference = respellReference(bankPayment.reference, random)
        const { method, amount, day: paymentDay } = bankPayment
        const act = action === 'confirm' ? 'confirm' : 'came_again'
        return { act, way: method, reference, amount: amount / 100, day: paymentDay }
      }
      case 'resend':
        return { act: 'resend' }
      case 'send pay link':
        return { act: 'send_pay_link' }
      case 'find claimed payment':
        return findClaimedPayment(regNo)
      case 'reopen':
        return { act: 'take_up' }
      case 'approve':
        return { act: 'approve' }
      case 'refuse':
        return { act: 'refuse' }
      case 'refuse with an offer':
        return { act: 'refuse', offer: true }
      case 'compare the figures':
      case 'erase':
      case 'load a statement':
      case 'add at the desk':
        return null
      default:
        return assertNever(action)
    }
  }
  const findCurrency = async (regNo: string): Promise<Currency> => {
    const row = await context
      .sql()<{ category: string | null }>('SELECT category FROM registrations WHERE reg_no = ?')
      .get(regNo)
    return getCurrency(context.getEvent(regNo), row?.category ?? null)
  }
  /** Finds the bank payment that the delegate reported. */
  const findClaimedPayment = async (regNo: string): Promise<ActionBody | null> => {
    const claims = await server.runJob(({ store }) => store.paymentClaims(regNo as RegNo))
    const reference = claims?.[0]?.reference
    if (reference === undefined) return null
    const bankPayment = bank.find('transfer', reference)
    return bankPayment === null || bankPayment.currency !== (await findCurrency(regNo))
      ? { act: 'not_found' }
      : {
          act: 'confirm',
          way: 'transfer',
          reference,
          amount: bankPayment.amount / 100,
          day: bankPayment.day,
        }
  }
  /**
   * Chooses the payment to record. Sometimes this is an earlier payment under another method, as if a treasurer entered
   * the same statement line twice.
   */
  const choosePayment = async (regNo: string, random: Random): Promise<BankPayment> => {
    const currency = await findCurrency(regNo)
    const bankPayments = bank.listPayments().filter((payment) => payment.currency === currency)
    if (bankPayments.length > 0 && random.chance(0.35)) {
      const earlierPayment = random.pick(bankPayments)
      return findAccountType(earlierPayment.method) === 'bank'
        ? { ...earlierPayment, method: random.pick(['transfer', 'upi', 'cheque', 'machine']) }
        : earlierPayment
    }
    const storedRegistration = await server.runJob(({ store }) =>
      store.registration(regNo as RegNo),
    )
    const paymentDay = addDays(
      dayOf(timeline.now()),
      random.chance(0.3) ? -random.below(MAX_DAYS_AGO) : 0,
    )
    const balance = findBalance(storedRegistration, paymentDay)
    const errorAmount = random.chance(0.25) ? random.pick([-10_000, 10_000]) : 0
    const amount = toAmount(Math.max(100, balance + errorAmount))
    return bank.pay(random.pick(METHODS), amount, paymentDay, currency)
  }
  /** Returns the amount that the registration's page shows as due for a payment on that date. */
  const findBalance = (stored: StoredRegistration | null, date: BankPayment['day']): number => {
    const newestPayment = stored?.payments[0]
    const isOpen = stored !== null && stored.paymentStatus !== 'success'
    const price =
      isOpen && newestPayment?.way === METHOD_PRICED_ON_CREDIT_DATE
        ? findPrice(context.getVersion(stored.eventId), stored.category ?? '', date)
        : null
    return price ?? newestPayment?.amount ?? 118_000
  }
  /**
   * Erases through the store, which applies the same rules as the API. The API also deletes files and emails outside
   * the database, which a history does not have.
   */
  const erase = async (staffName: StaffName, regNo: string): Promise<void> => {
    const { role, events } = STAFF[staffName]
    if (events?.some((id) => id === context.getEvent(regNo)) === false) return
    const reason = `erase ${client.nextClick()}`
    tally.acts += 1
    const eraseResult = await server.runJob(({ store, clock }) =>
      store.erasePersonalData({
        regNo: regNo as RegNo,
        act: 'erase',
        actor: role,
        who: staffName,
        why: reason,
        at: clock(),
        idempotencyKey: null,
      }),
    )
    writeTrace(() => `${staffName} erases ${regNo}: ${JSON.stringify(eraseResult)}`)
    if (eraseResult?.ok !== true) return
    tally.acted += 1
    reportViolation(await actionHistory.checkReportedAction(regNo, 'erase', reason))
  }
  /**
   * Chooses a decision on the registration's first payment in review, according to the merchant panel or, if the panel
   * does not show the payment, as planned. Null if there is nothing to decide.
   */
  const decideFirstReview = async (
    action: 'accept' | 'dismiss',
    regNo: string,
    random: Random,
  ): Promise<ActionBody | null> => {
    const openReviews = (await server.runJob(({ store }) => store.reviews(null))) ?? []
    const review = openReviews.find((openReview) => openReview.regNo === regNo)
    if (review === undefined) return null
    const plannedDecision = chooseDecision(review, random, context)
    if (plannedDecision === null) return null
    const { reference, amount } = plannedDecision
    const isPlainReview = review.is !== 'undecided' && review.is !== 'refund-unsure'
    if (
      !isPlainReview &&
      plannedDecision.decision !== 'accept' &&
      plannedDecision.decision !== 'dismiss'
    )
      return null
    const act = isPlainReview
      ? review.is === 'misfit' || random.chance(0.2)
        ? action
        : 'dismiss'
      : plannedDecision.decision
    return {
      act: act === 'accept' ? 'accept' : 'dismiss',
      review: review.id,
      version: getReviewVersion(review),
      reference,
      amount,
    }
  }

  /** Returns the registrations in the state that the action needs, or all if there are none. */
  const listSuitableRegistrations = async (
    action: StaffAction,
    regNos: readonly string[],
  ): Promise<readonly string[]> => {
    if (action === 'correct items') {
      const taxRateRegNos = regNos.filter((regNo) => context.getEvent(regNo) === TAX_RATES_EVENT)
      return taxRateRegNos.length === 0 ? regNos : taxRateRegNos
    }
    const requiredState = REQUIRED_STATE[action]
    if (requiredState === undefined) return regNos
    const states = await Promise.all(
      regNos.map((regNo) =>
        server
          .runJob(({ store }) => store.registration(regNo as RegNo))
          .then((stored) => stored?.state),
      ),
    )
    const suitableRegNos = regNos.filter((_, index) => states[index] === requiredState)
    return suitableRegNos.length === 0 ? regNos : suitableRegNos
  }
  const performStep = async (step: StaffStep, random: Random, at: number): Promise<void> => {
    const { name } = plan.profile
    const staffNames = step.colleague === null ? [step.by] : [step.by, step.colleague]
    const createRandomFor = (staffName: StaffName): Random =>
      createRandom(name, plan.seed, plan.history, 'desk', at, staffName)
    const { euro } = plan.profile
    const bankEvent: EventId =
      euro > 0 && random.chance(euro) ? chooseEuroEvent(plan.profile) : APPROVAL_EVENT
    if (step.is === 'load a statement') {
      const countActions = (count: number): void => {
        tally.acted += count
        if (count > 0) context.mailbox.scheduleSending()
      }
      const sharedContext = { bank, client, sql: context.sql, reportViolation, countActions }
      await Promise.all(
        staffNames.map((staffName) =>
          importStatement(
            sharedContext,
            staffName,
            bankEvent,
            step,
            createRandomFor(staffName),
            dayOf(timeline.now()),
          ),
        ),
      )
      return
    }
    if (step.is === 'add at the desk') {
      const { sql, getVersion } = context
      const addRegNo = (regNo: string): void => {
        tally.acted += 1
        context.addRegNo(regNo, bankEvent)
        context.mailbox.scheduleSending()
      }
      const sharedContext = { timeline, bank, client, sql, getVersion, reportViolation, addRegNo }
      tally.acts += 1
      const eventContext = { ...sharedContext, event: bankEvent }
      await addAtDesk(eventContext, step.by, step, createRandomFor(step.by), (lastAddedNumber += 1))
      return
    }
    const regNos = context.listRegNos()
    if (regNos.length === 0) return
    if (step.is === 'compare the figures') {
      const figuresContext = {
        sql: context.sql,
        gateway: context.gateway,
        now: timeline.now,
        tally,
      }
      reportViolation(
        await compareFigures(
          client,
          figuresContext,
          context.getEvent(random.pick(regNos)) as EventId,
        ),
      )
      return
    }
    const regNo = random.pick(await listSuitableRegistrations(step.is, regNos))
    await Promise.all(
      staffNames.map((staffName) =>
        step.is === 'erase'
          ? erase(staffName, regNo)
          : performAction(staffName, regNo, step, createRandomFor(staffName)),
      ),
    )
  }
  return {
    begin: () => {
      for (const [index, step] of plan.staffSteps.entries()) {
        extendHistory(step.afterMs)
        const random = createRandom(plan.profile.name, plan.seed, plan.history, 'desk', index)
        timeline.schedule(step.afterMs, () => void performStep(step, random, index))
      }
    },
  }
}
