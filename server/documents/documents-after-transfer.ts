/** Selects the documents that the present holder of a registration may have. */
import type { RegNo } from '../../engine/index.ts'
import type { StoredDocument } from '../storage/documents/document-types.ts'
import type { Store } from '../storage/index.ts'

/** Returns the documents of the present holder: those before a transfer name another person. */
export async function ownDocuments(
  store: Pick<Store, 'documents' | 'acts'>,
  regNo: RegNo,
): Promise<readonly StoredDocument[]> {
  const [documents, acts] = await Promise.all([store.documents(regNo), store.acts(regNo)])
  const since = Math.max(0, ...acts.flatMap(({ act, at }) => (act === 'transfer' ? [at] : [])))
  return documents.filter(({ at }) => at > since)
}
