/** Compiles the file's quotas, unique answers, discount codes and member lists. */
import type { EventConfig } from '../../event/config.ts'
import type { CodeKind, Quota, MemberList, UniqueAnswers } from '../../event/pricing-types.ts'
import { formatIdAsWords } from '../../event/placeholders-and-answer-texts.ts'
import { DEFAULT_SEAT_HOLD_MS } from '../../event/default-settings-and-limits.ts'
import { toCondition } from './conditions.ts'
import {
  removeUndefined,
  asList,
  asMap,
  asOptionalText,
  asText,
  asTexts,
  type PlainMap,
} from './read-checked-values.ts'

export function toQuotasAndCodes(
  file: PlainMap,
): Pick<EventConfig, 'quotas' | 'holdSeatsMs' | 'unique' | 'codeKinds' | 'memberLists'> {
  return {
    quotas: asList(file.quotas).map(asMap).map(toQuota),
    holdSeatsMs:
      file.hold_seats_for === undefined
        ? DEFAULT_SEAT_HOLD_MS
        : readDuration(asText(file.hold_seats_for)),
    unique: asList(file.unique).map(asMap).map(toUnique),
    codeKinds: asList(asMap(file.codes).kinds).map(asMap).map(toCodeKind),
    memberLists: Object.entries(asMap(file.member_lists)).map(([id, memberList]) =>
      toMemberList(id, asMap(memberList)),
    ),
  }
}

function toQuota(quota: PlainMap): Quota {
  const { full } = quota
  return {
    id: asText(quota.id),
    max:
      typeof quota.max === 'object' && quota.max !== null
        ? Object.fromEntries(
            Object.entries(asMap(quota.max)).map(([option, seats]) => [option, Number(seats)]),
          )
        : Number(quota.max),
    full:
      typeof full === 'string'
        ? { message: full }
        : {
            message: asText(asMap(full).message),
            ...removeUndefined({ offer: asOptionalText(asMap(full).offer) }),
          },
    ...removeUndefined({
      when: quota.when === undefined ? undefined : toCondition(quota.when),
      eachOptionOf: asOptionalText(quota.each_option_of),
      count: asOptionalText(quota.count),
      withDelegate: quota.with_delegate === true ? (true as const) : undefined,
      few: quota.few as number | undefined,
    }),
  }
}

function toUnique(unique: PlainMap): UniqueAnswers {
  return {
    fields: asTexts(unique.fields),
    onDuplicate: unique.on_duplicate === 'warn' ? 'warn' : 'block',
    message: asText(unique.message),
  }
}

function toCodeKind(kind: PlainMap): CodeKind {
  const gives = asMap(kind.gives)
  const id = asText(kind.id)
  return {
    id,
    label: asOptionalText(kind.label) ?? formatIdAsWords(id),
    gives:
      gives.category === undefined
        ? { adjustment: asText(gives.adjustment) }
        : { category: asText(gives.category) },
  }
}

function toMemberList(id: string, memberList: PlainMap): MemberList {
  return {
    id,
    key: asText(memberList.key),
    columns: Object.entries(asMap(memberList.columns)).map(([column, type]) =>
      Array.isArray(type)
        ? { id: column, type: 'choice' as const, options: asTexts(type) }
        : { id: column, type: type === 'date' ? ('date' as const) : ('text' as const) },
    ),
    shows: asTexts(memberList.shows),
  }
}

const MS_BY_UNIT: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

/** Reads "30 minutes" or "1 hour"; other values are reported by the schema check. */
function readDuration(written: string): number {
  const match = /^(\d+)\s*(minute|hour|day)s?$/.exec(written.trim())
  return match === null
    ? DEFAULT_SEAT_HOLD_MS
    : Number(match[1]) * (MS_BY_UNIT[match[2] ?? ''] ?? 0)
}
