/**
 * The selected files and their upload progress. Uploads start before the form is submitted.
 * send-file.ts uploads them, and is loaded when a file is selected.
 */
import { useSyncExternalStore } from 'react'
import type { Field, PublicEvent } from '../../../engine/index.ts'
import { saveProofs, loadProofs } from '../draft-storage.ts'
import type { StoredProofs } from '../draft-storage.ts'
import { canShrink, findFileError } from './chosen-file.ts'
import type { Proof } from './chosen-file.ts'
import { shareUploads } from './share-uploads-between-tabs.ts'

/** Keyed by field. */
type ProofsByField = ReadonlyMap<string, Proof>

export type Proofs = {
  /** Returns the same map until something changes. */
  readonly all: () => ProofsByField
  readonly subscribe: (listener: () => void) => () => void
  /**
   * Starts the upload of a selected file, replacing an earlier one of the field. `onRejected` is
   * called with the reason if the file is not accepted.
   */
  readonly startUpload: (field: Field, file: File, onRejected: (text: string) => void) => void
  readonly remove: (id: string) => void
  /**
   * Restores the documents that this browser has sent: after a reload, after the gateway, or from
   * another tab.
   */
  readonly restore: () => void
  readonly clear: () => void
}

const NONE: ProofsByField = new Map()

/**
 * `now` is the start of the server's day, from the page. If null, nothing is uploaded, as when an
 * organiser tests a form.
 */
export function openProofs(event: PublicEvent, now: string | null): Proofs {
  const isAhead = now !== null
  let all = NONE
  const listeners = new Set<() => void>()
  const jobs = new Map<string, AbortController>()
  const setProof = (id: string, proof: Proof | null) => {
    const nextProofs = new Map(all)
    if (proof === null) nextProofs.delete(id)
    else nextProofs.set(id, proof)
    all = nextProofs
    if (isAhead) saveProofs(event, listStoredProofs(all))
    for (const listener of listeners) listener()
  }
  const abortUpload = (id: string) => {
    jobs.get(id)?.abort()
    jobs.delete(id)
    const proof = all.get(id)
    if (proof?.is === 'there')
      void import('./send-file.ts').then(
        ({ deleteUpload: takeBack }) => takeBack(event, proof.token),
        doNothing,
      )
  }
  const remove = (id: string) => {
    abortUpload(id)
    setProof(id, null)
  }
  return {
    all: () => all,
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
      setProof(field.id, { is: 'preparing', name: file.name })
      const onProgress = (proof: Proof) => {
        if (!job.signal.aborted) setProof(field.id, proof)
      }
      const onReject = (text: string) => {
        if (job.signal.aborted) return
        setProof(field.id, null)
        onRejected(text)
      }
      const uploadUnchanged = () => {
        const fileError = findFileError(field, file)
        if (fileError === null) onProgress({ is: 'here', name: file.name, bytes: file.size, file })
        else onReject(fileError)
      }
      void import('./send-file.ts').then(
        ({ uploadInAdvance }) =>
          uploadInAdvance({
            event,
            field,
            file,
            isAhead,
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
      const addStoredProofs = (storedUploads: StoredProofs) => {
        for (const [id, upload] of storedUploads)
          if (!all.has(id)) setProof(id, { is: 'there', ...upload })
      }
      addStoredProofs(loadProofs(event, now))
      shareUploads(event, now, () => listStoredProofs(all), addStoredProofs)
    },
    clear: () => {
      for (const id of all.keys()) remove(id)
    },
  }
}

const doNothing = () => {}

/** Loads the upload code in advance; if this fails, selecting a file tries again. */
export const preloadUploadCode = (): void => void import('./send-file.ts').catch(doNothing)

function listStoredProofs(all: ProofsByField): StoredProofs {
  return new Map(
    [...all].flatMap(([id, proof]) => {
      if (proof.is !== 'there') return []
      const { name, bytes, token, until } = proof
      return [[id, { name, bytes, token, until }] as const]
    }),
  )
}

/** The file of one field. Null on the server. */
export function useProof({ subscribe, all }: Proofs, id: string): Proof | null {
  return useSyncExternalStore(
    subscribe,
    () => all().get(id) ?? null,
    () => null,
  )
}

/** Returns the first unfinished upload of the shown fields, or of all. Null if there is none. */
export function findPendingUpload(all: ProofsByField, shown?: ReadonlySet<string>): Proof | null {
  for (const [id, proof] of all)
    if ((shown?.has(id) ?? true) && proof.is !== 'there' && proof.is !== 'here') return proof
  return null
}

export function usePendingUpload({ subscribe, all }: Proofs, shown: ReadonlySet<string>): boolean {
  return useSyncExternalStore(
    subscribe,
    () => findPendingUpload(all(), shown) !== null,
    () => false,
  )
}
