/** Reads the pricing context from the command line: discount code kind, full seats, member list row. */
import { formatList, findNearest } from '../suggestions/nearest-name.ts'
import type { EventConfig } from '../../event/config.ts'
import {
  CODE_NAME,
  getFullQuotaName,
  type CodeStatus,
  type PricingContext,
} from '../../rules/pricing-context.ts'
import { err, fromPairs, ok, getOwn, type Result } from '../../lib/result.ts'
import type { Quota } from '../../event/pricing-types.ts'

export type ContextArguments = {
  /** A kind of discount code of the event, or the reason why a code is not valid. */
  readonly code?: string | undefined
  /** The seats to treat as full: a quota's id, or `quota.option`. */
  readonly full?: readonly string[] | undefined
  /** `field.column=value`, or `field=none` for an answer without a row. */
  readonly memberList?: readonly string[] | undefined
}

const INVALID_CODE_STATES = ['unknown', 'spent', 'over', 'withdrawn'] as const

/** Returns the context, or a message about a value that the event does not have. */
export function readContext(
  event: EventConfig,
  args: ContextArguments,
): Result<PricingContext, string> {
  const code = args.code === undefined ? ok(null) : readCode(event, args.code)
  if (!code.ok) return code
  const seatsLeft: Record<string, number> = {}
  for (const seatName of args.full ?? []) {
    const seatIds = readSeats(event, seatName)
    if (!seatIds.ok) return seatIds
    for (const quotaId of seatIds.value) seatsLeft[quotaId] = 0
  }
  const memberRecords = readMemberLists(event, args.memberList ?? [])
  return memberRecords.ok
    ? ok({ code: code.value, left: seatsLeft, memberRecords: memberRecords.value })
    : memberRecords
}

function readCode(event: EventConfig, code: string): Result<CodeStatus, string> {
  if (event.codeKinds.some(({ id }) => id === code)) return ok({ is: 'valid', kind: code })
  const invalidState = INVALID_CODE_STATES.find((candidate) => candidate === code)
  if (invalidState !== undefined && event.codeKinds.length > 0) return ok({ is: invalidState })
  return err(
    explainUnknownName(
      'code kind',
      code,
      event.codeKinds.map(({ id }) => id),
    ),
  )
}

/**
 * Returns the ids of the quota's seats. If the quota applies per option, returns the given option's seat, or all
 * seats.
 */
function readSeats(event: EventConfig, seatName: string): Result<readonly string[], string> {
  const allSeats = event.quotas.flatMap((quota) => listSeatNames(event, quota))
  const quota = event.quotas.find(({ id }) => id === seatName)
  if (allSeats.includes(seatName)) return ok([seatName])
  return quota === undefined
    ? err(
        explainUnknownName('limit', seatName, [
          ...new Set([...event.quotas.map(({ id }) => id), ...allSeats]),
        ]),
      )
    : ok(listSeatNames(event, quota))
}

function listSeatNames(event: EventConfig, { id, eachOptionOf }: Quota): readonly string[] {
  if (eachOptionOf === undefined) return [id]
  const field = event.fields.find((field) => field.id === eachOptionOf)
  return (field?.options ?? []).map((option) => `${id}.${option.id}`)
}

function readMemberLists(
  event: EventConfig,
  args: readonly string[],
): Result<PricingContext['memberRecords'], string> {
  const rows: Record<string, Readonly<Record<string, string>> | null> = {}
  for (const text of args) {
    const [, id = '', column, value = ''] = /^([^.=]+)(?:\.([^=]+))?=(.*)$/su.exec(text) ?? []
    const field = event.fields.find((field) => field.id === id && field.roll !== undefined)
    const roll = event.memberLists.find((memberList) => memberList.id === field?.roll)
    if (roll === undefined) {
      const lookupFields = event.fields.flatMap((field) =>
        field.roll === undefined ? [] : [field.id],
      )
      return err(
        id === ''
          ? `Write a member list value as field.column=value, not "${text}".`
          : explainUnknownName('field with a member list', id, lookupFields),
      )
    }
    if (column === undefined) {
      if (value !== 'none')
        return err(
          `Write a value of the member list for ${id} as ${id}.column=value, or ${id}=none.`,
        )
      rows[id] = null
      continue
    }
    if (!roll.columns.some((candidate) => candidate.id === column))
      return err(
        explainUnknownName(
          `column of the member list ${roll.id}`,
          column,
          roll.columns.map((column) => column.id),
        ),
      )
    rows[id] = fromPairs([...Object.entries(getOwn(rows, id) ?? {}), [column, value]])
  }
  return ok(rows)
}

function explainUnknownName(noun: string, name: string, knownNames: readonly string[]): string {
  const nearest = findNearest(name, knownNames)?.name
  const availableText =
    knownNames.length === 0
      ? ' This event has none.'
      : nearest === undefined
        ? ` Available: ${formatList(knownNames)}.`
        : ` Did you mean ${nearest}?`
  return `There is no ${noun} "${name}".${availableText}`
}

/**
 * Returns the option for a context value that was given like an answer, under its name in conditions: `code=coupon`.
 * Returns null if the name is not one of the event's context values.
 */
export function suggestOption(event: EventConfig, name: string, given: unknown): string | null {
  const value = typeof given === 'string' ? given : '…'
  if (name === CODE_NAME && event.codeKinds.length > 0) return `write --code ${value}`
  const quota = getFullQuotaName('')
  if (name.startsWith(quota) && readSeats(event, name.slice(quota.length)).ok)
    return `write --full ${name.slice(quota.length)}`
  const isMemberListValue = readMemberLists(event, [`${name}=${value}`]).ok
  return isMemberListValue && name.includes('.') ? `write --member-list ${name}=${value}` : null
}

/** Returns the reason why a given payment method is unknown. */
export function explainUnknownMethod({ methods }: EventConfig, given: string): string {
  return methods.length === 0
    ? 'this event has no payment methods'
    : `${given} is not a payment method of this event: ${formatList(methods.map(({ id }) => id))}`
}

/** Describes the given context, with one sentence per value. If seats are full, adds the consequence. */
export function describeContext(
  event: EventConfig,
  { code, left, memberRecords }: PricingContext,
): readonly string[] {
  return [
    ...(code === null ? [] : [describeCode(event, code)]),
    ...Object.entries(left).flatMap(([seat, count]) =>
      count > 0 ? [] : [`${seat} is full: ${describeFull(event, seat)}`],
    ),
    ...Object.entries(memberRecords).flatMap(([field, row]) =>
      row === null
        ? [`${field} is not in its member list`]
        : Object.entries(row).map(([column, value]) => `${field}.${column} is ${value}`),
    ),
  ]
}

function describeCode(event: EventConfig, code: CodeStatus): string {
  if (code.is !== 'valid') return `the code is ${code.is}: it has no effect`
  const kind = event.codeKinds.find(({ id }) => id === code.kind)
  if (kind === undefined) return `a code of the kind ${code.kind}`
  return 'category' in kind.gives
    ? `a code of the kind ${kind.id}: it gives the category ${kind.gives.category}`
    : `a code of the kind ${kind.id}: it gives the adjustment ${kind.gives.adjustment}`
}

function describeFull(event: EventConfig, seatId: string): string {
  const full = event.quotas.find(({ id }) => seatId === id || seatId.startsWith(`${id}.`))?.full
  if (full === undefined) return 'no condition uses it'
  return full.offer === undefined
    ? `"${full.message}"`
    : `"${full.message}", and ${full.offer} is offered`
}
