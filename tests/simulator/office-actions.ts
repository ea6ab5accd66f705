/**
 * People who act on registrations through the calls of the office, as its pages have it: look, choose, send, some
 * of them twice, some two at once, some who may not, some who have signed out.
 */
import { addDays, assertNever, dayOf, paise } from '../../engine/index.ts'
import type { ActionName, RegistrationState, RegNo, ManualMethod } from '../../engine/index.ts'
import type { ActionsAnswer } from '../../engine/api.ts'
import { addAtDesk } from './add-registrations.ts'
import { purseOf, spelled } from './bank.ts'
import type { Bank, Came } from './bank.ts'
import type { Course } from './virtual-time.ts'
import { CREDITED, ITEM_IDS, priceOn, RATES, SEEN } from './events.ts'
import type { EventId, Version } from './events.ts'
import { compareFigures } from './check-figures.ts'
import type { Gateway } from './gateway.ts'
import { openHands } from './office-sessions.ts'
import type { Answer, Machine } from './server.ts'
import { wordsFor } from './treasurer.ts'
import type { DeskAct, DeskStep, Plan } from './plan.ts'
import type { Post } from './emails.ts'
import type { Violation } from './check-payments.ts'
import { randomOf } from './random.ts'
import type { Random } from './random.ts'
import { proposalOf } from './check-cancellation.ts'
import { loadStatement } from './bank-statements.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Store, StoredRegistration } from '../../server/storage/index.ts'
import type { Tally } from './tally.ts'
import type { TrailPromises } from './check-history.ts'
import { mayDo, OFFICE, PEOPLE } from './expected-permissions.ts'
import type { PersonName } from './expected-permissions.ts'

const WAYS = [
  'transfer',
  'upi',
  'cheque',
  'cash',
  'machine',
] as const satisfies readonly ManualMethod[]

/** Names of those whom the desk adds begin after those of all delegates. */
const ADDED_FIRST = 100
/** How long ago money came that somebody confirms today. */
const DAYS_AGO_MAX = 6

const WAITS_FOR: Readonly<Partial<Record<DeskAct, RegistrationState>>> = {
  approve: 'to_approve',
  refuse: 'to_approve',
  'refuse with an offer': 'to_approve',
  'look for told': 'told',
  'take up': 'lapsed',
  'came again': 'complete',
}

export type DeskGiven = {
  readonly plan: Plan
  readonly course: Course
  readonly machine: Machine
  readonly gateway: Gateway
  readonly bank: Bank
  readonly post: Post
  readonly trail: TrailPromises
  readonly tally: Tally
  readonly broken: (found: Violation | null) => void
  readonly say: (what: () => string) => void
  readonly lasts: (ms: number) => void
  /** Those who registered, with their events. */
  readonly numbers: () => readonly string[]
  readonly eventOf: (regNo: string) => string
  /** Added at the desk, and there from now on. */
  readonly joined: (regNo: string, event: string) => void
  readonly versionOf: (event: string) => Version
  readonly sql: () => Sql
  readonly owedBack: (id: number) => number
}
/** What a page of the office sends, but for the reason and the key. */
type Body = Readonly<Record<string, unknown>> & { readonly act: ActionName }

const isName = ({ answers }: Body): boolean =>
  typeof answers === 'object' && answers !== null && Object.keys(answers).join() === 'full_name'

/** Each with a role; nobody signs in with a password here. */
export async function hireEverybody(store: Store, at: Parameters<Store['addAdmin']>[2]) {
  for (const name of PEOPLE) await store.addAdmin(name, '', at, OFFICE[name])
}

export function openDesk(given: DeskGiven): { begin(): void } {
  const { plan, course, machine, bank, trail, tally, broken, say, lasts } = given
  const hands = openHands(given)
  const { call, signIn } = hands
  let added = ADDED_FIRST

  const act = async (who: PersonName, regNo: string, one: DeskStep, random: Random) => {
    const token = await signIn(who)
    if (token === null) return
    const address = `/admin/registrations/${regNo}/acts/`
    const open = () => call('GET', address, token)
    const proposal = await proposalOf(given, regNo, { now: course.now, open })
    const seen = proposal.answer
    const isTheirs = OFFICE[who].events?.some((id) => id === given.eventOf(regNo)) !== false
    if (!isTheirs && seen?.status === 200)
      broken({ promise: 'nobody does what their role may not', by: `${who} sees ${regNo}` })
    if (isTheirs && seen?.status !== 200) return
    const page = isTheirs && seen !== null ? (JSON.parse(seen.body) as ActionsAnswer) : null
    // A server whose clock is wrong takes another step of the scale.
    if (page !== null && !plan.mishaps.some(({ is }) => is === 'clock'))
      broken(proposal.judge(page))
    const body = await bodyOf(one.is, page, regNo, random)
    if (body === null) return
    if (one.isSignedOut) await call('POST', '/admin/logout/', token)
    await click(who, regNo, token, body, one)
  }
  /** Sends it, and where it costs something else by it agrees to that. */
  const click = async (
    who: PersonName,
    regNo: string,
    token: string,
    body: Body,
    one: DeskStep,
  ): Promise<void> => {
    const key = hands.nextClick()
    const sent = { ...body, why: `${body.act} ${key}`, key }
    tally.acts += 1
    const send = async (): Promise<Answer | null> => {
      const answer = await call('POST', `/admin/registrations/${regNo}/acts/`, token, sent)
      if (answer?.status !== 200) return answer
      tally.acted += 1
      const way = typeof body['way'] === 'string' ? body['way'] : null
      if (one.isSignedOut)
        broken({ promise: 'a session that has ended opens nothing', by: `${who}: ${sent.why}` })
      if (!mayDo(who, body.act, given.eventOf(regNo), way))
        broken({ promise: 'nobody does what their role may not', by: `${who}: ${sent.why}` })
      broken(trail.answered(regNo, body.act, sent.why))
      given.post.expect()
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
    if (code === 'price_changes' && isName(body))
      broken({ promise: 'a name costs nothing', by: `${who}: ${sent.why}: ${first.body}` })
    if (code === 'price_changes' && total !== undefined)
      await click(who, regNo, token, { ...body, total }, one)
  }

  /** What is typed and chosen; null: there is nothing of the kind to be done. */
  const bodyOf = async (
    is: DeskAct,
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
        return given.eventOf(regNo) === RATES ? { act: 'correct', answers } : null
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
        const back = random.pick([page?.proposed_back ?? 0, 0, page?.kept ?? 0])
        return { act: 'cancel', pay_back: back, kept: page?.kept ?? null }
      }
      case 'refund':
      case 'refund by hand': {
        const owed = page?.pay_back ?? 0
        const amount = owed > 0 ? owed : random.pick([100, page?.kept ?? 100, 250.5])
        if (is === 'refund') return { act: 'refund', amount }
        const reference = bank.giveBack(paise(Math.round(amount * 100)))
        return { act: 'refund', amount, by_hand: true, reference }
      }
      case 'accept':
      case 'dismiss':
        return decision(is, regNo, random)
      case 'came again':
      case 'confirm': {
        const came = await cameFor(regNo, random)
        const reference = spelled(came.reference, random)
        const { way, amount, on: day } = came
        const act = is === 'confirm' ? 'confirm' : 'came_again'
        return { act, way, reference, amount: amount / 100, day }
      }
      case 'resend':
        return { act: 'resend' }
      case 'send pay link':
        return { act: 'send_pay_link' }
      case 'look for told':
        return lookForTold(regNo)
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
  /** What the delegate says came is looked for in the books of the bank. */
  const lookForTold = async (regNo: string): Promise<Body | null> => {
    const tellings = await machine.inside(({ store }) => store.tellings(regNo as RegNo))
    const reference = tellings?.[0]?.reference
    if (reference === undefined) return null
    const came = bank.find('transfer', reference)
    return came === null
      ? { act: 'not_found' }
      : { act: 'confirm', way: 'transfer', reference, amount: came.amount / 100, day: came.on }
  }
  /** Sometimes what came before once more, and by another name: a treasurer reads the same line of the bank twice. */
  const cameFor = async (regNo: string, random: Random): Promise<Came> => {
    const known = bank.all()
    if (known.length > 0 && random.chance(0.35)) {
      const one = random.pick(known)
      return purseOf(one.way) === 'bank'
        ? { ...one, way: random.pick(['transfer', 'upi', 'cheque', 'machine']) }
        : one
    }
    const stored = await machine.inside(({ store }) => store.registration(regNo as RegNo))
    const on = addDays(dayOf(course.now()), random.chance(0.3) ? -random.below(DAYS_AGO_MAX) : 0)
    const asked = askedOf(stored, on)
    const wrong = random.chance(0.25) ? random.pick([-10_000, 10_000]) : 0
    return bank.pay(random.pick(WAYS), paise(Math.max(100, asked + wrong)), on)
  }
  /** What its page says is to be paid, where it comes on that day. */
  const askedOf = (stored: StoredRegistration | null, on: Came['on']): number => {
    const newest = stored?.payments[0]
    const isOpen = stored !== null && stored.paymentStatus !== 'success'
    const price =
      isOpen && newest?.way === CREDITED
        ? priceOn(given.versionOf(stored.eventId), stored.category ?? '', on)
        : null
    return price ?? newest?.amount ?? 118_000
  }
  /** By the verb, which judges as the call does: files and mails outside the database there are none of here. */
  const erase = async (who: PersonName, regNo: string): Promise<void> => {
    const { role, events } = OFFICE[who]
    if (events?.some((id) => id === given.eventOf(regNo)) === false) return
    const why = `erase ${hands.nextClick()}`
    tally.acts += 1
    const done = await machine.inside(({ store, clock }) =>
      store.erase({
        regNo: regNo as RegNo,
        act: 'erase',
        actor: role,
        who,
        why,
        at: clock(),
        once: null,
      }),
    )
    say(() => `${who} erases ${regNo}: ${JSON.stringify(done)}`)
    if (done?.ok !== true) return
    tally.acted += 1
    broken(trail.answered(regNo, 'erase', why))
  }
  /** What the panel shows decides; where nothing does, what was wanted. */
  const decision = async (
    is: 'accept' | 'dismiss',
    regNo: string,
    random: Random,
  ): Promise<Body | null> => {
    const waiting = (await machine.inside(({ store }) => store.reviews(null))) ?? []
    const review = waiting.find((one) => one.regNo === regNo)
    if (review === undefined) return null
    const words = wordsFor(review, random, given)
    if (words === null) return null
    const { reference, amount } = words
    const isPlain = review.is !== 'undecided' && review.is !== 'refund-unsure'
    if (!isPlain && words.decision !== 'accept' && words.decision !== 'dismiss') return null
    const act = isPlain
      ? review.is === 'misfit' || random.chance(0.2)
        ? is
        : 'dismiss'
      : words.decision
    return { act: act === 'accept' ? 'accept' : 'dismiss', review: review.id, reference, amount }
  }

  /** Some acts are for those who wait for them: one of these, where there is one. */
  const fitting = async (is: DeskAct, numbers: readonly string[]): Promise<readonly string[]> => {
    if (is === 'correct items') {
      const theirs = numbers.filter((regNo) => given.eventOf(regNo) === RATES)
      return theirs.length === 0 ? numbers : theirs
    }
    const wanted = WAITS_FOR[is]
    if (wanted === undefined) return numbers
    const states = await Promise.all(
      numbers.map((regNo) =>
        machine.inside(({ store }) => store.registration(regNo as RegNo)).then((one) => one?.state),
      ),
    )
    const waiting = numbers.filter((_, at) => states[at] === wanted)
    return waiting.length === 0 ? numbers : waiting
  }
  const step = async (one: DeskStep, random: Random, at: number): Promise<void> => {
    const { name } = plan.profile
    const people = one.beside === null ? [one.by] : [one.by, one.beside]
    const drawn = (who: PersonName): Random =>
      randomOf(name, plan.seed, plan.history, 'desk', at, who)
    if (one.is === 'load a statement') {
      const acted = (times: number): void => {
        tally.acted += times
        if (times > 0) given.post.expect()
      }
      const shared = { bank, hands, sql: given.sql, broken, acted }
      await Promise.all(
        people.map((who) => loadStatement(shared, who, SEEN, one, drawn(who), dayOf(course.now()))),
      )
      return
    }
    if (one.is === 'add at the desk') {
      const { sql, versionOf } = given
      const joined = (regNo: string): void => {
        tally.acted += 1
        given.joined(regNo, SEEN)
        given.post.expect()
      }
      const shared = { course, bank, hands, sql, versionOf, broken, joined }
      tally.acts += 1
      await addAtDesk(shared, one.by, one, drawn(one.by), (added += 1))
      return
    }
    const numbers = given.numbers()
    if (numbers.length === 0) return
    if (one.is === 'compare the figures') {
      const figures = { sql: given.sql, gateway: given.gateway, now: course.now, tally }
      broken(await compareFigures(hands, figures, given.eventOf(random.pick(numbers)) as EventId))
      return
    }
    const regNo = random.pick(await fitting(one.is, numbers))
    await Promise.all(
      people.map((who) =>
        one.is === 'erase' ? erase(who, regNo) : act(who, regNo, one, drawn(who)),
      ),
    )
  }
  return {
    begin: () => {
      for (const [at, one] of plan.desk.entries()) {
        lasts(one.afterMs)
        const random = randomOf(plan.profile.name, plan.seed, plan.history, 'desk', at)
        course.after(one.afterMs, () => void step(one, random, at))
      }
    },
  }
}
