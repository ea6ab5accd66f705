/**
 * The selected files and their upload progress; uploads start before the form is submitted.
 * The upload itself is in send-file.ts, which is loaded when a file is selected.
 */
import { useSyncExternalStore } from 'react'
import type { Field, PublicEvent } from '../../../engine/index.ts'
import { keepProofs, recallProofs } from '../draft-storage.ts'
import type { KeptProofs } from '../draft-storage.ts'
import { mayShrink, refusalOf } from './chosen-file.ts'
import type { Proof } from './chosen-file.ts'
import { askTabs } from './share-uploads-between-tabs.ts'

/** Keyed by field. */
type All = ReadonlyMap<string, Proof>

export type Proofs = {
  /** Returns the same map until something changes. */
  readonly all: () => All
  readonly subscribe: (heard: () => void) => () => void
  /**
   * Starts the upload of a selected file, replacing an earlier one of the field. `refused` is
   * called with the reason if the file is not accepted.
   */
  readonly take: (field: Field, file: File, refused: (text: string) => void) => void
  readonly remove: (id: string) => void
  /**
   * Restores the documents that this browser sent before: after a reload, after the gateway, or
   * from another tab.
   */
  readonly recall: () => void
  readonly clear: () => void
}

const NONE: All = new Map()

/**
 * `now` is the server's time when it wrote the page. Null: nothing is uploaded, as when an
 * organiser tests a form.
 */
export function openProofs(event: PublicEvent, now: string | null): Proofs {
  const isAhead = now !== null
  let all = NONE
  const hearers = new Set<() => void>()
  const jobs = new Map<string, AbortController>()
  const set = (id: string, proof: Proof | null) => {
    const next = new Map(all)
    if (proof === null) next.delete(id)
    else next.set(id, proof)
    all = next
    if (isAhead) keepProofs(event, sentOf(all))
    for (const heard of hearers) heard()
  }
  const drop = (id: string) => {
    jobs.get(id)?.abort()
    jobs.delete(id)
    const proof = all.get(id)
    if (proof?.is === 'there')
      void import('./send-file.ts').then(({ takeBack }) => takeBack(event, proof.token), nothing)
  }
  const remove = (id: string) => {
    drop(id)
    set(id, null)
  }
  return {
    all: () => all,
    subscribe: (heard) => {
      hearers.add(heard)
      return () => hearers.delete(heard)
    },
    take: (field, file, refused) => {
      const no = mayShrink(field, file) ? null : refusalOf(field, file)
      if (no !== null) return refused(no)
      drop(field.id)
      const job = new AbortController()
      jobs.set(field.id, job)
      set(field.id, { is: 'preparing', name: file.name })
      const tell = (proof: Proof) => {
        if (!job.signal.aborted) set(field.id, proof)
      }
      const refuse = (text: string) => {
        if (job.signal.aborted) return
        set(field.id, null)
        refused(text)
      }
      const asItIs = () => {
        const why = refusalOf(field, file)
        if (why === null) tell({ is: 'here', name: file.name, bytes: file.size, file })
        else refuse(why)
      }
      void import('./send-file.ts').then(
        ({ sendAhead }) =>
          sendAhead({ event, field, file, isAhead, tell, refuse, signal: job.signal }),
        asItIs,
      )
    },
    remove,
    recall: () => {
      if (now === null || !event.fields.some(({ type }) => type === 'file')) return
      const found = (kept: KeptProofs) => {
        for (const [id, one] of kept) if (!all.has(id)) set(id, { is: 'there', ...one })
      }
      found(recallProofs(event, now))
      askTabs(event, now, () => sentOf(all), found)
    },
    clear: () => {
      for (const id of all.keys()) remove(id)
    },
  }
}

const nothing = () => {}

/** Loads the upload code in advance; if this fails, selecting a file tries again. */
export const fetchSending = (): void => void import('./send-file.ts').catch(nothing)

function sentOf(all: All): KeptProofs {
  return new Map(
    [...all].flatMap(([id, proof]) => {
      if (proof.is !== 'there') return []
      const { name, bytes, token, until } = proof
      return [[id, { name, bytes, token, until }] as const]
    }),
  )
}

/** The file of one field; null on the server. */
export function useProof({ subscribe, all }: Proofs, id: string): Proof | null {
  return useSyncExternalStore(
    subscribe,
    () => all().get(id) ?? null,
    () => null,
  )
}

/** The first unfinished upload, of the shown fields or of all; null: none. */
export function underway(all: All, shown?: ReadonlySet<string>): Proof | null {
  for (const [id, proof] of all)
    if ((shown?.has(id) ?? true) && proof.is !== 'there' && proof.is !== 'here') return proof
  return null
}

export function useUnderway({ subscribe, all }: Proofs, shown: ReadonlySet<string>): boolean {
  return useSyncExternalStore(
    subscribe,
    () => underway(all(), shown) !== null,
    () => false,
  )
}
