/** What a group of the store's contract is given, and what several of them ask. */
import type { ListQuery, Store, StoredRegistration } from '../../../server/storage/index.ts'

/**
 * `store` is fresh and empty; `reopen` closes it and opens it again on the same data. `keepsOrder`: writes that are called
 * together are done in the order of the calls.
 */
export type Opened = {
  readonly store: Store
  readonly keepsOrder: boolean
  reopen(): Promise<Store>
  end(): Promise<void>
}
/** The store of the test that runs now. */
export type Given = () => Opened

/** Calls together where that keeps their order, else one after the other. */
export async function inOrder<T extends readonly unknown[]>(
  { keepsOrder }: Opened,
  calls: readonly [...{ [K in keyof T]: () => Promise<T[K]> }],
): Promise<T> {
  if (keepsOrder) return (await Promise.all(calls.map((call) => call()))) as unknown as T
  const results: unknown[] = []
  for (const call of calls) results.push(await call())
  return results as unknown as T
}

/** Every registration of the event that made-up registrations are for. */
export const all: ListQuery = { eventId: 'demo', answers: {} }
export const regNosOf = (rows: readonly Pick<StoredRegistration, 'regNo'>[]): readonly string[] =>
  rows.map(({ regNo }) => regNo)
