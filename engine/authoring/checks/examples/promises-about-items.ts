/**
 * Lists the sales, refund and form settings that `examples.promises` can restate.
 *
 * These are quotas, seat holds, uniqueness, discount codes, member lists, the refund scale, editable answers and limits
 * on answers. No other check can detect that 500 seats were intended instead of 5,000.
 */
import type { EventFile, Field, QuotaEntry } from '../../schema/event-file-types.ts'
import type { CancellationKeys, RefundCharge } from '../../schema/office-section-types.ts'
import { DEFAULT_SEAT_HOLD_MS } from '../../../event/default-settings-and-limits.ts'
import type { FieldAt } from '../../checked-file.ts'

/** A promised word or list entry, with its path in the file. `relatedPath` is another path that affects the value. */
export type PromisedText = {
  readonly text: string
  readonly at: string
  readonly relatedPath?: string
}
/** The actual value under a promised name. A missing value is reported at `parent`. */
export type PromisedValue = {
  readonly parent: string
  readonly items: readonly PromisedText[]
  /** Paths at which missing entries are reported, by entry name, where they differ from `parent`. */
  readonly entryPaths?: ReadonlyMap<string, string>
}
type NamedValues = readonly (readonly [string, PromisedValue])[]

/** Returns the promised value for a list whose order in the file matters. */
export const toPromisedList = (parent: string, texts: readonly string[]): PromisedValue => ({
  parent,
  items: texts.map((text, i) => ({ text, at: `${parent}.${i}` })),
})

/** How long a seat is held by default. */
const DEFAULT_HOLD = `${DEFAULT_SEAT_HOLD_MS / 60_000} minutes`

/** Returns what an event can promise about quotas, uniqueness, discount codes and member lists, by name. */
export function listSalesSettings(file: EventFile): NamedValues {
  const quotas = (file.quotas ?? []).map((quota, index) => ({ quota, at: `quotas.${index}` }))
  const entryPaths = mapQuotaPaths(quotas)
  const listItems = (
    toItems: (quota: QuotaEntry, at: string) => readonly PromisedText[],
    name: string,
  ): readonly [string, PromisedValue] => [
    name,
    { parent: 'quotas', items: quotas.flatMap(({ quota, at }) => toItems(quota, at)), entryPaths },
  ]
  return [
    ...[
      listItems(listSeatPromises, 'quotas'),
      listItems(listLowAvailabilityPromises, 'few'),
      listItems(listOfferPromises, 'offers'),
    ].filter(hasItems),
    ...(file.hold_seats_for === undefined && quotas.length === 0
      ? []
      : [
          buildEntry(
            'hold_seats_for',
            file.hold_seats_for === undefined ? 'quotas' : 'hold_seats_for',
            file.hold_seats_for ?? DEFAULT_HOLD,
          ),
        ]),
    ...[listUniquenessPromises(file), listCodeKindPromises(file)].filter(hasItems),
    ...Object.entries(file.member_lists ?? {}).map(
      ([id, memberList]): readonly [string, PromisedValue] => {
        const at = `member_lists.${id}`
        const columns = Object.entries(memberList.columns).map(([column, type]) => ({
          text: `${column} ${typeof type === 'string' ? type : formatValues(type)}`,
          at: `${at}.columns.${column}`,
        }))
        const shownColumns = (memberList.shows ?? []).map((text, i) => ({
          text: `shows ${text}`,
          at: `${at}.shows.${i}`,
        }))
        return [
          at,
          {
            parent: at,
            items: [{ text: `by ${memberList.key}`, at: `${at}.key` }, ...columns, ...shownColumns],
          },
        ]
      },
    ),
    ...(['opens', 'closes'] as const).flatMap((side) => {
      const day = file.registration?.[side]
      return day === undefined ? [] : [buildEntry(side, `registration.${side}`, day)]
    }),
    ...(file.form.pages === undefined ? [] : [buildEntry('pages', 'form.pages', file.form.pages)]),
  ]
}

/** Returns what an event can promise about cancellations, corrections and emails, by name. */
export function listSelfServiceValues({ cancellation, edit, email }: EventFile): NamedValues {
  return [
    ...(cancellation === undefined ? [] : [listRefundPromises(cancellation)]),
    ...(edit === undefined
      ? []
      : [
          buildEntry('edit.until', 'edit.until', edit.until),
          ['edit.fields', toPromisedList('edit.fields', edit.fields)] as const,
        ]),
    ...(email?.copy_to === undefined
      ? []
      : [buildEntry('copy_to', 'email.copy_to', email.copy_to)]),
  ]
}

/** Lists the steps of the refund scale: “75% less 500 until 2026-12-31”, “none otherwise”. */
function listRefundPromises({
  steps,
  charge: defaultCharge,
  without_tax: excludesTaxByDefault,
}: CancellationKeys): readonly [string, PromisedValue] {
  const items = steps.map((step, i) => {
    const { until, refund, otherwise, charge = defaultCharge } = step
    const excludesTax = step.without_tax ?? excludesTaxByDefault ?? false
    const share = String(otherwise ?? refund)
    const deductions =
      share === 'none'
        ? ''
        : `${excludesTax ? ' without tax' : ''}${charge === undefined ? '' : ` less ${formatCharge(charge)}`}`
    const days = otherwise === undefined ? `until ${String(until)}` : 'otherwise'
    return { text: `${share}${deductions} ${days}`, at: `cancellation.steps.${i}` }
  })
  return ['cancellation', { parent: 'cancellation.steps', items }]
}

const formatCharge = (charge: RefundCharge): string =>
  typeof charge === 'number'
    ? String(charge)
    : Object.entries(charge)
        .map(([currency, amount]) => `${currency} ${amount}`)
        .join(' or ')

/** Formats the values of a column; a single value must not look like the name of a column type. */
function formatValues(values: readonly string[]): string {
  return values.length === 1 ? `only ${values.join()}` : values.join(' or ')
}

const hasItems = ([, { items }]: readonly [string, PromisedValue]): boolean => items.length > 0

function buildEntry(name: string, at: string, text: string): readonly [string, PromisedValue] {
  return [name, { parent: at, items: [{ text, at }] }]
}

/** Returns the path of each quota by its id, and the path of its options by the id followed by a dot. */
function mapQuotaPaths(
  quotas: readonly { readonly quota: QuotaEntry; readonly at: string }[],
): ReadonlyMap<string, string> {
  return new Map(
    quotas.flatMap(({ quota: { id, max }, at }) =>
      typeof max === 'number'
        ? [[id, at] as const]
        : [[id, at] as const, [`${id}.`, `${at}.max`] as const],
    ),
  )
}

function listSeatPromises({ id, max, when }: QuotaEntry, at: string): readonly PromisedText[] {
  const conditionText = when === undefined ? '' : ` for ${describeCondition(when)}`
  const conditionPath = when === undefined ? {} : { relatedPath: `${at}.when` }
  return typeof max === 'number'
    ? [{ text: `${id}: ${max}${conditionText}`, at: `${at}.max`, ...conditionPath }]
    : Object.entries(max).map(([option, seats]) => ({
        text: `${id}.${option}: ${seats}${conditionText}`,
        at: `${at}.max.${option}`,
        ...conditionPath,
      }))
}

function listLowAvailabilityPromises(
  { id, few: fewSeats }: QuotaEntry,
  at: string,
): readonly PromisedText[] {
  return fewSeats === undefined ? [] : [{ text: `${id}: ${fewSeats}`, at: `${at}.few` }]
}

function listOfferPromises({ id, full }: QuotaEntry, at: string): readonly PromisedText[] {
  return typeof full === 'string' || full.offer === undefined
    ? []
    : [{ text: `${id}: ${full.offer}`, at: `${at}.full.offer` }]
}

function listUniquenessPromises(file: EventFile): readonly [string, PromisedValue] {
  const items = (file.unique ?? []).map((unique, i) => ({
    text: `${unique.fields.join(' and ')}: ${unique.on_duplicate}`,
    at: `unique.${i}.fields`,
    relatedPath: `unique.${i}.on_duplicate`,
  }))
  return ['unique', { parent: 'unique', items }]
}

function listCodeKindPromises(file: EventFile): readonly [string, PromisedValue] {
  const items = (file.codes?.kinds ?? []).map(({ id, gives }, i) => ({
    text: `${id}: ${Object.entries(gives).flat().join(' ')}`,
    at: `codes.kinds.${i}.gives`,
    relatedPath: `codes.kinds.${i}.id`,
  }))
  return ['codes', { parent: 'codes', items }]
}

/** Formats a condition compactly, with the file's own keys: `category trainee and nights at_least 2`. */
function describeCondition(condition: unknown): string {
  if (Array.isArray(condition)) return condition.map(describeCondition).join(' or ')
  if (typeof condition !== 'object' || condition === null) return String(condition)
  return Object.entries(condition)
    .map(([name, test]) => `${name} ${describeCondition(test)}`)
    .join(' and ')
}

/** Returns every field. A list of people is followed by its fields, with ids such as `companions.age`. */
export function listFieldsIncludingNested(fields: readonly FieldAt[]): readonly FieldAt[] {
  return fields.flatMap(({ id, path, raw, field }) => [
    { id, path, raw, field },
    ...(raw.fields ?? []).flatMap((personField, i): readonly FieldAt[] => {
      const compiledField = field.fields?.[i]
      return compiledField === undefined
        ? []
        : [
            {
              id: `${id}.${personField.id}`,
              path: `${path}.fields.${i}`,
              raw: personField,
              field: compiledField,
            },
          ]
    }),
  ])
}

/** Returns what an event can promise about answers: amounts, date ranges, formats and texts. */
export function listFormValues(fields: readonly FieldAt[]): NamedValues {
  const entryPaths = new Map(fields.map(({ id, path }) => [id, path]))
  const buildFieldPromises = (
    name: string,
    keys: readonly (keyof Field)[],
    format: (raw: Field) => string | undefined,
  ): readonly [string, PromisedValue] => [
    name,
    {
      parent: 'form.sections',
      entryPaths,
      items: fields.flatMap(({ id, path, raw }) => {
        const text = format(raw)
        const statedPaths = keys
          .filter((key) => raw[key] !== undefined)
          .map((key) => `${path}.${key}`)
        const [at = path, relatedPath] = statedPaths
        return text === undefined
          ? []
          : [{ text: `${id}: ${text}`, at, ...(relatedPath === undefined ? {} : { relatedPath }) }]
      }),
    },
  ]
  return [
    buildFieldPromises(
      'bounds',
      ['min', 'max', 'from', 'to', 'max_length', 'max_mb'],
      describeBounds,
    ),
    buildFieldPromises('forms', ['format', 'pattern'], ({ format, pattern }) => format ?? pattern),
    buildFieldPromises('consents', ['version', 'link'], ({ version, link }) =>
      version === undefined && link === undefined
        ? undefined
        : [version, link].filter((part) => part !== undefined).join(' '),
    ),
    ...fields.flatMap(({ id, path, raw: { choose } }): NamedValues => {
      if (choose === undefined) return []
      const at = `${path}.choose`
      const formatBound = (key: 'at_least' | 'at_most'): readonly PromisedText[] =>
        choose[key] === undefined
          ? []
          : [{ text: `${key.replace('_', ' ')} ${choose[key]}`, at: `${at}.${key}` }]
      const exclusions = (choose.mutually_exclusive ?? []).map((options, i) => ({
        text: `not ${options.join(' with ')}`,
        at: `${at}.mutually_exclusive.${i}`,
      }))
      return [
        [
          `choose.${id}`,
          {
            parent: at,
            items: [...formatBound('at_least'), ...formatBound('at_most'), ...exclusions],
          },
        ],
      ]
    }),
  ].filter(hasItems)
}

function describeBounds({ min, max, from, to, max_length, max_mb }: Field): string | undefined {
  const formatRange = (low?: string | number, high?: string | number): string | undefined =>
    low === undefined
      ? high === undefined
        ? undefined
        : `to ${high}`
      : high === undefined
        ? `from ${low}`
        : `${low} to ${high}`
  const lengthText = max_length === undefined ? undefined : `${max_length} characters`
  const fileSizeText = max_mb === undefined ? undefined : `${max_mb} MB`
  return formatRange(min, max) ?? formatRange(from, to) ?? lengthText ?? fileSizeText
}
