/** Creates, stores (as a hash) and resolves access links to the self-service page. */
import { createHash, randomBytes } from 'node:crypto'
import { endOfDay, instant, getPaymentState } from '../../engine/index.ts'
import {
  LINK_PLACEHOLDER,
  readLinkPlaceholder,
  LOST_LINK_PLACEHOLDER,
  SERVER_MESSAGES,
} from '../../engine/messages.ts'
import type { EventConfig, Instant, PaymentState, RegNo } from '../../engine/index.ts'
import type { Deps, Environment, ServedEvent } from '../dependencies.ts'
import type { Refusal } from './registration-errors.ts'
import type { LinkSender, QueuedMail, StoredRegistration } from '../storage/index.ts'

/** Delegates need receipts and invoices until the year's accounts are closed. */
const LINK_LIFETIME_AFTER_EVENT_MS = 180 * 24 * 60 * 60_000
/** The minimum lifetime of a link, even if the event ended long ago or its file was removed. */
const MIN_LIFETIME_MS = 30 * 24 * 60 * 60_000
/** 256 random bits, so that a token cannot be guessed. */
const TOKEN_BYTES = 32

/** The payment states in which an email that asks for a payment is still needed when it is sent. */
const PAYMENT_REQUEST_STATES: Partial<Record<QueuedMail['kind'], readonly PaymentState[]>> = {
  unfinished: ['not-paid'],
  instructions: ['by-hand', 'told', 'not-paid', 'failed'],
}

/** The refusal of a link that was never issued, has expired or was revoked. */
export const UNKNOWN_LINK: Refusal = {
  status: 404,
  code: 'link_unknown',
  message: SERVER_MESSAGES.link.unknown,
  details: {},
  retryAfterSeconds: null,
}

/** The registration that a link opens, even if the link has expired. */
export type ResolvedLink = {
  readonly served: ServedEvent
  readonly registration: StoredRegistration
  /** The link itself, which the transaction of an action checks again. */
  readonly sender: LinkSender
  readonly isExpired: boolean
  /** True if the link was sent by email, so that only someone with access to the delegate's mailbox has it. */
  readonly isFromMail: boolean
}

/** Hashes a token. Only hashes are stored; tokens are long and random, so no salt is needed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Returns the registration that a link's token opens; null if the link was never issued or its event is not served. */
export async function resolveLink(
  deps: Pick<Deps, 'store' | 'events' | 'clock'>,
  token: string,
): Promise<ResolvedLink | null> {
  const linkHash = hashToken(token)
  const link = await deps.store.accessLink(linkHash)
  const registration = link === null ? null : await deps.store.registration(link.regNo)
  const served = registration === null ? null : deps.events.findById(registration.eventId)
  if (link === null || registration === null || served === null) return null
  const isFromMail = link.purpose === 'mail'
  const { expiresAt } = link
  const sender = { linkHash, expiresAt }
  return { served, registration, sender, isExpired: deps.clock() >= expiresAt, isFromMail }
}

type LinkDeps = Pick<Deps, 'store' | 'clock'> & {
  readonly environment: Pick<Environment, 'publicUrl'>
  readonly events: Pick<Deps['events'], 'findById'>
}

/**
 * Issues a link to a registration's page and stores only its hash. `purpose` is `mail` if the link is sent only
 * to the delegate's mailbox.
 */
export async function issueLink(
  { store, clock, environment, events }: LinkDeps,
  { regNo, eventId }: { readonly regNo: RegNo; readonly eventId: string },
  purpose: 'my' | 'mail' = 'my',
): Promise<string> {
  const at = clock()
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const event = events.findById(eventId)?.config ?? null
  await store.addAccessLink({
    tokenHash: hashToken(token),
    regNo,
    purpose,
    at,
    expiresAt: calculateExpiry(event, at),
  })
  return `${environment.publicUrl}/my/${token}`
}

function calculateExpiry(event: EventConfig | null, at: Instant): Instant {
  const eventEnd = event === null ? at : endOfDay(event.to)
  return instant(Math.max(eventEnd + LINK_LIFETIME_AFTER_EVENT_MS, at + MIN_LIFETIME_MS))
}

/**
 * Returns the final text of an email, with a link issued for it. Null if the email must not be sent, because the
 * registration was paid in the meantime or needs a staff decision.
 */
export async function prepareEmailText(deps: LinkDeps, email: QueuedMail): Promise<string | null> {
  const { text, kind, regNo } = email
  const lines = text.split('\n')
  if (kind === 'paused')
    return text.replace(LOST_LINK_PLACEHOLDER, () => `${deps.environment.publicUrl}/my`)
  if (kind === 'links') return fillInLinks(deps, lines, email.eventId)
  // A placeholder is replaced only on a separate line, so that one in a delegate's name has no effect.
  if (!lines.includes(LINK_PLACEHOLDER)) return text
  const registration = regNo === null ? null : await deps.store.registration(regNo)
  if (registration === null) return null
  const neededIn = PAYMENT_REQUEST_STATES[kind]
  if (neededIn?.includes(getPaymentState(registration, deps.clock())) === false) return null
  const link = await issueLink(deps, registration, 'mail')
  return lines.map((line) => (line === LINK_PLACEHOLDER ? link : line)).join('\n')
}

/** Fills in the links of an email with several links. Each line contains the registration number for its link. */
async function fillInLinks(
  deps: LinkDeps,
  lines: readonly string[],
  eventId: string,
): Promise<string> {
  const filledLines: string[] = []
  for (const line of lines) {
    const regNo = readLinkPlaceholder(line)
    const registration = regNo === null ? null : await deps.store.registration(regNo)
    if (regNo === null) filledLines.push(line)
    else if (registration?.eventId === eventId)
      filledLines.push(await issueLink(deps, registration, 'mail'))
  }
  return filledLines.join('\n')
}
