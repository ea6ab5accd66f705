/**
 * Delegates as the plan has them, and the messages that the gateway sends because of them: registering,
 * paying, two tabs, looking again, trying again, the same form again.
 */
import type { RegNo } from '../../engine/index.ts'
import type { PaymentData, RegisterAnswer, RegistrationAnswer } from '../../engine/api.ts'
import { amountText, assertNever, dayOf, instant, paise } from '../../engine/index.ts'
import type { Fields } from '../../server/payments/gateways/airpay/parse-message.ts'
import { noticePath, usualReturnPath } from '../../server/payments/gateways/select-gateway.ts'
import { spelled } from './bank.ts'
import type { Bank } from './bank.ts'
import type { Course } from './virtual-time.ts'
import { ACCOUNTS, answersOf, CREDITED, OWN_ACCOUNT, priceOn, served } from './events.ts'
import type { Version } from './events.ts'
import { isMoney, messageOf } from './gateway.ts'
import type { Gateway, Order, Transaction } from './gateway.ts'
import type { Answer, Machine } from './server.ts'
import type { Delegate, Plan, Step, Telling, Visit } from './plan.ts'
import type { Post } from './emails.ts'
import type { Promises, Violation } from './check-payments.ts'
import type { Random } from './random.ts'
import { randomOf } from './random.ts'
import type { Tally } from './tally.ts'

/** How long a delegate waits before a form that was not answered is sent again, and how often. */
const AGAIN_MS = 30_000
const TRIES_MAX = 4
/** When the gateway repeats a notice that was not taken. */
const NOTICE_AGAIN_MS = [60_000, 600_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000]

export type People = {
  begin(): void
  /** Those who registered, by their numbers. */
  numbers(): readonly string[]
  eventOf(regNo: string): string
  /** At rest: everybody opens their page once more. */
  lookOnceMore(): Promise<void>
}
type Given = {
  readonly plan: Plan
  readonly course: Course
  readonly machine: Machine
  readonly gateway: Gateway
  readonly bank: Bank
  readonly promises: Promises
  readonly broken: (found: Violation | null) => void
  readonly tally: Tally
  readonly say: (what: () => string) => void
  readonly lasts: (ms: number) => void
  readonly post: Post
  readonly versionOf: (event: string) => Version
}
/** What a delegate holds: the number, and the payment forms that the browser was given, newest last. */
type Held = {
  readonly regNo: string
  readonly forms: PaymentData[]
  readonly isFree: boolean
  readonly agreed: Fields
}

/** What a form is told that asks for what is not there (any more). */
type Refusal = { readonly code: string; readonly quote?: { readonly category: string } | null }
type Moved = { readonly code: string; readonly quote: { readonly total: number } }

const FORM = 'application/x-www-form-urlencoded'

export function openPeople(given: Given): People {
  const { plan, course, machine, gateway, bank, promises, broken, tally, say, lasts, post } = given
  const everybody = new Map<string, { readonly delegate: Delegate; readonly held: Held }>()

  const call = async (
    method: 'GET' | 'POST',
    url: string,
    type = '',
    payload = '',
    key = '',
  ): Promise<Answer | null> => {
    await course.wait(20)
    const headers = {
      ...(type === '' ? {} : { 'content-type': type }),
      ...(key === '' ? {} : { 'idempotency-key': key }),
    }
    const answer = await machine.call({
      method,
      url,
      headers,
      ...(payload === '' ? {} : { payload }),
    })
    say(
      () =>
        `${method} ${url} ${answer === null ? 'is lost' : `${answer.status} ${answer.location}`}`,
    )
    if (answer !== null && answer.status >= 500 && answer.status !== 503)
      broken({ promise: 'no 5xx but 503', by: `${method} ${url}: ${answer.status} ${answer.body}` })
    return answer
  }

  // ── The gateway tells ────────────────────────────────────────────────────────

  const deliver = async (
    made: Transaction,
    fields: Fields | null,
    telling: Telling,
    tried = 0,
  ): Promise<void> => {
    tally.notices += 1
    const body =
      fields === null
        ? 'garbage'
        : telling.asJson
          ? JSON.stringify(fields)
          : new URLSearchParams(fields).toString()
    const answer = await call('POST', noticePath, telling.asJson ? 'application/json' : FORM, body)
    if (answer?.status === 200 && telling.lie === null && isMoney(made)) made.isClaimed = true
    const again = NOTICE_AGAIN_MS[tried]
    if (answer?.status === 200 || !telling.again || again === undefined) return
    lasts(again)
    course.after(again, () => void deliver(made, fields, telling, tried + 1))
  }
  const tell = (order: Order, made: Transaction, telling: Telling): void => {
    const account =
      Object.values(ACCOUNTS)
        .flatMap((accounts) => Object.values(accounts))
        .find(({ merchantId }) => merchantId === order.merchantId) ?? null
    const truth = messageOf(order, made, account)
    lasts(telling.afterMs)
    course.after(telling.afterMs, () => void deliver(made, lied(truth, telling), telling))
  }

  // ── At the gateway's page ────────────────────────────────────────────────────

  const visit = async (held: Held, going: Visit, random: Random): Promise<void> => {
    const form = going.isOldTab ? held.forms[0] : held.forms.at(-1)
    if (form === undefined) return
    say(() => `${form.orderid} at the gateway: ${JSON.stringify(going)}`)
    const order = gateway.visit(form.orderid, form.mercid, form.amount, course.now())
    lasts(going.thinksMs)
    await course.wait(going.thinksMs)
    if (going.ends === 'left') return
    const happen = (): void => {
      const isPaid = going.ends === 'paid'
      const made = gateway.transact(order, {
        amount: isPaid && going.wrong === 'amount' ? paise(order.asked - 100) : order.asked,
        currency: going.wrong === 'currency' ? '840' : 'INR',
        type: going.wrong === 'kind' ? '310' : '320',
        isTest: going.wrong === 'test',
        at: instant(Math.floor(course.now() / 1000) * 1000),
        code: isPaid ? '200' : random.pick(['400', '405', '502']),
        message: isPaid ? 'Success' : 'Declined',
      })
      say(() => `${order.orderId}: ${JSON.stringify(made)}`)
      for (const telling of going.tells) tell(order, made, telling)
    }
    if (going.heldMs === 0) happen()
    else {
      order.heldUntil = Math.max(order.heldUntil, course.now() + going.heldMs)
      lasts(going.heldMs)
      course.after(going.heldMs, happen)
    }
    if (going.returnsMs === null) return
    await course.wait(going.returnsMs)
    const last = order.transactions.at(-1)
    const said =
      last === undefined
        ? {
            TRANSACTIONID: order.orderId,
            TRANSACTIONSTATUS: '211',
            AMOUNT: amountText(order.asked),
          }
        : messageOf(order, last, null)
    await call('POST', usualReturnPath, FORM, new URLSearchParams(said).toString())
    await look(held, plan.delegates[0]?.event ?? 'sample2026', order.orderId)
  }

  // ── On our pages ─────────────────────────────────────────────────────────────

  const look = async (
    held: Held,
    event: Delegate['event'],
    number: string,
  ): Promise<RegistrationAnswer['registration'] | null> => {
    const path = served(event, 'usual').config.api.registration.replace('{reg_no}', number)
    const answer = await call('GET', path)
    if (answer?.status !== 200) return null
    const { registration } = JSON.parse(answer.body) as RegistrationAnswer
    if (registration.payment_status === 'success' && !held.isFree)
      broken(promises.shownPaid(held.regNo))
    return registration
  }
  const formIn = (answer: Answer | null): RegisterAnswer | null =>
    answer?.status === 201 || answer?.status === 200
      ? (JSON.parse(answer.body) as RegisterAnswer)
      : null

  const send = (
    { name, event, isMember, code, way, items }: Delegate,
    agreed: Fields,
  ): Promise<Answer | null> =>
    call(
      'POST',
      served(event, 'usual').config.api.register,
      'application/json',
      JSON.stringify({ ...answersOf(name, isMember, code, way, items), ...agreed }),
      `form-of-${name}`,
    )
  /** What a delegate does who is told that a place or a code is gone; null: they give up. */
  const insteadOf = (answers: readonly (Answer | null)[], agreed: Fields): Fields | null => {
    const told = answers.find((answer) => answer?.status === 409 || answer?.status === 422)
    if (told == null) return null
    const { code, quote } = JSON.parse(told.body) as Refusal
    if (code === 'full') tally.full += 1
    if (code === 'full' && quote != null)
      return { ...agreed, registration_category: quote.category }
    if (!code.startsWith('code_')) return null
    tally.codesRefused += 1
    return { ...agreed, code: '' }
  }
  /** The browser sends a form that got no answer again, under the same key. */
  const registered = async (
    delegate: Delegate,
  ): Promise<(RegisterAnswer & { readonly agreed: Fields }) | null> => {
    let agreed: Fields = {}
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const isHasty = delegate.isHasty && tries === 0
      const answers = await Promise.all((isHasty ? [1, 2] : [1]).map(() => send(delegate, agreed)))
      const said = answers.map(formIn).filter((form) => form !== null)
      const numbers = new Set(said.map(({ reg_no }) => reg_no))
      if (numbers.size > 1)
        broken({ promise: 'one form is one registration', by: [...numbers].join(', ') })
      if (said[0] !== undefined) return { ...said[0], agreed }
      const instead = insteadOf(answers, agreed)
      if (instead !== null) {
        agreed = instead
        continue
      }
      const isFinal = answers.some((answer) => answer !== null && answer.status !== 503)
      if (isFinal) return null
      lasts(AGAIN_MS)
      await course.wait(AGAIN_MS)
    }
    return null
  }
  const keep = (held: Held, said: RegisterAnswer | null): void => {
    const form = said?.payment_data
    // A day later the same form is a new registration, which nobody follows here.
    if (
      said?.reg_no === held.regNo &&
      form !== undefined &&
      held.forms.at(-1)?.orderid !== form.orderid
    )
      held.forms.push(form)
  }
  /** Where the price has moved meanwhile, the page says so and the delegate agrees. */
  const payAgain = async (held: Held, path: string, fields: Fields): Promise<boolean> => {
    const send = (more: Fields): Promise<Answer | null> =>
      call('POST', path, FORM, new URLSearchParams({ ...fields, ...more }).toString())
    const answer = await send({})
    const moved = answer?.status === 409 ? (JSON.parse(answer.body) as Moved) : null
    const form = formIn(
      moved?.code === 'price_moved' ? await send({ price: String(moved.quote.total) }) : answer,
    )
    keep(held, form)
    return form !== null
  }
  const byNumber = (held: Held): Promise<boolean> =>
    payAgain(held, '/api/payment/retry/', { order_id: held.forms.at(-1)?.orderid ?? held.regNo })
  const byLink = async (held: Held): Promise<boolean> => {
    const token = post.linkOf(held.regNo)
    if (token === null) return false
    tally.resumed += 1
    return payAgain(held, '/api/payment/resume/', { token })
  }
  const onOwnPage = async (held: Held, body: object): Promise<void> => {
    const token = post.linkOf(held.regNo)
    if (token === null) return
    const sent = JSON.stringify({ ...body, key: `own-${course.now()}` })
    const path = `/api/my/${token}/acts/`
    // Whoever presses twice sends the same key.
    await Promise.all([1, 2].map(() => call('POST', path, 'application/json', sent)))
    post.expect()
  }
  /** At the bank, and then on the own page; some pay otherwise than they were asked, or not at all. */
  const tellOfMoney = async (held: Held, random: Random): Promise<void> => {
    const stored = await machine.inside(({ store }) => store.registration(held.regNo as RegNo))
    const newest = stored?.payments[0]
    if (stored == null || newest === undefined) return
    const paid_on = dayOf(course.now())
    const way = newest.way ?? 'transfer'
    const isOpen = stored.paymentStatus !== 'success'
    const today =
      way === CREDITED && isOpen
        ? priceOn(given.versionOf(stored.eventId), stored.category ?? '', paid_on)
        : null
    const asked = today ?? newest.amount
    const how = random.pick([
      'right',
      'right',
      'right',
      'less',
      'not at all',
      'of another',
      'our account',
    ] as const)
    const known = bank.all()
    const came =
      how === 'right' || how === 'less'
        ? bank.pay('transfer', paise(how === 'less' ? asked - 100 : asked), paid_on)
        : how === 'of another' && known.length > 0
          ? random.pick(known)
          : null
    const made = how === 'our account' ? OWN_ACCOUNT : null
    const utr = came?.reference ?? made ?? `HDFCN5${String(9_000_000_000 + random.below(1000))}`
    await onOwnPage(held, { act: 'tell', way, answers: { utr: spelled(utr, random), paid_on } })
  }
  /** Takes a step; answers whether there is a form to pay with that has come of it. */
  const take = async (
    delegate: Delegate,
    held: Held,
    step: Step,
    random: Random,
  ): Promise<void> => {
    switch (step.is) {
      case 'visit':
        return visit(held, step.visit, random)
      case 'other tab':
        void visit(held, step.visit, random)
        return
      case 'reload':
        await look(held, delegate.event, held.regNo)
        return
      case 'same form':
        keep(held, formIn(await send(delegate, held.agreed)))
        return
      case 'retry':
        return void (await byNumber(held))
      case 'resume':
        return void (await byLink(held))
      case 'edit':
        return onOwnPage(held, { act: 'edit', answers: { food: random.pick(['rice', 'bread']) } })
      case 'accept_offer':
        return onOwnPage(held, { act: 'accept_offer', category: 'non-member' })
      case 'tell':
        return tellOfMoney(held, random)
      case 'ask_cancel':
        return onOwnPage(held, { act: 'ask_cancel', why: 'I cannot come' })
      case 'what is due': {
        const shown = await look(held, delegate.event, held.regNo)
        if (shown?.may_pay !== true) return
        const asks = post.linkOf(held.regNo) === null ? byNumber : byLink
        if (await asks(held)) return visit(held, step.visit, random)
        return
      }
      default:
        return assertNever(step)
    }
  }

  const live = async (delegate: Delegate): Promise<void> => {
    await course.wait(delegate.afterMs)
    const said = await registered(delegate)
    if (said === null) return
    const isFree = said.payment_data === undefined && said.stands === 'complete'
    const held: Held = { regNo: said.reg_no, forms: [], isFree, agreed: said.agreed }
    keep(held, said)
    everybody.set(said.reg_no, { delegate, held })
    post.expect()
    for (const [at, step] of delegate.steps.entries()) {
      lasts(step.afterMs)
      await course.wait(step.afterMs)
      const isVisit = step.is === 'visit' || step.is === 'other tab'
      // Nobody who has paid pays again on purpose; an old tab and a second one are how it happens.
      if (step.is === 'visit' && !step.visit.isOldTab && at > 0 && hasPaid(held)) continue
      if (isVisit && held.forms.length === 0) continue
      await take(
        delegate,
        held,
        step,
        randomOf(plan.profile.name, plan.seed, plan.history, 'step', delegate.name, at),
      )
    }
  }
  const hasPaid = ({ forms }: Held): boolean =>
    forms.some(({ orderid }) => gateway.orders.get(orderid)?.transactions.some(isMoney) === true)

  return {
    begin: () => {
      for (const delegate of plan.delegates) {
        lasts(delegate.afterMs)
        void live(delegate)
      }
    },
    numbers: () => [...everybody.keys()],
    eventOf: (regNo) => everybody.get(regNo)?.delegate.event ?? '',
    lookOnceMore: async () => {
      if (!machine.isUp()) return
      const looks = [...everybody.values()].map(({ delegate, held }) =>
        look(held, delegate.event, held.regNo),
      )
      const until = instant(course.now() + 60_000)
      await course.run(() => until)
      await Promise.all(looks)
    },
  }
}

/** Null: nothing that could be read. */
function lied(truth: Fields, { lie }: Telling): Fields | null {
  switch (lie) {
    case null:
      return truth
    case 'amount':
      return { ...truth, AMOUNT: '1.00' }
    case 'reference':
      return { ...truth, APTRANSACTIONID: '99999' }
    case 'status':
      return { ...truth, TRANSACTIONSTATUS: truth['TRANSACTIONSTATUS'] === '200' ? '400' : '200' }
    case 'order':
      return { ...truth, TRANSACTIONID: 'SMPL12345678901230' }
    case 'hash':
      return { ...truth, ap_SecureHash: '1' }
    case 'garbage':
      return null
    default:
      return assertNever(lie)
  }
}
