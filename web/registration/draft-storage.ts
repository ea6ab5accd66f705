/** Draft answers, kept in the browser tab until the registration is paid. */
import { isDay } from '../../engine/index.ts'
import type { Field, PublicEvent, RawAnswers } from '../../engine/index.ts'
import { holdsAll, isRecord } from '../app/json-readers.ts'
import { readStored, removeStored, writeStored } from '../app/browser-storage.ts'

/**
 * Answers kept in this tab until the registration is paid. After a failed payment or the browser's
 * Back button, the form shows them again. The idempotency key is kept with them, so that sending
 * them again pays the same registration. Closing the tab deletes everything.
 */
export type Kept = {
  readonly data: RawAnswers
  readonly key: string
  /**
   * Number of the registration created from the answers, or null if they were not sent or rejected.
   */
  readonly regNo: string | null
  /** Discount code used for the price, or null. */
  readonly code: string | null
}

const nameOf = (event: PublicEvent): string => `answers of ${event.id}`
const isFile = (event: PublicEvent, id: string): boolean =>
  event.fields.some((field) => field.id === id && field.type === 'file')

/**
 * A field may have changed its type since its answer was kept. A single value cannot be rendered as
 * a list.
 */
const fits = ({ type }: Field, answer: unknown): boolean =>
  type === 'many' || type === 'people'
    ? Array.isArray(answer) &&
      answer.every((one) => (type === 'many' ? typeof one === 'string' : isRecord(one)))
    : typeof answer !== 'object'

/** Whether any kept field has been answered. Files are kept separately. */
export const isBegun = (event: PublicEvent, data: RawAnswers): boolean =>
  JSON.stringify(withoutFiles(event, data)) !== JSON.stringify(withoutFiles(event, startOf(event)))

const withoutFiles = (event: PublicEvent, data: RawAnswers): RawAnswers =>
  Object.fromEntries(Object.entries(data).filter(([id]) => !isFile(event, id)))

/** Initial answers of an empty form. */
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
 * Record of a registration completed in this tab: the day, the last digits of its number and a hash
 * of its email address. Used to warn the delegate about registering the same person again. The next
 * user of the computer can neither open the registration with it nor read the address.
 */
export type Completed = { readonly day: string; readonly ending: string; readonly mark: number }

const completedName = (event: PublicEvent): string => `completed of ${event.id}`
/** Enough digits to recognise the number, too few to look it up. */
const ENDING_DIGITS = 4

/**
 * 32-bit hash (FNV-1a) of a normalised email address. Collisions are rare, and the address cannot
 * be recovered from it.
 */
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
 * A document stored on the server, identified by its token. Kept in the tab like the answers, until
 * it is paid for, removed, or deleted by the server. Other open tabs receive it
 * (web/registration/uploads/share-uploads-between-tabs.ts).
 */
export type KeptProof = {
  readonly name: string
  readonly bytes: number
  readonly token: string
  /** When the server deletes the document, as ISO text. */
  readonly until: string
}
/** Keyed by field. */
export type KeptProofs = ReadonlyMap<string, KeptProof>

const proofsOf = (event: PublicEvent): string => `proofs of ${event.id}`

/**
 * Parses stored or received documents. Returns only those of fields that the event still has and
 * that the server has not deleted yet. Uses the server's `now` from the page, because a phone's
 * clock may be wrong.
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
