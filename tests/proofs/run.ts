/**
 * `npm run proofs SEED COUNT`: so many random events, what the checker proves of their bills beside what
 * trying every combination finds. One line for each event that differs; exit status 1 when there is one.
 */
import { differences, eventOfSeed } from './compare.ts'
import { triedAll, combinationsOf } from './brute.ts'

const [seed = 1, count = 1000] = process.argv.slice(2).map(Number)
const tally = { tried: 0, holes: 0, unsold: 0, overdrawn: 0, meet: 0, differ: 0 }
for (let number = 0; number < count; number += 1) {
  const event = eventOfSeed(seed, number)
  const found = differences(event)
  if (found.length > 0) {
    tally.differ += 1
    console.log(`${seed}:${number} ${found.slice(0, 4).join('; ')}`)
  }
  // What the events are like is counted on some of them.
  if (number % 20 === 0) {
    const all = triedAll(event)
    tally.tried += combinationsOf(event)
    if (all.holes.size > 0) tally.holes += 1
    if (all.dearest === null) tally.unsold += 1
    if (all.overdrawn.size > 0) tally.overdrawn += 1
    if (all.meet.size > 0) tally.meet += 1
  }
}
const sampled = Math.ceil(count / 20)
console.log(
  `${count} events of seed ${seed}: ${tally.differ} differ. Of ${sampled}: ${Math.round(tally.tried / sampled)} combinations each, ${tally.holes} with holes, ${tally.unsold} sold to nobody, ${tally.overdrawn} overdrawn, ${tally.meet} with adjustments that meet.`,
)
process.exitCode = tally.differ === 0 ? 0 : 1
