/** Explains unknown and missing keys and suggests the key that was probably meant. Reports each mistake once. */
import { suggestConnective } from './condition-notations.ts'
import type { Draft } from '../finding.ts'
import { suggestKey } from './foreign-keys.ts'
import { formatList, findNearest, suggestName } from './nearest-name.ts'
import { explainMisplacedKey } from './misplaced-keys.ts'
import { memoize } from '../../lib/memoize.ts'
import { getOwn } from '../../lib/result.ts'
import type { SchemaError } from '../schema/json-schemas.ts'
import {
  formatRow,
  explainPeopleCondition,
  explainMissingSaleKey,
} from './structures-of-other-form-builders.ts'
import { join } from '../syntax/source.ts'
import type { Source } from '../syntax/source.ts'

/** Findings at or below the path `covers` are consequences of this one. */
type KeyDraft = Draft & { readonly code: 'EV101' | 'EV102'; readonly covers?: string }

/** Returns the finding for the unknown key of a schema error. */
export function reportUnknownKey(
  source: Source,
  path: string,
  error: SchemaError,
  allErrors: readonly SchemaError[],
): KeyDraft {
  const value = error.data
  const key = String(error.params.additionalProperty)
  const misplacedDraft =
    explainIndentation(path, key, value, allErrors) ?? explainOptionPair(source, path, value)
  if (misplacedDraft !== null) return misplacedDraft
  const allowedKeys = Object.keys(error.parentSchema?.properties ?? {})
  const place = source.place(join(path, key), 'key')
  const nearName = suggestName(
    key,
    allowedKeys.filter((candidate) => !hasKey(value, candidate)),
    [place.start.offset, place.end.offset],
  )
  const written = source.getScalar(join(path, key))?.text ?? null
  const misplacementHelp = explainMisplacedKey(source, path, key, written, value)
  const contextHelp =
    misplacementHelp ?? suggestConnective(path) ?? explainPeopleCondition(source, path, key)
  const suggestion =
    contextHelp !== null
      ? { help: contextHelp }
      : nearName.fix === undefined
        ? suggestKey(path, key, written, value)
        : null
  if (suggestion !== null)
    return {
      code: 'EV101',
      at: join(path, key),
      part: 'key',
      message: `\`${key}\` is not a valid key`,
      help: /^fees\.items\.\d+$/.test(path)
        ? suggestItemKey(source, suggestion, written)
        : suggestion.help,
    }
  return {
    code: 'EV101',
    at: join(path, key),
    part: 'key',
    message: `\`${key}\` is not a valid key`,
    ...nearName,
    ...(nearName.help === undefined
      ? { notes: [`valid keys: ${formatList(allowedKeys, 30)}`] }
      : {}),
  }
}

/**
 * Returns the help for an unknown key of an item. Prices belong in a table; an amount in digits is a price, not a
 * field's id.
 */
function suggestItemKey(
  source: Source,
  suggestion: { readonly key?: string | null; readonly help: string },
  written: string | null,
): string {
  const isPriced =
    suggestion.key === 'prices' || (suggestion.key === 'amount_in' && /^\d/.test(written ?? ''))
  return isPriced && !(written ?? '').startsWith('{')
    ? `write prices: ${formatRow(source, written ?? '')}`
    : suggestion.help
}

/**
 * Returns the finding for a missing key; null if the key exists under another name, for which a finding already
 * exists.
 */
export function reportMissingKey(
  source: Source,
  path: string,
  itemName: string,
  error: SchemaError,
  allErrors: readonly SchemaError[],
): KeyDraft | null {
  const value = error.data
  const key = String(error.params.missingProperty)
  if (explainOptionPair(source, path, value) !== null) return null
  if (isStatedElsewhere(source, path, key, value, allErrors)) return null
  if (dependsOnMisspeltKey(path, error, allErrors)) return null
  if (path === '' && key === 'closed')
    return {
      code: 'EV102',
      at: 'event.status',
      message: 'a closed event needs the block `closed`, which its page shows instead of the form',
      help: 'write closed: {heading: Registration is closed, text: …}',
    }
  const nestedBlock = findNestedBlock(path, key, value, allErrors)
  if (nestedBlock !== null)
    return {
      code: 'EV102',
      at: join(nestedBlock.path, key),
      part: 'key',
      message: `\`${key}\` belongs to ${itemName === '' ? 'the file itself' : itemName}, but is inside \`${nestedBlock.name}\``,
      help: `indent its line as far as \`${nestedBlock.name}\``,
      related: [{ at: nestedBlock.path, part: 'key', message: 'inside this' }],
      covers: join(nestedBlock.path, key),
    }
  return {
    code: 'EV102',
    at: path,
    part: 'key',
    message: `\`${key}\` is missing${itemName === '' ? '' : ` in ${itemName}`}`,
    ...findRequiringType(source, path, key),
    ...toHelp(
      RULE_PATH.test(path) && key === 'when' && hasKey(value, 'then')
        ? 'for all remaining delegates write `otherwise` instead of `then`'
        : (explainMissingSaleKey(path, key, value) ??
            getOwn(REQUIRED_BLOCKS, join(path, key)) ??
            null),
    ),
  }
}

/** Examples of the blocks that every event file needs, by path. */
const REQUIRED_BLOCKS: Readonly<Record<string, string>> = {
  routes:
    'write routes: {form: /surgeons2027, success: /surgeons2027/success, failed: /surgeons2027/failed}',
  category:
    'write category: {chosen_in: …} with the field in which delegates choose, or category: {rules: […]}',
  'form.summary':
    'write summary: {lines: [total]}, the box with the price; its lines can be category, period, base, gst and total',
  order_id:
    'write order_id: {prefix: SURG, followed_by: digits}, which forms the registration numbers',
  payment:
    'write payment: {gateway: airpay, account: …}, or payment: none for an event without payments',
  results:
    'write results: {success: {title: Thank you, details: [reg_no, total]}, failed: {title: Payment failed, details: [order_id]}}',
}

/** Returns a reference to the field's type if this type alone requires the missing key: the type may be the mistake. */
function findRequiringType(source: Source, path: string, key: string): Pick<Draft, 'related'> {
  const type = join(path, 'type')
  const dependsOnType = /^(?:accept|options|fields|max)$/.test(key) && source.has(type)
  const getLineNumber = (at: string): number => source.place(at).start.line
  return dependsOnType && getLineNumber(type) !== getLineNumber(path)
    ? { related: [{ at: type, part: 'entry', message: 'because of this' }] }
    : {}
}

const toHelp = (help: string | null): { readonly help?: string } => (help === null ? {} : { help })
const RULE_PATH = /^category\.rules\.\d+$/

/** Returns the nested block that contains the missing key, if that block's own key is not valid in `block`. */
function findNestedBlock(
  path: string,
  key: string,
  block: unknown,
  allErrors: readonly SchemaError[],
): { readonly name: string; readonly path: string } | null {
  const name = Object.entries(block ?? {}).find(([childKey, childBlock]) => {
    if (typeof childBlock !== 'object' || Array.isArray(childBlock) || !hasKey(childBlock, key))
      return false
    const place = `/${join(path, childKey).replaceAll('.', '/')}`
    return allErrors.some(
      ({ instancePath, params }) =>
        instancePath.startsWith(`${place}/${key}/`) ||
        (instancePath === place && params.additionalProperty === key),
    )
  })?.[0]
  return name === undefined ? null : { name, path: join(path, name) }
}

/** Explains an unknown key after an empty key: it was probably meant to be inside the empty one. */
function explainIndentation(
  path: string,
  key: string,
  block: unknown,
  allErrors: readonly SchemaError[],
): KeyDraft | null {
  if (typeof block !== 'object' || block === null) return null
  const keyPositions = indexKeys(block)
  const position = keyPositions.get(key) ?? 0
  const emptyKey = findNulls(block)
    .filter((name) => (keyPositions.get(name) ?? 0) < position)
    .findLast((name) =>
      listErrorsAt(allErrors, `/${join(path, name).replaceAll('.', '/')}`).some(
        ({ keyword, params }) =>
          keyword === 'type' && [params.type].flat().join(',').includes('object'),
      ),
    )
  return emptyKey === undefined
    ? null
    : {
        code: 'EV101',
        at: join(path, key),
        part: 'key',
        message: `\`${key}\` is not a valid key`,
        help: `if it belongs to \`${emptyKey}\`, indent the line further`,
        related: [
          { at: join(path, emptyKey), part: 'key', message: 'nothing is indented under this' },
        ],
      }
}

/** Returns the position of each key of a block. Memoized, like the next function, because all findings use it. */
const indexKeys = memoize(
  (block: object): ReadonlyMap<string, number> =>
    new Map(Object.keys(block).map((key, index) => [key, index])),
)
const findNulls = memoize((block: object): readonly string[] =>
  Object.entries(block).flatMap(([name, value]) => (value === null ? [name] : [])),
)
/** Groups the errors of a file by path, so that a file with thousands of unknown keys is explained quickly. */
const groupErrorsByPath = memoize((allErrors: readonly SchemaError[]) =>
  Map.groupBy(allErrors, ({ instancePath }) => instancePath),
)
const listErrorsAt = (allErrors: readonly SchemaError[], place: string): readonly SchemaError[] =>
  groupErrorsByPath(allErrors).get(place) ?? []

/** Explains `pg: Post Graduate` in a list of options, which was meant as an id with its label. */
function explainOptionPair(source: Source, path: string, option: unknown): KeyDraft | null {
  if (!/\.options\.\d+$/.test(path) || typeof option !== 'object' || option === null) return null
  const [pair, ...others] = Object.entries(option)
  if (pair === undefined || others.length > 0 || typeof pair[1] !== 'string') return null
  const [id, label] = pair
  if (id === 'id' || id === 'label') return null
  return {
    code: 'EV101',
    at: path,
    message: `\`${id}: ${label}\` is not a valid option: an option has an id and a label`,
    help: `write {id: ${id}, label: ${source.getScalar(join(path, id))?.text ?? label}}`,
  }
}

/** Returns true if the key belongs to a field of unknown type. */
export function hasUnknownType(path: string, allErrors: readonly SchemaError[]): boolean {
  const type = `/${path.split('.').slice(0, -1).join('/')}/type`
  return listErrorsAt(allErrors, type).some(({ keyword }) => keyword === 'enum')
}

/**
 * Returns true if a missing key exists under another name: misspelt, or from another form builder. `{else: visitor}`
 * was intended as `otherwise`, which needs no `when`. For a field of unknown type, no missing key is reported.
 */
function isStatedElsewhere(
  source: Source,
  path: string,
  key: string,
  block: unknown,
  allErrors: readonly SchemaError[],
): boolean {
  const unknownKeys = listUnknownKeyErrors(path, allErrors).map(({ params }) =>
    String(params.additionalProperty),
  )
  const suggestedKeys = unknownKeys.map(
    (entry) =>
      suggestKey(path, entry, source.getScalar(join(path, entry))?.text ?? null, block)?.key,
  )
  return (
    suggestedKeys.includes(key) ||
    unknownKeys.some((candidate) => findNearest(candidate, [key]) !== null) ||
    (RULE_PATH.test(path) && suggestedKeys.includes('otherwise')) ||
    (/\.fields\.\d+$/.test(path) && hasUnknownType(join(path, key), allErrors))
  )
}

/**
 * Returns true if another key decides whether the missing key is required, and the block contains a misspelt key:
 * spelt correctly, it may be the one that decides.
 */
function dependsOnMisspeltKey(
  path: string,
  { data, parentSchema }: SchemaError,
  allErrors: readonly SchemaError[],
): boolean {
  const isConditional = parentSchema?.additionalProperties === undefined
  return (
    isConditional &&
    listUnknownKeyErrors(path, allErrors).some(({ params, parentSchema: blockSchema }) => {
      const absentKeys = Object.keys(blockSchema?.properties ?? {}).filter(
        (candidate) => !hasKey(data, candidate),
      )
      return findNearest(String(params.additionalProperty), absentKeys) !== null
    })
  )
}

const listUnknownKeyErrors = (
  path: string,
  allErrors: readonly SchemaError[],
): readonly SchemaError[] =>
  listErrorsAt(allErrors, `/${path.replaceAll('.', '/')}`.replace(/^\/$/, '')).filter(
    ({ keyword }) => keyword === 'additionalProperties',
  )

function hasKey(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
}
