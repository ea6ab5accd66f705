/**
 * What is promised of acts, looked at after every write: each is in the table and of somebody who may, is done once
 * however often it was clicked, and what it says it did is what is different since; nothing else is.
 */
import { assertNever } from '../../engine/index.ts'
import type { ActionName, PaymentStatus, RegistrationState } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Violation } from './check-payments.ts'
import { requiredOf } from './expected-balance.ts'
import type { Required } from './expected-balance.ts'
import { BY_STATEMENT } from './bank-statements.ts'
import { isInTable, isPerson, mayAdd, mayDo } from './expected-permissions.ts'

/** A registration, with what acts on it may change. */
type Row = {
  id: number
  reg_no: string
  event_id: string
  state: RegistrationState
  status: PaymentStatus
  total: number | null
  due: number
  /** Of what was to be paid back, what is done. */
  paid_back: number
  category: string | null
  answers: string
  /** Mails that the office asked for. */
  again: number
  /** Orders that are open, and places that are held or kept. */
  open: number
  /** What the newest of them asks for. */
  asks: number | null
  /** Refunds that moved money, or may. */
  refunds: number
  /** Of those, what is not done. */
  under_way: number
  /** Money that waits for a decision. */
  waiting: number
  captures: number
  /** Until when the last of its links opens it. */
  links: number
}
const ROWS = `SELECT r.id, r.reg_no, r.event_id, r.state, r.payment_status AS status, r.total, r.due, r.category, r.answers,
  (SELECT coalesce(sum(d.amount), 0) FROM dues d WHERE d.registration_id = r.id AND d.what = 'paid back') AS paid_back,
  (SELECT count(*) FROM mail_queue m WHERE m.registration_id = r.id AND m.kind = 'again') AS again,
  (SELECT count(*) FROM payments p WHERE p.registration_id = r.id AND p.status = 'pending') AS open,
  (SELECT p.amount FROM payments p WHERE p.registration_id = r.id AND p.status = 'pending' ORDER BY p.attempt DESC LIMIT 1) AS asks,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = r.id AND f.state <> 'refused') AS refunds,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted') AND f.state IN ('wanted', 'asked', 'unsure')) AS under_way,
  (SELECT count(*) FROM captures c WHERE c.registration_id = r.id AND c.state = 'review')
    + (SELECT count(*) FROM payments p WHERE p.registration_id = r.id AND p.review IS NOT NULL) AS waiting,
  (SELECT count(*) FROM captures c WHERE c.registration_id = r.id) AS captures,
  (SELECT coalesce(max(l.expires_at), 0) FROM links l WHERE l.registration_id = r.id) AS links FROM registrations r`

type Act = {
  id: number
  registration_id: number
  at: number
  who: string
  act: ActionName
  why: string
  data: string
  was: RegistrationState
  became: RegistrationState
}
const ACTS =
  'SELECT id, registration_id, at, who, act, why, data, was, became FROM acts ORDER BY id'
type Decided = {
  id: number
  registration_id: number | null
  who: string
  what: string
  why: string
  amount: number | null
}
const DECISIONS = 'SELECT id, registration_id, who, what, why, amount FROM decisions ORDER BY id'
/** Whose words are somewhere still, or again. */
const LEFT_OF_ERASED = `SELECT r.reg_no, r.full_name, r.answers,
  (SELECT max(m.kind || ' to ' || m.recipient || ': ' || m.subject) FROM mail_queue m WHERE m.registration_id = r.id AND m.recipient || m.body <> '') AS mail,
  (SELECT max(l.purpose) FROM links l WHERE l.registration_id = r.id) AS link FROM registrations r WHERE r.erased_at IS NOT NULL
    AND (r.full_name || r.email || r.phone <> '' OR r.answers <> '{}'
      OR EXISTS (SELECT 1 FROM mail_queue m WHERE m.registration_id = r.id AND m.recipient || m.body <> '')
      OR EXISTS (SELECT 1 FROM links l WHERE l.registration_id = r.id)
      OR EXISTS (SELECT 1 FROM tellings t WHERE t.registration_id = r.id AND t.answers <> '{}'))`
const LAST = `SELECT (SELECT coalesce(max(id), 0) FROM acts) AS acts, (SELECT coalesce(max(id), 0) FROM decisions) AS decisions`
/** A refund that spans two payments is a decision about each, once. */
const DONE = `SELECT (SELECT count(*) FROM acts WHERE why = ?) +
  (SELECT coalesce(max(times), 0) FROM (SELECT count(*) AS times FROM decisions WHERE why = ? GROUP BY capture_id)) AS times`

/** Of acts after which it stands as they say, whatever its money does. */
const STATE_AFTER = { tell: 'told', lapse: 'lapsed' } as const

/** Whoever decides without being signed in, through the verbs alone. */
const INSIDE: ReadonlySet<string> = new Set(['Asha', 'Ravi'])

export type TrailPromises = {
  afterWrite(): Violation | null
  /** The call said that an act was done, for this reason, which nobody else gives. */
  answered(regNo: string, act: ActionName, why: string): Violation | null
}

type Data = Readonly<Record<string, unknown>>
const numberIn = (data: Data, name: string): number => Number(data[name] ?? 0)

export function trailOf(sql: () => Sql): TrailPromises {
  let before = new Map<number, Row>()
  let seen = { acts: 0, decisions: 0 }
  const observed = requiredOf(sql)
  let all: Required = { of: () => ({ came: 0, required: (total) => total }) }

  const inTable = (act: Act, was: Row): Violation | null => {
    const by = JSON.stringify(act)
    if (act.was !== was.state) return { promise: 'the trail says in which state it was done', by }
    if (!isInTable(act.act, was.state)) return { promise: 'no act happens outside its table', by }
    const came = (JSON.parse(act.data) as Data)['came']
    const isOfMoney = act.act === 'confirm' || act.act === 'came_again'
    const way = isOfMoney && typeof came === 'string' ? wayIn(came) : null
    if (!mayDo(act.who, act.act, was.event_id, way))
      return { promise: 'nobody does what their role may not', by }
    const isOfMany = act.why === BY_STATEMENT
    return act.why === '' || isOfMany || act.who === 'delegate' ? null : once(act.why)
  }
  const once = (why: string): Violation | null => {
    const { times } = sql()<{ times: number }>(DONE).get(why, why) ?? { times: 0 }
    return times > 1 ? { promise: 'what is clicked twice is done once', by: why } : null
  }
  const decided = (
    one: Decided,
    was: Row | undefined,
    now: Row | undefined,
    refunded: number,
  ): Violation | null => {
    if (INSIDE.has(one.who) || was === undefined || now === undefined) return null
    const act = one.what.split(' ')[0] as ActionName
    const by = JSON.stringify(one)
    if (!isInTable(act, was.state)) return { promise: 'no act happens outside its table', by }
    if (!mayDo(one.who, act, was.event_id, null))
      return { promise: 'nobody does what their role may not', by }
    if (act === 'refund' && now.refunds - was.refunds !== refunded)
      return { promise: 'a refund of the trail is one of the books', by }
    if ((act === 'accept' || act === 'dismiss') && now.waiting > was.waiting)
      return { promise: 'what is decided waits no more', by }
    return once(one.why)
  }
  const effect = ({ act, at, became, data: text }: Act, was: Row, now: Row): string | null => {
    const data = JSON.parse(text) as Data
    const isSame = (...names: readonly (keyof Row)[]): boolean =>
      names.every((name) => was[name] === now[name])
    if (became !== now.state) return `it became ${now.state}`
    switch (act) {
      case 'note':
      case 'handle_refund':
        return JSON.stringify(was) === JSON.stringify(now) ? null : 'something else changed'
      case 'resend':
      case 'send_pay_link':
        return JSON.stringify({ ...was, again: was.again + 1 }) === JSON.stringify(now)
          ? null
          : 'more than a mail, or none'
      case 'correct': {
        const difference = numberIn(data, 'difference')
        const changes = data['changes'] as readonly string[]
        if ((now.total ?? 0) - (was.total ?? 0) !== difference) return 'another difference'
        // What went back before it was owed is done already.
        const done = now.paid_back - was.paid_back
        const { required } = all.of(now.id)
        const more = required(now.total ?? 0) - required(was.total ?? 0)
        if (now.due - was.due - done !== (was.status === 'success' ? more : 0))
          return 'another difference is due'
        if ((was.answers !== now.answers) !== changes.length > 0) return 'other answers'
        return isSame('captures', 'refunds') ? null : 'money moved'
      }
      case 'transfer':
        if (now.links > at) return 'a link of whoever had it still opens it'
        return isSame('total', 'due', 'category', 'status', 'captures', 'refunds', 'open') &&
          now.again === was.again + 2
          ? null
          : 'more than the person changed, or somebody was not told'
      case 'cancel': {
        // A refund in progress is owed until it is done.
        if (now.due !== -numberIn(data, 'pay_back') - was.under_way)
          return 'something else is to be paid back'
        if (now.open > 0) return 'it can still be paid'
        return isSame('answers', 'total', 'captures', 'refunds') ? null : 'money moved'
      }
      case 'confirm':
        if (now.captures !== was.captures + 1) return 'no money, or more than once'
        return now.waiting > was.waiting || now.status === 'success'
          ? null
          : 'it counts for nothing'
      case 'came_again':
        if (now.captures !== was.captures + 1) return 'no money, or more than once'
        return now.waiting > was.waiting &&
          isSame('answers', 'total', 'due', 'category', 'status', 'state', 'refunds')
          ? null
          : 'it is before nobody, or counts'
      case 'accept':
      case 'dismiss':
      case 'refund':
        return 'it belongs to the decisions'
      case 'approve':
        return isSame('answers', 'total', 'due', 'category') && isAskedFor(now)
          ? null
          : 'it is not asked for at its price'
      case 'accept_offer':
        return isSame('answers', 'due') && now.category === data['category'] && isAskedFor(now)
          ? null
          : 'it is not asked for at the price of what was offered'
      case 'refuse':
        return isSame('answers', 'total', 'due', 'category', 'captures', 'open') && now.open === 0
          ? null
          : 'something is asked for'
      case 'edit':
        return isSame('total', 'due', 'category', 'status', 'state', 'captures', 'refunds', 'open')
          ? null
          : 'more than answers changed'
      case 'ask_cancel':
      case 'ask_refund':
      case 'withdraw_refund':
        return JSON.stringify(was) === JSON.stringify(now) ? null : 'something else changed'
      case 'tell':
      case 'not_found':
      case 'lapse': {
        // Who waits for no answer stays as before; the number is free for others.
        const rejected = was.state === 'told' ? 'to_pay' : was.state
        if (now.state !== (act === 'not_found' ? rejected : STATE_AFTER[act]))
          return `it is ${now.state}`
        return isSame('answers', 'total', 'due', 'category', 'captures', 'refunds')
          ? null
          : 'more than what is believed of its money changed'
      }
      case 'take_up':
        // An order of the card is made when somebody is sent there.
        return isSame('answers', 'total', 'due', 'category', 'captures') &&
          (now.open === 0 || isAskedFor(now))
          ? null
          : 'it is not asked for at its price'
      case 'reopen':
        return isSame('answers', 'total', 'due', 'category', 'captures', 'refunds') &&
          (now.open === 0 || isAskedFor(now))
          ? null
          : 'it is not asked for at its price'
      case 'erase':
        return isSame('total', 'captures', 'refunds', 'category', 'waiting') &&
          now.answers === '{}' &&
          now.links === 0
          ? null
          : 'money moved, or words stayed'
      case 'add':
        return 'it begins a registration, and is done to none'
      default:
        return assertNever(act)
    }
  }
  const isErased = (regNo: string): boolean =>
    sql()('SELECT 1 FROM registrations WHERE reg_no = ? AND erased_at IS NOT NULL').get(regNo) !==
    undefined
  const gone = (): Violation | null => {
    const left = sql()(LEFT_OF_ERASED).get()
    return left === undefined
      ? null
      : { promise: 'who is erased stays erased', by: JSON.stringify(left) }
  }
  /** By one order, and nothing of it before. */
  const isAskedFor = ({ open, asks, total }: Row): boolean => open === 1 && asks === total
  /** Whom nobody has acted on. */
  const untouched = (was: Row, now: Row): string | null => {
    if (was.answers !== now.answers || was.category !== now.category) return 'other answers'
    if (was.state === now.state) return null
    if (was.state === 'cancelled' || was.state === 'refused') return `it was ${was.state}`
    if (was.state === 'to_approve') return 'nobody has seen it'
    return now.state === 'cancelled' && now.status !== 'refunded' ? 'it was cancelled' : null
  }
  return {
    afterWrite: () => {
      const rows = new Map(
        sql()<Row>(ROWS)
          .all()
          .map((row) => [row.id, row]),
      )
      all = observed()
      const words = gone()
      if (words !== null) return words
      const acts = newIn(sql()<Act>(ACTS).all(), seen.acts)
      const decisions = newIn(sql()<Decided>(DECISIONS).all(), seen.decisions)
      const was = before
      before = rows
      seen = sql()<typeof seen>(LAST).get() ?? seen
      for (const act of acts) {
        const [then, now] = [was.get(act.registration_id), rows.get(act.registration_id)]
        if (then === undefined && now !== undefined && act.act === 'add') {
          if (!isPerson(act.who) || !mayAdd(act.who, now.event_id))
            return { promise: 'nobody does what their role may not', by: JSON.stringify(act) }
          continue
        }
        if (then === undefined || now === undefined) continue
        const wrong = inTable(act, then)
        if (wrong !== null) return wrong
        const odd = effect(act, then, now)
        if (odd !== null)
          return {
            promise: 'an act does what the trail says, and nothing else',
            by: `${odd}: ${JSON.stringify(act)} ${JSON.stringify(then)} → ${JSON.stringify(now)}`,
          }
      }
      for (const one of decisions) {
        const id = one.registration_id ?? 0
        // A refund that spans two payments has a line for each of them.
        const refunded = decisions
          .filter(({ registration_id, what }) => registration_id === id && what === one.what)
          .reduce((sum, { amount }) => sum + (amount ?? 0), 0)
        const wrong = decided(one, was.get(id), rows.get(id), refunded)
        if (wrong !== null) return wrong
      }
      const touched = new Set(acts.map((act) => act.registration_id))
      for (const [id, now] of rows) {
        const then = was.get(id)
        const odd = then === undefined || touched.has(id) ? null : untouched(then, now)
        if (odd !== null)
          return {
            promise: 'nothing changes that nobody has done',
            by: `${odd}: ${JSON.stringify(then)} → ${JSON.stringify(now)}`,
          }
      }
      return null
    },
    answered: (regNo, act, why) => {
      const { times } = sql()<{ times: number }>(DONE).get(why, why) ?? { times: 0 }
      // Of whoever was erased in the same moment the words are gone.
      return times === 1 || isErased(regNo)
        ? null
        : { promise: 'what is answered was done', by: `${act} of ${regNo}: ${why}` }
    },
  }
}

const newIn = <T extends { readonly id: number }>(rows: readonly T[], last: number): readonly T[] =>
  rows.filter(({ id }) => id > last)

/** Of money that came, as the trail says it. */
function wayIn(came: string): string {
  return / (?:in cash|by card machine|at the desk)/.test(came) ? 'cash' : 'transfer'
}
