/** The store that each contract test runs on, and helpers shared by all contract files. */
import type { ListQuery, Store, StoredRegistration } from '../../../server/storage/index.ts'

/**
 * `store` is empty. `reopen` closes it and opens it again with the same data. `keepsOrder`:
 * whether concurrent writes run in the order of their calls.
 */
export type ContractStore = {
  readonly store: Store
  readonly keepsOrder: boolean
  reopen(): Promise<Store>
  /**
   * Saves the current rows of the store. Returns a function that inserts them into the empty store of a later test.
   */
  saveRows(): Promise<() => Promise<void>>
  end(): Promise<void>
}
/** Returns the store of the current test. */
export type ContractSetup = () => ContractStore

/** Calls the operations concurrently where that preserves their order, else sequentially. */
export async function callInOrder<T extends readonly unknown[]>(
  { keepsOrder }: ContractStore,
  operations: readonly [...{ [K in keyof T]: () => Promise<T[K]> }],
): Promise<T> {
  if (keepsOrder) return (await Promise.all(operations.map((call) => call()))) as unknown as T
  const results: unknown[] = []
  for (const call of operations) results.push(await call())
  return results as unknown as T
}

/** Matches all registrations of the sample event. */
export const ALL_REGISTRATIONS: ListQuery = { eventId: 'demo', answers: {} }
export const toRegNos = (rows: readonly Pick<StoredRegistration, 'regNo'>[]): readonly string[] =>
  rows.map(({ regNo }) => regNo)
