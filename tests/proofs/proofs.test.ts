/** The checker's claims about bills agree with the results of trying every combination. */
import { expect, test } from 'vitest'
import { proveBill } from '../../engine/authoring/proofs/bill-bounds.ts'
import { quoteWithCategory } from '../../engine/pricing/quote.ts'
import { startOfDay } from '../../engine/lib/time.ts'
import { createEvent, createField, isIn, toRupees, when } from '../engine/fixtures.ts'
import { chooseRuns } from '../runs.ts'
import { findDifferences, drawEvent, proveBillFindings } from './compare.ts'
import { findPeriod, listAcceptedAnswers, tryAllCombinations } from './brute.ts'
import { DAYS } from './events.ts'
import { addPriceStructures } from './price-structures.ts'

// `npm run proofs SEED COUNT` draws more events than this test.
const SEED = 9
const EVENT_COUNT = chooseRuns(150, 60)

test('for random events with items, adjustments, quotas, codes and a member list, every claim agrees with the results of trying every combination', () => {
  const allDifferences = Array.from({ length: EVENT_COUNT }, (_, number) => number).flatMap(
    (number) =>
      findDifferences(drawEvent(SEED, number)).map(
        (difference) => `${SEED}:${number} ${difference}`,
      ),
  )
  expect(allDifferences).toEqual([])
})

test('the claims also agree for prices by payment method, items and groups with their own periods, and tax rules', () => {
  const allDifferences = Array.from({ length: EVENT_COUNT }, (_, number) => number).flatMap(
    (number) =>
      findDifferences(addPriceStructures(drawEvent(SEED, number), SEED, number)).map(
        (difference) => `${SEED}:${number} ${difference}`,
      ),
  )
  expect(allDifferences).toEqual([])
})

test('every combination of an event with groups is quoted in the period of its category', () => {
  const eventsWithGroups = Array.from({ length: EVENT_COUNT }, (_, number) =>
    addPriceStructures(drawEvent(SEED, number), SEED, number),
  ).filter(({ fees }) => fees.groups !== undefined)
  expect(eventsWithGroups.length).toBeGreaterThan(EVENT_COUNT / 3)
  const wrongQuotes = eventsWithGroups.flatMap((event, number) =>
    [...listAcceptedAnswers(event)].flatMap(({ answers, category }) =>
      DAYS.flatMap((date) => {
        const result = quoteWithCategory(event, answers, category, startOfDay(date))
        const period = findPeriod(event, category, date)
        const price = event.fees.prices?.[category]?.[period] ?? null
        const isRight = result.ok
          ? result.value.period === period && price !== null
          : result.error.code === 'not_on_sale' && (price === null) === (result.error.item === null)
        return isRight ? [] : [`${number} ${category} ${date}`]
      }),
    ),
  )
  expect(wrongQuotes).toEqual([])
})

test('an adjustment that exceeds the price of one night is reported, although it is valid for zero and three nights', () => {
  // These two events were found by a longer run.
  expect([8864, 9224].flatMap((number) => findDifferences(drawEvent(1, number)))).toEqual([])
})

test('the random events include combinations that are not on sale, excessive discounts and overlapping adjustments', () => {
  const allFindings = Array.from({ length: 40 }, (_, number) =>
    tryAllCombinations(drawEvent(SEED, number)),
  )
  expect(allFindings.filter(({ missingPrices }) => missingPrices.size > 0).length).toBeGreaterThan(
    5,
  )
  expect(
    allFindings.filter(({ excessiveAdjustments }) => excessiveAdjustments.size > 0).length,
  ).toBeGreaterThan(2)
  expect(allFindings.filter(({ overlapping }) => overlapping.size > 0).length).toBeGreaterThan(5)
  expect(
    allFindings.filter(({ mostExpensive }) => mostExpensive !== null && mostExpensive > 0).length,
  ).toBeGreaterThan(20)
})

test('the comparison detects claims that were made about a different event', () => {
  const events = Array.from({ length: 20 }, (_, number) => drawEvent(SEED, number))
  const detectedEvents = events.filter((event) => {
    // The same event with its required fields made optional and its optional fields made required.
    const changedEvent = {
      ...event,
      fields: event.fields.map(({ required, ...field }) => ({
        ...field,
        ...(required === undefined ? { required: { message: 'Please answer' } } : {}),
      })),
    }
    const [claimed, triedFindings] = [proveBillFindings(changedEvent), tryAllCombinations(event)]
    return (
      claimed?.cheapest !== triedFindings.cheapest ||
      claimed?.mostExpensive !== triedFindings.mostExpensive
    )
  })
  expect(detectedEvents.length).toBeGreaterThan(5)
})

test('the highest bill of an event with twenty yes-no fields and a rule for each field is found', () => {
  const ids = Array.from({ length: 20 }, (_, index) => `question_${index}`)
  const event = createEvent({
    categories: ['member', 'guest'].map((id) => ({ id, label: id, listedOnly: false })),
    categoryChoice: {
      by: 'rules',
      rules: [
        ...ids.map((id, index) => ({
          when: when(isIn(id, true)),
          then: index % 2 === 0 ? 'guest' : 'member',
        })),
        { when: null, then: 'guest' },
      ],
    },
    fields: ids.map((id) => createField(id, { type: 'yes-no', default: false })),
    fees: {
      tax: null,
      periods: [{ id: 'now', label: 'Now' }],
      otherDates: null,
      prices: { member: { now: toRupees(500) }, guest: { now: toRupees(700) } },
      items: [],
      // A delegate who answers the second question with Yes and the first with No is a member.
      adjustments: [
        {
          id: 'late',
          label: 'Late',
          on: 'all',
          when: when(isIn('question_1', true)),
          by: { amount: toRupees(90) },
        },
      ],
    },
  })
  const extremes = proveBill(event).extremes?.[0]
  expect(extremes?.mostExpensive?.total).toBe(toRupees(790))
  expect(extremes?.mostExpensive?.answers).toMatchObject({ question_0: true, question_1: true })
  expect(extremes?.cheapest?.total).toBe(toRupees(500))
})
