/**
 * Staff who act on registrations through the API, as its pages do: view, choose, send; some twice, some concurrently,
 * some without permission, some signed out.
 */
import { addDays, assertNever, dayOf, paise, reviewVersion } from '../../engine/index.ts'
import type { ActionName, RegistrationState, RegNo, ManualMethod } from '../../engine/index.ts'
import type { ActionsAnswer } from '../../engine/api.ts'
import { addAtDesk } from './add-registrations.ts'
import { findAccountType, respellReference } from './bank.ts'
import type { Bank, BankPayment } from './bank.ts'
import type { Timeline } from './virtual-time.ts'
import { CREDITED, ITEM_IDS, findPrice, TAX_RATES_EVENT, APPROVAL_EVENT } from './events.ts'
import type { EventId, Version } from './events.ts'
import { compareFigures } from './check-figures.ts'
import type { Gateway } from './gateway.ts'
import { createStaffClient } from './office-sessions.ts'
import type { Answer, Machine } from './server.ts'
import { chooseDecision } from './treasurer.ts'
import type { DeskAction, DeskStep, Plan } from './plan.ts'
import type { Mailbox } from './emails.ts'
import type { Violation } from './check-payments.ts'
import { createRandom } from './random.ts'
import type { Random } from './random.ts'
import { checkProposal } from './check-cancellation.ts'
import { loadStatement } from './bank-statements.ts'
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

/** Names of manual registrations are numbered after all delegates. */
const FIRST_ADDED_NUMBER = 100
/** How long ago a payment arrived that staff confirm today. */
const DAYS_AGO_MAX = 6

const REQUIRED_STATE: Readonly<Partial<Record<DeskAction, RegistrationState>>> = {
  approve: 'to_approve',
  refuse: 'to_approve',
  'refuse with an offer': 'to_approve',
  'look for told': 'told',
  'take up': 'lapsed',
  'came again': 'complete',
}

export type DeskContext = {
  readonly plan: Plan
  readonly timeline: Timeline
  readonly machine: Machine
  readonly gateway: Gateway
  readonly bank: Bank
  readonly mailbox: Mailbox
  readonly actionHistory: HistoryInvariants
  readonly tally: Tally
  readonly reportViolation: (found: Violation | null) => void
  readonly writeTrace: (what: () => string) => void
  readonly extendEnd: (ms: number) => void
  /** Registered delegates, with their events. */
  readonly numbers: () => readonly string[]
  readonly eventOf: (regNo: string) => string
  /** Makes a manual registration available. */
  readonly addNumber: (regNo: string, event: string) => void
  readonly versionOf: (event: string) => Version
  readonly sql: () => Sql
  readonly refundDue: (id: number) => number
}
/** The body that a staff page sends, without the reason and the key. */
type Body = Readonly<Record<string, unknown>> & { readonly act: ActionName }

const changesName = ({ answers }: Body): boolean =>
  typeof answers === 'object' && answers !== null && Object.keys(answers).join() === 'full_name'

/** Each with a role; no one signs in with a password here. */
export async function createStaff(store: Store, at: Parameters<Store['addAdmin']>[2]) {
  for (const name of STAFF_NAMES) await store.addAdmin(name, '', at, STAFF[name])
}

export function createDesk(context: DeskContext): { begin(): void } {
  const {
    plan,
    timeline,
    machine,
    bank,
    actionHistory,
    tally,
    reportViolation,
    writeTrace,
    extendEnd,
  } = context
  const client = createStaffClient(context)
  const { call, signIn } = client
  let added = FIRST_ADDED_NUMBER

  const performAction = async (
    staffName: StaffName,
    regNo: string,
    one: DeskStep,
    random: Random,
  ) => {
    const token = await signIn(staffName)
    if (token === null) return
    const address = `/admin/registrations/${regNo}/acts/`
    const open = () => call('GET', address, token)
    const proposal = await checkProposal(context, regNo, { now: timeline.now, open })
    const pageAnswer = proposal.answer
    const hasAccess = STAFF[staffName].events?.some((id) => id === context.eventOf(regNo)) !== false
    if (!hasAccess && pageAnswer?.status === 200)
      reportViolation({
        invariant: 'staff perform only actions of their role',
        cause: `${staffName} sees ${regNo}`,
      })
    if (hasAccess && pageAnswer?.status !== 200) return
    const page =
      hasAccess && pageAnswer !== null ? (JSON.parse(pageAnswer.body) as ActionsAnswer) : null
    // A server with a wrong clock uses another step of the scale.
    if (page !== null && !plan.mishaps.some(({ is }) => is === 'clock'))
      reportViolation(proposal.judge(page))
    const body = await chooseBody(one.is, page, regNo, random)
    if (body === null) return
    if (one.isSignedOut) await call('POST', '/admin/logout/', token)
    await click(staffName, regNo, token, body, one)
  }
  /** Sends it, and agrees to a changed price. */
  const click = async (
    staffName: StaffName,
    regNo: string,
    token: string,
    body: Body,
    one: DeskStep,
  ): Promise<void> => {
    const key = client.nextClick()
    const sent = { ...body, why: `${body.act} ${key}`, key }
    tally.acts += 1
    const send = async (): Promise<Answer | null> => {
      const answer = await call('POST', `/admin/registrations/${regNo}/acts/`, token, sent)
      if (answer?.status !== 200) return answer
      tally.acted += 1
      const method = typeof body['way'] === 'string' ? body['way'] : null
      if (one.isSignedOut)
        reportViolation({
          invariant: 'an expired session gives no access',
          cause: `${staffName}: ${sent.why}`,
        })
      if (!canPerform(staffName, body.act, context.eventOf(regNo), method))
        reportViolation({
          invariant: 'staff perform only actions of their role',
          cause: `${staffName}: ${sent.why}`,
        })
      reportViolation(await actionHistory.answered(regNo, body.act, sent.why))
      context.mailbox.expect()
      return answer
    }
    const answers = await Promise.all(one.isTwice ? [send(), send()] : [send()])
    const [first] = answers
    if (first?.status !== 409 || 'total' in body) return
    const { code, quote } = JSON.parse(first.body) as {
      code: string
      quote?: { total_amount?: number; total?: number }
    }
    const total = quote?.total ?? quote?.total_amount
    if (code === 'price_changes' && changesName(body))
      reportViolation({
        invariant: 'a change of name costs nothing',
        cause: `${staffName}: ${sent.why}: ${first.body}`,
      })
    if (code === 'price_changes' && total !== undefined)
      await click(staffName, regNo, token, { ...body, total }, one)
  }

  /** The items of a registration before its last correction. */
  const itemsBefore = new Map<string, Readonly<Record<string, boolean>>>()
  const readItems = (page: ActionsAnswer | null): Readonly<Record<string, boolean>> =>
    Object.fromEntries(
      ITEM_IDS.map((item) => {
        const value = page?.fields.find(({ id }) => id === item)?.value
        return [item, value === 'true' || value === 'yes']
      }),
    )

  /** The input and choices. Null if there is nothing of the kind to do. */
  const chooseBody = async (
    is: DeskAction,
    page: ActionsAnswer | null,
    regNo: string,
    random: Random,
  ): Promise<Body | null> => {
    switch (is) {
      case 'note':
        return { act: 'note' }
      case 'correct name':
        return { act: 'correct', answers: { full_name: `Corrected ${random.below(1000)}` } }
      case 'correct category': {
        const now = page?.fields.find(({ id }) => id === 'is_member')?.value
        return { act: 'correct', answers: { is_member: now !== 'true' && now !== 'yes' } }
      }
      case 'correct items': {
        const exchange = random.pick([
          { workshop: true, donation: false },
          { workshop: false, donation: true },
        ])
        const answers = random.chance(0.4)
          ? exchange
          : Object.fromEntries(
              ITEM_IDS.filter(() => random.chance(0.35)).map((id) => [id, random.chance(0.5)]),
            )
        if (context.eventOf(regNo) !== TAX_RATES_EVENT) return null
        const before = itemsBefore.get(regNo)
        itemsBefore.set(regNo, readItems(page))
        // Half of the corrections are undone.
        const isUndone = before !== undefined && random.chance(0.5)
        return { act: 'correct', answers: isUndone ? before : answers }
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
        const owed = page?.pay_back ?? 0
        const kept = page?.kept ?? 100
        // Large goodwill, after which a lower bill owes at most the rest.
        const large =
          context.eventOf(regNo) === TAX_RATES_EVENT ? [Math.round(kept * 85) / 100] : []
        const amount = owed > 0 ? owed : random.pick([100, kept, 250.5, ...large])
        if (is === 'refund') return { act: 'refund', amount }
        const reference = bank.payRefund(paise(Math.round(amount * 100)))
        return { act: 'refund', amount, by_hand: true, reference }
      }
      case 'accept':
      case 'dismiss':
        return decision(is, regNo, random)
      case 'came again':
      case 'confirm': {
        const bankPayment = await choosePayment(regNo, random)
        const reference = respellReference(bankPayment.reference, random)
        const { way, amount, on: day } = bankPayment
        const act = is === 'confirm' ? 'confirm' : 'came_again'
        return { act, way, reference, amount: amount / 100, day }
      }
      case 'resend':
        return { act: 'resend' }
      case 'send pay link':
        return { act: 'send_pay_link' }
      case 'look for told':
        return findClaimedPayment(regNo)
      case 'take up':
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
        return assertNever(is)
    }
  }
  /** A claimed payment is searched for in the books of the bank. */
  const findClaimedPayment = async (regNo: string): Promise<Body | null> => {
    const claims = await machine.inside(({ store }) => store.paymentClaims(regNo as RegNo))
    const reference = claims?.[0]?.reference
    if (reference === undefined) return null
    const came = bank.find('transfer', reference)
    return came === null
      ? { act: 'not_found' }
      : { act: 'confirm', way: 'transfer', reference, amount: came.amount / 100, day: came.on }
  }
  /** Sometimes an earlier payment again, under another method: a treasurer enters the same bank line twice. */
  const choosePayment = async (regNo: string, random: Random): Promise<BankPayment> => {
    const bankPayments = bank.all()
    if (bankPayments.length > 0 && random.chance(0.35)) {
      const one = random.pick(bankPayments)
      return findAccountType(one.way) === 'bank'
        ? { ...one, way: random.pick(['transfer', 'upi', 'cheque', 'machine']) }
        : one
    }
    const stored = await machine.inside(({ store }) => store.registration(regNo as RegNo))
    const on = addDays(dayOf(timeline.now()), random.chance(0.3) ? -random.below(DAYS_AGO_MAX) : 0)
    const balance = findBalance(stored, on)
    const wrong = random.chance(0.25) ? random.pick([-10_000, 10_000]) : 0
    return bank.pay(random.pick(METHODS), paise(Math.max(100, balance + wrong)), on)
  }
  /** The balance on its page, if the payment arrives on that day. */
  const findBalance = (stored: StoredRegistration | null, on: BankPayment['on']): number => {
    const newest = stored?.payments[0]
    const isOpen = stored !== null && stored.paymentStatus !== 'success'
    const price =
      isOpen && newest?.way === CREDITED
        ? findPrice(context.versionOf(stored.eventId), stored.category ?? '', on)
        : null
    return price ?? newest?.amount ?? 118_000
  }
  /** By the store operation, which decides as the API does: there are no files or emails outside the database here. */
  const erase = async (staffName: StaffName, regNo: string): Promise<void> => {
    const { role, events } = STAFF[staffName]
    if (events?.some((id) => id === context.eventOf(regNo)) === false) return
    const why = `erase ${client.nextClick()}`
    tally.acts += 1
    const done = await machine.inside(({ store, clock }) =>
      store.erasePersonalData({
        regNo: regNo as RegNo,
        act: 'erase',
        actor: role,
        who: staffName,
        why,
        at: clock(),
        once: null,
      }),
    )
    writeTrace(() => `${staffName} erases ${regNo}: ${JSON.stringify(done)}`)
    if (done?.ok !== true) return
    tally.acted += 1
    reportViolation(await actionHistory.answered(regNo, 'erase', why))
  }
  /** The panel decides; if it shows nothing, the intended result. */
  const decision = async (
    is: 'accept' | 'dismiss',
    regNo: string,
    random: Random,
  ): Promise<Body | null> => {
    const waiting = (await machine.inside(({ store }) => store.reviews(null))) ?? []
    const review = waiting.find((one) => one.regNo === regNo)
    if (review === undefined) return null
    const words = chooseDecision(review, random, context)
    if (words === null) return null
    const { reference, amount } = words
    const isPlain = review.is !== 'undecided' && review.is !== 'refund-unsure'
    if (!isPlain && words.decision !== 'accept' && words.decision !== 'dismiss') return null
    const act = isPlain
      ? review.is === 'misfit' || random.chance(0.2)
        ? is
        : 'dismiss'
      : words.decision
    return {
      act: act === 'accept' ? 'accept' : 'dismiss',
      review: review.id,
      version: reviewVersion(review),
      reference,
      amount,
    }
  }

  /** Some actions are for waiting registrations: one of these, if there is one. */
  const listSuitable = async (
    is: DeskAction,
    numbers: readonly string[],
  ): Promise<readonly string[]> => {
    if (is === 'correct items') {
      const taxRateNumbers = numbers.filter((regNo) => context.eventOf(regNo) === TAX_RATES_EVENT)
      return taxRateNumbers.length === 0 ? numbers : taxRateNumbers
    }
    const requiredState = REQUIRED_STATE[is]
    if (requiredState === undefined) return numbers
    const states = await Promise.all(
      numbers.map((regNo) =>
        machine.inside(({ store }) => store.registration(regNo as RegNo)).then((one) => one?.state),
      ),
    )
    const waiting = numbers.filter((_, at) => states[at] === requiredState)
    return waiting.length === 0 ? numbers : waiting
  }
  const step = async (one: DeskStep, random: Random, at: number): Promise<void> => {
    const { name } = plan.profile
    const staffNames = one.beside === null ? [one.by] : [one.by, one.beside]
    const randomFor = (staffName: StaffName): Random =>
      createRandom(name, plan.seed, plan.history, 'desk', at, staffName)
    if (one.is === 'load a statement') {
      const countActions = (times: number): void => {
        tally.acted += times
        if (times > 0) context.mailbox.expect()
      }
      const shared = { bank, client, sql: context.sql, reportViolation, countActions }
      await Promise.all(
        staffNames.map((staffName) =>
          loadStatement(
            shared,
            staffName,
            APPROVAL_EVENT,
            one,
            randomFor(staffName),
            dayOf(timeline.now()),
          ),
        ),
      )
      return
    }
    if (one.is === 'add at the desk') {
      const { sql, versionOf } = context
      const addNumber = (regNo: string): void => {
        tally.acted += 1
        context.addNumber(regNo, APPROVAL_EVENT)
        context.mailbox.expect()
      }
      const shared = { timeline, bank, client, sql, versionOf, reportViolation, addNumber }
      tally.acts += 1
      await addAtDesk(shared, one.by, one, randomFor(one.by), (added += 1))
      return
    }
    const numbers = context.numbers()
    if (numbers.length === 0) return
    if (one.is === 'compare the figures') {
      const figures = { sql: context.sql, gateway: context.gateway, now: timeline.now, tally }
      reportViolation(
        await compareFigures(client, figures, context.eventOf(random.pick(numbers)) as EventId),
      )
      return
    }
    const regNo = random.pick(await listSuitable(one.is, numbers))
    await Promise.all(
      staffNames.map((staffName) =>
        one.is === 'erase'
          ? erase(staffName, regNo)
          : performAction(staffName, regNo, one, randomFor(staffName)),
      ),
    )
  }
  return {
    begin: () => {
      for (const [at, one] of plan.desk.entries()) {
        extendEnd(one.afterMs)
        const random = createRandom(plan.profile.name, plan.seed, plan.history, 'desk', at)
        timeline.after(one.afterMs, () => void step(one, random, at))
      }
    },
  }
}
