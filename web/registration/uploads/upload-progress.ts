/**
 * The files that were chosen, and how far each is on its way to the server, which has it before the form is sent.
 * The work itself is in send-file.ts, loaded when somebody chooses a file.
 */
import { useSyncExternalStore } from 'react'
import type { Field, PublicEvent } from '../../../engine/index.ts'
import { keepProofs, recallProofs } from '../draft-storage.ts'
import type { KeptProofs } from '../draft-storage.ts'
import { mayShrink, refusalOf } from './chosen-file.ts'
import type { Proof } from './chosen-file.ts'
import { askTabs } from './share-uploads-between-tabs.ts'

/** By field. */
type All = ReadonlyMap<string, Proof>

export type Proofs = {
  /** The same map until something changes. */
  readonly all: () => All
  readonly subscribe: (heard: () => void) => () => void
  /** A file that was chosen goes on its way; `refused` is told why it does not. Any earlier one of the field goes. */
  readonly take: (field: Field, file: File, refused: (text: string) => void) => void
  readonly remove: (id: string) => void
  /** Those that this browser sent before: after a reload, after the gateway, in another tab. */
  readonly recall: () => void
  readonly clear: () => void
}

const NONE: All = new Map()

/** `now` is the server's, when it wrote the page; null: nothing leaves this page, as where an organiser tries a form out. */
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

/** Fetches ahead of time what sends files; where that fails, choosing one tries again. */
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

/** Of one field; nothing of it was chosen where the page is written by the server. */
export function useProof({ subscribe, all }: Proofs, id: string): Proof | null {
  return useSyncExternalStore(
    subscribe,
    () => all().get(id) ?? null,
    () => null,
  )
}

/** The first that is still on its way, of the fields seen or of all; null: none is. */
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
