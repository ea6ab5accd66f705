/** The link to a delegate's own page: made when a mail is sent, stored as a hash, and found again by it. */
import { createHash, randomBytes } from 'node:crypto'
import {
  endOf,
  instant,
  LINK_PLACE,
  linkPlaceIn,
  LOST_LINK_PLACE,
  standing,
} from '../../engine/index.ts'
import type { EventConfig, Instant, RegNo } from '../../engine/index.ts'
import type { Deps, Environment, ServedEvent } from '../dependencies.ts'
import type { QueuedMail, StoredRegistration } from '../storage/index.ts'

/** Receipts and invoices are asked for until the year's accounts are closed. */
const AFTER_EVENT_MS = 180 * 24 * 60 * 60_000
/** How long a link works at least, also of an event that is long over, or whose file is gone. */
const LEAST_MS = 30 * 24 * 60 * 60_000
/** 256 random bits, which nobody guesses. */
const TOKEN_BYTES = 32

/** Said of a link that nobody made, or that has had its time. */
export const LINK_UNKNOWN =
  'This link is not known, or it has expired. Your registration is not lost: have a new one sent to you, or write to the organisers.'

/** What a link leads to, whether or not it may still be opened. */
export type Linked = {
  readonly served: ServedEvent
  readonly registration: StoredRegistration
  readonly isExpired: boolean
  /** Only who reads the delegate's email has it. */
  readonly isFromMail: boolean
}

/** Tokens are long and random; only their hashes are stored. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Null: nobody made this link, or its event is not served. */
export async function linked(
  deps: Pick<Deps, 'store' | 'events' | 'clock'>,
  token: string,
): Promise<Linked | null> {
  const link = await deps.store.link(hashOf(token))
  const registration = link === null ? null : await deps.store.registration(link.regNo)
  const served = registration === null ? null : deps.events.byId(registration.eventId)
  if (link === null || registration === null || served === null) return null
  const isFromMail = link.purpose === 'mail'
  return { served, registration, isExpired: deps.clock() >= link.expiresAt, isFromMail }
}

type Making = Pick<Deps, 'store' | 'clock'> & {
  readonly environment: Pick<Environment, 'publicUrl'>
  readonly events: Pick<Deps['events'], 'byId'>
}

/** A new link to the page of a registration, of which only the hash is stored. `purpose` is `mail` where nobody but the mailbox gets it. */
export async function newLink(
  { store, clock, environment, events }: Making,
  { regNo, eventId }: { readonly regNo: RegNo; readonly eventId: string },
  purpose: 'my' | 'mail' = 'my',
): Promise<string> {
  const at = clock()
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const event = events.byId(eventId)?.config ?? null
  await store.addLink({
    tokenHash: hashOf(token),
    regNo,
    purpose,
    at,
    expiresAt: expiryOf(event, at),
  })
  return `${environment.publicUrl}/my/${token}`
}

function expiryOf(event: EventConfig | null, at: Instant): Instant {
  const over = event === null ? at : endOf(event.to)
  return instant(Math.max(over + AFTER_EVENT_MS, at + LEAST_MS))
}

/**
 * The text of a mail as it goes out, with a link made for it; null: it was paid meanwhile, or a person decides, so
 * that it goes to nobody.
 */
export async function textToSend(deps: Making, mail: QueuedMail): Promise<string | null> {
  const { text, kind, regNo } = mail
  const lines = text.split('\n')
  if (kind === 'paused')
    return text.replace(LOST_LINK_PLACE, () => `${deps.environment.publicUrl}/my`)
  if (kind === 'links') return withLinks(deps, lines, mail.eventId)
  // On a line of its own, where no name stands that somebody gave themselves.
  if (!lines.includes(LINK_PLACE)) return text
  const stored = regNo === null ? null : await deps.store.registration(regNo)
  if (stored === null) return null
  if (kind === 'unfinished' && standing(stored, deps.clock()) !== 'not-paid') return null
  const link = await newLink(deps, stored, 'mail')
  return lines.map((line) => (line === LINK_PLACE ? link : line)).join('\n')
}

/** Of a mail of links, in which a line names whose link it is. */
async function withLinks(deps: Making, lines: readonly string[], eventId: string): Promise<string> {
  const out: string[] = []
  for (const line of lines) {
    const named = linkPlaceIn(line)
    const stored = named === null ? null : await deps.store.registration(named)
    if (named === null) out.push(line)
    else if (stored?.eventId === eventId) out.push(await newLink(deps, stored, 'mail'))
  }
  return out.join('\n')
}
