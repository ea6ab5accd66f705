/** `npm run proofs SEED COUNT` compares the proofs about random events with the results of trying every combination. */
import { showProgress } from '../../server/cli/progress-line.ts'
import { reportEach } from '../../server/ops/progress.ts'
import { findDifferences, drawEvent } from './compare.ts'
import { addPriceStructures } from './price-structures.ts'
import { tryAllCombinations, countCombinations } from './brute.ts'

const [seed = 1, count = 1000] = process.argv.slice(2).map(Number)
const tally = { tried: 0, holes: 0, unsold: 0, overdrawn: 0, overlapping: 0, differ: 0 }
const numbers = Array.from({ length: count }, (_, number) => number)
await showProgress({ progressStream: process.stderr }, async () => {
  for (const number of reportEach(numbers, 'Comparing events')) compareOnce(number)
})

/** Compares one event, and prints a line if the results differ. The exit status is then 1. */
function compareOnce(number: number): void {
  const event = drawEvent(seed, number)
  const differences = [event, addPriceStructures(event, seed, number)].flatMap(findDifferences)
  if (differences.length > 0) {
    tally.differ += 1
    console.log(`${seed}:${number} ${differences.slice(0, 4).join('; ')}`)
  }
  // The characteristics in the summary are counted only for every twentieth event.
  if (number % 20 === 0) {
    const findings = tryAllCombinations(event)
    tally.tried += countCombinations(event)
    if (findings.missingPrices.size > 0) tally.holes += 1
    if (findings.mostExpensive === null) tally.unsold += 1
    if (findings.excessiveAdjustments.size > 0) tally.overdrawn += 1
    if (findings.overlapping.size > 0) tally.overlapping += 1
  }
}
const sampleSize = Math.ceil(count / 20)
console.log(
  `${count} events of seed ${seed}: ${tally.differ} differ. Of ${sampleSize}: ${Math.round(tally.tried / sampleSize)} combinations each, ${tally.holes} with holes, ${tally.unsold} without any bill on sale, ${tally.overdrawn} overdrawn, ${tally.overlapping} with overlapping adjustments.`,
)
process.exitCode = tally.differ === 0 ? 0 : 1
