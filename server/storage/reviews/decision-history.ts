/** Stores and describes decisions on payment reviews. Stored decisions are never edited. */
import { err, formatMoney, ok } from '../../../engine/index.ts'
import type {
  Decision,
  DecisionRefusal,
  DecisionGrounds,
  Instant,
  Amount,
  MoveTarget,
  RegNo,
  Result,
  Review,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { StoreStatement } from '../database/statements/statement.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import type { DecisionOutcome, StoredDecision } from '../payments/payment-types.ts'
import { parseReviewNumber } from './open-reviews.ts'

type StoredDecisionKind = Decision['what'] | 'refund by hand' | 'refused refund replaced'

/** The wording of decisions in the activity list. */
const DECISION_TEXTS = {
  accept: 'payment accepted',
  ask: 'payment counted in part',
  dismiss: 'payment ignored',
  move: 'payment moved',
  refund: 'refund requested',
  'refund by hand': 'refunded outside Rollcall',
  'refused refund replaced': 'rejected refund replaced',
} as const satisfies Readonly<Record<StoredDecisionKind, string>>

const addDecision = statement(
  (
    builder,
    params: {
      /** Null if the payment has no registration. */
      regNo: RegNo | null
      captureId: number | null
      what: string
      about: string
      amount: Amount | null
      why: string
      who: string
      at: Instant
    },
  ) =>
    builder.insertInto('decisions').values(({ selectFrom }) => ({
      registration_id: selectFrom('registrations')
        .select('id')
        .where('reg_no', '=', params.regNo as RegNo),
      capture_id: params.captureId,
      what: params.what,
      about: params.about,
      amount: params.amount,
      why: params.why,
      who: params.who,
      at: params.at,
    })),
)
const amountOfCapture = statement((builder, { id }: { id: number }) =>
  builder.selectFrom('captures').select('amount').where('id', '=', id),
)
/** Queries that find the subject of a review, keyed by the first letter of the review's id. */
const SUBJECTS_OF_REVIEWS: Readonly<
  Record<string, StoreStatement<{ id: number }, { id: number }>>
> = {
  C: statement((builder, { id }: { id: number }) =>
    builder.selectFrom('captures').select('id').where('id', '=', id),
  ),
  P: statement((builder, { id }: { id: number }) =>
    builder.selectFrom('payments').select('id').where('id', '=', id),
  ),
  R: statement((builder, { id }: { id: number }) =>
    builder.selectFrom('refunds').select('id').where('id', '=', id),
  ),
}
const decisionsOfRegistration = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('decisions as d')
    .select(['d.what', 'd.about', 'd.amount', 'd.why', 'd.who', 'd.at'])
    .where('d.registration_id', '=', ({ selectFrom }) =>
      selectFrom('registrations').select('id').where('reg_no', '=', regNo),
    )
    .orderBy('d.id'),
)

export type DecisionResult = Result<DecisionOutcome, DecisionRefusal>

export const refuseDecision = (code: DecisionRefusal['code'], message: string) =>
  err({ code, message })

/**
 * Stores the decision, and adds an entry to the audit log. A moved payment gets an entry for each registration. Owners
 * read the entries of their own events: if the payment is moved to another event, the first event's entry contains
 * neither the other registration's number nor the reason, which may mention its delegate by name.
 */
export async function recordDecision(
  sql: Sql,
  review: Pick<Review, 'id' | 'regNo' | 'eventId' | 'currency'>,
  captureId: number | null,
  decision: { readonly what: StoredDecisionKind },
  { why: reason, who: user }: DecisionGrounds,
  amount: Amount | null,
  at: Instant,
  {
    message,
    refundIds = [],
    movedTo = null,
  }: {
    readonly message: string
    readonly refundIds?: readonly number[]
    readonly movedTo?: Pick<MoveTarget, 'regNo' | 'eventId'> | null
  },
): Promise<DecisionResult> {
  const { id, regNo, eventId, currency } = review
  const decisionText = movedTo === null ? decision.what : `${decision.what} to ${movedTo.regNo}`
  addDecision.run(sql, {
    regNo,
    captureId,
    what: decisionText,
    about: id,
    amount,
    why: reason,
    who: user,
    at,
  })
  const capturedAmount =
    captureId === null ? undefined : await amountOfCapture.get(sql, { id: captureId })
  const decidedAmount = amount ?? capturedAmount?.amount ?? null
  const amountText = decidedAmount === null ? '' : `, ${formatMoney(decidedAmount, currency)}`
  const addEntry = (text: string, entryEventId: string | null, registration: RegNo | null): void =>
    addAuditEntry(sql, {
      at,
      who: user,
      what: `${DECISION_TEXTS[decision.what]}${text}`,
      eventId: entryEventId,
      regNo: registration,
    })
  if (movedTo === null) addEntry(`${amountText}: ${reason}`, eventId, regNo)
  else {
    const targetText = ` to ${movedTo.regNo}${amountText}: ${reason}`
    const isWithinEvent = eventId === null || movedTo.eventId === eventId
    // Omits the reason from an entry without a registration, because it could not be removed from there when the
    // delegate's data is erased.
    const sourceText = regNo === null ? ` to ${movedTo.regNo}${amountText}` : targetText
    addEntry(isWithinEvent ? sourceText : ` to another event${amountText}`, eventId, regNo)
    addEntry(targetText, movedTo.eventId, movedTo.regNo)
  }
  return ok({ regNo, message, refundIds })
}

export async function findPastDecision(sql: Sql, id: string): Promise<DecisionResult> {
  const number = parseReviewNumber(id)
  const subject = await (number === null
    ? undefined
    : SUBJECTS_OF_REVIEWS[id.charAt(0)]?.get(sql, { id: number }))
  return subject !== undefined
    ? refuseDecision(
        'decided_already',
        `${id} no longer needs review: it was decided, or resolved automatically.`,
      )
    : refuseDecision('not_there', `No review ${id}.`)
}

/** Returns the decisions about a registration, oldest first. */
export function readDecisions(sql: Sql, regNo: RegNo): Promise<readonly StoredDecision[]> {
  return decisionsOfRegistration.all(sql, { regNo })
}
