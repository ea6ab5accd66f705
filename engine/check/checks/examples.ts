/** EV9: the file's own examples, run as the form would run them; and what no example touches. */
import type { EventConfig, ExampleCase } from '../../config.ts'
import { judged } from '../../answers.ts'
import { categoryOf } from '../../category.ts'
import { formatMoney, type Paise } from '../../money.ts'
import { readOrderId } from '../../numbers.ts'
import { periodOn } from '../../period.ts'
import { quoteFor } from '../../quote.ts'
import { remember } from '../../remember.ts'
import { dayOf, formatDay, isDay, readInstant } from '../../time.ts'
import type { Check, Model } from '../model.ts'
import type { Draft } from '../finding.ts'
import { suggestion } from '../near.ts'

/**
 * What an example found: `failures` is empty when it passes, `about` says for each what it is about
 * (`total`, `errors.email`). `cell` is the price it stands for.
 */
export type ExampleResult = {
  readonly name: string
  readonly failures: readonly string[]
  readonly about: readonly string[]
  readonly because: readonly string[]
  readonly cell: {
    readonly category: string
    readonly period: string
    readonly checksAmount: boolean
  } | null
}

/** Runs every example of an event. Pure: the day stands in each case. Two checks and every page that previews an event ask for the same results. */
export const runExamples = remember((event: EventConfig): readonly ExampleResult[] =>
  event.examples.map((example) => runExample(event, example)),
)

function runExample(event: EventConfig, example: ExampleCase): ExampleResult {
  if ('orderId' in example) {
    const read = readOrderId(event, example.orderId)
    const got = read.ok ? 'ok' : read.error.message
    const digits = event.orderId.followedBy === 'digits' ? ' and digits' : ' and anything'
    return {
      name: example.name,
      ...told(got === example.order ? [] : [differs('order', example.order, got)]),
      because: [`an order id of this event is ${event.orderId.prefix}${digits}`],
      cell: null,
    }
  }
  const on = dayOf(example.on)
  const period = periodOn(event.fees, on)?.id ?? null
  const listed = 'category' in example
  const read = listed ? null : judged(event, example.answers)
  const category = 'category' in example ? example.category : categoryOf(event, read?.answers ?? {})
  // A closed event states prices still: what an example asks is the table, not whether one can register.
  const price = category === null || period === null ? null : quoteFor(event, category, period)
  const { expect } = example
  const shown = read?.shown ?? new Set<string>()
  const money = (amount: Paise | undefined): string =>
    amount === undefined ? 'no price' : formatMoney(amount)
  const failures = [
    ...(expect.category === undefined || expect.category === category
      ? []
      : [differs('category', expect.category, category ?? 'none')]),
    ...(expect.period === undefined || expect.period === period
      ? []
      : [differs('period', expect.period, period ?? 'none')]),
    ...(['base', 'gst', 'total'] as const).flatMap((part) =>
      expect[part] === undefined || expect[part] === price?.[part]
        ? []
        : [differs(part, money(expect[part]), money(price?.[part]))],
    ),
    ...(expect.shows ?? [])
      .filter((id) => !shown.has(id))
      .map((id) => differs('shows', id, 'hidden', `shows.${id}`)),
    ...(expect.hides ?? [])
      .filter((id) => shown.has(id))
      .map((id) => differs('hides', id, 'shown', `hides.${id}`)),
    ...(read === null
      ? []
      : errorFailures(('errors' in expect ? expect.errors : undefined) ?? {}, read.errors)),
  ]
  const because = [
    `${formatDay(on)} in India → period ${period ?? 'none: closed'}`,
    `${listed ? 'looked up' : 'answers'} → category ${category ?? 'none'}`,
  ]
  const checksAmount = price !== null && (expect.base !== undefined || expect.total !== undefined)
  return {
    name: example.name,
    ...told(failures),
    because,
    cell: category === null || period === null ? null : { category, period, checksAmount },
  }
}

type Difference = { readonly about: string; readonly text: string }

function differs(what: string, expected: string, got: string, about = what): Difference {
  return { about, text: `${what}: expected ${expected}, got ${got}` }
}

function told(differences: readonly Difference[]): Pick<ExampleResult, 'failures' | 'about'> {
  return {
    failures: differences.map(({ text }) => text),
    about: differences.map(({ about }) => about),
  }
}

function errorFailures(
  expected: Readonly<Record<string, string>>,
  got: Readonly<Record<string, string>>,
): readonly Difference[] {
  const fields = [...new Set([...Object.keys(expected), ...Object.keys(got)])]
  return fields.flatMap((field) =>
    expected[field] === got[field]
      ? []
      : [differs(`errors.${field}`, expected[field] ?? 'none', got[field] ?? 'none')],
  )
}

const exampleFails: Check = {
  slug: 'example-fails',
  severity: 'error',
  why: 'An example is what the organiser promised; the file does something else.',
  after: ['EV903', 'EV105', 'EV411'],
  find: (model) =>
    runExamples(model.config).flatMap((result, at): Draft[] => {
      const { name, failures, because } = result
      if (failures.length === 0) return []
      const [first = { at: `examples.cases.${at}.name`, message: '' } as Related, ...others] =
        expectedAt(model, result, at)
      // Beside what is expected in the same line there is nothing to point out.
      const { line } = model.source.place(first.at, first.part).start
      const elsewhere = ({ at: path, part }: Related): boolean =>
        model.source.place(path, part).start.line !== line
      return [
        {
          at: first.at,
          part: first.part ?? 'value',
          message: `example “${name}” fails`,
          related: [...others, ...causesOf(model, result), ...answersOf(model, result, at)]
            .filter(distinct)
            .filter(elsewhere),
          notes: [...failures, `because ${because.join('; ')}`],
        },
      ]
    }),
}

type Related = NonNullable<Draft['related']>[number] & { readonly at: string }
const distinct = (one: Related, i: number, all: readonly Related[]): boolean =>
  all.findIndex(({ at }) => at === one.at) === i

/** Where the example states what it does not get. */
function expectedAt(
  { source, file }: Model,
  { about }: ExampleResult,
  index: number,
): readonly Related[] {
  const expect = `examples.cases.${index}.expect`
  return about
    .map((key): Related => {
      const [part = '', id = ''] = key.split('.')
      const listed =
        part === 'shows' || part === 'hides'
          ? `${expect}.${part}.${(file.examples?.cases[index]?.expect[part] ?? []).indexOf(id)}`
          : `${expect}.${key}`
      if (source.has(listed)) return { at: listed, message: 'expected here' }
      return {
        at: source.has(`${expect}.${part}`) ? `${expect}.${part}` : expect,
        part: 'key',
        message: 'not expected here',
      }
    })
    .filter(distinct)
}

/** Where the event says what the example gets instead: the cell, the tax, the periods, the rules, the fields. */
function causesOf(model: Model, { about, cell, name }: ExampleResult): readonly Related[] {
  const { source, config, fields } = model
  const here = (at: string, message: string): readonly Related[] =>
    source.has(at) ? [{ at, message }] : []
  const example = config.examples.find((one) => one.name === name)
  const expect = example === undefined || 'orderId' in example ? {} : example.expect
  const periodAt = (id: string | undefined): readonly Related[] =>
    here(
      `fees.periods.${config.fees.periods.findIndex((period) => period.id === id)}`,
      'this period',
    )
  const fieldAt = (id: string): readonly Related[] =>
    fields
      .filter((field) => field.id === id)
      .flatMap(({ path, field }) => [
        ...here(path, 'this field'),
        ...here(`form.sections.${field.section}.show_when`, 'its section'),
      ])
  /** What shows a field may be another field's answer, or its first one. */
  const shownBy = (id: string): readonly Related[] => {
    const field = fields.find((one) => one.id === id)?.field
    const conditions =
      field === undefined ? [] : [field.showWhen, config.sections[field.section]?.showWhen]
    return conditions.flatMap((condition) =>
      (condition ?? []).flat().flatMap(({ field: other }) => fieldAt(other)),
    )
  }
  return about.flatMap((key): readonly Related[] => {
    const [part = '', id = ''] = key.split('.')
    if (part === 'order')
      return [
        ...here('order_id', 'how an order id is written'),
        ...here('results.errors', 'what is said of it'),
      ]
    if (part === 'shows' || part === 'hides' || part === 'errors')
      return [...fieldAt(id), ...shownBy(id)]
    if (part === 'period')
      return [
        ...periodAt(expect.period),
        ...periodAt(cell?.period),
        ...here('fees.other_dates', 'every other day'),
      ]
    if (part === 'category') {
      const choice = config.categoryChoice
      if (choice.by === 'field')
        return [...fieldAt(choice.field), ...here('categories', 'the categories')]
      const tested = choice.rules.flatMap(({ when }) =>
        (when ?? []).flat().map(({ field }) => field),
      )
      return [
        ...choice.rules.flatMap(({ then }, i) =>
          then === cell?.category || then === expect.category
            ? here(`category.rules.${i}`, 'this rule')
            : [],
        ),
        ...[...new Set(tested)].flatMap(fieldAt),
      ]
    }
    const column = model.file.fees.prices?.period?.map(String).indexOf(cell?.period ?? '') ?? -1
    return [
      ...here(`fees.prices.${cell?.category ?? ''}.${column}`, 'the price'),
      ...here(`fees.prices.period.${column}`, 'its column'),
      ...(part === 'base' ? [] : here('fees.tax', 'the tax')),
    ]
  })
}

/** The answers that the example gives, or those it should have taken from the delegate. */
function answersOf({ source }: Model, { about }: ExampleResult, index: number): readonly Related[] {
  const own = (['on', 'given', 'category', 'order_id'] as const)
    .map((key) => `examples.cases.${index}.${key}`)
    .filter((at) => source.has(at))
  const common = about
    .filter((key) => key.startsWith('errors.'))
    .map((key) => `examples.delegate.${key.slice('errors.'.length)}`)
  return [
    ...own.map((at): Related => ({ at, message: 'given here' })),
    ...common.map((at): Related =>
      source.has(at)
        ? { at, message: 'given here' }
        : { at: 'examples.delegate', part: 'key', message: 'not given here' },
    ),
  ]
}

const priceUntested: Check = {
  slug: 'price-untested',
  severity: 'note',
  why: 'A wrong digit in a price is only found by an example that states the amount.',
  after: ['EV901', 'EV903', 'EV105', 'EV402', 'EV411'],
  find: ({ config, file }) => {
    if (config.fees.prices === null || file.examples === undefined) return []
    const touched = new Set(
      runExamples(config).flatMap(({ cell }) =>
        cell?.checksAmount === true ? [`${cell.category} × ${cell.period}`] : [],
      ),
    )
    const untouched = Object.entries(config.fees.prices).flatMap(([category, row]) =>
      Object.entries(row).flatMap(([period, price]) =>
        price === null || touched.has(`${category} × ${period}`) ? [] : [`${category} × ${period}`],
      ),
    )
    return untouched.length === 0
      ? []
      : [
          {
            at: 'fees.prices',
            part: 'key',
            message: `no example states the price of ${untouched.length === 1 ? 'one cell' : `${untouched.length} cells`}`,
            notes: [untouched.join(', ')],
            help: 'add an example with base or total for each',
          },
        ]
  },
}

const exampleUnknownField: Check = {
  slug: 'example-unknown-field',
  severity: 'error',
  why: 'An example that answers a field nobody asks for proves nothing.',
  find: (model) => {
    const { examples } = model.file
    if (examples === undefined) return []
    const legal = model.fields.map(({ id }) => id)
    const keys = (value: object | undefined, path: string) =>
      Object.keys(value ?? {}).map((name) => ({
        name,
        at: `${path}.${name}`,
        part: 'key' as const,
      }))
    const used = [
      ...keys(examples.delegate, 'examples.delegate'),
      ...examples.cases.flatMap(({ given, expect }, at) => [
        ...keys(given, `examples.cases.${at}.given`),
        ...keys(expect.errors, `examples.cases.${at}.expect.errors`),
        ...(['shows', 'hides'] as const).flatMap((list) =>
          (expect[list] ?? []).map((name, i) => ({
            name,
            at: `examples.cases.${at}.expect.${list}.${i}`,
            part: 'value' as const,
          })),
        ),
      ]),
    ]
    return used
      .filter(({ name }) => !legal.includes(name))
      .map(({ name, at, part }) => ({
        at,
        part,
        message: `there is no field \`${name}\``,
        ...suggestion(name, legal, spanOf(model, at, part)),
      }))
  },
}

function spanOf({ source }: Model, at: string, part: 'key' | 'value'): readonly [number, number] {
  const { start, end } = source.place(at, part)
  return [start.offset, end.offset]
}

/** Days and amounts of examples that the schema's patterns let pass. */
export const badMoment = ({ file }: Model): readonly Draft[] =>
  (file.examples?.cases ?? []).flatMap(({ on }, at): Draft[] =>
    on === undefined || isDay(on) || readInstant(on) !== null
      ? []
      : [
          {
            at: `examples.cases.${at}.on`,
            message: `\`${on}\` is not a day or a time of the calendar`,
            help: 'write a day (2026-01-25) or a time with its offset (2026-01-25T23:59:59+05:30)',
          },
        ],
  )

export const examples = { EV901: exampleFails, EV902: priceUntested, EV903: exampleUnknownField }
