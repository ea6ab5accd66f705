/** Compiles the file's examples, each with answers or a cell of the price list and its expected result. */
import type { EventConfig, ExampleCase } from '../../event/config.ts'
import { getCurrency } from '../../rules/category.ts'
import type { RawAnswers } from '../../event/answer-types.ts'
import { instant, readInstant, type Instant } from '../../lib/time.ts'
import type { Currency, Amount } from '../../lib/money.ts'
import {
  removeUndefined,
  asList,
  asMap,
  asOptionalText,
  readFileAmount,
  readSignedFileAmount,
  asText,
  asTexts,
  asTextMap,
  type PlainMap,
} from './read-checked-values.ts'

/**
 * Returns the currency of the expected amounts: that of the category that the example expects or chooses, or the
 * event's currency if it states no category.
 */
function findExpectedCurrency(
  event: Pick<EventConfig, 'currency' | 'categories' | 'categoryChoice'>,
  example: PlainMap,
  answers: PlainMap,
): Currency {
  const { categoryChoice: choice } = event
  const chosen = choice.by === 'field' ? answers[choice.field] : undefined
  const category = example.category ?? asMap(example.expect).category ?? chosen
  return getCurrency(event, typeof category === 'string' ? category : null)
}

export function toExamples(
  examples: PlainMap,
  event: Pick<EventConfig, 'currency' | 'categories' | 'categoryChoice'>,
): readonly ExampleCase[] {
  const delegate = asMap(examples.delegate)
  return asList(examples.cases)
    .map(asMap)
    .map((example) => {
      const expect = asMap(example.expect)
      const name = asText(example.name)
      if (example.order_id !== undefined)
        return { name, orderId: asText(example.order_id), order: asText(expect.order) }
      const givenAnswers = { ...delegate, ...asMap(example.given) }
      const currency = findExpectedCurrency(event, example, givenAnswers)
      const readAmount = (value: unknown): Amount | undefined =>
        value === undefined ? undefined : readFileAmount(value, currency)
      const expected = removeUndefined({
        category: asOptionalText(expect.category),
        period: asOptionalText(expect.period),
        base: readAmount(expect.base),
        gst: readAmount(expect.gst),
        total: readAmount(expect.total),
        lines:
          expect.lines === undefined
            ? undefined
            : Object.fromEntries(
                Object.entries(asMap(expect.lines)).map(([id, value]) => [
                  id,
                  readSignedFileAmount(value, currency),
                ]),
              ),
        shows: expect.shows === undefined ? undefined : asTexts(expect.shows),
        hides: expect.hides === undefined ? undefined : asTexts(expect.hides),
      })
      const on = readMoment(asText(example.on))
      if (example.category !== undefined)
        return { name, on, category: asText(example.category), expect: expected }
      const answers: RawAnswers = Object.fromEntries(
        Object.entries(givenAnswers).filter(([, value]) => value !== null),
      )
      return {
        name,
        on,
        answers,
        expect: {
          ...expected,
          ...removeUndefined({
            errors: expect.errors === undefined ? undefined : asTextMap(expect.errors),
          }),
        },
      }
    })
}

/** Reads a day or time. EV105 reports an invalid value, and such a file is never served. */
function readMoment(value: string): Instant {
  return readInstant(value) ?? instant(0)
}
