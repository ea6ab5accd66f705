/** Everything that can happen to a payment, to some dozen registrations; and how what is counted is counted by hand. */
import { createOrderId } from '../../../engine/index.ts'
import type { Store } from '../../../server/storage/index.ts'
import {
  confirmedBy,
  later,
  newEmail,
  newRegistration,
  noon,
  registerSample,
} from '../sample-registrations.ts'

export async function happen(store: Store, keepsOrder: boolean): Promise<void> {
  const declined = { type: 'declined', code: '400', message: 'no', at: noon } as const
  for (let at = 0; at < 40; at += 1) {
    const { regNo, orderId } = await registerSample(store, {
      at: later(at * 7_200_000),
      category: at % 3 === 0 ? null : `c${at % 3}`,
    })
    if (at % 2 === 0)
      await store.applyPaymentEvent(orderId, { ...declined, at: later(at * 7_300_000) }, null)
    if (at % 4 === 0) await store.retry(regNo, later(at * 7_400_000))
    if (at % 5 === 0)
      await store.applyPaymentEvent(
        orderId,
        confirmedBy(`AP${at}`, undefined, later(at * 7_500_000)),
        newEmail,
      )
  }
  // On SQLite, one that fails in the transaction that brings it.
  const brief = newRegistration()
  const stored = store.register(brief)
  if (!keepsOrder) await stored
  await Promise.all([
    stored,
    store.applyPaymentEvent(createOrderId(brief.regNo, 1), declined, null),
  ])
}

/** Registrations as their rows say it, and as the counters do. */
export const BY_ROWS =
  "SELECT event_id, created_day AS day, coalesce(category, '') AS category, coalesce(period, '') AS period, payment_status AS status, count(*) AS registrations FROM registrations GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"
export const BY_COUNTERS =
  'SELECT event_id, day, category, period, status, sum(registrations) AS registrations FROM counters GROUP BY 1, 2, 3, 4, 5 HAVING sum(registrations) <> 0 ORDER BY 1, 2, 3, 4, 5'

/** Names in several scripts, and what somebody may look for among them. */
export const NAMES = [
  'Asha Nair',
  'ÉMILE Zola',
  'Émile B',
  'രാഹുൽ നായർ',
  'al',
  'Al-Amin',
  '名前 太郎',
  'O\'Hara "Q"',
]
export const TERMS = [
  'nair',
  'émile',
  'ÉMI',
  'നായ',
  'രാ',
  'al',
  'a',
  '太郎',
  '名前 ',
  "o'h",
  '"q"',
  'x@e',
  '%',
  '_a',
  'zz',
]

/** Registers somebody of each name, and answers the numbers. */
export async function registerNames(store: Store): Promise<readonly string[]> {
  const numbers: string[] = []
  // One after the other, so that they have the same order on every database.
  for (const name of NAMES) {
    const { regNo } = await registerSample(store, {
      name,
      searchable: { fullName: name, email: 'x@example.org', phone: '', councilNo: '' },
    })
    numbers.push(regNo)
  }
  return numbers
}

/** Who is found by each of the terms, by name. */
export async function foundBy(store: Store, terms: readonly string[]): Promise<unknown> {
  return Promise.all(
    terms.map(async (search) => {
      const page = await store.listPage({ eventId: 'demo', answers: {}, search }, 1, 50)
      return [search, page.count, page.rows.map(({ answers }) => answers['full_name'])]
    }),
  )
}
