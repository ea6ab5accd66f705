/**
 * Invariants for actions, checked after every write: each is in the table and by an authorised user, is done once for
 * any number of clicks, and its record equals the change since the last write; nothing else changes.
 */
import { assertNever } from '../../engine/index.ts'
import type { ActionName, PaymentStatus, RegistrationState } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Violation } from './check-payments.ts'
import { createRequiredReader } from './expected-balance.ts'
import type { Required } from './expected-balance.ts'
import { BY_STATEMENT } from './bank-statements.ts'
import { isInTable, isStaffName, canAddRegistration, canPerform } from './expected-permissions.ts'

/** A registration, with everything that actions on it may change. */
type Row = {
  id: number
  reg_no: string
  event_id: string
  state: RegistrationState
  status: PaymentStatus
  total: number | null
  due: number
  /** Counted payments minus completed refunds. */
  kept: number
  category: string | null
  answers: string
  /** Emails that staff requested. */
  again: number
  /** Open orders, and seats that are held or taken. */
  open: number
  /** The amount of the newest order. */
  asks: number | null
  /** Refunds that moved money, or may. */
  refunds: number
  /** The uncompleted ones of these. */
  under_way: number
  /** Payments that wait for a decision. */
  waiting: number
  captures: number
  /** When the last of its links expires. */
  links: number
}
const ROWS = `SELECT r.id, r.reg_no, r.event_id, r.state, r.payment_status AS status, r.total, r.due, r.category, r.answers,
  (SELECT coalesce(sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state = 'done')), 0)
    FROM captures c JOIN payments p ON p.id = c.counts_for WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted')) AS kept,
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

type ActionRow = {
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
const ACTIONS =
  'SELECT id, registration_id, at, who, act, why, data, was, became FROM acts ORDER BY id'
type DecisionRow = {
  id: number
  registration_id: number | null
  who: string
  what: string
  why: string
  amount: number | null
}
const DECISIONS = 'SELECT id, registration_id, who, what, why, amount FROM decisions ORDER BY id'
/** Registrations whose personal data is stored anywhere, although it was erased. */
const LEFT_OF_ERASED = `SELECT r.reg_no, r.full_name, r.answers,
  (SELECT max(m.kind || ' to ' || m.recipient || ': ' || m.subject) FROM mail_queue m WHERE m.registration_id = r.id AND m.recipient || m.body <> '') AS mail,
  (SELECT max(l.purpose) FROM links l WHERE l.registration_id = r.id) AS link FROM registrations r WHERE r.erased_at IS NOT NULL
    AND (r.full_name || r.email || r.phone <> '' OR r.answers <> '{}'
      OR EXISTS (SELECT 1 FROM mail_queue m WHERE m.registration_id = r.id AND m.recipient || m.body <> '')
      OR EXISTS (SELECT 1 FROM links l WHERE l.registration_id = r.id)
      OR EXISTS (SELECT 1 FROM tellings t WHERE t.registration_id = r.id AND t.answers <> '{}'))`
const LAST = `SELECT (SELECT coalesce(max(id), 0) FROM acts) AS acts, (SELECT coalesce(max(id), 0) FROM decisions) AS decisions`
/** A refund of two payments is a decision about each, once. */
const DONE = `SELECT (SELECT count(*) FROM acts WHERE why = ?) +
  (SELECT coalesce(max(times), 0) FROM (SELECT count(*) AS times FROM decisions WHERE why = ? GROUP BY capture_id)) AS times`

/** Actions after which the registration has their state, whatever its payments do. */
const STATE_AFTER = { tell: 'told', lapse: 'lapsed' } as const

/** Users who decide without a session, by the store operations alone. */
const TREASURERS_BY_STORE: ReadonlySet<string> = new Set(['Asha', 'Ravi'])

export type HistoryInvariants = {
  afterWrite(): Promise<Violation | null>
  /** The call reported that an action was done, for this reason, which is unique. */
  answered(regNo: string, actionName: ActionName, why: string): Promise<Violation | null>
}

type Data = Readonly<Record<string, unknown>>
const readNumber = (data: Data, name: string): number => Number(data[name] ?? 0)

export function createHistoryInvariants(sql: () => Sql): HistoryInvariants {
  let before = new Map<number, Row>()
  let lastSeen = { acts: 0, decisions: 0 }
  const readRequired = createRequiredReader(sql)
  let all: Required = { of: () => ({ came: 0, required: (total) => total }) }

  const checkTable = async (act: ActionRow, rowBefore: Row): Promise<Violation | null> => {
    const cause = JSON.stringify(act)
    if (act.was !== rowBefore.state)
      return { invariant: 'the history has the state in which an action was done', cause: cause }
    if (!isInTable(act.act, rowBefore.state))
      return { invariant: 'no action happens outside its table', cause: cause }
    const came = (JSON.parse(act.data) as Data)['came']
    const recordsPayment = act.act === 'confirm' || act.act === 'came_again'
    const method = recordsPayment && typeof came === 'string' ? parseMethod(came) : null
    if (!canPerform(act.who, act.act, rowBefore.event_id, method))
      return { invariant: 'staff perform only actions of their role', cause: cause }
    const isFromStatement = act.why === BY_STATEMENT
    return act.why === '' || isFromStatement || act.who === 'delegate'
      ? null
      : await checkDoneOnce(act.why)
  }
  const checkDoneOnce = async (why: string): Promise<Violation | null> => {
    const { times } = (await sql()<{ times: number }>(DONE).get(why, why)) ?? { times: 0 }
    return times > 1 ? { invariant: 'a repeated click is done once', cause: why } : null
  }
  const checkDecision = async (
    one: DecisionRow,
    was: Row | undefined,
    now: Row | undefined,
    refunded: number,
  ): Promise<Violation | null> => {
    if (TREASURERS_BY_STORE.has(one.who) || was === undefined || now === undefined) return null
    const actionName = one.what.split(' ')[0] as ActionName
    const by = JSON.stringify(one)
    if (!isInTable(actionName, was.state))
      return { invariant: 'no action happens outside its table', cause: by }
    if (!canPerform(one.who, actionName, was.event_id, null))
      return { invariant: 'staff perform only actions of their role', cause: by }
    if (actionName === 'refund' && now.refunds - was.refunds !== refunded)
      return { invariant: 'a refund of the history is in the books', cause: by }
    if ((actionName === 'accept' || actionName === 'dismiss') && now.waiting > was.waiting)
      return { invariant: 'a decided review no longer waits', cause: by }
    return checkDoneOnce(one.why)
  }
  const findWrongEffect = (
    { act, at, became, data: text }: ActionRow,
    was: Row,
    now: Row,
  ): string | null => {
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
          : 'not exactly one email'
      case 'correct': {
        const difference = readNumber(data, 'difference')
        const changes = data['changes'] as readonly string[]
        if ((now.total ?? 0) - (was.total ?? 0) !== difference) return 'another difference'
        const { required } = all.of(now.id)
        const more = required(now.total ?? 0) - required(was.total ?? 0)
        // No more can be owed than is left of the payments; check-due.ts checks that amount.
        const isPaid = was.status === 'success'
        const isLimited = isPaid && (was.due === -was.kept || now.due === -now.kept)
        if (!isLimited && now.due - was.due !== (isPaid ? more : 0)) return 'another balance is due'
        if ((was.answers !== now.answers) !== changes.length > 0) return 'other answers'
        return isSame('captures', 'refunds') ? null : 'money moved'
      }
      case 'transfer':
        if (now.links > at) return 'a link of the previous owner still gives access'
        return isSame('total', 'due', 'category', 'status', 'captures', 'refunds', 'open') &&
          now.again === was.again + 2
          ? null
          : 'more than the person changed, or an email is missing'
      case 'cancel': {
        // A refund in progress is owed until it is completed.
        if (now.due !== -readNumber(data, 'pay_back') - was.under_way)
          return 'another refund is owed'
        if (now.open > 0) return 'it can still be paid'
        return isSame('answers', 'total', 'captures', 'refunds') ? null : 'money moved'
      }
      case 'confirm':
        if (now.captures !== was.captures + 1) return 'no payment, or more than one'
        return now.waiting > was.waiting || now.status === 'success' ? null : 'it counts as nothing'
      case 'came_again':
        if (now.captures !== was.captures + 1) return 'no payment, or more than one'
        return now.waiting > was.waiting &&
          isSame('answers', 'total', 'due', 'category', 'status', 'state', 'refunds')
          ? null
          : 'it is not in review, or counts'
      case 'accept':
      case 'dismiss':
      case 'refund':
        return 'it belongs to the decisions'
      case 'approve':
        return isSame('answers', 'total', 'due', 'category') && isOrderedInFull(now)
          ? null
          : 'the order is not for its price'
      case 'accept_offer':
        return isSame('answers', 'due') && now.category === data['category'] && isOrderedInFull(now)
          ? null
          : 'the order is not for the price of the offer'
      case 'refuse':
        return isSame('answers', 'total', 'due', 'category', 'captures', 'open') && now.open === 0
          ? null
          : 'an order exists'
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
        // A registration without an open claim stays as before; the number is free for others.
        const rejected = was.state === 'told' ? 'to_pay' : was.state
        if (now.state !== (act === 'not_found' ? rejected : STATE_AFTER[act]))
          return `it is ${now.state}`
        return isSame('answers', 'total', 'due', 'category', 'captures', 'refunds')
          ? null
          : 'more than the claim changed'
      }
      case 'take_up':
        // A card order is created when the delegate is redirected to the gateway.
        return isSame('answers', 'total', 'due', 'category', 'captures') &&
          (now.open === 0 || isOrderedInFull(now))
          ? null
          : 'the order is not for its price'
      case 'reopen':
        return isSame('answers', 'total', 'due', 'category', 'captures', 'refunds') &&
          (now.open === 0 || isOrderedInFull(now))
          ? null
          : 'the order is not for its price'
      case 'erase':
        return isSame('total', 'captures', 'refunds', 'category', 'waiting') &&
          now.answers === '{}' &&
          now.links === 0
          ? null
          : 'payments changed, or personal data stayed'
      case 'add':
        return 'it begins a registration, so it has none'
      default:
        return assertNever(act)
    }
  }
  const isErased = async (regNo: string): Promise<boolean> =>
    (await sql()('SELECT 1 FROM registrations WHERE reg_no = ? AND erased_at IS NOT NULL').get(
      regNo,
    )) !== undefined
  const checkErased = async (): Promise<Violation | null> => {
    const left = await sql()(LEFT_OF_ERASED).get()
    return left === undefined
      ? null
      : { invariant: 'an erased registration stays erased', cause: JSON.stringify(left) }
  }
  /** By one order, without earlier payments. */
  const isOrderedInFull = ({ open, asks, total }: Row): boolean => open === 1 && asks === total
  /** A registration without actions of staff. */
  const findUnexplainedChange = (was: Row, now: Row): string | null => {
    if (was.answers !== now.answers || was.category !== now.category) return 'other answers'
    if (was.state === now.state) return null
    if (was.state === 'cancelled' || was.state === 'refused') return `it was ${was.state}`
    if (was.state === 'to_approve') return 'no staff has seen it'
    return now.state === 'cancelled' && now.status !== 'refunded' ? 'it was cancelled' : null
  }
  return {
    afterWrite: async () => {
      const rows = new Map((await sql()<Row>(ROWS).all()).map((row) => [row.id, row]))
      all = await readRequired()
      const words = await checkErased()
      if (words !== null) return words
      const newActions = newerThan(await sql()<ActionRow>(ACTIONS).all(), lastSeen.acts)
      const decisions = newerThan(await sql()<DecisionRow>(DECISIONS).all(), lastSeen.decisions)
      const rowsBefore = before
      before = rows
      lastSeen = (await sql()<typeof lastSeen>(LAST).get()) ?? lastSeen
      for (const act of newActions) {
        const [then, now] = [rowsBefore.get(act.registration_id), rows.get(act.registration_id)]
        if (then === undefined && now !== undefined && act.act === 'add') {
          if (!isStaffName(act.who) || !canAddRegistration(act.who, now.event_id))
            return {
              invariant: 'staff perform only actions of their role',
              cause: JSON.stringify(act),
            }
          continue
        }
        if (then === undefined || now === undefined) continue
        const wrong = await checkTable(act, then)
        if (wrong !== null) return wrong
        const unexplained = findWrongEffect(act, then, now)
        if (unexplained !== null)
          return {
            invariant: 'an action changes what the history records, and nothing else',
            cause: `${unexplained}: ${JSON.stringify(act)} ${JSON.stringify(then)} → ${JSON.stringify(now)}`,
          }
      }
      for (const one of decisions) {
        const id = one.registration_id ?? 0
        // A refund of two payments has a line for each of them.
        const refunded = decisions
          .filter(({ registration_id, what }) => registration_id === id && what === one.what)
          .reduce((sum, { amount }) => sum + (amount ?? 0), 0)
        const wrong = await checkDecision(one, rowsBefore.get(id), rows.get(id), refunded)
        if (wrong !== null) return wrong
      }
      const changedIds = new Set(newActions.map((act) => act.registration_id))
      for (const [id, now] of rows) {
        const then = rowsBefore.get(id)
        const unexplained =
          then === undefined || changedIds.has(id) ? null : findUnexplainedChange(then, now)
        if (unexplained !== null)
          return {
            invariant: 'nothing changes without an action',
            cause: `${unexplained}: ${JSON.stringify(then)} → ${JSON.stringify(now)}`,
          }
      }
      return null
    },
    answered: async (regNo, act, why) => {
      const { times } = (await sql()<{ times: number }>(DONE).get(why, why)) ?? { times: 0 }
      // The reason is missing if the registration was erased at the same moment.
      return times === 1 || (await isErased(regNo))
        ? null
        : {
            invariant: 'an action that was reported as done is done',
            cause: `${act} of ${regNo}: ${why}`,
          }
    },
  }
}

const newerThan = <T extends { readonly id: number }>(
  rows: readonly T[],
  last: number,
): readonly T[] => rows.filter(({ id }) => id > last)

/** A received payment as the history records it. */
function parseMethod(paymentText: string): string {
  return / (?:in cash|by card machine|at the desk)/.test(paymentText) ? 'cash' : 'transfer'
}
