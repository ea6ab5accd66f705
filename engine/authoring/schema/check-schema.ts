/** Checks EV1xx: explains a file's schema errors at their exact positions, with one finding per cause. */
import { getValueAt } from '../../lib/result.ts'
import { suggestCorrections } from '../suggestions/misspelt-addresses.ts'
import { reportInvalidFormat, getKeyName } from '../suggestions/value-formats.ts'
import type { Draft, Finding, Meta } from '../finding.ts'
import { createFinding, hasErrors } from '../finding.ts'
import { hasUnknownType, reportMissingKey, reportUnknownKey } from '../suggestions/unknown-keys.ts'
import { formatList, suggestName } from '../suggestions/nearest-name.ts'
import { readEventFile } from './renamed-keys.ts'
import { readYaml, removeConsequences } from '../syntax/parse-yaml.ts'
import { join } from '../syntax/source.ts'
import type { Source } from '../syntax/source.ts'
import type { SourceText } from '../../event/source-files.ts'
import { findSchemaErrors, type Kind, type SchemaError } from './json-schemas.ts'
import { suggestSaleStructure } from '../suggestions/structures-of-other-form-builders.ts'
import { explainTax } from '../suggestions/tax-values.ts'
import { reportCurrency } from '../suggestions/fees-currency.ts'
import { getCurrencyAt } from '../suggestions/currency-notations.ts'
import { suggestValue } from '../suggestions/foreign-values.ts'
import {
  isPrice,
  isPriceTable,
  reportWrongType,
  getSourceText,
} from '../suggestions/wrong-types.ts'

export const schemaChecks = {
  EV007: {
    slug: 'number-not-text',
    severity: 'error',
    why: 'A number loses its plus sign and leading zeros. Text keeps them.',
  },
  EV008: {
    slug: 'not-boolean',
    severity: 'error',
    why: 'Only `true` and `false` mean yes and no. Any other word is read as text.',
  },
  EV101: {
    slug: 'unknown-key',
    severity: 'error',
    why: 'An unknown key has no effect.',
  },
  EV102: {
    slug: 'missing-key',
    severity: 'error',
    why: 'This part of the event file is incomplete without the key, so the event cannot be published.',
  },
  EV103: {
    slug: 'wrong-type',
    severity: 'error',
    why: 'The value has the wrong type, such as text instead of a list.',
  },
  EV104: {
    slug: 'not-one-of',
    severity: 'error',
    why: 'Only the listed values are valid.',
  },
  EV105: {
    slug: 'invalid-format',
    severity: 'error',
    why: 'The value is not a valid date, address or name.',
  },
  EV106: {
    slug: 'misplaced-key',
    severity: 'error',
    why: 'The key exists, but has no effect on this kind of entry.',
  },
  EV107: {
    slug: 'wrong-count',
    severity: 'error',
    why: 'There are too few or too many entries, or an entry is listed twice.',
  },
  EV108: {
    slug: 'unknown-format',
    severity: 'error',
    why: 'In another version of the format the same keys may have a different meaning.',
  },
} as const satisfies Record<string, Meta>
type Code = keyof typeof schemaChecks
type CodedDraft = Draft & {
  readonly code: Code
  /** Findings at or below this path are consequences of this draft. */
  readonly covers?: string
}

/**
 * Reads a file and checks its schema. `value` is null if there is an error: if the structure is wrong or contains a
 * YAML trap, further findings would be guesses.
 */
export function readWithSchema(
  kind: Kind,
  file: SourceText,
): {
  readonly source: Source
  readonly value: unknown
  readonly findings: readonly Finding[]
} {
  const { source, findings } = kind === 'event' ? readEventFile(file) : readYaml(file)
  const schemaErrors =
    source.value === null
      ? reportEmptyFile(source, findings)
      : removeConsequences(findStructureErrors(kind, source), findings)
  const isValid = schemaErrors.length + source.trappedPaths.size === 0 && !hasErrors(findings)
  return { source, value: isValid ? source.value : null, findings: [...findings, ...schemaErrors] }
}

/** Reports a file that can be parsed but has no content. */
function reportEmptyFile(source: Source, findings: readonly Finding[]): readonly Finding[] {
  return hasErrors(findings)
    ? []
    : [createFinding('EV103', schemaChecks.EV103, { at: '', message: 'the file is empty' }, source)]
}

/** Returns the errors in the file's structure. Skips locations already reported as a YAML trap. */
function findStructureErrors(kind: Kind, source: Source): readonly Finding[] {
  const errors = findSchemaErrors(kind, source.value).filter(({ keyword }) => keyword !== 'if')
  const drafts = errors
    .map((error) => buildDraft(source, error, errors))
    .filter((draft) => draft !== null)
    .map((draft) => addTaxHelp(source, draft))
  const reportedCodes = new Map<string, string[]>()
  // If several findings cover a location, only the first is reported.
  const coveringDrafts = drafts.filter(
    ({ covers }, index) =>
      covers !== undefined && drafts.findIndex((other) => isWithin(covers, other.covers)) === index,
  )
  const remaining = drafts.filter((draft) => {
    if (coveringDrafts.some((other) => other !== draft && isWithin(draft.at, other.covers)))
      return false
    const earlierCodes = reportedCodes.get(draft.at) ?? []
    const isDuplicate = earlierCodes.some(
      (code) => code === draft.code || SAME_CAUSE.has(`${code} ${draft.code}`),
    )
    reportedCodes.set(draft.at, [...earlierCodes, draft.code])
    return !isDuplicate && !isTrapped(source, draft.at)
  })
  return mergePriceFindings(source, remaining).map(({ code, covers: _covers, ...draft }) =>
    createFinding(code, schemaChecks[code], draft, source),
  )
}

/** The maximum number of cells in a table that are reported separately for the same mistake. */
const MAX_REPORTED_CELLS = 2

/** Merges the findings for cells with the same mistake into one, which lists all lines. */
function mergePriceFindings(source: Source, drafts: readonly CodedDraft[]): readonly CodedDraft[] {
  const buildGroupKey = ({ code, at, help, fix }: CodedDraft): string | null =>
    code === 'EV103' && fix === undefined && isPrice(at)
      ? `${at.replace(/\.[^.]+\.\d+$/, '')} ${(help ?? '').replaceAll(/[\d.,]+/g, '#')}`
      : null
  const groups = Map.groupBy(drafts, buildGroupKey)
  return drafts.flatMap((draft) => {
    const key = buildGroupKey(draft)
    const group = key === null ? [] : (groups.get(key) ?? [])
    if (group.length <= MAX_REPORTED_CELLS) return [draft]
    const lines = new Set(group.map(({ at }) => source.place(at).start.line))
    return group[0] === draft
      ? [
          {
            ...draft,
            notes: [
              ...(draft.notes ?? []),
              `${group.length - 1} more prices in this table are written like this, on line${lines.size === 1 ? '' : 's'} ${[...lines].join(', ')}`,
            ],
          },
        ]
      : []
  })
}

function isWithin(path: string, place: string | undefined): boolean {
  return path === place || (place !== undefined && path.startsWith(`${place}.`))
}

/** Suggests the correct notation for a tax if the intention is recognised. */
function addTaxHelp(source: Source, draft: CodedDraft): CodedDraft {
  // If the fix for a misspelt word is certain, no other suggestion is needed.
  if (draft.code === 'EV102' || draft.fix !== undefined) return draft
  const value = getValueAt(source.value, draft.at)
  const help = Array.isArray(value) ? null : explainTax(draft.at, value)
  if (help === null) return draft
  const { fix: _fix, notes: _notes, ...rest } = draft
  return { ...rest, help }
}

/** Pairs of codes. At the same location, the second is a consequence of the first. */
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
  if (source.trappedPaths.size === 0) return false
  const parts = path.split('.')
  return (
    source.trappedPaths.has('') ||
    parts.some((_part, index) => source.trappedPaths.has(parts.slice(0, index + 1).join('.')))
  )
}

function buildDraft(
  source: Source,
  error: SchemaError,
  allErrors: readonly SchemaError[],
): CodedDraft | null {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
  const name = path.split('.').at(-1) ?? ''
  const itemName = getItemName(path)
  const value = error.data
  const scalar = source.getScalar(path)
  const sourceText = scalar?.text ?? getSourceText(source, path)
  const ruleMessage = asString(error.parentSchema?.errorMessage)
  const saleDraft = suggestSaleStructure(source, path, error)
  if (saleDraft !== null)
    return { code: error.keyword === 'required' ? 'EV102' : 'EV103', part: 'key', ...saleDraft }
  if (path === 'currency' || path === 'fees.currency')
    return {
      code: path === 'currency' ? 'EV105' : 'EV104',
      ...reportCurrency(source, path, sourceText),
    }
  switch (error.keyword) {
    case 'additionalProperties':
      return reportUnknownKey(source, path, error, allErrors)
    case 'required':
      return reportMissingKey(source, path, itemName, error, allErrors)
    case 'type':
      return reportWrongType(
        path,
        itemName,
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
          message: `this tool supports format 1; the file has ${sourceText}`,
        }
      const options = [error.params.allowedValues ?? [error.params.allowedValue]].flat().map(String)
      const span = scalar?.span ?? null
      const knownSuggestion = /\.also_stored\./.test(path)
        ? null
        : suggestValue(name, value, getValueAt(source.value, path.replace(/\.?[^.]*$/, '')), span)
      const suggestion =
        knownSuggestion ??
        (typeof value === 'string'
          ? suggestName(findAllowedValue(value, options), options, span)
          : {})
      return {
        code: 'EV104',
        at: path,
        message: `\`${sourceText}\` is not a valid ${/\.\d+$/.test(path) ? 'entry of ' : ''}\`${getKeyName(path)}\``,
        help: 'write one of the valid values',
        ...suggestion,
        notes: [`valid values: ${formatList(options, 20)}`],
      }
    }
    case 'not':
      // The allowed keys depend on the field's type, so keys are not reported if the type is unknown.
      if (hasUnknownType(path, allErrors)) return null
      return {
        code: 'EV106',
        at: path,
        part: 'entry',
        message: `\`${name}\` does not apply to this kind of entry`,
        ...(ruleMessage === undefined
          ? {}
          : { help: suggestBound(source, path, name, value) ?? ruleMessage }),
      }
    case 'pattern':
    case 'format':
    case 'minLength':
      // An invalid key name is reported once, by the rule for names.
      if (typeof value !== 'string' || scalar === null) return null
      return reportInvalidFormat(path, sourceText, value, {
        keyword: error.keyword,
        format: asString(error.params.format),
        pattern: asString(error.params.pattern),
        words: asString(error.parentSchema?.patternErrorMessage),
        currency: getCurrencyAt(source, path),
      })
    case 'propertyNames': {
      const key = String(error.params.propertyName)
      return {
        code: 'EV105',
        at: join(path, key),
        part: 'key',
        message: `\`${key}\` is not a valid name`,
        help: suggestKeyName(path, key),
      }
    }
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
      return {
        code: 'EV105',
        at: path,
        message: `${sourceText} is too ${error.keyword === 'maximum' ? 'large' : 'small'} for \`${getKeyName(path)}\`: ${error.keyword === 'maximum' ? 'at most' : error.keyword === 'minimum' ? 'at least' : 'more than'} ${String(error.params.limit)}`,
        ...(isPrice(path) && typeof value === 'number' && value < 0
          ? { help: `write ${-value}, without a sign` }
          : {}),
      }
    case 'uniqueItems': {
      const pathOfI = join(path, Number(error.params.i))
      const pathOfJ = join(path, Number(error.params.j))
      const [first, second] =
        Number(error.params.i) < Number(error.params.j) ? [pathOfI, pathOfJ] : [pathOfJ, pathOfI]
      return {
        code: 'EV107',
        at: second,
        message: `\`${source.getScalar(second)?.text ?? 'this entry'}\` is listed twice`,
        related: [{ at: first, message: 'first listed here' }],
      }
    }
    default:
      return explainWrongCount(path, itemName, error)
  }
}

/** Suggests `choose` for the bounds of a multiple-choice field, which has no min or max. */
function suggestBound(source: Source, path: string, name: string, value: unknown): string | null {
  const bound = name === 'max' ? 'at_most' : name === 'min' ? 'at_least' : null
  return bound !== null && getValueAt(source.value, path.replace(/[^.]+$/, 'type')) === 'many'
    ? `write choose: {${bound}: ${String(value)}, message: …}`
    : null
}

function explainWrongCount(path: string, itemName: string, error: SchemaError): CodedDraft | null {
  const { keyword, params } = error
  const baseDraft = { code: 'EV107' as const, at: path, part: 'key' as const }
  const message = asString(error.parentSchema?.errorMessage)
  if (message !== undefined)
    return {
      ...baseDraft,
      part: /\d$/.test(path) ? 'value' : 'key',
      message,
      ...(/^category\.rules\.\d+$/.test(path)
        ? { help: 'write {when: …, then: …}, or only {otherwise: …} for all remaining delegates' }
        : {}),
    }
  if (keyword === 'minItems' || keyword === 'minProperties')
    return {
      ...baseDraft,
      message:
        Number(params.limit) === 1
          ? `${itemName} is empty`
          : `${itemName} needs at least ${String(params.limit)} entries`,
      ...(/^category\.rules\.\d+\.when$/.test(path)
        ? { help: 'write only {otherwise: …} for all remaining delegates' }
        : {}),
    }
  if (keyword === 'maxItems' || keyword === 'maxProperties')
    return { ...baseDraft, message: `${itemName} has more than ${String(params.limit)} entries` }
  // The remaining errors have no specific message.
  return null
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Suggests a name for a key, in the style of its siblings. */
function suggestKeyName(path: string, key: string): string {
  const pattern = isPriceTable(path) ? /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/ : /^[a-z][a-z0-9_]*$/
  const suggestion = suggestCorrections(key).find((form) => pattern.test(form))
  const [, quota, option] = /^full\.([a-z0-9_-]+)\.(.+)$/.exec(key) ?? []
  if (quota !== undefined)
    return `a condition tests a whole quota: give \`${option}\` a quota of its own, {id: ${quota}-${option}, when: …, max: …}, and write {full.${quota}-${option}: true}`
  const advice = 'use lower-case letters and digits, and join words as in the other names'
  return suggestion === undefined ? advice : `write ${suggestion}: ${advice}`
}

/** Returns the allowed value that a string stands for ("Open" → open), or the text unchanged. */
function findAllowedValue(value: string, allowed: readonly string[]): string {
  return suggestCorrections(value).find((form) => allowed.includes(form)) ?? value
}

/** Formats a path for a sentence: "`asi-member`", "entry 3 of `fields`". */
function getItemName(path: string): string {
  const parts = path.split('.')
  const last = parts.at(-1) ?? ''
  if (path === '') return ''
  return /^\d+$/.test(last)
    ? `entry ${Number(last) + 1} of \`${parts.at(-2) ?? ''}\``
    : `\`${last}\``
}
