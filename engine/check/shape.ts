/** EV1: what the file's schema says, at exact places and in words. One finding per cause. */
import { formsOf } from './address.ts'
import { badForm, labelOf } from './bad-form.ts'
import type { Draft, Finding, Meta } from './finding.ts'
import { findingOf } from './finding.ts'
import { listed, nearest, suggestion } from './near.ts'
import { join } from './source.ts'
import type { Source } from './source.ts'
import { taxHelp } from './typed-tax.ts'
import * as validators from './schema-validator.js'
import type { SchemaError } from './schema-validator.js'
import { wrongKind, writtenAt } from './wrong-kind.ts'

export const shape = {
  EV007: {
    slug: 'number-for-text',
    severity: 'error',
    why: 'A number loses its plus sign and its leading zeros; a text keeps them.',
  },
  EV008: {
    slug: 'word-for-yes-no',
    severity: 'error',
    why: 'Only true and false are yes and no; every other word is a text.',
  },
  EV101: {
    slug: 'unknown-key',
    severity: 'error',
    why: 'A key nobody reads is a wish that is silently not fulfilled.',
  },
  EV102: {
    slug: 'missing-key',
    severity: 'error',
    why: 'Without it the conference cannot be built.',
  },
  EV103: {
    slug: 'wrong-kind',
    severity: 'error',
    why: 'A text where a list belongs, or the other way round.',
  },
  EV104: {
    slug: 'not-one-of',
    severity: 'error',
    why: 'Only the listed words have a meaning here.',
  },
  EV105: {
    slug: 'bad-form',
    severity: 'error',
    why: 'A date, an address or a name that is not written as one.',
  },
  EV106: {
    slug: 'key-not-here',
    severity: 'error',
    why: 'The key exists, but does nothing for this kind of entry.',
  },
  EV107: { slug: 'wrong-count', severity: 'error', why: 'Too few, too many, or twice the same.' },
  EV108: {
    slug: 'unknown-format',
    severity: 'error',
    why: 'Another version of the format may mean something else by the same words.',
  },
} as const satisfies Record<string, Meta>
type Code = keyof typeof shape
type Coded = Draft & { readonly code: Code }

type Kind = 'event' | 'lists' | 'gateways' | 'texts'

/** Empty when the shape is right. Nothing is said of what is a reading trap already. */
export function shapeFindings(kind: Kind, source: Source): readonly Finding[] {
  const validate = validators[kind]
  if (validate(source.value)) return []
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if')
  const drafts = errors
    .map((error) => draftOf(kind, source, error, errors))
    .filter((draft) => draft !== null)
    .map((draft) => helpedWithTax(source, draft))
  const kept = drafts.filter(
    (draft, at) =>
      !isTrapped(source, draft.at) &&
      !drafts.some(
        (other, before) =>
          before < at &&
          other.at === draft.at &&
          (other.code === draft.code || SAME_CAUSE.has(`${other.code} ${draft.code}`)),
      ),
  )
  return kept.map(({ code, ...draft }) => findingOf(code, shape[code], draft, source))
}

/** People type a tax in many ways; where it can be told what they meant, the right writing is said. */
function helpedWithTax(source: Source, draft: Coded): Coded {
  // A misspelt word that can be mended for certain is no other word for it.
  if (draft.code === 'EV102' || draft.fix !== undefined) return draft
  const help = taxHelp(draft.at, valueAt(source.value, `/${draft.at.replaceAll('.', '/')}`))
  if (help === null) return draft
  const { fix: _fix, notes: _notes, ...rest } = draft
  return { ...rest, help }
}

/** Pairs of which the second is only an echo of the first at the same place. */
const SAME_CAUSE = new Set([
  'EV103 EV105',
  'EV007 EV105',
  'EV008 EV105',
  'EV007 EV103',
  'EV103 EV104',
  'EV101 EV107',
  'EV106 EV107',
])

function isTrapped(source: Source, path: string): boolean {
  return [...source.trapped].some(
    (trap) => path === trap || path.startsWith(`${trap}.`) || trap === '',
  )
}

function draftOf(
  kind: Kind,
  source: Source,
  error: SchemaError,
  all: readonly SchemaError[],
): Coded | null {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
  const name = path.split('.').at(-1) ?? ''
  const where = nameOf(path)
  const value = valueAt(source.value, error.instancePath)
  const written = source.written(path)
  const said = written?.text ?? writtenAt(source, path)
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(error.params.additionalProperty)
      const legal = keysFor(kind, path)
      const place = source.place(join(path, key), 'key')
      const near = suggestion(
        key,
        legal.filter((one) => !isIn(value, one)),
        [place.start.offset, place.end.offset],
      )
      return {
        code: 'EV101',
        at: join(path, key),
        part: 'key',
        message: `\`${key}\` is not a key here`,
        ...near,
        ...(near.help === undefined ? { notes: [`the keys here: ${listed(legal, 30)}`] } : {}),
      }
    }
    case 'required': {
      const key = String(error.params.missingProperty)
      // A key that was misspelt is not missing as well.
      const misspelt = all.some(
        (other) =>
          other.keyword === 'additionalProperties' &&
          other.instancePath === error.instancePath &&
          nearest(String(other.params.additionalProperty), [key]) !== null,
      )
      if (misspelt) return null
      return {
        code: 'EV102',
        at: path,
        part: 'key',
        message: `\`${key}\` is missing${where === '' ? '' : ` in ${where}`}`,
      }
    }
    case 'type':
      return wrongKind(
        path,
        where,
        value,
        source,
        [error.params.type].flat().map(String).join(',').split(','),
      )
    case 'enum':
    case 'const': {
      if (name === 'format' && path === 'format')
        return {
          code: 'EV108',
          at: path,
          message: `this tool reads format 1; the file says ${said}`,
        }
      const allowed = [error.params.allowedValues ?? [error.params.allowedValue]].flat().map(String)
      const near =
        typeof value === 'string'
          ? suggestion(formOf(value, allowed), allowed, written?.span ?? null)
          : {}
      return {
        code: 'EV104',
        at: path,
        message: `\`${said}\` is not possible for \`${labelOf(path)}\``,
        ...near,
        notes: [`possible: ${listed(allowed, 20)}`],
      }
    }
    case 'false schema':
      return {
        code: 'EV106',
        at: path,
        part: 'entry',
        message: `\`${name}\` does not apply to this kind of entry`,
        ...notHere(name),
      }
    case 'pattern':
    case 'format':
    case 'minLength':
      if (error.propertyName !== undefined) return null
      return badForm(path, said, value, {
        keyword: error.keyword,
        format: textOf(error.params.format),
        pattern: textOf(error.params.pattern),
      })
    case 'propertyNames': {
      const key = String(error.params.propertyName)
      return {
        code: 'EV105',
        at: join(path, key),
        part: 'key',
        message: `\`${key}\` is not a proper name here`,
        help: 'small letters and digits, words joined as in the other names',
      }
    }
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
      return {
        code: 'EV105',
        at: path,
        message: `${said} is too ${error.keyword === 'maximum' ? 'large' : 'small'} for \`${labelOf(path)}\`: ${error.keyword === 'maximum' ? 'at most' : error.keyword === 'minimum' ? 'at least' : 'more than'} ${String(error.params.limit)}`,
      }
    case 'uniqueItems': {
      const twice = join(path, Number(error.params.i))
      const again = join(path, Number(error.params.j))
      const [first, second] =
        Number(error.params.i) < Number(error.params.j) ? [twice, again] : [again, twice]
      return {
        code: 'EV107',
        at: second,
        message: `\`${source.written(second)?.text ?? 'this entry'}\` is listed twice`,
        related: [{ at: first, message: 'first here' }],
      }
    }
    default:
      return wrongCount(path, where, error)
  }
}

function notHere(name: string): { readonly help?: string } {
  const help: Readonly<Record<string, string>> = {
    options: 'options belong to a field of type select',
    ignore_case: 'ignore_case belongs to a field of type select',
    accept: 'accept belongs to a field of type file',
    max_mb: 'max_mb belongs to a field of type file',
    as: 'as belongs to fields of type yes-no and select',
    check: 'check belongs to fields of type email and phone',
    min: 'min belongs to a field of type number',
    max: 'max belongs to a field of type number',
    given: 'an example with an order_id has no answers',
    on: 'an example with an order_id has no day',
  }
  return help[name] === undefined ? {} : { help: help[name] }
}

function wrongCount(path: string, where: string, { keyword, params }: SchemaError): Coded | null {
  const at = { code: 'EV107' as const, at: path, part: 'key' as const }
  if (/\.(error_)?buttons\.\d+$/.test(path))
    return { ...at, part: 'value', message: 'a button has a label and exactly one of go, mail, do' }
  if (path === 'category') return { ...at, message: 'write exactly one of chosen_in and rules' }
  if (/^category\.rules\.\d+$/.test(path))
    return { ...at, part: 'value', message: 'a rule is either {when, then} or {otherwise}' }
  if (keyword === 'minItems' || keyword === 'minProperties')
    return {
      ...at,
      message:
        Number(params.limit) === 1
          ? `${where} is empty`
          : `${where} needs at least ${String(params.limit)} entries`,
    }
  if (keyword === 'maxItems' || keyword === 'maxProperties')
    return { ...at, message: `${where} has more than ${String(params.limit)} entries` }
  // `not`, `if` and the like carry no message of their own.
  return null
}

function keysFor(kind: Kind, path: string): readonly string[] {
  const table = validators.keysAt[kind]
  const parts = path === '' ? [] : path.split('.')
  const found = Object.keys(table).find((pattern) => {
    const wanted = pattern === '' ? [] : pattern.split('.')
    return (
      wanted.length === parts.length &&
      wanted.every((part, at) => part === '*' || part === parts[at])
    )
  })
  return found === undefined ? [] : (table[found] ?? [])
}

function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, key)
          ? (at as Record<string, unknown>)[key]
          : undefined,
      value,
    )
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** “Open” and "open " are the word open; what is near to none of the words stays as it is. */
function formOf(value: string, allowed: readonly string[]): string {
  return formsOf(value).find((form) => allowed.includes(form)) ?? value
}

function isIn(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
}

/** "`asi-member`", "field 3 of `fields`", for a sentence. */
function nameOf(path: string): string {
  const parts = path.split('.')
  const last = parts.at(-1) ?? ''
  if (path === '') return ''
  return /^\d+$/.test(last)
    ? `entry ${Number(last) + 1} of \`${parts.at(-2) ?? ''}\``
    : `\`${last}\``
}
