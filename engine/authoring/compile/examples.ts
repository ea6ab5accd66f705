/** Compiles the file's examples, each with answers or a cell of the price list and its expected result. */
import type { ExampleCase } from '../../event/config.ts'
import type { RawAnswers } from '../../event/answer-types.ts'
import { instant, readInstant, type Instant } from '../../lib/time.ts'
import type { Currency, Amount } from '../../lib/money.ts'
import {
  removeUndefined,
  list,
  map,
  optionalText,
  readFileAmount,
  readSignedFileAmount,
  text,
  texts,
  wireNames,
  type PlainMap,
} from './read-checked-values.ts'

export function toExamples(examples: PlainMap, currency: Currency): readonly ExampleCase[] {
  const delegate = map(examples.delegate)
  return list(examples.cases)
    .map(map)
    .map((example) => {
      const expect = map(example.expect)
      const name = text(example.name)
      if (example.order_id !== undefined)
        return { name, orderId: text(example.order_id), order: text(expect.order) }
      const amount = (value: unknown): Amount | undefined =>
        value === undefined ? undefined : readFileAmount(value, currency)
      const expected = removeUndefined({
        category: optionalText(expect.category),
        period: optionalText(expect.period),
        base: amount(expect.base),
        gst: amount(expect.gst),
        total: amount(expect.total),
        lines:
          expect.lines === undefined
            ? undefined
            : Object.fromEntries(
                Object.entries(map(expect.lines)).map(([id, value]) => [
                  id,
                  readSignedFileAmount(value, currency),
                ]),
              ),
        shows: expect.shows === undefined ? undefined : texts(expect.shows),
        hides: expect.hides === undefined ? undefined : texts(expect.hides),
      })
      const on = readMoment(text(example.on))
      if (example.category !== undefined)
        return { name, on, category: text(example.category), expect: expected }
      const answers: RawAnswers = Object.fromEntries(
        Object.entries({ ...delegate, ...map(example.given) }).filter(
          ([, value]) => value !== null,
        ),
      )
      return {
        name,
        on,
        answers,
        expect: {
          ...expected,
          ...removeUndefined({
            errors: expect.errors === undefined ? undefined : wireNames(expect.errors),
          }),
        },
      }
    })
}

/** An invalid day or time is reported by EV105, and such a file is never served. */
function readMoment(value: string): Instant {
  return readInstant(value) ?? instant(0)
}
