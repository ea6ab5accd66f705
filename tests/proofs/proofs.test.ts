/**
 * The checker's claims about bills are those of trying everything: `npm run proofs SEED COUNT` draws more
 * events than these. And what is claimed can be wrong: an event whose walk leaves something out is found.
 */
import { expect, test } from 'vitest'
import { provedBill } from '../../engine/authoring/proofs/bill-bounds.ts'
import { createEvent, field, isIn, rupee, when } from '../engine/fixtures.ts'
import { runs } from '../runs.ts'
import { differences, eventOfSeed, proved } from './compare.ts'
import { triedAll } from './brute.ts'

const SEED = 9
const COUNT = runs(150, 60)

test('of random events with items, adjustments, limits, codes and a roll every claim agrees with trying everything', () => {
  const differ = Array.from({ length: COUNT }, (_, number) => number).flatMap((number) =>
    differences(eventOfSeed(SEED, number)).map((what) => `${SEED}:${number} ${what}`),
  )
  expect(differ).toEqual([])
})

test('an adjustment that takes off more than one night costs is found, though none and three nights hide it', () => {
  // Two events that a longer run had found.
  expect([8864, 9224].flatMap((number) => differences(eventOfSeed(1, number)))).toEqual([])
})

test('among them are bills that are not on sale, adjustments that take too much, and adjustments that meet', () => {
  const all = Array.from({ length: 40 }, (_, number) => triedAll(eventOfSeed(SEED, number)))
  expect(all.filter(({ holes }) => holes.size > 0).length).toBeGreaterThan(5)
  expect(all.filter(({ overdrawn }) => overdrawn.size > 0).length).toBeGreaterThan(2)
  expect(all.filter(({ meet }) => meet.size > 0).length).toBeGreaterThan(5)
  expect(all.filter(({ dearest }) => dearest !== null && dearest > 0).length).toBeGreaterThan(20)
})

test('a claim about another event is found to be wrong', () => {
  const events = Array.from({ length: 20 }, (_, number) => eventOfSeed(SEED, number))
  const wrong = events.filter((event) => {
    // The same event, but for one field that is not required any more, or is.
    const other = {
      ...event,
      fields: event.fields.map(({ required, ...field }) => ({
        ...field,
        ...(required === undefined ? { required: { message: 'Please answer' } } : {}),
      })),
    }
    const [claimed, tried] = [proved(other), triedAll(event)]
    return claimed?.cheapest !== tried.cheapest || claimed?.dearest !== tried.dearest
  })
  expect(wrong.length).toBeGreaterThan(5)
})

test('an event of twenty yes-no questions with a rule each has its dearest bill, not "too large"', () => {
  const ids = Array.from({ length: 20 }, (_, at) => `question_${at}`)
  const event = createEvent({
    categories: ['member', 'guest'].map((id) => ({ id, label: id, listedOnly: false })),
    categoryChoice: {
      by: 'rules',
      rules: [
        ...ids.map((id, at) => ({
          when: when(isIn(id, true)),
          then: at % 2 === 0 ? 'guest' : 'member',
        })),
        { when: null, then: 'guest' },
      ],
    },
    fields: ids.map((id) => field(id, { type: 'yes-no', default: false })),
    fees: {
      tax: null,
      periods: [{ id: 'now', label: 'Now' }],
      otherDates: null,
      prices: { member: { now: rupee(500) }, guest: { now: rupee(700) } },
      items: [],
      // Whoever answered the second one with Yes, and the first with No, is a member.
      adjustments: [
        {
          id: 'late',
          label: 'Late',
          on: 'all',
          when: when(isIn('question_1', true)),
          by: { amount: rupee(90) },
        },
      ],
    },
  })
  const { extremes } = provedBill(event)
  expect(extremes?.dearest?.total).toBe(rupee(790))
  expect(extremes?.dearest?.answers).toMatchObject({ question_0: true, question_1: true })
  expect(extremes?.cheapest?.total).toBe(rupee(500))
})
