/** Stands in for the store's own module: see early-answers.ts. */
import { openInside } from '../../server/store/open.ts'
import type { Store } from '../../server/store/store.ts'

export * from '../../server/store/open.ts'
export async function openStore(options: { readonly dataDir: string }): Promise<Store> {
  return (await openInside({ ...options, seam: { answerBeforeCommitMs: 500 } })).store
}
