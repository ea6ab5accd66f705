/** Replaces the store's module: see early-answers.ts. */
import { openInside } from '../../server/storage/open-store.ts'
import type { Store } from '../../server/storage/index.ts'

export * from '../../server/storage/open-store.ts'
export async function openStore(options: { readonly dataDir: string }): Promise<Store> {
  return (await openInside({ ...options, faults: { answerBeforeCommitMs: 500 } })).store
}
