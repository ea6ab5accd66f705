/**
 * Invariants for actions, checked after every write: every action is allowed in the registration's state and to its
 * user, runs once per request, and changes exactly what its record states.
 */
import { assertNever } from '../../engine/index.ts'
import type { ActionName, PaymentStatus, RegistrationState } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Violation } from './check-payments.ts'
import { createRequiredReader } from './expected-balance.ts'
import type { RequiredPayments } from './expected-balance.ts'
import { STATEMENT_REASON } from './bank-statements.ts'
import {
  isAllowedInState,
  isStaffName,
  canAddRegistration,
  canPerform,
} from './expected-permissions.ts'

/** A registration with all data that actions can change. */
type Row = {
  id: number
  reg_no: string
  event_id: string
  state: RegistrationState
  status: PaymentStatus
  total: number | null
  due: number
  /** Counted payments minus completed refunds. */
  net_paid: number
  category: string | null
  answers: string
  /** The number of emails that staff have sent again. */
  requested_emails: number
  /** The number of open orders. */
  open_orders: number
  /** The amount of the newest order. */
  order_amount: number | null
  /** The sum of refunds that have been, or may have been, paid out. */
  refund_total: number
  /** The sum of those refunds that are in progress. */
  refunds_in_progress: number
  /** The number of payments that need a decision. */
  open_reviews: number
  captures: number
  /** When the last of its links expires. 0 if it has none. */
  links_expire_at: number
}
const ROWS_SQL = `SELECT r.id, r.reg_no, r.event_id, r.state, r.payment_status AS status, r.total, r.due, r.category, r.answers,
  (SELECT coalesce(sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state = 'done')), 0)
    FROM captures c JOIN payments p ON p.id = c.counts_for WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted')) AS net_paid,
  (SELECT count(*) FROM mail_queue m WHERE m.registration_id = r.id AND m.kind = 'again') AS requested_emails,
  (SELECT count(*) FROM payments p WHERE p.registration_id = r.id AND p.status = 'pending') AS open_orders,
  (SELECT p.amount FROM payments p WHERE p.registration_id = r.id AND p.status = 'pending' ORDER BY p.attempt DESC LIMIT 1) AS order_amount,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = r.id AND f.state <> 'refused') AS refund_total,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted') AND f.state IN ('wanted', 'asked', 'unsure')) AS refunds_in_progress,
  (SELECT count(*) FROM captures c WHERE c.registration_id = r.id AND c.state = 'review')
    + (SELECT count(*) FROM payments p WHERE p.registration_id = r.id AND p.review IS NOT NULL) AS open_reviews,
  (SELECT count(*) FROM captures c WHERE c.registration_id = r.id) AS captures,
  (SELECT coalesce(max(l.expires_at), 0) FROM links l WHERE l.registration_id = r.id) AS links_expire_at FROM registrations r`

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
const ACTIONS_SQL =
  'SELECT id, registration_id, at, who, act, why, data, was, became FROM acts ORDER BY id'
type DecisionRow = {
  id: number
  registration_id: number | null
  who: string
  what: string
  why: string
  amount: number | null
}
const DECISIONS_SQL =
  'SELECT id, registration_id, who, what, why, amount FROM decisions ORDER BY id'
/** Erased registrations that still contain personal data. */
const REMAINING_PERSONAL_DATA_SQL = `SELECT r.reg_no, r.full_name, r.answers,
  (SELECT max(m.kind || ' to ' || m.recipient || ': ' || m.subject) FROM mail_queue m WHERE m.registration_id = r.id AND m.recipient || m.body <> '') AS mail,
  (SELECT max(l.purpose) FROM links l WHERE l.registration_id = r.id) AS link FROM registrations r WHERE r.erased_at IS NOT NULL
    AND (r.full_name || r.email || r.phone <> '' OR r.answers <> '{}'
      OR EXISTS (SELECT 1 FROM mail_queue m WHERE m.registration_id = r.id AND m.recipient || m.body <> '')
      OR EXISTS (SELECT 1 FROM links l WHERE l.registration_id = r.id)
      OR EXISTS (SELECT 1 FROM tellings t WHERE t.registration_id = r.id AND t.answers <> '{}'))`
const LAST_IDS_SQL = `SELECT (SELECT coalesce(max(id), 0) FROM acts) AS acts, (SELECT coalesce(max(id), 0) FROM decisions) AS decisions`
/** Counts the actions and decisions with a reason. A refund of two payments records two decisions and counts once. */
const COUNT_BY_REASON_SQL = `SELECT (SELECT count(*) FROM acts WHERE why = ?) +
  (SELECT coalesce(max(times), 0) FROM (SELECT count(*) AS times FROM decisions WHERE why = ? GROUP BY capture_id)) AS times`

/** Actions that set a fixed state, whatever has been paid. */
const STATE_AFTER = { tell: 'told', lapse: 'lapsed' } as const

/** Users whose decisions call the store directly, without a session. */
const USERS_WITHOUT_SESSION: ReadonlySet<string> = new Set(['Asha', 'Ravi'])

export type HistoryInvariants = {
  afterWrite(): Promise<Violation | null>
  /** Checks that an action that the API reported as done was recorded. The reason identifies the action. */
  checkReportedAction(regNo: string, actionName: ActionName, why: string): Promise<Violation | null>
}

type ActionData = Readonly<Record<string, unknown>>
const readNumber = (data: ActionData, name: string): number => Number(data[name] ?? 0)

export function createHistoryInvariants(sql: () => Sql): HistoryInvariants {
  let previousRows = new Map<number, Row>()
  let lastIds = { acts: 0, decisions: 0 }
  const readRequired = createRequiredReader(sql)
  let requiredAmounts: RequiredPayments = {
    getSums: () => ({ received: 0, computeRequired: (total) => total }),
  }

  const checkActionAllowed = async (
    action: ActionRow,
    rowBefore: Row,
  ): Promise<Violation | null> => {
    const cause = JSON.stringify(action)
    if (action.was !== rowBefore.state)
      return { invariant: 'the timeline records the state before each action', cause }
    if (!isAllowedInState(action.act, rowBefore.state))
      return { invariant: 'an action happens only in a state that allows it', cause }
    const paymentText = (JSON.parse(action.data) as ActionData)['came']
    const isPaymentRecord = action.act === 'confirm' || action.act === 'came_again'
    const method =
      isPaymentRecord && typeof paymentText === 'string' ? parseMethod(paymentText) : null
    // A decision to request the balance also sends a payment link.
    const isPartOfDecision = action.act === 'send_pay_link' && USERS_WITHOUT_SESSION.has(action.who)
    if (!isPartOfDecision && !canPerform(action.who, action.act, rowBefore.event_id, method))
      return { invariant: 'staff perform only actions that their role allows', cause }
    const isFromStatement = action.why === STATEMENT_REASON
    return action.why === '' || isFromStatement || action.who === 'delegate'
      ? null
      : await checkDoneOnce(action.why)
  }
  const checkDoneOnce = async (reason: string): Promise<Violation | null> => {
    const { times } = (await sql()<{ times: number }>(COUNT_BY_REASON_SQL).get(reason, reason)) ?? {
      times: 0,
    }
    return times > 1 ? { invariant: 'a repeated request is processed once', cause: reason } : null
  }
  const checkDecision = async (
    decision: DecisionRow,
    rowBefore: Row | undefined,
    rowAfter: Row | undefined,
    refundedAmount: number,
  ): Promise<Violation | null> => {
    if (
      USERS_WITHOUT_SESSION.has(decision.who) ||
      rowBefore === undefined ||
      rowAfter === undefined
    )
      return null
    const actionName = decision.what.split(' ')[0] as ActionName
    const cause = JSON.stringify(decision)
    if (!isAllowedInState(actionName, rowBefore.state))
      return { invariant: 'an action happens only in a state that allows it', cause }
    if (!canPerform(decision.who, actionName, rowBefore.event_id, null))
      return { invariant: 'staff perform only actions that their role allows', cause }
    if (
      actionName === 'refund' &&
      rowAfter.refund_total - rowBefore.refund_total !== refundedAmount
    )
      return { invariant: 'a refund decision records the refunded amount', cause }
    if (
      (actionName === 'accept' || actionName === 'dismiss') &&
      rowAfter.open_reviews > rowBefore.open_reviews
    )
      return { invariant: 'a decision does not open another review', cause }
    return checkDoneOnce(decision.why)
  }
  const findWrongEffect = (
    { act, at, became, data: text }: ActionRow,
    rowBefore: Row,
    rowAfter: Row,
  ): string | null => {
    const data = JSON.parse(text) as ActionData
    const isUnchanged = (...names: readonly (keyof Row)[]): boolean =>
      names.every((name) => rowBefore[name] === rowAfter[name])
    if (became !== rowAfter.state) return `it became ${rowAfter.state}`
    switch (act) {
      case 'note':
      case 'undo_note':
      case 'handle_refund':
        return JSON.stringify(rowBefore) === JSON.stringify(rowAfter)
          ? null
          : 'something else changed'
      case 'resend':
      case 'send_pay_link':
        return JSON.stringify({
          ...rowBefore,
          requested_emails: rowBefore.requested_emails + 1,
        }) === JSON.stringify(rowAfter)
          ? null
          : 'not exactly one email'
      case 'correct': {
        const difference = readNumber(data, 'difference')
        const changes = data['changes'] as readonly string[]
        if ((rowAfter.total ?? 0) - (rowBefore.total ?? 0) !== difference)
          return 'the price difference is not the recorded difference'
        const { computeRequired } = requiredAmounts.getSums(rowAfter.id)
        const priceDifference =
          computeRequired(rowAfter.total ?? 0) - computeRequired(rowBefore.total ?? 0)
        // An amount to refund is limited to the payments that remain. check-due.ts checks the limited amount.
        const isPaid = rowBefore.status === 'success'
        const isLimited =
          isPaid && (rowBefore.due === -rowBefore.net_paid || rowAfter.due === -rowAfter.net_paid)
        if (!isLimited && rowAfter.due - rowBefore.due !== (isPaid ? priceDifference : 0))
          return 'wrong balance'
        if ((rowBefore.answers !== rowAfter.answers) !== changes.length > 0)
          return 'the answers and the recorded changes disagree'
        return isUnchanged('captures', 'refund_total') ? null : 'payments or refunds changed'
      }
      case 'transfer':
        if (rowAfter.links_expire_at > at) return 'a link of the previous owner still gives access'
        return isUnchanged(
          'total',
          'due',
          'category',
          'status',
          'captures',
          'refund_total',
          'open_orders',
        ) && rowAfter.requested_emails === rowBefore.requested_emails + 2
          ? null
          : 'unexpected changes, or no email'
      case 'cancel': {
        // A refund in progress is owed until it is complete.
        if (rowAfter.due !== -readNumber(data, 'pay_back') - rowBefore.refunds_in_progress)
          return 'wrong refund amount'
        if (rowAfter.open_orders > 0) return 'it can still be paid'
        return isUnchanged('answers', 'total', 'captures', 'refund_total')
          ? null
          : 'payments or refunds changed'
      }
      case 'confirm':
        if (rowAfter.captures !== rowBefore.captures + 1) return 'no payment, or more than one'
        return rowAfter.open_reviews > rowBefore.open_reviews || rowAfter.status === 'success'
          ? null
          : 'the payment is neither counted nor in review'
      case 'came_again':
        if (rowAfter.captures !== rowBefore.captures + 1) return 'no payment, or more than one'
        return rowAfter.open_reviews > rowBefore.open_reviews &&
          isUnchanged('answers', 'total', 'due', 'category', 'status', 'state', 'refund_total')
          ? null
          : 'the payment is counted, or not in review'
      case 'accept':
      case 'dismiss':
      case 'refund':
        return 'recorded as an action, not as a decision'
      case 'approve':
        return isUnchanged('answers', 'total', 'due', 'category') && isOrderedInFull(rowAfter)
          ? null
          : 'the order amount differs from the price'
      case 'accept_offer':
        return isUnchanged('answers', 'due') &&
          rowAfter.category === data['category'] &&
          isOrderedInFull(rowAfter)
          ? null
          : 'the order amount differs from the offered price'
      case 'refuse':
        return isUnchanged('answers', 'total', 'due', 'category', 'captures', 'open_orders') &&
          rowAfter.open_orders === 0
          ? null
          : 'an order exists'
      case 'edit':
        return isUnchanged(
          'total',
          'due',
          'category',
          'status',
          'state',
          'captures',
          'refund_total',
          'open_orders',
        )
          ? null
          : 'more than answers changed'
      case 'ask_cancel':
      case 'ask_refund':
      case 'withdraw_refund':
        return JSON.stringify(rowBefore) === JSON.stringify(rowAfter)
          ? null
          : 'something else changed'
      case 'tell':
      case 'not_found':
      case 'lapse': {
        // Rejecting a claim that is no longer open does not change the state; it only releases the reference.
        const expectedState = rowBefore.state === 'told' ? 'to_pay' : rowBefore.state
        if (rowAfter.state !== (act === 'not_found' ? expectedState : STATE_AFTER[act]))
          return `it is ${rowAfter.state}`
        return isUnchanged('answers', 'total', 'due', 'category', 'captures', 'refund_total')
          ? null
          : 'more than the claim changed'
      }
      case 'take_up':
        // A card order is created when the delegate is redirected to the gateway.
        return isUnchanged('answers', 'total', 'due', 'category', 'captures') &&
          (rowAfter.open_orders === 0 || isOrderedInFull(rowAfter))
          ? null
          : 'the order amount differs from the price'
      case 'reopen':
        return isUnchanged('answers', 'total', 'due', 'category', 'captures', 'refund_total') &&
          (rowAfter.open_orders === 0 || isOrderedInFull(rowAfter))
          ? null
          : 'the order amount differs from the price'
      case 'erase':
        return isUnchanged('total', 'captures', 'refund_total', 'category', 'open_reviews') &&
          rowAfter.answers === '{}' &&
          rowAfter.links_expire_at === 0
          ? null
          : 'payments changed, or personal data remains'
      case 'add':
        return 'this action creates the registration, so it cannot exist before'
      default:
        return assertNever(act)
    }
  }
  const isErased = async (regNo: string): Promise<boolean> =>
    (await sql()('SELECT 1 FROM registrations WHERE reg_no = ? AND erased_at IS NOT NULL').get(
      regNo,
    )) !== undefined
  const checkErased = async (): Promise<Violation | null> => {
    const remainingData = await sql()(REMAINING_PERSONAL_DATA_SQL).get()
    return remainingData === undefined
      ? null
      : { invariant: 'an erased registration stays erased', cause: JSON.stringify(remainingData) }
  }
  /** Returns true if exactly one order is open and it requests the full price. */
  const isOrderedInFull = ({ open_orders, order_amount, total }: Row): boolean =>
    open_orders === 1 && order_amount === total
  /** Finds a change that no action explains, in a registration without new actions. Null if there is none. */
  const findUnexplainedChange = (rowBefore: Row, rowAfter: Row): string | null => {
    if (rowBefore.answers !== rowAfter.answers || rowBefore.category !== rowAfter.category)
      return 'answers or category changed'
    if (rowBefore.state === rowAfter.state) return null
    if (rowBefore.state === 'cancelled' || rowBefore.state === 'refused')
      return `it was ${rowBefore.state}`
    if (rowBefore.state === 'to_approve') return 'staff have not reviewed it'
    return rowAfter.state === 'cancelled' && rowAfter.status !== 'refunded'
      ? 'it was cancelled'
      : null
  }
  return {
    afterWrite: async () => {
      const rows = new Map((await sql()<Row>(ROWS_SQL).all()).map((row) => [row.id, row]))
      requiredAmounts = await readRequired()
      const violation = await checkErased()
      if (violation !== null) return violation
      const newActions = listNewer(await sql()<ActionRow>(ACTIONS_SQL).all(), lastIds.acts)
      const decisions = listNewer(await sql()<DecisionRow>(DECISIONS_SQL).all(), lastIds.decisions)
      const rowsBefore = previousRows
      previousRows = rows
      lastIds = (await sql()<typeof lastIds>(LAST_IDS_SQL).get()) ?? lastIds
      for (const action of newActions) {
        const [rowBefore, rowAfter] = [
          rowsBefore.get(action.registration_id),
          rows.get(action.registration_id),
        ]
        if (rowBefore === undefined && rowAfter !== undefined && action.act === 'add') {
          if (!isStaffName(action.who) || !canAddRegistration(action.who, rowAfter.event_id))
            return {
              invariant: 'staff perform only actions that their role allows',
              cause: JSON.stringify(action),
            }
          continue
        }
        if (rowBefore === undefined || rowAfter === undefined) continue
        const actionViolation = await checkActionAllowed(action, rowBefore)
        if (actionViolation !== null) return actionViolation
        const wrongEffect = findWrongEffect(action, rowBefore, rowAfter)
        if (wrongEffect !== null)
          return {
            invariant: 'an action changes what the timeline records, and nothing else',
            cause: `${wrongEffect}: ${JSON.stringify(action)} ${JSON.stringify(rowBefore)} → ${JSON.stringify(rowAfter)}`,
          }
      }
      for (const decision of decisions) {
        const id = decision.registration_id ?? 0
        // A refund of two payments has a decision for each payment.
        const refundedAmount = decisions
          .filter(({ registration_id, what }) => registration_id === id && what === decision.what)
          .reduce((sum, { amount }) => sum + (amount ?? 0), 0)
        const decisionViolation = await checkDecision(
          decision,
          rowsBefore.get(id),
          rows.get(id),
          refundedAmount,
        )
        if (decisionViolation !== null) return decisionViolation
      }
      const changedIds = new Set(newActions.map((act) => act.registration_id))
      for (const [id, rowAfter] of rows) {
        const rowBefore = rowsBefore.get(id)
        const unexplainedChange =
          rowBefore === undefined || changedIds.has(id)
            ? null
            : findUnexplainedChange(rowBefore, rowAfter)
        if (unexplainedChange !== null)
          return {
            invariant: 'nothing changes without an action',
            cause: `${unexplainedChange}: ${JSON.stringify(rowBefore)} → ${JSON.stringify(rowAfter)}`,
          }
      }
      return null
    },
    checkReportedAction: async (regNo, actionName, reason) => {
      const { times } = (await sql()<{ times: number }>(COUNT_BY_REASON_SQL).get(
        reason,
        reason,
      )) ?? {
        times: 0,
      }
      // The reason is missing if the registration was erased at the same time.
      return times === 1 || (await isErased(regNo))
        ? null
        : {
            invariant: 'an action that was reported as done was recorded once',
            cause: `${actionName} of ${regNo}: ${reason}`,
          }
    },
  }
}

const listNewer = <T extends { readonly id: number }>(
  rows: readonly T[],
  lastId: number,
): readonly T[] => rows.filter(({ id }) => id > lastId)

/** Reads the payment method from the text in the timeline. */
function parseMethod(paymentText: string): string {
  return / (?:in cash|by card machine|at the desk)/.test(paymentText) ? 'cash' : 'transfer'
}
