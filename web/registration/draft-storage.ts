/** Answers that outlive a page: kept in the tab until they are paid for. */
import { isDay } from '../../engine/index.ts'
import type { Field, PublicEvent, RawAnswers } from '../../engine/index.ts'
import { holdsAll, isRecord } from '../app/json-readers.ts'
import { readStored, removeStored, writeStored } from '../app/browser-storage.ts'

/**
 * Answers stay in this tab until they are paid for: coming back from a failed payment, or by the
 * browser's Back, one finds them, and with them the key under which they were sent, so that sending them
 * again pays the same registration. The tab's end forgets everything.
 */
export type Kept = {
  readonly data: RawAnswers
  readonly key: string
  /** The number of the registration that they became; null: they were not sent, or became none. */
  readonly regNo: string | null
  /** The code by which they were priced; null: none. */
  readonly code: string | null
}

const nameOf = (event: PublicEvent): string => `answers of ${event.id}`
const isFile = (event: PublicEvent, id: string): boolean =>
  event.fields.some((field) => field.id === id && field.type === 'file')

/** A question may have become another since its answer was kept: where one answer was, a list cannot be drawn. */
const fits = ({ type }: Field, answer: unknown): boolean =>
  type === 'many' || type === 'people'
    ? Array.isArray(answer) &&
      answer.every((one) => (type === 'many' ? typeof one === 'string' : isRecord(one)))
    : typeof answer !== 'object'

/** Whether anything was answered that is kept; a file is kept by itself. */
export const isBegun = (event: PublicEvent, data: RawAnswers): boolean =>
  JSON.stringify(withoutFiles(event, data)) !== JSON.stringify(withoutFiles(event, startOf(event)))

const withoutFiles = (event: PublicEvent, data: RawAnswers): RawAnswers =>
  Object.fromEntries(Object.entries(data).filter(([id]) => !isFile(event, id)))

/** The answers a fresh form starts with. */
export const startOf = (event: PublicEvent): RawAnswers =>
  Object.fromEntries(
    event.fields.flatMap((field) =>
      field.default === undefined ? [] : [[field.id, field.default]],
    ),
  )

export function recall(event: PublicEvent): Kept | null {
  const kept = readStored(nameOf(event))
  if (!isRecord(kept) || typeof kept['key'] !== 'string') return null
  const data = kept['data']
  if (typeof data !== 'object' || data === null) return null
  const known = Object.entries(data).filter(
    ([id, answer]) =>
      !isFile(event, id) && event.fields.some((field) => field.id === id && fits(field, answer)),
  )
  const textIn = (name: string) => (typeof kept[name] === 'string' ? kept[name] : null)
  return {
    data: { ...startOf(event), ...Object.fromEntries(known) },
    key: kept['key'],
    regNo: textIn('regNo'),
    code: textIn('code'),
  }
}

export function keep(event: PublicEvent, { data, ...others }: Kept): void {
  writeStored(nameOf(event), { data: withoutFiles(event, data), ...others })
}

export function forget(event: PublicEvent): void {
  removeStored(nameOf(event))
  removeStored(proofsOf(event))
}

/**
 * That a registration was completed in this tab: the day, the end of its number and a mark of its address,
 * by which one who registers the same person again is told so. Whoever sits down at it next cannot open the
 * registration with it, nor read the address.
 */
export type Completed = { readonly day: string; readonly ending: string; readonly mark: number }

const completedName = (event: PublicEvent): string => `completed of ${event.id}`
/** Enough to know the number again, too little to look it up. */
const ENDING_DIGITS = 4

/** 32 bits of an address as people write it (FNV-1a): two addresses seldom share them, and nobody reads an address out of them. */
export function markOf(email: unknown): number {
  const text = typeof email === 'string' ? email.trim().toLowerCase() : ''
  return [...text].reduce(
    (mark, letter) => Math.imul(mark ^ letter.charCodeAt(0), 0x01000193),
    0x811c9dc5,
  )
}

export function keepCompleted(
  event: PublicEvent,
  regNo: string,
  day: string,
  email: unknown,
): void {
  const completed: Completed = { day, ending: regNo.slice(-ENDING_DIGITS), mark: markOf(email) }
  writeStored(completedName(event), completed)
}

export function completedBefore(event: PublicEvent): Completed | null {
  const kept = readStored(completedName(event))
  return isRecord(kept) &&
    typeof kept['day'] === 'string' &&
    isDay(kept['day']) &&
    typeof kept['ending'] === 'string' &&
    typeof kept['mark'] === 'number'
    ? { day: kept['day'], ending: kept['ending'], mark: kept['mark'] }
    : null
}

/**
 * A file that the server has, by the token that names it: kept in the tab like the answers, until it is paid for,
 * removed, or no longer with the server. Other tabs that are open are told of it (web/registration/uploads/share-uploads-between-tabs.ts).
 */
export type KeptProof = {
  readonly name: string
  readonly bytes: number
  readonly token: string
  /** When the server forgets it, as ISO text. */
  readonly until: string
}
/** By field. */
export type KeptProofs = ReadonlyMap<string, KeptProof>

const proofsOf = (event: PublicEvent): string => `proofs of ${event.id}`

/**
 * Out of what was stored or told; only of fields that the event still has, and of files that the server still has by
 * its own clock, whose `now` came with the page: a phone may think that it is another year.
 */
export function proofsIn(event: PublicEvent, now: string, kept: unknown): KeptProofs {
  if (!isRecord(kept)) return new Map()
  return new Map(
    Object.entries(kept).flatMap(([id, one]) => {
      if (!isFile(event, id) || !isRecord(one)) return []
      const fits =
        holdsAll(one, 'string', 'name', 'token', 'until') && holdsAll(one, 'number', 'bytes')
      const isKept = Date.parse(String(one['until'])) > Date.parse(now)
      return fits && isKept ? [[id, one as KeptProof] as const] : []
    }),
  )
}

export function recallProofs(event: PublicEvent, now: string): KeptProofs {
  return proofsIn(event, now, readStored(proofsOf(event)))
}

export function keepProofs(event: PublicEvent, proofs: KeptProofs): void {
  if (proofs.size === 0) removeStored(proofsOf(event))
  else writeStored(proofsOf(event), Object.fromEntries(proofs))
}
