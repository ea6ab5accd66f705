/** Selects the documents that a registration's current holder may see. */
import type { RegNo } from '../../engine/index.ts'
import type { StoredDocument } from '../storage/documents/document-types.ts'
import type { Store } from '../storage/index.ts'

/** Returns the documents issued since the last transfer; earlier ones contain another person's name. */
export async function listHolderDocuments(
  store: Pick<Store, 'documents' | 'actions'>,
  regNo: RegNo,
): Promise<readonly StoredDocument[]> {
  const [documents, actions] = await Promise.all([store.documents(regNo), store.actions(regNo)])
  const transferredAt = Math.max(
    0,
    ...actions.flatMap(({ act, at }) => (act === 'transfer' ? [at] : [])),
  )
  return documents.filter(({ at }) => at > transferredAt)
}
