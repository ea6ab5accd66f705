/** Finds the event of an operation, so that a single event cannot use all database connections. */
import type { NewRegistration } from '../registrations/registration-types.ts'
import type { writes } from './writes.ts'

/** Operations whose first argument is a registration number or an order id. */
const BY_NUMBER: ReadonlySet<string> = new Set<keyof typeof writes>([
  'retry',
  'resumePayment',
  'applyPaymentEvent',
  'recordFailedRefunds',
  'recordStatusQuery',
  'claimStatusQuery',
  'noteClaimedPayment',
  'scheduleGatewayQueries',
  'queueMail',
  'queueAccessLinks',
  'queueConfirmationAgain',
  'queueAlreadyRegistered',
  'recordBrowser',
  'queuePaymentReminder',
])
/** Operations whose first argument is an event id. */
const BY_EVENT: ReadonlySet<string> = new Set<keyof typeof writes>([
  'duplicateRegistration',
  'withdrawDiscountCode',
  'replaceMemberList',
  'deleteDraftUpload',
  'deleteUploadsOfEvent',
])

export type EventFinder = (verb: string, args: readonly unknown[]) => string | null

/**
 * Returns a function that finds the event of an operation, or null if the operation is not about a single event. An
 * event's registration numbers share a prefix. The prefix serves as the event's id until a registration shows which
 * event uses it.
 */
export function createEventFinder(): EventFinder {
  const eventsByPrefix = new Map<string, string>()
  const getEventOfNumber = (number: string): string => {
    const prefix = /^\D*/.exec(number)?.[0] ?? ''
    return eventsByPrefix.get(prefix) ?? prefix
  }
  const findEvent: EventFinder = (verb, args) => {
    const [first, second, third] = args
    if (verb === 'runForSender') return findEvent(String(second), third as readonly unknown[])
    if (verb === 'register') {
      const { eventId, regNo } = first as NewRegistration
      eventsByPrefix.set(/^\D*/.exec(regNo)?.[0] ?? '', eventId)
      return eventId
    }
    if (verb === 'saveDraftUpload') return readText(second, 'eventId')
    if (typeof first === 'string')
      return BY_NUMBER.has(verb) ? getEventOfNumber(first) : BY_EVENT.has(verb) ? first : null
    const regNo = readText(first, 'regNo')
    return regNo === null ? readText(first, 'eventId') : getEventOfNumber(regNo)
  }
  return findEvent
}

function readText(value: unknown, key: string): string | null {
  if (typeof value !== 'object' || value === null) return null
  const text = (value as Readonly<Record<string, unknown>>)[key]
  return typeof text === 'string' ? text : null
}
