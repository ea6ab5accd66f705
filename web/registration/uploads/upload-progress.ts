/**
 * The selected files and their upload progress. Uploads start before the form is submitted.
 * send-file.ts uploads them, and is loaded when a file is selected.
 */
import { useSyncExternalStore } from 'react'
import type { Field, PublicEvent } from '../../../engine/index.ts'
import { saveStoredDocuments, loadStoredDocuments } from '../draft-storage.ts'
import type { StoredDocuments } from '../draft-storage.ts'
import { canShrink, findFileError } from './chosen-file.ts'
import type { SelectedDocument } from './chosen-file.ts'
import { shareUploads } from './share-uploads-between-tabs.ts'

/** Keyed by field. */
type DocumentsByField = ReadonlyMap<string, SelectedDocument>

export type DocumentUploads = {
  /** Returns the same map until something changes. */
  readonly all: () => DocumentsByField
  readonly subscribe: (listener: () => void) => () => void
  /**
   * Starts the upload of a selected file, replacing any earlier file of the field. `onRejected` is
   * called with the reason if the file is not accepted.
   */
  readonly startUpload: (field: Field, file: File, onRejected: (text: string) => void) => void
  readonly remove: (id: string) => void
  /**
   * Restores the documents that this browser has sent: after a reload, after a return from the gateway, or from
   * another tab.
   */
  readonly restore: () => void
  readonly clear: () => void
}

const NO_DOCUMENTS: DocumentsByField = new Map()

/**
 * Manages the uploads of a form. `now` is the start of the server's day, as stated in the page. If it is null, as
 * when an organiser tests a form, nothing is uploaded.
 */
export function createUploads(event: PublicEvent, now: string | null): DocumentUploads {
  const canUploadInAdvance = now !== null
  let documents = NO_DOCUMENTS
  const listeners = new Set<() => void>()
  const jobs = new Map<string, AbortController>()
  const setDocument = (id: string, selectedDocument: SelectedDocument | null) => {
    const nextDocuments = new Map(documents)
    if (selectedDocument === null) nextDocuments.delete(id)
    else nextDocuments.set(id, selectedDocument)
    documents = nextDocuments
    if (canUploadInAdvance) saveStoredDocuments(event, listStoredDocuments(documents))
    for (const listener of listeners) listener()
  }
  const abortUpload = (id: string) => {
    jobs.get(id)?.abort()
    jobs.delete(id)
    const selectedDocument = documents.get(id)
    if (selectedDocument?.is === 'stored')
      void import('./send-file.ts').then(
        ({ deleteUpload }) => deleteUpload(event, selectedDocument.token),
        doNothing,
      )
  }
  const remove = (id: string) => {
    abortUpload(id)
    setDocument(id, null)
  }
  return {
    all: () => documents,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    startUpload: (field, file, onRejected) => {
      const fileError = canShrink(field, file) ? null : findFileError(field, file)
      if (fileError !== null) return onRejected(fileError)
      abortUpload(field.id)
      const job = new AbortController()
      jobs.set(field.id, job)
      setDocument(field.id, { is: 'preparing', name: file.name })
      const onProgress = (selectedDocument: SelectedDocument) => {
        if (!job.signal.aborted) setDocument(field.id, selectedDocument)
      }
      const onReject = (text: string) => {
        if (job.signal.aborted) return
        setDocument(field.id, null)
        onRejected(text)
      }
      const uploadUnchanged = () => {
        const fileError = findFileError(field, file)
        if (fileError === null) onProgress({ is: 'local', name: file.name, bytes: file.size, file })
        else onReject(fileError)
      }
      void import('./send-file.ts').then(
        ({ uploadInAdvance }) =>
          uploadInAdvance({
            event,
            field,
            file,
            canUploadInAdvance,
            onProgress,
            onReject,
            signal: job.signal,
          }),
        uploadUnchanged,
      )
    },
    remove,
    restore: () => {
      if (now === null || !event.fields.some(({ type }) => type === 'file')) return
      const addStoredDocuments = (storedUploads: StoredDocuments) => {
        for (const [id, upload] of storedUploads)
          if (!documents.has(id)) setDocument(id, { is: 'stored', ...upload })
      }
      addStoredDocuments(loadStoredDocuments(event, now))
      shareUploads(event, now, () => listStoredDocuments(documents), addStoredDocuments)
    },
    clear: () => {
      for (const id of documents.keys()) remove(id)
    },
  }
}

const doNothing = () => {}

/** Loads the upload code in advance; if this fails, selecting a file tries again. */
export const preloadUploadCode = (): void => void import('./send-file.ts').catch(doNothing)

function listStoredDocuments(all: DocumentsByField): StoredDocuments {
  return new Map(
    [...all].flatMap(([id, selectedDocument]) => {
      if (selectedDocument.is !== 'stored') return []
      const { name, bytes, token, until } = selectedDocument
      return [[id, { name, bytes, token, until }] as const]
    }),
  )
}

/** Returns the file of one field. Null if there is none, and always null on the server. */
export function useSelectedDocument(
  { subscribe, all }: DocumentUploads,
  id: string,
): SelectedDocument | null {
  return useSyncExternalStore(
    subscribe,
    () => all().get(id) ?? null,
    () => null,
  )
}

/** Returns the first unfinished upload of the shown fields, or of all fields. Null if there is none. */
export function findPendingUpload(
  all: DocumentsByField,
  shownFields?: ReadonlySet<string>,
): SelectedDocument | null {
  for (const [id, selectedDocument] of all)
    if (
      (shownFields?.has(id) ?? true) &&
      selectedDocument.is !== 'stored' &&
      selectedDocument.is !== 'local'
    )
      return selectedDocument
  return null
}

export function usePendingUpload(
  { subscribe, all }: DocumentUploads,
  shownFields: ReadonlySet<string>,
): boolean {
  return useSyncExternalStore(
    subscribe,
    () => findPendingUpload(all(), shownFields) !== null,
    () => false,
  )
}
