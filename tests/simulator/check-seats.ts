/**
 * Invariants for seats and codes, derived from the stored registrations.
 * The event and the category determine who has a seat, and the payment state determines who uses a code. The seat
 * counters are compared with the stored seats.
 */
import { foldCode } from '../../engine/index.ts'
import type { PaymentStatus, RegistrationState } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Store } from '../../server/storage/index.ts'
import { SEATS } from './events.ts'
import type { Violation } from './check-payments.ts'

/** Creates a single-use code of each kind. */
export async function createCodes(
  store: Store,
  at: Parameters<Store['withdrawDiscountCode']>[3],
): Promise<void> {
  for (const [kind, code] of Object.entries(SEATS.codes))
    await store.createDiscountCodes({
      eventId: SEATS.event,
      kind,
      codes: [{ code, folded: foldCode(code) }],
      usesMax: 1,
      lastDay: null,
      note: '',
      who: 'Asha',
      at,
    })
}

type Row = {
  id: number
  category: string | null
  status: PaymentStatus
  in_review: 0 | 1
  created_at: number
  code: string | null
  accepted: 0 | 1
  state: RegistrationState
  open_until: number | null
}
// A registration whose payment was accepted by staff may exceed the quota.
const REGISTRATIONS_SQL = `SELECT r.id, r.category, r.state, r.payment_status AS status, r.in_review, r.created_at,
  r.answers ->> '$.code' AS code,
  EXISTS (SELECT 1 FROM captures c WHERE c.registration_id = r.id AND c.state = 'accepted') AS accepted,
  (SELECT max(iif(p.last_answer = 'in-process', 9e15, p.handed_off_at + ${SEATS.holdMs})) FROM payments p
    WHERE p.registration_id = r.id AND p.status = 'pending') AS open_until
  FROM registrations r WHERE r.event_id = '${SEATS.event}'`
const SEATS_TAKEN_SQL = `SELECT place, max, taken, (SELECT count(*) FROM places_taken t WHERE t.place_id = p.id AND t.state <> 'free') AS rows
  FROM places p WHERE event_id = '${SEATS.event}'`

const SEATS_OF_ENDED_REGISTRATIONS_SQL = `SELECT t.* FROM places_taken t JOIN registrations r ON r.id = t.registration_id
  WHERE r.state IN ('cancelled', 'refused') AND t.state <> 'free'`

export type SeatInvariants = { afterWrite(): Promise<Violation | null> }

export function createSeatInvariants(sql: () => Sql): SeatInvariants {
  const checkedIds = new Set<number>()

  const checkReleasedSeats = async (): Promise<Violation | null> => {
    const row = await sql()(SEATS_OF_ENDED_REGISTRATIONS_SQL).get()
    return row === undefined
      ? null
      : {
          invariant: 'a cancelled or refused registration does not hold a seat',
          cause: JSON.stringify(row),
        }
  }
  const checkSeats = async (allRows: readonly Row[]): Promise<Violation | null> => {
    // Cancelled registrations do not hold seats.
    const rows = allRows.filter(({ state }) => state !== 'cancelled')
    const acceptedCount = rows.filter(({ accepted }) => accepted === 1).length
    for (const { id, max, category } of SEATS.quotas) {
      const rowsOfCategory = rows.filter((row) => category === null || row.category === category)
      const paidRows = rowsOfCategory.filter(
        ({ status, accepted }) => status === 'success' && accepted === 0,
      )
      if (paidRows.length > max)
        return { invariant: 'no seat is sold twice', cause: `${id}: ${JSON.stringify(paidRows)}` }
    }
    for (const seatRow of await sql()<Record<'max' | 'taken' | 'rows', number>>(
      SEATS_TAKEN_SQL,
    ).all()) {
      const cause = JSON.stringify(seatRow)
      if (seatRow.taken !== seatRow.rows)
        return { invariant: 'the seat counters equal the number of seats in use', cause }
      if (seatRow.taken > seatRow.max + acceptedCount)
        return { invariant: 'the seats in use never exceed the maximum', cause }
    }
    return null
  }
  /**
   * Checks that no registration used a code that was in use. A code may be used twice if a late payment arrives
   * after another delegate has used it.
   */
  const checkCodes = (rows: readonly Row[]): Violation | null => {
    for (const row of rows) {
      if (checkedIds.has(row.id)) continue
      checkedIds.add(row.id)
      const holders = rows.filter(
        (holder) =>
          holder.code === row.code &&
          (holder.id === row.id ||
            (holder.state !== 'cancelled' &&
              (holder.status === 'success' ||
                holder.in_review === 1 ||
                (holder.status === 'pending' && (holder.open_until ?? 0) > row.created_at)))),
      )
      if (row.code !== null && holders.length > 1)
        return {
          invariant: 'a code is never used more often than allowed',
          cause: JSON.stringify(holders),
        }
    }
    return null
  }
  return {
    afterWrite: async () => {
      const rows = await sql()<Row>(REGISTRATIONS_SQL).all()
      return (
        (await checkReleasedSeats()) ??
        (rows.length === 0 ? null : ((await checkSeats(rows)) ?? checkCodes(rows)))
      )
    },
  }
}
