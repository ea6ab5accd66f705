/** Distinguishes the documents of a registration's current holder from those of the previous one. */
import { findTransferTime } from '../../engine/index.ts'
import type { Instant, RegNo } from '../../engine/index.ts'
import type { StoredDocument } from '../storage/documents/document-types.ts'
import type { Store } from '../storage/index.ts'

type DocumentReader = Pick<Store, 'documents' | 'actions'>

/**
 * Returns the documents that the current holder may see: those issued since the last transfer, except credit notes for
 * an earlier invoice. A credit note has the recipient of its invoice.
 */
export async function listHolderDocuments(
  store: DocumentReader,
  regNo: RegNo,
): Promise<readonly StoredDocument[]> {
  const [documents, transferredAt] = await readDocuments(store, regNo)
  return documents.filter((document) => isHolderDocument(document, transferredAt))
}

/** Returns the credit notes issued from `since` on for invoices of the previous holder. */
export async function listPreviousHolderCredits(
  store: DocumentReader,
  regNo: RegNo,
  since: Instant,
): Promise<readonly StoredDocument[]> {
  const [documents, transferredAt] = await readDocuments(store, regNo)
  return documents.filter(
    (document) =>
      document.kind === 'credit' &&
      document.at >= since &&
      !isHolderDocument(document, transferredAt),
  )
}

/** Returns the documents, and the time of the last transfer (0 if there was none). */
async function readDocuments(
  store: DocumentReader,
  regNo: RegNo,
): Promise<readonly [readonly StoredDocument[], number]> {
  const [documents, actions] = await Promise.all([store.documents(regNo), store.actions(regNo)])
  return [documents, findTransferTime(actions) ?? 0]
}

const isHolderDocument = (
  { at, creditedAt = at }: Pick<StoredDocument, 'at' | 'creditedAt'>,
  transferredAt: number,
): boolean => Math.min(at, creditedAt) > transferredAt
