/**
 * What is promised of places and codes, by the test's own reading of what is stored: who takes a place follows
 * from the event and the category, and who holds a code from how the registration stands, not from any counter.
 */
import { foldedCode } from '../../engine/index.ts'
import type { PaymentStatus, RegistrationState } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Store } from '../../server/storage/index.ts'
import { SEATS } from './events.ts'
import type { Violation } from './check-payments.ts'

/** Of each code one, of which there is one use. */
export async function makeCodes(
  store: Store,
  at: Parameters<Store['withdrawCode']>[3],
): Promise<void> {
  for (const [kind, code] of Object.entries(SEATS.codes))
    await store.makeCodes({
      eventId: SEATS.event,
      kind,
      codes: [{ code, folded: foldedCode(code) }],
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
// Whoever a person let in, or whose money was moved here, may be one too many.
const REGISTRATIONS = `SELECT r.id, r.category, r.state, r.payment_status AS status, r.in_review, r.created_at,
  r.answers ->> '$.code' AS code,
  EXISTS (SELECT 1 FROM captures c WHERE c.registration_id = r.id AND c.state = 'accepted') AS accepted,
  (SELECT max(iif(p.last_answer = 'in-process', 9e15, p.handed_off_at + ${SEATS.holdMs})) FROM payments p
    WHERE p.registration_id = r.id AND p.status = 'pending') AS open_until
  FROM registrations r WHERE r.event_id = '${SEATS.event}'`
const PLACES = `SELECT place, max, taken, (SELECT count(*) FROM places_taken t WHERE t.place_id = p.id AND t.state <> 'free') AS rows
  FROM places p WHERE event_id = '${SEATS.event}'`

const ENDED = `SELECT t.* FROM places_taken t JOIN registrations r ON r.id = t.registration_id
  WHERE r.state IN ('cancelled', 'refused') AND t.state <> 'free'`

export type SeatPromises = { afterWrite(): Violation | null }

export function seatPromisesOf(sql: () => Sql): SeatPromises {
  const seen = new Set<number>()

  const gone = (): Violation | null => {
    const row = sql()(ENDED).get()
    return row === undefined
      ? null
      : { promise: 'what is cancelled or refused holds no place', by: JSON.stringify(row) }
  }
  const places = (all: readonly Row[]): Violation | null => {
    // What people have ended holds nothing.
    const rows = all.filter(({ state }) => state !== 'cancelled')
    const letIn = rows.filter(({ accepted }) => accepted === 1).length
    for (const { id, max, category } of SEATS.places) {
      const theirs = rows.filter((row) => category === null || row.category === category)
      const paid = theirs.filter(({ status, accepted }) => status === 'success' && accepted === 0)
      if (paid.length > max)
        return { promise: 'no place is sold twice', by: `${id}: ${JSON.stringify(paid)}` }
    }
    for (const place of sql()<Record<'max' | 'taken' | 'rows', number>>(PLACES).all()) {
      const by = JSON.stringify(place)
      if (place.taken !== place.rows) return { promise: 'counters of places are rows', by }
      if (place.taken > place.max + letIn) return { promise: 'places are never above max', by }
    }
    return null
  }
  /** Late money for a use that went to somebody else counts; a new use never comes beside one that is held. */
  const codes = (rows: readonly Row[]): Violation | null => {
    for (const row of rows) {
      if (seen.has(row.id)) continue
      seen.add(row.id)
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
          promise: 'a code is never used more often than it may be',
          by: JSON.stringify(holders),
        }
    }
    return null
  }
  return {
    afterWrite: () => {
      const rows = sql()<Row>(REGISTRATIONS).all()
      return gone() ?? (rows.length === 0 ? null : (places(rows) ?? codes(rows)))
    },
  }
}
