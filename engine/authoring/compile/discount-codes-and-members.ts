/** Compiles the file's quotas, unique answers, discount codes and member lists. */
import type { EventConfig } from '../../event/config.ts'
import type { CodeKind, Quota, MemberList, Unique } from '../../event/pricing-types.ts'
import { formatIdAsWords } from '../../event/placeholders-and-answer-texts.ts'
import { SEAT_HOLD_MS } from '../../event/defaults.ts'
import { toCondition } from './conditions.ts'
import {
  removeUndefined,
  list,
  map,
  optionalText,
  text,
  texts,
  type PlainMap,
} from './read-checked-values.ts'

export function toPricingContext(
  file: PlainMap,
): Pick<EventConfig, 'quotas' | 'holdSeatsMs' | 'unique' | 'codeKinds' | 'memberLists'> {
  return {
    quotas: list(file.quotas).map(map).map(toLimit),
    holdSeatsMs:
      file.hold_seats_for === undefined ? SEAT_HOLD_MS : readDuration(text(file.hold_seats_for)),
    unique: list(file.unique).map(map).map(toUnique),
    codeKinds: list(map(file.codes).kinds).map(map).map(toKind),
    memberLists: Object.entries(map(file.member_lists)).map(([id, roll]) =>
      toMemberList(id, map(roll)),
    ),
  }
}

function toLimit(limit: PlainMap): Quota {
  const { full } = limit
  return {
    id: text(limit.id),
    max:
      typeof limit.max === 'object' && limit.max !== null
        ? Object.fromEntries(
            Object.entries(map(limit.max)).map(([option, places]) => [option, Number(places)]),
          )
        : Number(limit.max),
    full:
      typeof full === 'string'
        ? { message: full }
        : {
            message: text(map(full).message),
            ...removeUndefined({ offer: optionalText(map(full).offer) }),
          },
    ...removeUndefined({
      when: limit.when === undefined ? undefined : toCondition(limit.when),
      eachOptionOf: optionalText(limit.each_option_of),
      count: optionalText(limit.count),
      withDelegate: limit.with_delegate === true ? (true as const) : undefined,
      few: limit.few as number | undefined,
    }),
  }
}

function toUnique(unique: PlainMap): Unique {
  return {
    fields: texts(unique.fields),
    onDuplicate: unique.on_duplicate === 'warn' ? 'warn' : 'block',
    message: text(unique.message),
  }
}

function toKind(kind: PlainMap): CodeKind {
  const gives = map(kind.gives)
  const id = text(kind.id)
  return {
    id,
    label: optionalText(kind.label) ?? formatIdAsWords(id),
    gives:
      gives.category === undefined
        ? { adjustment: text(gives.adjustment) }
        : { category: text(gives.category) },
  }
}

function toMemberList(id: string, roll: PlainMap): MemberList {
  return {
    id,
    key: text(roll.key),
    columns: Object.entries(map(roll.columns)).map(([column, type]) =>
      Array.isArray(type)
        ? { id: column, type: 'choice' as const, options: texts(type) }
        : { id: column, type: type === 'date' ? ('date' as const) : ('text' as const) },
    ),
    shows: texts(roll.shows),
  }
}

const MS_BY_UNIT: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

/** Reads "30 minutes" or "1 hour"; other values are reported by the schema check. */
function readDuration(file: string): number {
  const found = /^(\d+)\s*(minute|hour|day)s?$/.exec(file.trim())
  return found === null ? SEAT_HOLD_MS : Number(found[1]) * (MS_BY_UNIT[found[2] ?? ''] ?? 0)
}
