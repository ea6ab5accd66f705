/** Replaces the store's module with one that responds before it commits; see early-answers.ts. */
import { openSqliteStore } from '../../server/storage/open-store.ts'
import type { Store } from '../../server/storage/index.ts'

export * from '../../server/storage/open-store.ts'
export async function openStore(options: { readonly dataDir: string }): Promise<Store> {
  return (await openSqliteStore({ ...options, faults: { respondBeforeCommitMs: 500 } })).store
}
