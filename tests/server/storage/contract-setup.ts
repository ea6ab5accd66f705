/** What a group of the store's contract is given, and what several of them ask. */
import type { ListQuery, Store, StoredRegistration } from '../../../server/storage/index.ts'

/** `store` is fresh and empty; `reopen` closes it and opens it again on the same data. */
export type Opened = { readonly store: Store; reopen(): Promise<Store>; end(): Promise<void> }
/** The store of the test that runs now. */
export type Given = () => Opened

/** Every registration of the event that made-up registrations are for. */
export const all: ListQuery = { eventId: 'demo', answers: {} }
export const regNosOf = (rows: readonly Pick<StoredRegistration, 'regNo'>[]): readonly string[] =>
  rows.map(({ regNo }) => regNo)
