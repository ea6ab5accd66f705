/** Draft answers, kept in the browser tab until the registration is paid. */
import { isDay } from '../../engine/index.ts'
import type { Answers, Field, PublicEvent, RawAnswers } from '../../engine/index.ts'
import { hasAll, isRecord } from '../app/json-readers.ts'
import { readTabItem, removeTabItem, writeTabItem } from '../app/browser-storage.ts'

/**
 * Answers kept in this tab until the registration is paid. After a failed payment or the browser's Back button, the
 * form shows them again. They include the idempotency key, so that sending the answers again pays the same
 * registration. Closing the tab deletes everything.
 */
export type Draft = {
  readonly data: RawAnswers
  readonly key: string
  /**
   * Number of the registration created from the answers. Null if they were not sent or were rejected.
   */
  readonly regNo: string | null
  /** Discount code used for the price, or null. */
  readonly code: string | null
}

const getDraftStorageName = (event: PublicEvent): string => `answers of ${event.id}`
const isFileField = (event: PublicEvent, id: string): boolean =>
  event.fields.some((field) => field.id === id && field.type === 'file')

/**
 * Returns true if a stored answer has the field's type, which may have changed: a single value cannot be shown as a
 * list.
 */
const hasFieldType = ({ type }: Field, answer: unknown): boolean =>
  type === 'many' || type === 'people'
    ? Array.isArray(answer) &&
      answer.every((candidate) =>
        type === 'many' ? typeof candidate === 'string' : isRecord(candidate),
      )
    : typeof answer !== 'object'

/** Returns true if any field has been answered. Files are stored separately. */
export const hasAnswers = (event: PublicEvent, data: RawAnswers): boolean =>
  JSON.stringify(removeFiles(event, data)) !==
  JSON.stringify(removeFiles(event, buildInitialAnswers(event)))

const removeFiles = (event: PublicEvent, data: RawAnswers): RawAnswers =>
  Object.fromEntries(Object.entries(data).filter(([id]) => !isFileField(event, id)))

/** Returns the initial answers of an empty form. */
export const buildInitialAnswers = (event: PublicEvent): RawAnswers =>
  Object.fromEntries(
    event.fields.flatMap((field) =>
      field.default === undefined ? [] : [[field.id, field.default]],
    ),
  )

export function loadDraft(event: PublicEvent): Draft | null {
  const storedDraft = readTabItem(getDraftStorageName(event))
  if (!isRecord(storedDraft) || typeof storedDraft['key'] !== 'string') return null
  const data = storedDraft['data']
  if (typeof data !== 'object' || data === null) return null
  const knownAnswers = Object.entries(data).filter(
    ([id, answer]) =>
      !isFileField(event, id) &&
      event.fields.some((field) => field.id === id && hasFieldType(field, answer)),
  )
  const readText = (name: string) =>
    typeof storedDraft[name] === 'string' ? storedDraft[name] : null
  return {
    data: { ...buildInitialAnswers(event), ...Object.fromEntries(knownAnswers) },
    key: storedDraft['key'],
    regNo: readText('regNo'),
    code: readText('code'),
  }
}

export function saveDraft(event: PublicEvent, { data, ...draftDetails }: Draft): void {
  writeTabItem(getDraftStorageName(event), { data: removeFiles(event, data), ...draftDetails })
}

export function deleteDraft(event: PublicEvent): void {
  removeTabItem(getDraftStorageName(event))
  removeTabItem(getDocumentsStorageName(event))
}

/**
 * Record of a registration completed in this tab: the day, the last digits of its number and a hash of its email
 * address. Used to warn the delegate about registering the same person again. The next user of the computer can
 * neither open the registration with this record nor read the address.
 */
export type CompletedRegistration = {
  readonly day: string
  readonly ending: string
  readonly mark: number
}

const getCompletedStorageName = (event: PublicEvent): string => `completed of ${event.id}`
/** Enough digits to recognise the number, too few to look it up. */
const ENDING_DIGITS = 4

/**
 * Returns a 32-bit hash (FNV-1a) of a normalised email address. Collisions are rare, and the address cannot be
 * recovered from it.
 */
export function hashEmail(email: unknown): number {
  const text = typeof email === 'string' ? email.trim().toLowerCase() : ''
  return [...text].reduce(
    (hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193),
    0x811c9dc5,
  )
}

export function saveCompletedRegistration(
  event: PublicEvent,
  regNo: string,
  day: string,
  email: unknown,
): void {
  const registration: CompletedRegistration = {
    day,
    ending: regNo.slice(-ENDING_DIGITS),
    mark: hashEmail(email),
  }
  writeTabItem(getCompletedStorageName(event), registration)
}

export function loadCompletedRegistration(event: PublicEvent): CompletedRegistration | null {
  const storedRegistration = readTabItem(getCompletedStorageName(event))
  return isRecord(storedRegistration) &&
    typeof storedRegistration['day'] === 'string' &&
    isDay(storedRegistration['day']) &&
    typeof storedRegistration['ending'] === 'string' &&
    typeof storedRegistration['mark'] === 'number'
    ? {
        day: storedRegistration['day'],
        ending: storedRegistration['ending'],
        mark: storedRegistration['mark'],
      }
    : null
}

/**
 * Returns whether the form contains the email address of the completed registration, as the key of the messages about
 * it: `emailBlocked` if the event accepts an address only once. Null if the address is different.
 */
export function compareEmail(
  { roles, unique }: Pick<PublicEvent, 'roles' | 'unique'>,
  answers: Answers,
  { mark }: CompletedRegistration,
): 'sameEmail' | 'emailBlocked' | null {
  const { email } = roles
  if (email === undefined || hashEmail(answers[email]) !== mark) return null
  const isBlocked = unique.some(
    ({ fields, onDuplicate }) => onDuplicate === 'block' && fields.every((id) => id === email),
  )
  return isBlocked ? 'emailBlocked' : 'sameEmail'
}

/**
 * A document stored on the server, identified by its token. Kept in the tab until the
 * registration is paid, the delegate removes the document, or the server deletes it. Other open tabs receive it
 * (web/registration/uploads/share-uploads-between-tabs.ts).
 */
export type StoredDocument = {
  readonly name: string
  readonly bytes: number
  readonly token: string
  /** When the server deletes the document, as ISO text. */
  readonly until: string
}
/** Keyed by field. */
export type StoredDocuments = ReadonlyMap<string, StoredDocument>

const getDocumentsStorageName = (event: PublicEvent): string => `proofs of ${event.id}`

/**
 * Parses stored or received documents. Omits documents whose field was removed from the event, and documents that the
 * server has deleted. `now` is the start of the server's day, from the page.
 */
export function parseStoredDocuments(
  event: PublicEvent,
  now: string,
  storedDocuments: unknown,
): StoredDocuments {
  if (!isRecord(storedDocuments)) return new Map()
  return new Map(
    Object.entries(storedDocuments).flatMap(([id, storedDocument]) => {
      if (!isFileField(event, id) || !isRecord(storedDocument)) return []
      const isValid =
        hasAll(storedDocument, 'string', 'name', 'token', 'until') &&
        hasAll(storedDocument, 'number', 'bytes')
      const isStillStored = Date.parse(String(storedDocument['until'])) > estimateServerTime(now)
      return isValid && isStillStored ? [[id, storedDocument as StoredDocument] as const] : []
    }),
  )
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Returns the phone's time if it is within the server's day, or else the start of that day, because the phone's clock
 * must be wrong.
 */
function estimateServerTime(startOfDay: string): number {
  const start = Date.parse(startOfDay)
  const now = Date.now()
  return now >= start && now < start + DAY_MS ? now : start
}

export function loadStoredDocuments(event: PublicEvent, now: string): StoredDocuments {
  return parseStoredDocuments(event, now, readTabItem(getDocumentsStorageName(event)))
}

export function saveStoredDocuments(event: PublicEvent, documents: StoredDocuments): void {
  if (documents.size === 0) removeTabItem(getDocumentsStorageName(event))
  else writeTabItem(getDocumentsStorageName(event), Object.fromEntries(documents))
}
