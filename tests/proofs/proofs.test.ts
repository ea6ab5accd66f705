/**
 * The checker's claims about bills are those of trying everything: `npm run proofs SEED COUNT` draws more
 * events than these. And what is claimed can be wrong: an event whose walk leaves something out is found.
 */
import { expect, test } from 'vitest'
import { differences, eventOfSeed, proved } from './compare.ts'
import { triedAll } from './brute.ts'

const SEED = 9
const COUNT = 150

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
