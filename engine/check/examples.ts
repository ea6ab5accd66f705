/** EV9: the file's own examples, run as the form would run them; and what no example touches. */
import type { EventConfig, ExampleCase, Paise } from '../config.ts'
import { errorsOf, normalise, shownFields } from '../answers.ts'
import { categoryOf } from '../category.ts'
import { formatMoney } from '../money.ts'
import { readOrderId } from '../numbers.ts'
import { periodOn, quoteFor } from '../quote.ts'
import { dayOf, isDay, readInstant } from '../time.ts'
import type { Check, Model } from './model.ts'
import type { Draft } from './finding.ts'
import { suggestion } from './near.ts'

/** What an example found: `failures` is empty when it passes. `cell` is the price it stands for. */
export type ExampleResult = { readonly name: string; readonly failures: readonly string[]; readonly because: readonly string[]; readonly cell: { readonly category: string; readonly period: string; readonly checksAmount: boolean } | null }

/** Runs every example of an event. Pure: the day stands in each case. */
export function runExamples(event: EventConfig): readonly ExampleResult[] {
  return event.examples.map((example) => runExample(event, example))
}

function runExample(event: EventConfig, example: ExampleCase): ExampleResult {
  if ('orderId' in example) {
    const read = readOrderId(event, example.orderId)
    const got = read.ok ? 'ok' : read.error.message
    const digits = event.orderId.followedBy === 'digits' ? ' and digits' : ' and anything'
    return { name: example.name, failures: got === example.order ? [] : [differs('order', example.order, got)], because: [`an order id of this event is ${event.orderId.prefix}${digits}`], cell: null }
  }
  const on = dayOf(example.on)
  const period = periodOn(event.fees, on)?.id ?? null
  const listed = 'category' in example
  const answers = listed ? {} : normalise(event, example.answers).answers
  const category = listed ? example.category : categoryOf(event, answers)
  // A closed event states prices still: what an example asks is the table, not whether one can register.
  const price = category === null || period === null ? null : quoteFor(event, category, period)
  const { expect } = example
  const shown = listed ? new Set<string>() : shownFields(event, example.answers)
  const money = (amount: Paise | undefined): string => (amount === undefined ? 'no price' : formatMoney(amount))
  const failures = [
    ...(expect.category === undefined || expect.category === category ? [] : [differs('category', expect.category, category ?? 'none')]),
    ...(expect.period === undefined || expect.period === period ? [] : [differs('period', expect.period, period ?? 'none')]),
    ...(['base', 'gst', 'total'] as const).flatMap((part) => (expect[part] === undefined || expect[part] === price?.[part] ? [] : [differs(part, money(expect[part]), money(price?.[part]))])),
    ...(expect.shows ?? []).filter((id) => !shown.has(id)).map((id) => differs('shows', id, 'hidden')),
    ...(expect.hides ?? []).filter((id) => shown.has(id)).map((id) => differs('hides', id, 'shown')),
    ...(listed ? [] : errorFailures(('errors' in expect ? expect.errors : undefined) ?? {}, errorsOf(event, example.answers))),
  ]
  const because = [`${on} in India → period ${period ?? 'none: closed'}`, `${listed ? 'looked up' : 'answers'} → category ${category ?? 'none'}`]
  const checksAmount = price !== null && (expect.base !== undefined || expect.total !== undefined)
  return { name: example.name, failures, because, cell: category === null || period === null ? null : { category, period, checksAmount } }
}

function differs(what: string, expected: string, got: string): string {
  return `${what}: expected ${expected}, got ${got}`
}

function errorFailures(expected: Readonly<Record<string, string>>, got: Readonly<Record<string, string>>): readonly string[] {
  const fields = [...new Set([...Object.keys(expected), ...Object.keys(got)])]
  return fields.flatMap((field) => (expected[field] === got[field] ? [] : [differs(`errors.${field}`, expected[field] ?? 'none', got[field] ?? 'none')]))
}

const exampleFails: Check = {
  slug: 'example-fails',
  severity: 'error',
  why: 'An example is what the organiser promised; the file does something else.',
  after: ['EV903', 'EV105'],
  find: ({ config }) =>
    runExamples(config).flatMap(({ name, failures, because }, at): Draft[] => (failures.length === 0 ? [] : [{ at: `examples.cases.${at}.name`, message: `example “${name}” fails`, notes: [...failures, `because ${because.join('; ')}`] }])),
}

const priceUntested: Check = {
  slug: 'price-untested',
  severity: 'note',
  why: 'A wrong digit in a price is only found by an example that states the amount.',
  after: ['EV901', 'EV903', 'EV105', 'EV402', 'EV411'],
  find: ({ config, file }) => {
    if (config.fees.prices === null || file.examples === undefined) return []
    const touched = new Set(runExamples(config).flatMap(({ cell }) => (cell?.checksAmount === true ? [`${cell.category} × ${cell.period}`] : [])))
    const untouched = Object.entries(config.fees.prices).flatMap(([category, row]) => Object.entries(row).flatMap(([period, price]) => (price === null || touched.has(`${category} × ${period}`) ? [] : [`${category} × ${period}`])))
    return untouched.length === 0 ? [] : [{ at: 'fees.prices', part: 'key', message: `no example states the price of ${untouched.length === 1 ? 'one cell' : `${untouched.length} cells`}`, notes: [untouched.join(', ')], help: 'add an example with base or total for each' }]
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
    const keys = (value: object | undefined, path: string) => Object.keys(value ?? {}).map((name) => ({ name, at: `${path}.${name}`, part: 'key' as const }))
    const used = [
      ...keys(examples.delegate, 'examples.delegate'),
      ...examples.cases.flatMap(({ given, expect }, at) => [
        ...keys(given, `examples.cases.${at}.given`),
        ...keys(expect.errors, `examples.cases.${at}.expect.errors`),
        ...(['shows', 'hides'] as const).flatMap((list) => (expect[list] ?? []).map((name, i) => ({ name, at: `examples.cases.${at}.expect.${list}.${i}`, part: 'value' as const }))),
      ]),
    ]
    return used.filter(({ name }) => !legal.includes(name)).map(({ name, at, part }) => ({ at, part, message: `there is no field \`${name}\``, ...suggestion(name, legal, spanOf(model, at, part)) }))
  },
}

function spanOf({ source }: Model, at: string, part: 'key' | 'value'): readonly [number, number] {
  const { start, end } = source.place(at, part)
  return [start.offset, end.offset]
}

/** Days and amounts of examples that the schema's patterns let pass. */
export const badMoment = ({ file }: Model): readonly Draft[] =>
  (file.examples?.cases ?? []).flatMap(({ on }, at): Draft[] => (on === undefined || isDay(on) || readInstant(on) !== null ? [] : [{ at: `examples.cases.${at}.on`, message: `\`${on}\` is not a day or a time of the calendar`, help: 'write a day (2026-01-25) or a time with its offset (2026-01-25T23:59:59+05:30)' }]))

export const examples = { EV901: exampleFails, EV902: priceUntested, EV903: exampleUnknownField }
