/**
 * Invariants for seats and codes, derived from the stored rows: the event and the category decide who has a seat, and
 * the payment state who holds a code, not any counter.
 */
import { foldCode } from '../../engine/index.ts'
import type { PaymentStatus, RegistrationState } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Store } from '../../server/storage/index.ts'
import { SEATS } from './events.ts'
import type { Violation } from './check-payments.ts'

/** One of each code, which can be used once. */
export async function makeCodes(
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
// A registration that staff approved, or whose payment was moved here, may exceed the quota.
const REGISTRATIONS = `SELECT r.id, r.category, r.state, r.payment_status AS status, r.in_review, r.created_at,
  r.answers ->> '$.code' AS code,
  EXISTS (SELECT 1 FROM captures c WHERE c.registration_id = r.id AND c.state = 'accepted') AS accepted,
  (SELECT max(iif(p.last_answer = 'in-process', 9e15, p.handed_off_at + ${SEATS.holdMs})) FROM payments p
    WHERE p.registration_id = r.id AND p.status = 'pending') AS open_until
  FROM registrations r WHERE r.event_id = '${SEATS.event}'`
const SEATS_TAKEN = `SELECT place, max, taken, (SELECT count(*) FROM places_taken t WHERE t.place_id = p.id AND t.state <> 'free') AS rows
  FROM places p WHERE event_id = '${SEATS.event}'`

const ENDED = `SELECT t.* FROM places_taken t JOIN registrations r ON r.id = t.registration_id
  WHERE r.state IN ('cancelled', 'refused') AND t.state <> 'free'`

export type SeatInvariants = { afterWrite(): Promise<Violation | null> }

export function createSeatInvariants(sql: () => Sql): SeatInvariants {
  const approvedIds = new Set<number>()

  const checkReleasedSeats = async (): Promise<Violation | null> => {
    const row = await sql()(ENDED).get()
    return row === undefined
      ? null
      : {
          invariant: 'a cancelled or refused registration holds no seat',
          cause: JSON.stringify(row),
        }
  }
  const checkSeats = async (all: readonly Row[]): Promise<Violation | null> => {
    // Registrations that staff or delegates ended hold nothing.
    const rows = all.filter(({ state }) => state !== 'cancelled')
    const acceptedCount = rows.filter(({ accepted }) => accepted === 1).length
    for (const { id, max, category } of SEATS.places) {
      const rowsOfCategory = rows.filter((row) => category === null || row.category === category)
      const paid = rowsOfCategory.filter(
        ({ status, accepted }) => status === 'success' && accepted === 0,
      )
      if (paid.length > max)
        return { invariant: 'no seat is sold twice', cause: `${id}: ${JSON.stringify(paid)}` }
    }
    for (const seatRow of await sql()<Record<'max' | 'taken' | 'rows', number>>(
      SEATS_TAKEN,
    ).all()) {
      const cause = JSON.stringify(seatRow)
      if (seatRow.taken !== seatRow.rows)
        return { invariant: 'seat counters equal the rows', cause }
      if (seatRow.taken > seatRow.max + acceptedCount)
        return { invariant: 'seats never exceed the maximum', cause }
    }
    return null
  }
  /** Late payments for a code that another delegate used count; a new use never coincides with a held one. */
  const codes = (rows: readonly Row[]): Violation | null => {
    for (const row of rows) {
      if (approvedIds.has(row.id)) continue
      approvedIds.add(row.id)
      const holders = rows.filter(
        (one) =>
          one.code === row.code &&
          (one.id === row.id ||
            (one.state !== 'cancelled' &&
              (one.status === 'success' ||
                one.in_review === 1 ||
                (one.status === 'pending' && (one.open_until ?? 0) > row.created_at)))),
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
      const rows = await sql()<Row>(REGISTRATIONS).all()
      return (
        (await checkReleasedSeats()) ??
        (rows.length === 0 ? null : ((await checkSeats(rows)) ?? codes(rows)))
      )
    },
  }
}
