/** Registrations with every kind of payment event, statements that recount them, and names to search for. */
import { createOrderId } from '../../../engine/index.ts'
import type { Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  addMs,
  newEmail,
  buildRegistration,
  noon,
  registerSample,
} from '../sample-registrations.ts'

export async function createPaymentHistories(store: Store, isSequential: boolean): Promise<void> {
  const declined = { type: 'declined', code: '400', message: 'no', at: noon } as const
  for (let index = 0; index < 40; index += 1) {
    const { regNo, orderId } = await registerSample(store, {
      at: addMs(index * 7_200_000),
      category: index % 3 === 0 ? null : `c${index % 3}`,
    })
    if (index % 2 === 0)
      await store.applyPaymentEvent(orderId, { ...declined, at: addMs(index * 7_300_000) }, null)
    if (index % 4 === 0) await store.retry(regNo, addMs(index * 7_400_000))
    if (index % 5 === 0)
      await store.applyPaymentEvent(
        orderId,
        buildSale(`AP${index}`, undefined, addMs(index * 7_500_000)),
        newEmail,
      )
  }
  // On SQLite, one transaction stores the registration and applies this decline.
  const details = buildRegistration()
  const registrationPromise = store.register(details)
  if (!isSequential) await registrationPromise
  await Promise.all([
    registrationPromise,
    store.applyPaymentEvent(createOrderId(details.regNo, 1), declined, null),
  ])
}

/** Counts the registrations from their rows. `SUM_COUNTERS_SQL` reads the same counts from the stored counters. */
export const COUNT_ROWS_SQL =
  "SELECT event_id, created_day AS day, coalesce(category, '') AS category, coalesce(period, '') AS period, payment_status AS status, count(*) AS registrations FROM registrations GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"
export const SUM_COUNTERS_SQL =
  'SELECT event_id, day, category, period, status, sum(registrations) AS registrations FROM counters GROUP BY 1, 2, 3, 4, 5 HAVING sum(registrations) <> 0 ORDER BY 1, 2, 3, 4, 5'

/** Names in several scripts, and search terms. */
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
  'b émile',
  'a nair',
  'amin al',
  'k émile',
]

/** Registers one person per name, and returns the registration numbers. */
export async function registerNames(store: Store): Promise<readonly string[]> {
  const regNos: string[] = []
  // One after the other, so that the order is the same on every database.
  for (const name of NAMES) {
    const { regNo } = await registerSample(store, {
      name,
      searchable: { fullName: name, email: 'x@example.org', phone: '', councilNo: '' },
    })
    regNos.push(regNo)
  }
  return regNos
}

/** Returns the names found by each term. */
export async function searchEach(store: Store, terms: readonly string[]): Promise<unknown> {
  return Promise.all(
    terms.map(async (search) => {
      const page = await store.listPage({ eventId: 'demo', answers: {}, search }, 1, 50)
      return [search, page.count, page.rows.map(({ answers }) => answers['full_name'])]
    }),
  )
}
