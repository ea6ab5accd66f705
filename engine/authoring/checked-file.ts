/** The model for all checks: the file as written, its compiled event and the source positions. */
import type { EventConfig, Field } from '../event/config.ts'
import type { Condition } from '../event/answer-types.ts'
import { getOwn } from '../lib/result.ts'
import type { Day } from '../lib/time.ts'
import { resolveAges, toCondition } from './compile/conditions.ts'
import { NEVER } from '../event/default-settings-and-limits.ts'
import type { Draft, Meta, SharedName } from './finding.ts'
import type * as Files from './schema/event-file-types.ts'
import type * as Shared from './schema/shared-file-types.ts'
import { join } from './syntax/source.ts'
import type { Source } from './syntax/source.ts'

export type CheckOptions = {
  /** True to report demo values as errors. */
  readonly production?: boolean
  /**
   * The date in India. If set, findings that depend on the date are included, such as an event that is over but still
   * open.
   */
  readonly on?: string
  /** Pages of other events and of the site that buttons may link to. */
  readonly otherRoutes?: readonly string[]
}

export type FieldAt = {
  readonly id: string
  readonly path: string
  readonly raw: Files.Field
  readonly field: Field
}
/** One map of a condition, with the path of each test in the source. */
type MapAt = {
  readonly path: string
  readonly tests: readonly {
    readonly field: string
    readonly path: string
    readonly raw: unknown
  }[]
}
/**
 * A condition with its paths in the file. A `rule` determines the category, so it cannot refer to the category. `owner`
 * is the path of the field, item or rule that has the condition.
 */
export type ConditionAt = {
  readonly kind:
    | 'rule'
    | 'show'
    | 'required'
    | 'detail'
    | 'item'
    | 'table'
    | 'adjustment'
    | 'tax'
    | 'limit'
    | 'category'
    | 'approval'
    | 'count'
  readonly path: string
  readonly owner: string
  readonly conditionMaps: readonly MapAt[]
  readonly condition: Condition
}
/** Where text is displayed, which determines the placeholders that it may contain. */
type TextPlace =
  | 'form'
  | 'registered'
  | 'success'
  | 'failed'
  | 'order-error'
  | 'receipt'
  | 'email'
  | 'office-error'
  | 'export-file'
  | 'plain'
  | 'line'
/** A string as written in the file, including quotes; `at` is its offset. */
export type WrittenText = { readonly path: string; readonly written: string; readonly at: number }
export type TextAt = WrittenText & { readonly text: string; readonly place: TextPlace }

export type Model = {
  readonly source: Source
  readonly shared: Readonly<Record<SharedName, Source>>
  readonly file: Files.EventFile
  readonly lists: Shared.ListsFile
  readonly gateways: Shared.GatewaysFile
  readonly texts: Shared.TextsFile
  readonly config: EventConfig
  readonly options: CheckOptions
  readonly fields: readonly FieldAt[]
  /** The fields. A people field is followed by the fields of each person. */
  readonly fieldsAndParts: readonly FieldAt[]
  readonly storedValues: readonly { readonly id: string; readonly path: string }[]
  readonly conditions: readonly ConditionAt[]
  /** For each `people` field: the fields of one person as a separate form, and the conditions that count people. */
  readonly persons: ReadonlyMap<string, Model>
  /** All text in the file, displayed or not. Excludes examples, because they contain answers. */
  readonly writtenTexts: readonly WrittenText[]
  /** The displayed texts. */
  readonly displayedTexts: readonly TextAt[]
}

/**
 * A check in the catalogue. It is skipped if a code in `after` is reported, because its finding would only be a
 * consequence.
 */
export type Check = Meta & {
  readonly after?: readonly string[]
  readonly find: (model: Model) => readonly Draft[]
}
export type Checks = Readonly<Record<string, Check>>

export function createModel(
  source: Source,
  shared: Readonly<Record<SharedName, Source>>,
  config: EventConfig,
  options: CheckOptions,
): Model {
  const file = source.value as Files.EventFile
  const fields = file.form.sections.flatMap((section, s) =>
    section.fields.map((raw, f) => ({ id: raw.id, raw, path: `form.sections.${s}.fields.${f}` })),
  )
  const compiledFields = fields.flatMap((entry, index) => {
    const field = config.fields[index]
    return field === undefined ? [] : [{ ...entry, field }]
  })
  const model: Model = {
    source,
    shared,
    file,
    config,
    options,
    lists: shared.lists.value as Shared.ListsFile,
    gateways: shared.gateways.value as Shared.GatewaysFile,
    texts: shared.texts.value as Shared.TextsFile,
    fields: compiledFields,
    fieldsAndParts: compiledFields.flatMap((entry) => [entry, ...collectParts(entry)]),
    storedValues: (file.form.also_stored ?? []).map(({ id }, index) => ({
      id,
      path: `form.also_stored.${index}`,
    })),
    conditions: resolveAges(collectConditionsOf(file), config.from),
    persons: new Map(),
    ...collectTexts(source),
  }
  return { ...model, persons: collectPersons(model) }
}

/**
 * Returns a model for each people field whose people are counted by their answers. Its conditions may use only these
 * answers and the category.
 */
function collectPersons(model: Model): Model['persons'] {
  const { file, fields, config } = model
  const countConditions = (file.fees.items ?? []).flatMap(({ count }, index) =>
    typeof count !== 'object'
      ? []
      : Object.entries(count).map(([people, path]) => ({
          people,
          condition: resolveAges(
            buildConditionAt(
              'count',
              `fees.items.${index}`,
              `fees.items.${index}.count.${people}`,
              path,
            ),
            config.from,
          ),
        })),
  )
  const peopleFields = fields.filter(({ field }) => field.type === 'people')
  return new Map(
    [...Map.groupBy(countConditions, ({ people }) => people)].flatMap(([people, subset]) => {
      const peopleField = peopleFields.find(({ id }) => id === people)
      if (peopleField === undefined) return []
      const parts = collectParts(peopleField)
      const partFields = parts.map(({ field }) => field)
      return [
        [
          people,
          {
            ...model,
            fields: parts,
            storedValues: [],
            conditions: subset.map(({ condition }) => condition),
            config: { ...config, fields: partFields, sections: [] },
          },
        ] as const,
      ]
    }),
  )
}

/** Returns the form and the form of each person. Conditions in a person's form may refer to the fields of that form. */
export function collectForms(model: Model): readonly Model[] {
  return [model, ...model.persons.values()]
}

/** Returns the fields that a people field has for each person. */
function collectParts({ raw, path, field }: FieldAt): readonly FieldAt[] {
  return (raw.fields ?? []).flatMap((part, index) => {
    const partField = field.fields?.[index]
    return partField === undefined
      ? []
      : [{ id: part.id, raw: part, path: `${path}.fields.${index}`, field: partField }]
  })
}

function collectConditionsOf(file: Files.EventFile): readonly ConditionAt[] {
  const conditions: ConditionAt[] = []
  const add = (kind: ConditionAt['kind'], owner: string, path: string, raw: unknown): void => {
    if (raw !== undefined) conditions.push(buildConditionAt(kind, owner, path, raw))
  }
  ;(file.category.rules ?? []).forEach((rule, index) =>
    add('rule', `category.rules.${index}`, `category.rules.${index}.when`, rule.when),
  )
  file.categories.forEach(({ expects }, index) =>
    add('category', `categories.${index}`, `categories.${index}.expects`, expects),
  )
  file.form.sections.forEach((section, s) => {
    add('show', `form.sections.${s}`, `form.sections.${s}.show_when`, section.show_when)
    section.fields.forEach((field, f) => {
      const path = `form.sections.${s}.fields.${f}`
      add('show', path, `${path}.show_when`, field.show_when)
      if (typeof field.required === 'object')
        add('required', path, `${path}.required.when`, field.required.when)
    })
  })
  ;(file.fees.items ?? []).forEach((item, i) => {
    const path = `fees.items.${i}`
    add('item', path, `${path}.when`, item.when)
    ;(item.tax_rules ?? []).forEach(({ when }, r) =>
      add('tax', `${path}.tax_rules.${r}`, `${path}.tax_rules.${r}.when`, when),
    )
    const { prices } = item
    if (Array.isArray(prices))
      prices.forEach((table: { readonly when?: unknown }, t) =>
        add('table', `${path}.prices.${t}`, `${path}.prices.${t}.when`, table.when),
      )
  })
  ;(file.fees.adjustments ?? []).forEach(({ when }, i) =>
    add('adjustment', `fees.adjustments.${i}`, `fees.adjustments.${i}.when`, when),
  )
  ;(file.fees.tax_rules ?? []).forEach(({ when }, i) =>
    add('tax', `fees.tax_rules.${i}`, `fees.tax_rules.${i}.when`, when),
  )
  ;(file.approval ?? []).forEach(({ when }, i) =>
    add('approval', `approval.${i}`, `approval.${i}.when`, when),
  )
  ;(file.quotas ?? []).forEach(({ when }, i) =>
    add('limit', `quotas.${i}`, `quotas.${i}.when`, when),
  )
  for (const page of ['success', 'failed'] as const)
    file.results[page].details.forEach((detail, index) => {
      if (typeof detail === 'object')
        add(
          'detail',
          `results.${page}.details.${index}`,
          `results.${page}.details.${index}.when`,
          detail.when,
        )
    })
  return conditions
}

function buildConditionAt(
  kind: ConditionAt['kind'],
  owner: string,
  path: string,
  raw: unknown,
): ConditionAt {
  const conditionMaps = Array.isArray(raw)
    ? raw.map((entry: unknown, index) => buildMapAt(join(path, index), entry))
    : [buildMapAt(path, raw)]
  return { kind, owner, path, conditionMaps, condition: toCondition(raw) }
}

function buildMapAt(path: string, raw: unknown): MapAt {
  const entries =
    typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? Object.entries(raw) : []
  return {
    path,
    tests: entries.map(([field, test]) => ({
      field,
      path: join(path, field),
      raw: test as unknown,
    })),
  }
}

/**
 * Maps texts to the place where they are displayed, by their first key and a pattern of their path. The first match
 * applies.
 */
const TEXT_PLACES: Readonly<Record<string, readonly (readonly [RegExp, TextPlace])[]>> = {
  form: [
    [/^form\.without_payment\./, 'registered'],
    [
      /^form\.sections\.\d+\.title$|^form\.sections\.\d+\.fields(?:\.\d+\.fields)?\.\d+\.(label|hint|invalid|required(\.message)?|choose\.message|unit(\.(one|other))?)$/,
      'form',
    ],
    [/^form\.(panel|summary|stepper|failure)\b/, 'form'],
  ],
  results: [
    [/^results\.errors\./, 'order-error'],
    [/^results\.error_buttons\.\d+\.(label|mail)$/, 'order-error'],
    [/^results\.receipt\.(file|text)$/, 'receipt'],
    [
      /^results\.(success)\.(title|intro|notes_title|notes\.\d+|reasons\.\d+|details\.\d+\.(label|text)|buttons\.\d+\.(label|mail))$/,
      'success',
    ],
    [
      /^results\.(failed)\.(title|intro|notes_title|notes\.\d+|reasons\.\d+|details\.\d+\.(label|text)|buttons\.\d+\.(label|mail))$/,
      'failed',
    ],
  ],
  email: [[/^email\.(subject|text)$/, 'email']],
  admin: [
    [/^admin\.lists\.\d+\.errors\./, 'office-error'],
    [/^admin\.lists\.\d+\.export\.file$/, 'export-file'],
    [/^admin\.lists\.\d+\.(title|empty)$|^admin\.dashboard\.label$/, 'plain'],
  ],
  event: [[/^event\.(title|theme|about|hours|venue)$/, 'plain']],
  words: [[/^words\./, 'plain']],
  closed: [[/^closed\.(heading|text)$/, 'plain']],
  categories: [[/^categories\.\d+\.(label|about)$/, 'plain']],
  fees: [
    [/^fees\.((price_groups|items)\.\d+\.)?periods\.\d+\.label$/, 'plain'],
    [/^fees\.(price_groups|adjustments)\.\d+\.label$/, 'plain'],
    [/^fees\.items\.\d+\.label$/, 'line'],
  ],
  quotas: [[/^quotas\.\d+\.full(\.message)?$/, 'plain']],
  approval: [[/^approval\.\d+\.if_refused\.message$/, 'plain']],
  unique: [[/^unique\.\d+\.message$/, 'plain']],
  codes: [[/^codes\.kinds\.\d+\.label$/, 'plain']],
}

/** The key of a regular expression, which is never displayed and so is not collected. */
const PATTERN_KEY = 'pattern'

/** Collects all texts in one pass, for all checks that read them. */
export function collectTexts(source: Source): Pick<Model, 'displayedTexts' | 'writtenTexts'> {
  const displayedTexts: TextAt[] = []
  const writtenTexts: WrittenText[] = []
  const walk = (value: unknown, path: string, places: (typeof TEXT_PLACES)[string]): void => {
    if (typeof value === 'string') {
      const [start, end] = source.span(path)
      const written = { path, written: source.text.slice(start, end), at: start }
      writtenTexts.push(written)
      const textPlace = places.find(([pattern]) => pattern.test(path))?.[1]
      if (textPlace !== undefined)
        displayedTexts.push({ ...written, text: value, place: textPlace })
    } else if (Array.isArray(value))
      value.forEach((item, index) => walk(item, join(path, index), places))
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value))
        if (key !== PATTERN_KEY) walk(inner, join(path, key), places)
  }
  for (const [key, inner] of Object.entries(source.value as Readonly<Record<string, unknown>>))
    if (!['examples', 'allow', 'demo'].includes(key))
      walk(inner, key, getOwn(TEXT_PLACES, key) ?? [])
  return { displayedTexts, writtenTexts }
}

/**
 * Returns the ids of the form's fields, of the payment method field if there is a choice, and of
 * the values stored with them.
 */
export function listStoredIds({ fields, storedValues, config }: Model): readonly string[] {
  const partFields = config.fields.slice(fields.length)
  return [...fields, ...partFields, ...storedValues].map(({ id }) => id)
}

/** Returns the last day of registration if the file states one; otherwise the event's last day applies. */
export function getStatedClosingDay({ file, config }: Model): Day | undefined {
  const closes = file.registration?.closes
  return closes === undefined || closes === NEVER ? undefined : config.registration.closes
}
