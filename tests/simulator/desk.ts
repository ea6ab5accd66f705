/**
 * People who act on registrations through the calls of the office, as its pages have it: look, choose, send, some
 * of them twice, some two at once, some who may not, some who have signed out.
 */
import { assertNever, paise } from '../../engine/index.ts'
import type { ActName, ActsAnswer, RegistrationState, RegNo, Way } from '../../engine/index.ts'
import { hashOf } from '../../server/office/session.ts'
import type { Bank, Came } from './bank.ts'
import type { Course } from './course.ts'
import type { Gateway } from './gateway.ts'
import type { Answer, Machine } from './machine.ts'
import { wordsFor } from './office.ts'
import type { DeskAct, DeskStep, Plan } from './plan.ts'
import type { Post } from './post.ts'
import type { Violation } from './promises.ts'
import { randomOf } from './random.ts'
import type { Random } from './random.ts'
import type { Store } from '../../server/store/store.ts'
import type { Tally } from './tally.ts'
import type { TrailPromises } from './trail.ts'
import { mayDo, OFFICE, PEOPLE } from './who-may.ts'
import type { PersonName } from './who-may.ts'

/** As long as a session of the office lasts. */
const SESSION_MS = 12 * 3_600_000
const WAYS = ['transfer', 'upi', 'cheque', 'cash', 'machine'] as const satisfies readonly Way[]

const WAITS_FOR: Readonly<Partial<Record<DeskAct, RegistrationState>>> = {
  approve: 'to_approve',
  refuse: 'to_approve',
  'refuse with an offer': 'to_approve',
  'look for told': 'told',
  'take up': 'lapsed',
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
}
/** What a page of the office sends, but for the reason and the key. */
type Body = Readonly<Record<string, unknown>> & { readonly act: ActName }

const isName = ({ answers }: Body): boolean =>
  typeof answers === 'object' && answers !== null && Object.keys(answers).join() === 'full_name'

/** Each with a role; nobody signs in with a password here. */
export async function hireEverybody(store: Store, at: Parameters<Store['addAdmin']>[2]) {
  for (const name of PEOPLE) await store.addAdmin(name, '', at, OFFICE[name])
}

export function openDesk(given: DeskGiven): { begin(): void } {
  const { plan, course, machine, bank, trail, tally, broken, say, lasts } = given
  let clicks = 0

  const call = async (
    method: 'GET' | 'POST',
    url: string,
    token: string,
    payload: object | null = null,
  ): Promise<Answer | null> => {
    await course.wait(20)
    const answer = await machine.call({
      method,
      url,
      headers: { authorization: `Bearer ${token}` },
      ...(payload === null ? {} : { payload }),
    })
    say(() => `${method} ${url} ${JSON.stringify(payload)}: ${answer?.status} ${answer?.body}`)
    if (answer !== null && answer.status >= 500 && answer.status !== 503)
      broken({ promise: 'no 5xx but 503', by: `${method} ${url}: ${answer.status} ${answer.body}` })
    return answer
  }
  /** Null: the server is down. */
  const signIn = (who: PersonName): Promise<string | null> =>
    machine.inside(async ({ store, clock }) => {
      const token = `${who}-${course.now()}-${(clicks += 1)}`
      const person = await store.admin(who)
      if (person === null) return null
      const [at, tokenHash] = [clock(), hashOf(token)]
      const expiresAt = (at + SESSION_MS) as typeof at
      await store.openSession({ tokenHash, adminId: person.id, at, expiresAt })
      return token
    })

  const act = async (who: PersonName, regNo: string, one: DeskStep, random: Random) => {
    const token = await signIn(who)
    if (token === null) return
    const address = `/admin/registrations/${regNo}/acts/`
    const seen = await call('GET', address, token)
    const isTheirs = OFFICE[who].events?.some((id) => id === given.eventOf(regNo)) !== false
    if (!isTheirs && seen?.status === 200)
      broken({ promise: 'nobody does what their role may not', by: `${who} sees ${regNo}` })
    if (isTheirs && seen?.status !== 200) return
    const page = isTheirs && seen !== null ? (JSON.parse(seen.body) as ActsAnswer) : null
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
    const key = `click-${(clicks += 1)}-${course.now()}`
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
    page: ActsAnswer | null,
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
        return { act: 'cancel', pay_back: back }
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
      case 'confirm': {
        const came = await cameFor(regNo, random)
        const reference = random.chance(0.5) ? came.reference.toLowerCase() : came.reference
        return { act: 'confirm', way: came.way, reference, amount: came.amount / 100 }
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
      : { act: 'confirm', way: 'transfer', reference, amount: came.amount / 100 }
  }
  /** Sometimes what came before once more: a treasurer reads the same line of the bank twice. */
  const cameFor = async (regNo: string, random: Random): Promise<Came> => {
    const known = bank.all()
    if (known.length > 0 && random.chance(0.35)) return random.pick(known)
    const stored = await machine.inside(({ store }) => store.registration(regNo as RegNo))
    const asked = stored?.payments[0]?.amount ?? paise(118_000)
    const wrong = random.chance(0.25) ? random.pick([-10_000, 10_000]) : 0
    return bank.pay(random.pick(WAYS), paise(Math.max(100, asked + wrong)))
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
    const numbers = given.numbers()
    if (numbers.length === 0) return
    const regNo = random.pick(await fitting(one.is, numbers))
    const people = one.beside === null ? [one.by] : [one.by, one.beside]
    const { name } = plan.profile
    await Promise.all(
      people.map((who) =>
        act(who, regNo, one, randomOf(name, plan.seed, plan.history, 'desk', at, who)),
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
